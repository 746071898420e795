// A machine that can be logged in to: a scratch folder, a host key, and while it runs ports on loopback.
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import ssh2 from "ssh2";
import { findSelfStopScript } from "../../domain/instance/self-stop.ts";
import type { FaultSpec } from "../faults/faults.ts";
import { createNotebookServer } from "../jupyter/server.ts";
import { acceptsSsh, type OpenPorts, type StoredInstance } from "../world/instance.ts";
import { findNotebookPort, listPublicPorts, SSH_PORT } from "../world/ports.ts";
import { serveClient } from "./client.ts";
import { createFolder, fillFolder, findGpuNotes, removeFolder } from "./folder.ts";
import { createHostKey } from "./host-key.ts";
import { findListener } from "./inside.ts";
import { type Listener, type ListenerOptions, listenOnLoopback } from "./listener.ts";
import { noteGpuLoads } from "./nvidia-smi.ts";
import { noteAhead } from "./own-programs.ts";
import { canFindProcesses, endProcesses, signalGroup } from "./processes.ts";
import { type Place, runAtStart } from "./program.ts";
import { forwardInside, type Inside, readTcpPort } from "./public-ports.ts";
import type { Tools } from "./tools.ts";

/** Real milliseconds with the fault `ssh-late`. */
const LATE_MS = 3000;

/** The address in what ends an instance: a sandbox is on this computer. */
const IS_HERE = / http:\/\/(?:127\.0\.0\.1|localhost)[:/]/;

interface Options {
  readonly instance: StoredInstance;
  /** What opens its notebook server; undefined if it has none. */
  readonly notebookToken: string | undefined;
  /** What it may start, stop and destroy itself with. */
  readonly ownKey: string;
  /** In its overlay network, if it is in one. */
  readonly address: string | undefined;
  readonly tools: Tools;
  readonly faults: ReadonlySet<FaultSpec>;
}

export class Machine {
  readonly instance: StoredInstance;
  readonly #notebookToken: string | undefined;
  readonly #address: string | undefined;
  readonly #faults: ReadonlySet<FaultSpec>;
  readonly #place: Place;
  readonly #services = new Map<"own" | "other", ssh2.Server>();
  readonly #listeners = new Set<Listener>();
  /** The ports inside that this process listens for, and where. */
  readonly #served = new Map<number, number>();
  #filled = false;
  #noted = "";
  #ahead = 0;
  #isOpen = false;
  #late: NodeJS.Timeout | undefined;
  /** What ends the instance on its own, if it was told to. */
  #ownEnd: ChildProcess | undefined;

  constructor({ instance, notebookToken, ownKey, address, tools, faults }: Options) {
    this.instance = instance;
    this.#notebookToken = notebookToken;
    this.#address = address;
    this.#faults = faults;
    const variables = { CONTAINER_ID: String(instance.id), CONTAINER_API_KEY: ownKey };
    this.#place = { folder: createFolder(), tools, variables, running: new Set() };
  }

  /** Starts to listen, and calls back with the ports whenever it has others. */
  async open(tell: (ports: OpenPorts) => void): Promise<void> {
    const { folder, tools } = this.#place;
    if (!this.#filled) await fillFolder(folder, { instance: this.instance, address: this.#address, path: tools.path });
    this.#filled = true;
    this.#isOpen = true;
    await this.#openNotebook();
    const published = await this.#publish();
    // Its image's own entrypoint runs: there is no SSH server, and no start script.
    if (!acceptsSsh(this.instance)) return tell({ ssh: undefined, published });
    // Now rather than in the first connection, which would wait for it.
    this.#service("own");
    const listener = await this.#listenForSsh(0);
    this.#startOwnEnd();
    const isLate = this.#faults.has("ssh-late");
    // The port is known, and refuses from the first moment on.
    if (isLate) await this.#stop(listener);
    tell({ ssh: listener.port, published });
    if (!isLate) return;
    this.#late = setTimeout(() => {
      // Some other program may have taken the port in the meantime.
      this.#listenForSsh(listener.port)
        .catch(() => this.#listenForSsh(0))
        .then(
          ({ port }) => tell({ ssh: port, published }),
          () => undefined,
        );
    }, LATE_MS);
  }

