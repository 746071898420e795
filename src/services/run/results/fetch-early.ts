// What a run has left so far, while its command still runs: results that have changed since and no longer change, each of them whole.
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import {
  chooseDue,
  type FetchedFiles,
  formatComingFile,
  formatFetchedFile,
  type ThereResult,
} from "../../../domain/run/fetched-files.ts";
import { type EarlyResults, formatResultFolderName, type RunRecord } from "../../../domain/run/run-record.ts";
import { readArchivePath } from "../../../domain/transfer/archive-path.ts";
import { type Clock, workWithin } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { type Arrived, downloadFiles } from "../../transfer/download.ts";
import { UNPACK_LIMITS } from "../../transfer/unpack-archive.ts";
import type { RunJournal } from "../run-journal.ts";
import { hashResults, statResults } from "./ask-results.ts";
import { type EarlyRetries, LOOK, ROOM } from "./early-retries.ts";
import { hashFile, hashHere } from "./hash-here.ts";
import { listResults } from "./list-results.ts";
import {
  findResultsPlace,
  judgePlace,
  makeResultsFolder,
  makeResultsPlace,
  settleAmong,
  toResultName,
} from "./settle-results.ts";

interface EarlyFetch {
  readonly machine: MachineLogin;
  readonly run: RunRecord;
  readonly journal: RunJournal;
  readonly clock: Clock;
  /** Whether the run is still this window's. */
  readonly isOurs: () => Promise<boolean>;
  /** Of single results, by their names. */
  readonly retries: EarlyRetries;
  /** Hears which results can't be saved, and of others for which there is no room. */
  readonly tellLate: (names: readonly string[]) => void;
}

const MINUTE = 60_000;
/** Milliseconds in which something has to happen, and bytes in each that a machine reads even if it has other things to do. */
const PATIENCE = 10 * MINUTE;
const SLOWEST = 5000;

/** Bytes of what is remembered of the results. */
const MOST_LINES = 50_000_000;

/**
 * Downloads what is due once. @returns what is here then, without the time; undefined if nothing came.
 * @throws AppError, or the disk's error: nothing is here then that isn't whole; the signal's reason.
 */
export async function fetchEarly(
  order: EarlyFetch,
  signal: AbortSignal,
): Promise<Omit<EarlyResults, "at"> | undefined> {
  const { run, journal, isOurs, retries } = order;
  const fetched = await journal.readFetched(run.id);
  const before = await findResultsPlace(run.early?.place);
  const found = await findDue(order, { fetched, place: before }, signal);
  const due = before === undefined ? found : await leaveHere(order, found, { fetched, place: before }, signal);
  retries.noteDone(LOOK);
  if (due.size === 0) return undefined;
  const into = await makeResultsFolder(run.plan.folder);
  const arrived = await download(order, { into, due }, signal);
  let [kept, place]: [readonly KeptFile[], string] = [[], before ?? ""];
  try {
    kept = await dropTorn(order, arrived, due, signal);
    if (kept.length === 0 || !(await isOurs())) return void (await arrived.remove());
    // Ours from now on, whatever happens; here only once it is settled.
    await journal.noteFetched(run.id, kept.map(({ file, digest }) => formatComingFile(file, digest)).join(""));
    place = before ?? (await makeResultsPlace(into, formatResultFolderName(run)));
  } catch (error) {
    for (const name of due.keys()) retries.noteFailed(name);
    await arrived.remove();
    throw error;
  }
  // What was here before it came is compared with what was known then.
  const { paths, left } = await settleAmong(arrived, place, fetched, "own");
  noteLate(order, left.map(toResultName));
  const settled = new Set(paths.map(toResultName));
  for (const name of settled) retries.noteDone(name);
  const here = kept.filter(({ file }) => settled.has(file.name));
  // The next time makes another one.
  const made = before === undefined && here.length === 0 ? [[], ...arrived.report.folders].reverse() : [];
  for (const folder of made) await rmdir(join(place, ...folder)).catch(() => undefined);
  if (here.length === 0) return undefined;
  await journal.noteFetched(run.id, here.map(({ file, digest }) => formatFetchedFile(file, digest)).join(""));
  return { place, ...sumUp(await journal.readFetched(run.id)) };
}

/** They are tried again later. What fails for the first time is told. */
function noteLate({ retries, tellLate }: EarlyFetch, names: readonly string[]): void {
  const first = names.filter((name) => retries.noteFailed(name));
  if (first.length > 0) tellLate(first);
}

const giveUpLate = ({ id }: MachineLogin) => new AppError("timeout", t("Instance {0} isn't responding.", id));

