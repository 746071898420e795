// Runs a command on a machine with data going in or coming out.
import type { InstanceId } from "../../domain/base/id.ts";
import { commandArguments } from "../../domain/connection/ssh-command.ts";
import { type RunningSsh, type SshWay, startSsh } from "./ssh-program.ts";

/** A machine that can be logged in to. */
export interface MachineLogin extends SshWay {
  readonly id: InstanceId;
}

/** Runs a command there for as long as `work` takes. The command ends at once if `work` fails or is cancelled. */
export async function withCommand<T>(
  { program, login }: MachineLogin,
  command: string,
  signal: AbortSignal,
  work: (running: RunningSsh) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const running = startSsh(program, commandArguments(login, command));
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
