// Whether what a run left on its machine is on this computer, byte for byte. Only then may the machine be destroyed.
import { join } from "node:path";
import { LOG_NAME } from "../../../domain/run/result-commands.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import { ALONE, buildOtherRunsCommand } from "../../../domain/run/run-script.ts";
import { askMachine } from "../../connection/ask-machine.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { hashResults } from "./ask-results.ts";
import { hashFile } from "./hash-here.ts";
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
  const { place, beside, log, logDigest } = state.results;
  if (log === undefined) return false;
  const listed = await listResults(machine, { id, plan }, signal);
  if (!listed || listed.odd > 0 || !listed.isWhole) return false;
  const digests = await hashResults(machine, { id, plan }, listed.names, signal);
  if (!digests) return false;
  // Where secrets were masked in the log, its copy here is another one. It must still be there.
  const ofLog = await hashFile(join(place, log)).catch(() => undefined);
  if (ofLog === undefined || (logDigest ?? ofLog) !== digests.get(LOG_NAME)) return false;
  for (const name of listed.names) {
    signal.throwIfAborted();
    const digest = digests.get(name);
    if (digest === undefined || !(await holds([place, beside], name, digest))) return false;
  }
  return true;
}

/** Whether one of the folders has a file with that content by that name. */
async function holds(folders: readonly (string | undefined)[], name: string, digest: string): Promise<boolean> {
  for (const folder of folders)
    if (folder !== undefined && (await hashFile(join(folder, name)).catch(() => undefined)) === digest) return true;
  return false;
}

/** Whether any other run is in progress on the machine, also one of another computer. @throws AppError; the signal's reason. */
export async function isBusy(machine: MachineLogin, { id }: RunRecord, signal: AbortSignal): Promise<boolean> {
  const answer = await askMachine(machine, buildOtherRunsCommand(id), signal);
  return answer !== ALONE;
}
