// Whether a machine can receive and send files at all.
import { AppError } from "../../domain/base/error.ts";
import { TRANSFER_PROBE } from "../../domain/transfer/transfer-command.ts";
import { t } from "../../lib/text.ts";
import { askMachine } from "../connection/ask-machine.ts";
import type { MachineLogin } from "../connection/run-there.ts";

/**
 * Makes sure that files can be sent there and back without a question. @returns the machine's home folder.
 * @throws AppError `rejected` if it can't be logged in to, or if it lacks `tar`; the signal's reason.
 */
export async function probeTransfer(machine: MachineLogin, signal: AbortSignal): Promise<string> {
  const answer = await askMachine(machine, TRANSFER_PROBE, signal);
  if (answer !== "missing") return answer;
  throw new AppError(
    "rejected",
    t("Instance {0} has no tar program. Install tar there, for example with apt-get, then try again.", machine.id),
  );
}
