// Runs a command on a machine with data going in or coming out.
import type { InstanceId } from "../../domain/base/id.ts";
import { buildCommandArguments, OPENED } from "../../domain/connection/ssh-command.ts";
import type { Clock } from "../../lib/clock.ts";
import { type RunningSsh, type SshEnd, type SshWay, startSsh } from "./ssh/ssh-program.ts";

/** A machine that can be logged in to. */
export interface MachineLogin extends SshWay {
  readonly id: InstanceId;
}

/** Runs a command there for as long as `work` takes. The command ends at once if `work` fails or is canceled. */
export async function withCommand<T>(
  { program, login, start = startSsh }: MachineLogin,
  command: string,
  signal: AbortSignal,
  work: (running: RunningSsh) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const running = start(program, buildCommandArguments(login, command));
  signal.addEventListener("abort", running.stop, { once: true });
  try {
    return await work(running);
  } catch (error) {
    // What is stopped in the middle fails in ways of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", running.stop);
    running.stop();
  }
}

/** Milliseconds for a login. */
const PATIENCE = 30_000;

/** How a connection ended that never was open, and what was printed until then. */
export interface FailedOpening extends SshEnd {
  readonly printed: string;
}

/**
 * Waits for a connection that is to stay open; one that takes longer than 30 s is ended.
 * @returns how it ended, undefined once it is open. @throws the signal's reason.
 */
export async function waitUntilOpen(
  ssh: RunningSsh,
  clock: Clock,
  signal: AbortSignal,
): Promise<FailedOpening | undefined> {
  const settled = new AbortController();
  const leave = () => ssh.stop();
  signal.addEventListener("abort", leave);
  const late = clock.sleep(PATIENCE, settled.signal).then(leave, () => undefined);
  try {
    let printed = "";
    const opened = new Promise<undefined>((resolve) => {
      ssh.stdout.setEncoding("utf8").on("data", (text: string) => {
        // What the machine's shell prints at its start may come before it.
        printed = (printed + text).slice(-1000);
        if (printed.includes(OPENED)) resolve(undefined);
      });
    });
    const end = await Promise.race([opened, ssh.ended]);
    signal.throwIfAborted();
    return end && { ...end, printed };
  } finally {
    signal.removeEventListener("abort", leave);
    settled.abort();
    await late;
  }
}
