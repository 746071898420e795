// Asks a machine what a run left there.

import { buildListResultsCommand, RESULTS } from "../../../domain/run/result-commands.ts";
import { type ResultNames, ResultNamesReader } from "../../../domain/run/result-names.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import { Turns } from "../../../lib/turns.ts";
import { askMachineForWords } from "../../connection/ask-machine.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { UNPACK_LIMITS } from "../../transfer/unpack-archive.ts";

/**
 * The files that were created or changed since a run began; undefined if the machine doesn't tell.
 * @throws AppError `rejected` for more than can be downloaded, and as `askMachine` does; the signal's reason.
 */
export async function listResults(
  machine: MachineLogin,
  { id, plan }: Pick<RunRecord, "id" | "plan">,
  signal: AbortSignal,
): Promise<ResultNames | undefined> {
  const reader = new ResultNamesReader(plan, UNPACK_LIMITS.entries);
  const order = { end: "\0", take: (word: string) => reader.take(word) } as const;
  const answer = await askMachineForWords(machine, buildListResultsCommand(id, plan.remote), signal, order);
  return answer === RESULTS ? await reader.finish(new Turns(signal)) : undefined;
}
