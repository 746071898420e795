// Whether what a run left on its machine is on this computer, byte for byte. Only then may the machine be destroyed.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { buildDigestCommand, DIGESTS, LOG_NAME, readDigest } from "../../../domain/run/result-commands.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import { ALONE, buildOtherRunsCommand } from "../../../domain/run/run-script.ts";
import { askMachine, askMachineForWords } from "../../connection/ask-machine.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { listResults } from "./list-results.ts";

/**
 * Lists the results there once more, and compares each of them and the log with its copy by SHA-256.
 * @returns false if one differs, is missing here, or can't be compared. @throws AppError `offline` and its like; the signal's reason.
 */
export async function verifyResults(
  machine: MachineLogin,
  { id, plan, state }: RunRecord,
  signal: AbortSignal,
): Promise<boolean> {
  if (state.kind !== "ended" || state.results?.kind !== "fetched") return false;
  const { place, log, logDigest } = state.results;
  if (log === undefined) return false;
  const listed = await listResults(machine, { id, plan }, signal);
  if (!listed || listed.odd > 0 || !listed.isWhole) return false;
  const { names } = listed;
  const digests = new Map<string, string>();
  const order = {
    input: { words: names, end: "\0" },
    end: "\n",
    take: (line: string) => {
      const said = readDigest(line);
      // One for each that was asked for, and the log's.
      if (said && digests.size <= names.length) digests.set(said.name, said.digest);
    },
  } as const;
  const answer = await askMachineForWords(machine, buildDigestCommand(id, plan.remote), signal, order);
  if (answer !== DIGESTS) return false;
  for (const [there, here] of [[LOG_NAME, log], ...names.map((name) => [name, name] as const)] as const) {
    signal.throwIfAborted();
    const found = await digestOf(join(place, here)).catch(() => undefined);
    // Where secrets were masked in the log, its copy here is another one. It must still be there.
    const digest = there === LOG_NAME && found !== undefined ? (logDigest ?? found) : found;
    if (digest === undefined || digest !== digests.get(there)) return false;
  }
  return true;
}

/** Whether any other run is in progress on the machine, also one of another computer. @throws AppError; the signal's reason. */
export async function isBusy(machine: MachineLogin, { id }: RunRecord, signal: AbortSignal): Promise<boolean> {
  const answer = await askMachine(machine, buildOtherRunsCommand(id), signal);
  return answer !== ALONE;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
