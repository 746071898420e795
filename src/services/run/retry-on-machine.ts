// Work on a machine that is done again until the connection holds, as long as someone wants it.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ConnectionsService } from "../connection/connections.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SharedConnections } from "../connection/shared-connections.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { Following, RunWatch } from "./run-watch.ts";

export interface Reaching {
  readonly session: SessionService;
  readonly connections: ConnectionsService;
  readonly sharedConnections: SharedConnections;
  readonly instances: Pick<InstancesService, "whereabouts">;
  readonly clock: Clock;
}

/** Milliseconds between tries to connect again: the first and the longest. */
interface Watching {
  readonly watch: Pick<RunWatch, "stage">;
  readonly signal: AbortSignal;
}

const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 30_000;

/**
 * Does something on a machine, again and again while the connection is lost. @returns the machine as it was reached then.
 * @throws AppError `gone` or `rejected` once the machine is no longer there or doesn't run; the signal's reason.
 */
export async function retryOnMachine(
  reaching: Reaching,
  machine: MachineLogin,
  { account, watch, signal }: Watching & Pick<Following, "account">,
  work: (machine: MachineLogin) => Promise<void>,
): Promise<MachineLogin> {
  const { clock, session } = reaching;
  let reached = machine;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      session.assertStill(account);
      await work(reached);
      return reached;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError && isPassing(error))) throw error;
      watch.stage({ kind: "disconnected", why: error.message, pause });
      await clock.sleep(pause, signal);
      reached = (await reconnect(reaching, account, reached, { watch, signal })) ?? reached;
    }
  }
}

/** @returns undefined if the service or the machine can't be reached now. @throws AppError for anything else. */
async function reconnect(
  reaching: Reaching,
  account: SignedIn,
  machine: MachineLogin,
  { watch, signal }: Watching,
): Promise<MachineLogin | undefined> {
  try {
    const { connections, sharedConnections } = reaching;
    const { shared: _, ...login } = machine.login;
    const now = await connections.recheck(account, machine.id, login);
    return await sharedConnections.open(account, { ...machine, login: now }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (await isFinal(reaching, account, machine, asAppError(error), { watch, signal })) throw error;
    return undefined;
  }
}

/** One answer that lacks a machine may be behind, and what is told to be gone isn't followed again. */
async function isFinal(
  { instances: { whereabouts } }: Reaching,
  account: SignedIn,
  { id }: MachineLogin,
  error: AppError,
  { watch, signal }: Watching,
): Promise<boolean> {
  if (error.kind !== "gone") return !isPassing(error);
  watch.stage({ kind: "missing" });
  try {
    return await whereabouts.confirmGone(account, id, signal);
  } catch (failure) {
    signal.throwIfAborted();
    if (isPassing(asAppError(failure))) return false;
    throw failure;
  }
}

const PASSING = new Set(["offline", "timeout", "server", "too-fast"]);
const isPassing = ({ kind }: AppError): boolean => PASSING.has(kind);
