// Whether a machine can receive and send files at all.
import { assertNoneMissing, TRANSFER_PROBE } from "../../domain/transfer/transfer-command.ts";
import { askMachine } from "../connection/ask-machine.ts";
import type { MachineLogin } from "../connection/run-there.ts";

/**
 * Makes sure that files can be sent there and back without a question. @returns the machine's home folder.
 * @throws AppError `rejected` if it can't be logged in to, or if it lacks a program, such as `tar`; the signal's reason.
 */
export async function probeTransfer(machine: MachineLogin, signal: AbortSignal): Promise<string> {
  const answer = await askMachine(machine, TRANSFER_PROBE, signal);
  assertNoneMissing(machine.id, answer);
  return answer;
}