  /** What its GPUs do now, UTC epoch seconds of the world. */
  async noteGpuLoads(now: number): Promise<void> {
    const place = findGpuNotes(this.#place.folder);
    this.#noted = await noteGpuLoads(place, this.instance, { now, before: this.#noted });
  }

  /** Moves its clock on, in seconds before that of this computer. */
  async setAhead(seconds: number): Promise<void> {
    if (this.#ahead === seconds) return;
    await noteAhead(this.#place.folder, seconds);
    this.#ahead = seconds;
  }

  /**
   * Of the start script, only what the extension itself put before it: it ends the instance by its own key, in this sandbox or another one
   * here. The rest may be anyone's, and this is the computer of whoever plays with the sandbox.
   */
  #startOwnEnd(): void {
    const script = findSelfStopScript(this.instance.configuration.onstart ?? "");
    if (script !== undefined && IS_HERE.test(script)) this.#ownEnd = runAtStart(this.#place, script);
  }

  async #listen(greet: (socket: Socket) => void, options?: ListenerOptions): Promise<Listener> {
    const listener = await listenOnLoopback(greet, options);
    this.#listeners.add(listener);
    // It was closed while this was under way.
    if (!this.#isOpen) await this.#stop(listener);
    return listener;
  }

  async #stop(listener: Listener): Promise<void> {
    this.#listeners.delete(listener);
    await listener.close();
  }

  #listenForSsh(port: number): Promise<Listener> {
    return this.#listen((socket) => this.#greet(socket), { port });
  }

  #greet(socket: Socket): void {
    if (this.#faults.has("ssh-silent")) socket.resume();
    else this.#service(this.#faults.has("ssh-other-key") ? "other" : "own").injectSocket(socket);
  }

  /** The SSH server with this host key, which stays the same for as long as the machine exists. */
  #service(key: "own" | "other"): ssh2.Server {
    const known = this.#services.get(key);
    if (known) return known;
    const service = new ssh2.Server({ hostKeys: [createHostKey()], ident: "CloudGpuSandbox" }, (client) =>
      serveClient(client, { instance: this.instance, place: this.#place, served: this.#served }),
    );
    service.on("error", () => undefined);
    this.#services.set(key, service);
    return service;
  }

  async #openNotebook(): Promise<void> {
    const inside = findNotebookPort(this.instance.configuration);
    if (inside === undefined || this.#notebookToken === undefined) return;
    const { id } = this.instance;
    const server = createNotebookServer({ id, token: this.#notebookToken, folder: this.#place.folder });
    const { port } = await this.#listen((socket) => void server.emit("connection", socket), { allowHalfOpen: true });
    this.#served.set(inside, port);
  }

  /** Opens the public ports but the one of SSH, and gives back where each is. */
  async #publish(): Promise<ReadonlyMap<string, number>> {
    const published = new Map<string, number>();
    for (const name of listPublicPorts(this.instance.configuration)) {
      const inside = name === SSH_PORT ? undefined : readTcpPort(name);
      if (inside === undefined) continue;
      const greet = (client: Socket) => forwardInside(client, this.#findInside(inside));
      published.set(name, (await this.#listen(greet, { allowHalfOpen: true })).port);
    }
    return published;
  }

  /** Where a port of the machine leads; undefined where nothing of the machine listens. */
  #findInside(port: number): Inside | undefined {
    const served = this.#served.get(port);
    if (served !== undefined) return { host: "127.0.0.1", port: served };
    const host = findListener(this.#place.folder, port);
    return host && { host, port };
  }

  /** Cuts every connection and ends every program. The folder stays. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#late);
    this.#served.clear();
    await Promise.all([...this.#listeners].map((listener) => this.#stop(listener)));
    this.#endPrograms();
  }

  #endPrograms(): void {
    const { folder, running } = this.#place;
    if (this.#ownEnd && !canFindProcesses) signalGroup(this.#ownEnd, "SIGKILL");
    this.#ownEnd = undefined;
    for (const child of running as Iterable<ChildProcess>) signalGroup(child, "SIGKILL");
    endProcesses(folder);
  }

  async remove(): Promise<void> {
    await this.close();
    removeFolder(this.#place.folder);
  }

  /** For the end of this process, which waits for nothing. */
  removeAtExit(): void {
    this.#endPrograms();
    removeFolder(this.#place.folder);
  }
}
