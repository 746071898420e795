// Starts the sandbox: the whole service on loopback, over real HTTP.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { FaultSpec } from "./faults/faults.ts";
import { RateLimits } from "./http/rate-limits.ts";
import type { RequestLine } from "./http/request-line.ts";
import { createService } from "./http/server.ts";
import { Rehearsal } from "./world/rehearsal.ts";
import { World, type WorldOptions } from "./world/world.ts";

export interface SandboxOptions extends WorldOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** An existing world with its history. The options for creating a world are then ignored. */
  readonly world?: World;
  readonly requests?: (line: RequestLine) => void;
  readonly faults?: Iterable<FaultSpec>;
  /** Serves the thirteen operations of docs/interface.md and nothing else. */
  readonly onlyDocumented?: boolean;
  /** Refuses calls that follow too quickly with 429, as public services do. */
  readonly rateLimits?: boolean;
  /**
   * Running instances can be logged in to: each is a scratch folder on this computer with a shell in it. The keys and
   * tokens of a world created here are then random, because whoever has a key can run programs. Default off.
   */
  readonly ssh?: boolean;
}

export interface Sandbox {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly world: World;
  readonly rehearsal: Rehearsal;
  /** Whether instances can be logged in to; never where this computer has no POSIX shell. */
  readonly ssh: boolean;
  /** The active faults. May be changed while the sandbox runs. */
  readonly faults: Set<FaultSpec>;
  /** Closes every connection, including active ones. The world stays as it is. */
  stop(): Promise<void>;
}

/** @throws Error with a readable sentence if the port isn't available. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const world = options.world ?? new World(options.ssh ? { keySeed: randomUUID(), ...options } : options);
  const faults = new Set<FaultSpec>(options.faults);
  const stopping = new AbortController();
  const machines = options.ssh ? await loadMachines(world, faults) : undefined;
  const server = createService({
    world,
    faults,
    requests: options.requests,
    stopped: stopping.signal,
    prepare: machines && (() => machines.update()),
    onlyDocumented: options.onlyDocumented ?? false,
    limits: options.rateLimits === true ? new RateLimits() : undefined,
    memory: new Map(),
  });
  const listening = once(server, "listening");
  server.listen(options.port ?? 0, "127.0.0.1");
  await listening.catch(async (error: NodeJS.ErrnoException) => {
    await machines?.stop();
    const why = error.code === "EADDRINUSE" ? "it is in use by another program" : error.message;
    throw new Error(`The sandbox cannot have port ${options.port} on 127.0.0.1: ${why}.`, { cause: error });
  });
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await Promise.all([closed, machines?.stop()]);
  };
  const ssh = machines !== undefined;
  const rehearsal = new Rehearsal(world);
  return { url: `http://127.0.0.1:${port}`, port, apiKey: world.apiKey, world, rehearsal, faults, ssh, stop };
}

/** A file of its own in the build, so that those who never log in don't load an SSH server. */
async function loadMachines(world: World, faults: ReadonlySet<FaultSpec>) {
  const { startMachines } = await import("./ssh/machines.ts");
  return startMachines(world, faults);
}
