// What a machine says of results by their names: when they were changed, and what they contain.
import { readThereResult, type ThereResult, type ThereResults } from "../../../domain/run/fetched-files.ts";
import {
  buildDigestCommand,
  buildStatCommand,
  DIGESTS,
  readDigest,
  readStatTime,
} from "../../../domain/run/result-commands.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import { askMachineForWords } from "../../connection/ask-machine.ts";
import type { MachineLogin } from "../../connection/run-there.ts";

type AskedRun = Pick<RunRecord, "id" | "plan">;

/** When each was changed last; undefined if the machine doesn't tell. @throws AppError as `askMachine` does; the signal's reason. */
export async function statResults(
  machine: MachineLogin,
  { plan }: AskedRun,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ThereResults | undefined> {
  const asked = new Set(names);
  const files = new Map<string, ThereResult>();
  const take = (line: string) => {
    const file = readThereResult(line);
    if (file && asked.has(file.name)) files.set(file.name, file);
  };
  const order = { input: { words: names, end: "\0" }, end: "\n", take } as const;
  const now = readStatTime(await askMachineForWords(machine, buildStatCommand(plan.remote), signal, order));
  return now === undefined ? undefined : { now, files: [...files.values()] };
}

/**
 * SHA-256 of each, and of the log by `LOG_NAME`; undefined if the machine doesn't tell.
 * @throws AppError as `askMachine` does; the signal's reason.
 */
export async function hashResults(
  machine: MachineLogin,
  { id, plan }: AskedRun,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const digests = new Map<string, string>();
  const take = (line: string) => {
    const said = readDigest(line);
    // One for each that was asked for, and the log's.
    if (said && digests.size <= names.length) digests.set(said.name, said.digest);
  };
  const order = { input: { words: names, end: "\0" }, end: "\n", take } as const;
  const answer = await askMachineForWords(machine, buildDigestCommand(id, plan.remote), signal, order);
  return answer === DIGESTS ? digests : undefined;
}
