// Runs a command on a machine with data going in or coming out.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { commandArguments } from "../../domain/connection/ssh-command.ts";
import { findAnswer, TRANSFER_PROBE } from "../../domain/connection/transfer-command.ts";
import { t } from "../../lib/text.ts";
import { machineError } from "./ssh-failure.ts";
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

/**
 * Makes sure that files can be sent there and back without a question. @returns the machine's home folder.
 * @throws AppError `rejected` if it can't be logged in to, or if it lacks `tar`; the signal's reason.
 */
export async function probeTransfer(machine: MachineLogin, signal: AbortSignal): Promise<string> {
  return await withCommand(machine, TRANSFER_PROBE, signal, async (running) => {
    running.stdin.end();
    const chunks: Buffer[] = [];
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) if (chunks.length < 100) chunks.push(chunk);
    const end = await running.ended;
    signal.throwIfAborted();
    const found = findAnswer(Buffer.concat(chunks));
    if (!found) throw machineError(machine, end);
    if (found.answer !== "missing") return found.answer;
    throw new AppError(
      "rejected",
      t("Instance {0} has no tar program. Install tar there, for example with apt-get, then try again.", machine.id),
    );
  });
}
