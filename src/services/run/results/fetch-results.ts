// What a run left behind, into a folder of its own below the folder that was uploaded. Nothing that is there is replaced.
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import { type FetchedFiles, formatComingFile } from "../../../domain/run/fetched-files.ts";
import type { ResultNames } from "../../../domain/run/result-names.ts";
import { runFolder } from "../../../domain/run/run-folder.ts";
import {
  type FetchedResults,
  formatResultFolderName,
  type Results,
  type RunRecord,
} from "../../../domain/run/run-record.ts";
import { readArchivePath } from "../../../domain/transfer/archive-path.ts";
import { t } from "../../../lib/text.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { type Arrived, type DownloadOrder, type DownloadWatch, downloadFiles } from "../../transfer/download.ts";
import { probeTransfer } from "../../transfer/probe-transfer.ts";
import { UNPACK_LIMITS } from "../../transfer/unpack-archive.ts";
import { hashResults } from "./ask-results.ts";
import { hashFile, hashHere } from "./hash-here.ts";
import { listResults } from "./list-results.ts";
import { maskLog } from "./mask-log.ts";
import {
  findResultsPlace,
  makeResultsFolder,
  settleAmong,
  settleFile,
  settleNew,
  toResultName,
} from "./settle-results.ts";

const LOG = "run.log";

interface KnownOfRun {
  /** Values that its log may have in it. */
  readonly secrets: readonly string[];
  /** What was downloaded while its command ran. */
  readonly fetched: FetchedFiles;
  /** Remembers what is downloaded now, for a run that may go on: what the person changes in the meantime is told by that. */
  readonly note?: ((lines: string) => Promise<void>) | undefined;
}

/**
 * Fetches the files that were created or changed since the run began, and its log, in which the run's secrets are masked.
 * @returns where they are; `none` if there is nothing but an empty log. @throws AppError; the signal's reason.
 */
export async function fetchResults(
  machine: MachineLogin,
  run: RunRecord,
  signal: AbortSignal,
  watch: DownloadWatch,
  { secrets, fetched, note }: KnownOfRun,
): Promise<Results> {
  const { remote, folder } = run.plan;
  const listed = await listResults(machine, run, signal);
  if (!listed)
    throw new AppError(
      "unexpected-reply",
      t("Instance {0} printed unexpected output. Check its shell profile.", machine.id),
    );
  const { names, odd, isWhole: isListed } = listed;
  if (!isListed && names.length === 0)
    throw new AppError("rejected", t("Instance {0} couldn't list the files of the run.", machine.id));
  const into = await makeResultsFolder(folder);
  const home = await probeTransfer(machine, signal);
  const place = await findResultsPlace(run.early?.place);
  const here = place === undefined ? NOTHING : await findHere(machine, run, { names, place, fetched }, signal);
  const missing = names.filter((name) => !here.names.has(name));
  const limits = { ...UNPACK_LIMITS, bytes: UNPACK_LIMITS.bytes - here.bytes };
  const order = { machine, remote, into, names: missing };
  const arrived = missing.length === 0 ? undefined : await downloadFiles(order, signal, { ...watch, limits });
  let log: Arrived | undefined;
  let logDigest: string | undefined;
  try {
    const order = { machine, remote: `${runFolder(home, run.id)}/log`, into };
    log = await fetchLog(order, signal, { ...watch, report: () => {} });
    logDigest = log && (await maskLog(log.path, secrets, signal));
    if (arrived && note) await note(await formatArrived(arrived));
  } catch (error) {
    await log?.remove();
    await arrived?.remove();
    throw error;
  }
  const [files, bytes] = [here.names.size + (arrived?.report.files ?? 0), here.bytes + (arrived?.report.bytes ?? 0)];
  const isComplete = isListed && odd === 0 && files === names.length && (arrived?.complaint ?? "") === "";
  const settled = await settle({ arrived, log }, into, { name: formatResultFolderName(run), place, fetched });
  return {
    ...(logDigest === undefined ? {} : { logDigest }),
    ...{ kind: "fetched", ...settled, files, bytes, isWhole: isComplete && log !== undefined },
    ...whatElse(listed),
  };
}

/** Lines of what is remembered of files that are about to be in their places. */
async function formatArrived({ path: folder, report }: Arrived): Promise<string> {
  let lines = "";
  for (const path of report.paths) {
    const at = join(folder, ...path);
    const { size } = await stat(at);
    lines += formatComingFile({ name: toResultName(path), size, changed: 0 }, await hashFile(at));
  }
  return lines;
}

const NOTHING = { names: new Set<string>(), bytes: 0 };

interface AmongThem {
  readonly names: readonly string[];
  readonly place: string;
  readonly fetched: FetchedFiles;
}

/** Those that were downloaded while the command ran, and have changed neither there nor here. */
async function findHere(
  machine: MachineLogin,
  run: RunRecord,
  { names, place, fetched }: AmongThem,
  signal: AbortSignal,
): Promise<{ readonly names: ReadonlySet<string>; readonly bytes: number }> {
  const known = names.filter((name) => fetched.has(name));
  // By what is in them: a program that writes through a memory map changes no time.
  const there = known.length === 0 ? undefined : await hashResults(machine, run, known, signal);
  const here = new Set<string>();
  let bytes = 0;
  for (const name of known) {
    signal.throwIfAborted();
    const path = readArchivePath(name, process.platform === "win32");
    const digest = there?.get(name);
    if (!path || digest === undefined || (await hashHere(place, path)) !== digest) continue;
    here.add(name);
    bytes += fetched.get(name)?.digests.get(digest) ?? 0;
  }
  return { names: here, bytes };
}

/** Other files that are named, and characters of a name. */
const MOST = { named: 20, characters: 200 };

function whatElse({ unmatched, others, moreOthers }: ResultNames): Pick<FetchedResults, "unmatched" | "others"> {
  const names = others.slice(0, MOST.named).map((name) => name.slice(0, MOST.characters));
  return {
    ...(unmatched.length > 0 ? { unmatched: [...unmatched] } : {}),
    ...(others.length > 0 ? { others: { files: others.length + moreOthers, names } } : {}),
  };
}

/** The results count for more than their log: one that is gone, or too large for the person, is done without. */
async function fetchLog(order: DownloadOrder, signal: AbortSignal, watch: DownloadWatch): Promise<Arrived | undefined> {
  return await downloadFiles(order, signal, watch).catch((error) => {
    signal.throwIfAborted();
    if (error instanceof AppError && error.kind === "offline") throw error;
    return undefined;
  });
}

interface Place {
  /** Of a new folder. */
  readonly name: string;
  /** The one that results are in already. */
  readonly place: string | undefined;
  readonly fetched: FetchedFiles;
}

/** Puts the files in the run's folder, and the log beside them under a name that none of them has. @returns both. */
async function settle(
  { arrived, log }: { readonly arrived: Arrived | undefined; readonly log: Arrived | undefined },
  into: string,
  { name, place: before, fetched }: Place,
): Promise<{ readonly place: string; readonly beside?: string; readonly log?: string }> {
  const work = async () => {
    if (before === undefined) return { place: await settleNew(arrived, into, name) };
    const { beside } = arrived ? await settleAmong(arrived, before, fetched, "all") : {};
    return { place: before, ...(beside === undefined ? {} : { beside }) };
  };
  const settled = await work().catch(async (error) => {
    await log?.remove();
    throw error;
  });
  if (!log) return settled;
  return { ...settled, log: basename(await settleFile({ ...log, name: LOG }, settled.place)) };
}
