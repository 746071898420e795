// What a run left behind, into a folder of its own below the folder that was uploaded. Nothing that is there is replaced.
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import type { ResultNames } from "../../../domain/run/result-names.ts";
import { runFolder } from "../../../domain/run/run-folder.ts";
import {
  type FetchedResults,
  formatResultFolderName,
  type Results,
  type RunRecord,
} from "../../../domain/run/run-record.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { type Arrived, type DownloadOrder, type DownloadWatch, downloadFiles } from "../../transfer/download.ts";
import { probeTransfer } from "../../transfer/probe-transfer.ts";
import { settleBeside, settleDownload } from "../../transfer/settle-download.ts";
import { listResults } from "./list-results.ts";
import { maskLog } from "./mask-log.ts";

const OWN = ".cloud-gpu";
const LOG = "run.log";

/**
 * Fetches the files that were created or changed since the run began, and its log, in which the run's secrets are masked.
 * @returns where they are; `none` if there is nothing but an empty log. @throws AppError; the signal's reason.
 */
export async function fetchResults(
  machine: MachineLogin,
  run: RunRecord,
  signal: AbortSignal,
  watch: DownloadWatch,
  secrets: readonly string[] = [],
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
  const arrived = names.length === 0 ? undefined : await downloadFiles({ machine, remote, into, names }, signal, watch);
  let log: Arrived | undefined;
  let logDigest: string | undefined;
  try {
    const order = { machine, remote: `${runFolder(home, run.id)}/log`, into };
    log = await fetchLog(order, signal, { ...watch, report: () => {} });
    logDigest = log && (await maskLog(log.path, secrets, signal));
  } catch (error) {
    await log?.remove();
    await arrived?.remove();
    throw error;
  }
  const settled = await settle(arrived, log, into, formatResultFolderName(run));
  const [files, bytes] = [arrived?.report.files ?? 0, arrived?.report.bytes ?? 0];
  const isComplete = isListed && odd === 0 && files === names.length && (arrived?.complaint ?? "") === "";
  return {
    ...(logDigest === undefined ? {} : { logDigest }),
    ...{ kind: "fetched", ...settled, files, bytes, isWhole: isComplete && log !== undefined },
    ...whatElse(listed),
  };
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

/** Puts the files in a new folder, and the log beside them under a name that none of them has. @returns both. */
async function settle(
  arrived: Arrived | undefined,
  log: Arrived | undefined,
  into: string,
  name: string,
): Promise<{ readonly place: string; readonly log?: string }> {
  const placing = arrived ? settleNamed(arrived, into, name) : makeNew(into, name);
  const place = await placing.catch(async (error) => {
    await log?.remove();
    throw error;
  });
  if (!log) return { place };
  const ofLog = { ...log, name: LOG };
  const isTaken = await lstat(join(place, LOG)).then(
    () => true,
    () => false,
  );
  const path = await (isTaken ? settleBeside(ofLog, place) : settleDownload(ofLog, place, []));
  return { place, log: basename(path) };
}

async function settleNamed(arrived: Arrived, into: string, name: string): Promise<string> {
  const named = { ...arrived, name };
  const isTaken = await lstat(join(into, name)).then(
    () => true,
    () => false,
  );
  return await (isTaken ? settleBeside(named, into) : settleDownload(named, into, []));
}

async function makeNew(into: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const place = join(into, number === 1 ? name : `${name}-${number}`);
    const made = await mkdir(place).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") return false;
        throw error;
      },
    );
    if (made) return place;
  }
}

/** Creates `.cloud-gpu/runs`, which git and uploads ignore. A link in its place would lead elsewhere. */
async function makeResultsFolder(folder: string): Promise<string> {
  const own = join(folder, OWN);
  const runs = join(own, "runs");
  for (const path of [own, runs]) {
    try {
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      if (!(await lstat(path)).isDirectory()) throw new Error("not a folder");
    } catch (cause) {
      throw new AppError(
        "rejected",
        t("The folder {0} can't be written. Check its permissions.", toPlainText(path, 200)),
        {
          cause,
        },
      );
    }
  }
  await writeFile(join(own, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  return runs;
}
