// Runs a command on a machine with data going in or coming out, and says in one sentence why it ended badly.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { commandArguments, type SshLogin } from "../../domain/connection/ssh-command.ts";
import { findAnswer, findComplaint, isLoginRefused, TRANSFER_PROBE } from "../../domain/connection/transfer-command.ts";
import { t } from "../../lib/text.ts";
import { type RunningSsh, type SshEnd, startSsh } from "./ssh-program.ts";

/** A machine that can be logged in to. */
export interface MachineLogin {
  readonly id: InstanceId;
  /** The `ssh` program. */
  readonly program: string;
  readonly login: SshLogin;
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

/** Why a command ended badly, without a word on what came of its work. */
export function machineError({ id }: Pick<MachineLogin, "id">, { code, err }: SshEnd): AppError {
  const complaint = findComplaint(err);
  if (isLoginRefused(code, err))
    return new AppError(
      "rejected",
      t(
        "Cloud GPU couldn't log in to instance {0} without a question. If your key has a passphrase, add the key to your agent with ssh-add, then try again.",
        id,
      ),
    );
  if (code !== 255 && code !== undefined)
    return new AppError("rejected", t("Instance {0} reported an error: “{1}”.", id, complaint || `exit ${code}`));
  const said =
    complaint === ""
      ? t("The connection to instance {0} was lost.", id)
      : t("The connection to instance {0} was lost: “{1}”.", id, complaint);
  return new AppError("offline", said);
}
