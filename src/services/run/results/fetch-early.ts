// What a run has left so far, while its command still runs: results that have changed since and no longer change, each of them whole.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  chooseDue,
  type FetchedFiles,
  formatFetchedFile,
  type ThereResult,
} from "../../../domain/run/fetched-files.ts";
import { type EarlyResults, formatResultFolderName, type RunRecord } from "../../../domain/run/run-record.ts";
import { readArchivePath } from "../../../domain/transfer/archive-path.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { type Arrived, downloadFiles } from "../../transfer/download.ts";
import { UNPACK_LIMITS } from "../../transfer/unpack-archive.ts";
import type { RunJournal } from "../run-journal.ts";
import { hashResults, statResults } from "./ask-results.ts";
import { hashFile } from "./hash-here.ts";
import { listResults } from "./list-results.ts";
import {
  findResultsPlace,
  judgePlace,
  makeResultsFolder,
  settleAmong,
  settleNew,
  toResultName,
} from "./settle-results.ts";

interface EarlyFetch {
  readonly machine: MachineLogin;
  readonly run: RunRecord;
  readonly journal: RunJournal;
  /** Whether the run is still this window's. */
  readonly isOurs: () => Promise<boolean>;
}

/**
 * Downloads what is due once. @returns what is here then, without the time; undefined if nothing came.
 * @throws AppError, or the disk's error: nothing is here then that isn't whole; the signal's reason.
 */
export async function fetchEarly(
  { machine, run, journal, isOurs }: EarlyFetch,
  signal: AbortSignal,
): Promise<Omit<EarlyResults, "at"> | undefined> {
  const { plan } = run;
  const listed = await listResults(machine, run, signal);
  if (!listed || listed.names.length === 0) return undefined;
  const there = await statResults(machine, run, listed.names, signal);
  if (!there) return undefined;
  const fetched = await journal.readFetched(run.id);
  const place = await findResultsPlace(run.early?.place);
  const due = await leaveTheirs(
    chooseDue(there, place === undefined ? new Map() : fetched, UNPACK_LIMITS.bytes),
    fetched,
    place,
  );
  if (due.size === 0) return undefined;
  const into = await makeResultsFolder(plan.folder);
  const order = { machine, remote: plan.remote, into, names: [...due.keys()] };
  // No one may be there to be asked for more.
  const watch = { report: () => undefined, mayGoOn: async () => false };
  const arrived = await downloadFiles(order, signal, watch);
  let kept: readonly KeptFile[];
  try {
    kept = await dropTorn(arrived, due, (names) => hashResults(machine, run, names, signal));
    if (kept.length === 0 || !(await isOurs())) return void (await arrived.remove());
    // Ours from now on, whatever happens; here only once it is settled.
    await journal.noteFetched(
      run.id,
      formatKept(kept.map(({ file, digest }) => ({ file: { ...file, changed: 0 }, digest }))),
    );
  } catch (error) {
    await arrived.remove();
    throw error;
  }
  // What was here before it came is compared with what was known then.
  const settled = place ?? (await settleNew(arrived, into, formatResultFolderName(run)));
  if (place !== undefined) await settleAmong(arrived, place, fetched, "own");
  await journal.noteFetched(run.id, formatKept(kept));
  const now = await journal.readFetched(run.id);
  return { place: settled, ...sumUp(now) };
}

/** Without those in whose place is something of the person's. By name. */
async function leaveTheirs(
  due: readonly ThereResult[],
  fetched: FetchedFiles,
  place: string | undefined,
): Promise<ReadonlyMap<string, ThereResult>> {
  const left = new Map<string, ThereResult>();
  for (const file of due) {
    const path = readArchivePath(file.name, process.platform === "win32");
    if (path && (place === undefined || (await judgePlace(place, path, fetched)) !== "theirs"))
      left.set(file.name, file);
  }
  return left;
}

interface KeptFile {
  readonly file: ThereResult;
  readonly digest: string;
}

const formatKept = (kept: readonly KeptFile[]): string =>
  kept.map(({ file, digest }) => formatFetchedFile(file, digest)).join("");

/** Removes what isn't as the machine has it now: it changed during the download. @returns the rest. */
async function dropTorn(
  { path: folder, report }: Arrived,
  due: ReadonlyMap<string, ThereResult>,
  askDigests: (names: readonly string[]) => Promise<ReadonlyMap<string, string> | undefined>,
): Promise<readonly KeptFile[]> {
  const digests = await askDigests([...due.keys()]);
  const kept: KeptFile[] = [];
  for (const path of [...report.paths]) {
    const at = join(folder, ...path);
    const name = toResultName(path);
    const file = due.get(name);
    const digest = await hashFile(at);
    if (file && digests?.get(name) === digest) {
      kept.push({ file, digest });
      continue;
    }
    await rm(at);
    report.paths.delete(path);
  }
  return kept;
}

function sumUp(fetched: FetchedFiles): Pick<EarlyResults, "files" | "bytes"> {
  let bytes = 0;
  for (const { latest } of fetched.values()) bytes += latest.size;
  return { files: fetched.size, bytes };
}
