// A machine that can be logged in to: a scratch folder, a host key, and while it runs a port on loopback.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import ssh2 from "ssh2";
import type { FaultSpec } from "../faults/faults.ts";
import type { StoredInstance } from "../world/instance.ts";
import { serveClient } from "./client.ts";
import { createFolder, fillFolder, removeFolder } from "./folder.ts";
import { createHostKey } from "./host-key.ts";
import { endProcesses, signalGroup } from "./processes.ts";
import type { Place } from "./program.ts";
import type { Tools } from "./tools.ts";

/** Real milliseconds with the fault `ssh-late`. */
const LATE_MS = 3000;

interface Options {
  readonly instance: StoredInstance;
  readonly tools: Tools;
  readonly faults: ReadonlySet<FaultSpec>;
}

export class Machine {
  readonly instance: StoredInstance;
  readonly #faults: ReadonlySet<FaultSpec>;
  readonly #place: Place;
  readonly #services = new Map<"own" | "other", ssh2.Server>();
  readonly #sockets = new Set<Socket>();
  #filled = false;
  #isOpen = false;
  #listener: Server | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor({ instance, tools, faults }: Options) {
    this.instance = instance;
    this.#faults = faults;
    this.#place = { folder: createFolder(), tools, running: new Set() };
  }

  /** Starts to listen, and calls back with the port whenever it has another one. */
  async open(tell: (port: number) => void): Promise<void> {
    if (!this.#filled) await fillFolder(this.#place.folder, this.instance);
    this.#filled = true;
    this.#isOpen = true;
    // Now rather than in the first connection, which would wait for it.
    this.#service("own");
    const port = await this.#listen(0);
    tell(port);
    if (!this.#faults.has("ssh-late")) return;
    // The port is known, and refuses.
    await this.#closeListener();
    this.#late = setTimeout(() => {
      // Some other program may have taken the port meanwhile.
      this.#listen(port)
        .catch(() => this.#listen(0))
        .then(tell, () => undefined);
    }, LATE_MS);
  }

  async #listen(port: number): Promise<number> {
    const listener = createServer((socket) => this.#greet(socket));
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
    listener.on("error", () => undefined);
    const { port: given } = listener.address() as AddressInfo;
    this.#listener = listener;
    // It was closed while this was under way.
    if (!this.#isOpen) await this.#closeListener();
    return given;
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (this.#faults.has("ssh-silent")) socket.resume();
    else this.#service(this.#faults.has("ssh-other-key") ? "other" : "own").injectSocket(socket);
  }

  /** The SSH server with this host key, which stays the same for as long as the machine exists. */
  #service(key: "own" | "other"): ssh2.Server {
    const known = this.#services.get(key);
    if (known) return known;
    const service = new ssh2.Server({ hostKeys: [createHostKey()], ident: "CloudGpuSandbox" }, (client) =>
      serveClient(client, this.instance, this.#place),
    );
    service.on("error", () => undefined);
    this.#services.set(key, service);
    return service;
  }

  async #closeListener(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    if (!listener) return;
    const closed = once(listener, "close");
    listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Cuts every connection and ends every program. The folder stays. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#late);
    await this.#closeListener();
    this.#endPrograms();
  }

  #endPrograms(): void {
    const { folder, running } = this.#place;
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
