// Whether a machine can receive and send files at all.
import { AppError } from "../../domain/base/error.ts";
import { findAnswer } from "../../domain/connection/machine-answer.ts";
import { TRANSFER_PROBE } from "../../domain/transfer/transfer-command.ts";
import { t } from "../../lib/text.ts";
import { type MachineLogin, withCommand } from "../connection/run-there.ts";
import { machineError } from "../connection/ssh-failure.ts";

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
