// Puts results in a run's own folder below the folder that was uploaded. Nothing that is there is replaced but what was downloaded for
// the same run, and is as it was then.
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import type { FetchedFiles } from "../../../domain/run/fetched-files.ts";
import { findRepositoryPart } from "../../../domain/transfer/repository.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import type { Arrived } from "../../transfer/download.ts";
import { settleBeside, settleDownload, settleEach } from "../../transfer/settle-download.ts";
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
  if (!arrived) return await makeResultsPlace(into, name);
  const named = { ...arrived, name };
  return await ((await isThere(join(into, name))) ? settleBeside(named, into) : settleDownload(named, into, []));
}

/** Puts a file in a folder, by another name if there is one of that name. @returns where it is. */
export async function settleFile(arrived: Arrived, place: string): Promise<string> {
  return await ((await isThere(join(place, arrived.name)))
    ? settleBeside(arrived, place)
    : settleDownload(arrived, place, []));
}

/** A new folder by a name, or by one like it. */
export async function makeResultsPlace(into: string, name: string): Promise<string> {
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

interface Settled {
  /** What is in its place now. */
  readonly paths: readonly Path[];
  /** What couldn't be put there, though nothing of the person's is in the way. */
  readonly left: readonly Path[];
  /** The folder with what isn't in its place. */
  readonly beside?: string;
}

/** Adds the files to a folder that has results of the run. What can't be put in its place goes to another folder beside it, or nowhere. */
export async function settleAmong(
  arrived: Arrived,
  place: string,
  fetched: FetchedFiles,
  keeps: "all" | "own",
): Promise<Settled> {
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
  if (keeps === "own") await removeHeads(place, own, fetched);
  const left = await settleEach(withPaths(arrived, own), place, replaced);
  const isLeft = new Set(left);
  const paths = own.filter((path) => !isLeft.has(path));
  const others = keeps === "all" ? [...theirs, ...left] : [];
  const beside = others.length > 0 ? { beside: await settleOthers(arrived, place, others) } : {};
  await arrived.remove();
  return { paths, left, ...beside };
}

/**
 * A repository comes without its HEAD, or git would run what is in it. Where that came first, it makes room for the rest, as it does where
 * all comes at once; it comes again at the end, beside the rest.
 */
async function removeHeads(place: string, paths: readonly Path[], fetched: FetchedFiles): Promise<void> {
  const folders = new Map<string, Path>();
  for (const path of paths)
    for (const [depth, name] of path.entries())
      if (findRepositoryPart(name) === "body") folders.set(path.slice(0, depth).join("/"), path.slice(0, depth));
  for (const folder of folders.values())
    for (const name of await readdir(join(place, ...folder)).catch(() => [])) {
      const head = [...folder, name];
      if (findRepositoryPart(name) === "head" && (await judgePlace(place, head, fetched)) === "replaceable")
        await rm(join(place, ...head)).catch(() => undefined);
    }
}

async function settleOthers(arrived: Arrived, place: string, paths: readonly Path[]): Promise<string> {
  const path = join(arrived.folder, "beside");
  for (const folder of [[], ...listFolders(paths)]) await mkdir(join(path, ...folder));
  for (const one of paths) await rename(join(arrived.path, ...one), join(path, ...one));
  const remove = async () => undefined;
  return await settleBeside({ ...withPaths(arrived, paths), path, name: basename(place), remove }, dirname(place));
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
