// Puts results in a run's own folder below the folder that was uploaded. Nothing that is there is replaced but what was downloaded for
// the same run, and is as it was then.
import { lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import type { FetchedFiles } from "../../../domain/run/fetched-files.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import type { Arrived } from "../../transfer/download.ts";
import { settleBeside, settleDownload } from "../../transfer/settle-download.ts";
import { hashHere } from "./hash-here.ts";

const OWN = ".cloud-gpu";

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The folder that results are in already, if it still is one. */
export async function findResultsPlace(place: string | undefined): Promise<string | undefined> {
  const met = place === undefined ? undefined : await lstat(place).catch(() => undefined);
  return met?.isDirectory() ? place : undefined;
}

/** Puts the files in a new folder. @returns it. */
export async function settleNew(arrived: Arrived | undefined, into: string, name: string): Promise<string> {
  if (!arrived) return await makeNew(into, name);
  const named = { ...arrived, name };
  return await ((await isThere(join(into, name))) ? settleBeside(named, into) : settleDownload(named, into, []));
}

/** Puts a file in a folder, by another name if there is one of that name. @returns where it is. */
export async function settleFile(arrived: Arrived, place: string): Promise<string> {
  return await ((await isThere(join(place, arrived.name)))
    ? settleBeside(arrived, place)
    : settleDownload(arrived, place, []));
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

type Path = readonly string[];

/** How a result is named on the machine. */
export const toResultName = (path: Path): string => `./${path.join("/")}`;

/** What may be done with a place that a result is for: `theirs` is what the person put there, or changed. */
export async function judgePlace(
  place: string,
  path: Path,
  fetched: FetchedFiles,
): Promise<"free" | "replaceable" | "theirs"> {
  const digest = await hashHere(place, path);
  if (digest === undefined) return "free";
  return fetched.get(toResultName(path))?.digests.has(digest) ? "replaceable" : "theirs";
}

/** When a file here was changed last, in epoch milliseconds; undefined if there is none. */
const readChanged = async (place: string, path: Path): Promise<number | undefined> =>
  (await lstat(join(place, ...path)).catch(() => undefined))?.ctimeMs;

/** Each folder on the way to the files, before what is in it. */
export function listFolders(paths: readonly Path[]): Path[] {
  const folders = new Map<string, Path>();
  for (const path of paths)
    for (const depth of path.keys()) if (depth > 0) folders.set(path.slice(0, depth).join("/"), path.slice(0, depth));
  return [...folders.values()];
}

const withPaths = (arrived: Arrived, paths: readonly Path[]): Arrived => ({
  ...arrived,
  report: { ...arrived.report, paths: new Set(paths), folders: listFolders(paths) },
});

/**
 * Adds the files to a folder that has results of the run. Those whose place is the person's go to another folder beside it, or nowhere.
 * @returns that folder; undefined if there is none.
 */
export async function settleAmong(
  arrived: Arrived,
  place: string,
  fetched: FetchedFiles,
  keeps: "all" | "own",
): Promise<string | undefined> {
  const into = dirname(place);
  const name = basename(place);
  const [own, replaced, theirs]: [Path[], string[], Path[]] = [[], [], []];
  const judged: { path: Path; found: Awaited<ReturnType<typeof judgePlace>>; changed: number | undefined }[] = [];
  for (const path of arrived.report.paths) {
    const changed = await readChanged(place, path);
    judged.push({ path, changed, found: await judgePlace(place, path, fetched) });
  }
  // Reading them all may have taken minutes: what was changed since is the person's.
  for (const { path, found, changed } of judged) {
    const isTheirs = found === "theirs" || (await readChanged(place, path)) !== changed;
    (isTheirs ? theirs : own).push(path);
    if (!isTheirs && found === "replaceable") replaced.push(path.join("/"));
  }
  const beside = theirs.length > 0 && keeps === "all" ? await settleTheirs(arrived, into, name, theirs) : undefined;
  if (own.length === 0) await arrived.remove();
  else await settleDownload({ ...withPaths(arrived, own), name }, into, replaced);
  return beside;
}

async function settleTheirs(arrived: Arrived, into: string, name: string, paths: readonly Path[]): Promise<string> {
  const path = join(arrived.folder, "beside");
  for (const folder of [[], ...listFolders(paths)]) await mkdir(join(path, ...folder));
  for (const one of paths) await rename(join(arrived.path, ...one), join(path, ...one));
  // The rest of the download is still to be settled.
  const remove = async () => undefined;
  return await settleBeside({ ...withPaths(arrived, paths), path, name, remove }, into);
}

/** Creates `.cloud-gpu/runs`, which git and uploads ignore. A link in its place would lead elsewhere. */
export async function makeResultsFolder(folder: string): Promise<string> {
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
