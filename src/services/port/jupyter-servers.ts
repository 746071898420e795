// Jupyter on a machine, through SSH: the server that its image was started with, one that someone started on it, or a new one.
import { randomBytes } from "node:crypto";
import { AppError } from "../../domain/base/error.ts";
import { buildShellCommand, findComplaint } from "../../domain/connection/machine-answer.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { formatBrowserHost } from "../../domain/port/browser-address.ts";
import {
  INSTALL_JUPYTER,
  JUPYTER_LOG,
  type JupyterServer,
  LIST_JUPYTER,
  readJupyterList,
  readJupyterServer,
  startJupyterCommand,
} from "../../domain/port/jupyter-server.ts";
import type { Clock } from "../../lib/clock.ts";
import { rememberSecret, rememberServedSecret } from "../../lib/redact.ts";
import { Sharing } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { type MachineLogin, withCommand } from "../connection/run-there.ts";
import type { SharedConnections } from "../connection/shared-connections.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import type { SshWay } from "../connection/ssh/ssh-program.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Tunnels } from "./tunnels.ts";
import type { WebFronts } from "./web-fronts.ts";

/** How Jupyter is reached from this computer. */
export interface JupyterAccess {
  /** On 127.0.0.1, where it speaks plain HTTP. */
  readonly port: number;
  /** Secret. */
  readonly token: string;
}

interface Services {
  readonly session: SessionService;
  readonly sharedConnections: SharedConnections;
  readonly tunnels: Tunnels;
  readonly fronts: WebFronts;
  readonly clock: Clock;
}

/** Milliseconds. A server starts within seconds, on a busy machine within a minute. */
const PATIENCE = 60_000;
const PAUSE = 1000;
/** Where machines keep what is worked on; a machine without it uses its home. */
const FOLDER = "/workspace";

export class JupyterServers {
  readonly #services: Services;
  /** Who asks twice must not start two servers. */
  readonly #searches = new Sharing<JupyterServer | "missing">();

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * A way to Jupyter on the machine. Starts a server if none runs.
   * @returns `missing` if Jupyter isn't installed there. @throws AppError with what went wrong; the signal's reason.
   */
  async open(
    account: SignedIn,
    way: SshWay,
    instance: Instance,
    signal: AbortSignal,
  ): Promise<JupyterAccess | "missing"> {
    const { session, tunnels, fronts } = this.#services;
    session.assertStill(account);
    const { id } = instance;
    const server = readJupyterServer(instance) ?? (await this.#findOrStart(account, { ...way, id }, signal));
    session.assertStill(account);
    if (server === "missing") return server;
    const tunnel = await tunnels.open(account, way, { id, remote: server.port }, signal);
    const port = await fronts.openPort(tunnel, formatBrowserHost(account.tag, id), signal);
    session.assertStill(account);
    return { port, token: server.token };
  }

  async #findOrStart(
    account: SignedIn,
    machine: MachineLogin,
    signal: AbortSignal,
  ): Promise<JupyterServer | "missing"> {
    return await this.#searches.join(`${account.tag} ${machine.id}`, signal, async (given) => {
      const shared = await this.#services.sharedConnections.open(account, machine, given);
      const running = await list(shared, given);
      if (running === "missing") return running;
      return running[0] ?? (await this.#start(account, shared, given));
    });
  }

  /** Returns once the server is in the machine's own list. */
  async #start(account: SignedIn, machine: MachineLogin, signal: AbortSignal): Promise<JupyterServer | "missing"> {
    const { session, clock } = this.#services;
    session.assertStill(account);
    const token = randomBytes(24).toString("hex");
    rememberSecret(token);
    const started = await run(machine, startJupyterCommand(FOLDER), signal, `${token}\n`);
    if (started.code !== 0) throw toMachineError(machine, started);
    const end = clock.elapsed() + PATIENCE;
    for (;;) {
      const running = await list(machine, signal);
      session.assertStill(account);
      if (running === "missing") return running;
      const own = running.find((server) => server.token === token);
      if (own) return own;
      if (clock.elapsed() >= end)
        throw new AppError(
          "rejected",
          t(
            "Jupyter didn't start on instance {0} within a minute. Log file on the machine: {1}",
            machine.id,
            JUPYTER_LOG,
          ),
        );
      await clock.sleep(PAUSE, signal);
    }
  }

  /** Installs Jupyter with the machine's own pip. @throws AppError `rejected` with pip's last word; the signal's reason. */
  async install(account: SignedIn, machine: MachineLogin, signal: AbortSignal): Promise<void> {
    const shared = await this.#services.sharedConnections.open(account, machine, signal);
    const { code, out, err } = await run(shared, INSTALL_JUPYTER, signal);
    if (code === 255) throw toMachineError(machine, { code, err });
    if (code !== 0)
      throw new AppError(
        "rejected",
        t("Jupyter couldn't be installed on instance {0}. {1}", machine.id, findComplaint(err) || findComplaint(out)),
      );
  }
}

interface Output {
  /** Undefined if it was stopped. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Characters of output that are read. */
const MOST_READ = 200_000;

/** Runs a command on the machine, with something to read. @throws the signal's reason. */
async function run(machine: MachineLogin, command: string, signal: AbortSignal, input = ""): Promise<Output> {
  return await withCommand(machine, buildShellCommand(command), signal, async (running) => {
    let out = "";
    running.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (out.length < MOST_READ) out += text;
    });
    running.stdin.end(input);
    const { code, err } = await running.ended;
    signal.throwIfAborted();
    return { code, out, err };
  });
}

/** The servers that run on the machine. @throws AppError if it can't be logged in to; the signal's reason. */
async function list(machine: MachineLogin, signal: AbortSignal): Promise<readonly JupyterServer[] | "missing"> {
  const { code, out, err } = await run(machine, LIST_JUPYTER, signal);
  if (code !== 0) throw toMachineError(machine, { code, err });
  const servers = readJupyterList(out);
  if (servers !== "missing") for (const { token } of servers) rememberServedSecret(token);
  return servers;
}