/** What is to be downloaded now, by name. */
async function findDue(
  { machine, run, clock, retries, tellLate }: EarlyFetch,
  { fetched, place }: { readonly fetched: FetchedFiles; readonly place: string | undefined },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ThereResult>> {
  const limit = { clock, signal, ms: PATIENCE, late: () => giveUpLate(machine) };
  const listed = await workWithin(limit, (until) => listResults(machine, run, until));
  if (!listed || listed.names.length === 0) return new Map();
  const there = await workWithin(limit, (until) => statResults(machine, run, listed.names, until));
  if (!there) return new Map();
  const files = there.files.filter(({ name }) => retries.isDue(name));
  const limits = { bytes: UNPACK_LIMITS.bytes, lines: MOST_LINES };
  const chosen = chooseDue({ ...there, files }, place === undefined ? new Map() : fetched, limits);
  if (chosen.isMore && retries.noteFailed(ROOM)) tellLate([]);
  return await leaveTheirs(chosen.files, fetched, place);
}

/** What came here with an earlier attempt, and is on the machine because it went along, is only remembered. @returns the rest. */
async function leaveHere(
  { machine, run, clock, journal }: EarlyFetch,
  due: ReadonlyMap<string, ThereResult>,
  { fetched, place }: { readonly fetched: FetchedFiles; readonly place: string },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ThereResult>> {
  const isEarlier = ({ name, size }: ThereResult) => {
    const known = fetched.get(name);
    return known !== undefined && known.latest === undefined && [...known.digests.values()].includes(size);
  };
  const files = run.earlier === undefined ? [] : [...due.values()].filter(isEarlier);
  if (files.length === 0) return due;
  const ms = PATIENCE + sumSizes(files) / SLOWEST;
  const names = files.map(({ name }) => name);
  const digests = await workWithin({ clock, signal, ms, late: () => giveUpLate(machine) }, (until) =>
    hashResults(machine, run, names, until),
  );
  const rest = new Map(due);
  let lines = "";
  for (const file of files) {
    const path = readArchivePath(file.name, process.platform === "win32");
    const digest = digests?.get(file.name);
    if (!path || digest === undefined || (await hashHere(place, path)) !== digest) continue;
    lines += formatFetchedFile(file, digest);
    rest.delete(file.name);
  }
  if (lines !== "") await journal.noteFetched(run.id, lines);
  return rest;
}

/** What fails is tried again later, without what is new then. */
async function download(
  { machine, run, clock, retries }: EarlyFetch,
  { into, due }: { readonly into: string; readonly due: ReadonlyMap<string, ThereResult> },
  signal: AbortSignal,
): Promise<Arrived> {
  const order = { machine, remote: run.plan.remote, into, names: [...due.keys()] };
  try {
    return await workWithin({ clock, signal, ms: PATIENCE, late: () => giveUpLate(machine) }, (until, goOn) =>
      // No one may be there to be asked for more.
      downloadFiles(order, until, { report: goOn, mayGoOn: async () => false }),
    );
  } catch (error) {
    for (const name of order.names) retries.noteFailed(name);
    throw error;
  }
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

/** Removes what isn't as the machine has it now: it changed during the download. @returns the rest. */
async function dropTorn(
  order: EarlyFetch,
  { path: folder, report }: Arrived,
  due: ReadonlyMap<string, ThereResult>,
  signal: AbortSignal,
): Promise<readonly KeptFile[]> {
  const { machine, run, clock, retries } = order;
  const ms = PATIENCE + sumSizes(due.values()) / SLOWEST;
  const digests = await workWithin({ clock, signal, ms, late: () => giveUpLate(machine) }, (until) =>
    hashResults(machine, run, [...due.keys()], until),
  );
  const kept: KeptFile[] = [];
  const missing = new Set([...due.keys()].filter((name) => digests?.has(name)));
  for (const path of [...report.paths]) {
    const at = join(folder, ...path);
    const name = toResultName(path);
    const file = due.get(name);
    const digest = await hashFile(at);
    missing.delete(name);
    if (file && digests?.get(name) === digest) {
      kept.push({ file, digest });
      continue;
    }
    retries.noteFailed(name);
    await rm(at);
    report.paths.delete(path);
  }
  // Those that are there and can't be here, such as the HEAD of a repository.
  noteLate(order, [...missing]);
  return kept;
}

function sumSizes(files: Iterable<ThereResult>): number {
  let bytes = 0;
  for (const { size } of files) bytes += size;
  return bytes;
}

function sumUp(fetched: FetchedFiles): Pick<EarlyResults, "files" | "bytes"> {
  const here = [...fetched.values()].flatMap(({ latest }) => latest ?? []);
  return { files: here.length, bytes: sumSizes(here) };
}
