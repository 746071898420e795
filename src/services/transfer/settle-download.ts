// Puts what was downloaded in its place. Nothing that is there is replaced but what the person was shown and agreed to.
import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, readFile, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import { findVersionProgram, toNumberedName } from "../../domain/transfer/archive-path.ts";
import { isFollowed } from "../../domain/transfer/followed-names.ts";
import { findRepositoryPart, isRepository } from "../../domain/transfer/repository.ts";
import { createQueue } from "../../lib/task.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Arrived } from "./download.ts";

/** What a download meets in its place. */
interface Meeting {
  /** Files that would be replaced, as paths in the download; the name itself for a single file. */
  readonly replaced: readonly string[];
  /** Whether something in the place can't be replaced: a link, or a folder where there is a file; or shall not be mixed with it. */
  readonly isBlocked: boolean;
}

type Arrival = Pick<Arrived, "path" | "name" | "kind" | "report">;

const find = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);

/** Bytes. Files that programs follow are small. */
const MOST_COMPARED = 1_000_000;

/** Whether two files have the same content. Links count for nothing. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = [await find(one), await find(other)];
  if (!a?.isFile() || !b?.isFile() || a.size !== b.size || a.size > MOST_COMPARED) return false;
  const [first, second] = await Promise.all([readFile(one), readFile(other)]).catch(() => []);
  return first !== undefined && second !== undefined && first.equals(second);
}

/** What of the download is there already. */
export async function findReplaced(arrived: Arrival, into: string): Promise<Meeting> {
  const place = join(into, arrived.name);
  const there = await find(place);
  if (await wouldMakeRepository(arrived, into)) return { replaced: [], isBlocked: true };
  if (!there) return { replaced: [], isBlocked: false };
  if (arrived.kind === "file") return { replaced: [arrived.name], isBlocked: !there.isFile() };
  if (!there.isDirectory()) return { replaced: [arrived.name], isBlocked: true };
  const replaced: string[] = [];
  let isBlocked = false;
  for (const folder of arrived.report.folders) {
    const met = await find(join(place, ...folder));
    if (met && !met.isDirectory()) isBlocked = true;
  }
  for (const path of arrived.report.paths) {
    const met = await find(join(place, ...path));
    if (isFollowed([arrived.name, ...path]) && !(await isSame(join(arrived.path, ...path), join(place, ...path))))
      isBlocked = true;
    if (!met) continue;
    replaced.push(path.join("/"));
    if (!met.isFile()) isBlocked = true;
  }
  return { replaced, isBlocked };
}

const list = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Whether git would take a folder for a repository that the download goes into: it is one, or what is in it and what comes make one. */
async function wouldMakeRepository({ name, kind, report }: Arrival, into: string): Promise<boolean> {
  if (isRepository([...(await list(into)), name])) return true;
  if (kind === "file") return false;
  const coming = new Map<string, string[]>([["", []]]);
  for (const path of [...report.folders, ...report.paths]) {
    const folder = path.slice(0, -1).join("/");
    const names = coming.get(folder) ?? [];
    names.push(path.at(-1) ?? "");
    coming.set(folder, names);
  }
  for (const [folder, names] of coming)
    if (isRepository([...(await list(join(into, name, folder))), ...names])) return true;
  return false;
}

/**
 * Before a download into a folder: git and its like would do what files say that come into a repository's own folder, such as `.git/hooks`.
 * @throws AppError `rejected` if it is within one.
 */
export async function assertNoRepository(into: string): Promise<void> {
  let folder = await realpath(into).catch(() => into);
  const within = folder.split(sep).map(findVersionProgram).findLast(Boolean);
  for (;;) {
    const names = await list(folder);
    const program = within ?? (isRepository(names) ? "git" : undefined);
    if (program)
      throw new AppError(
        "rejected",
        t("{0} is inside a {1} repository's own folder. Choose another folder.", toPlainText(into, 200), program),
      );
    // What is in a work tree is no part of the repository, even if that lies around it.
    if (names.includes(".git") || dirname(folder) === folder) return;
    folder = dirname(folder);
  }
}

/** One after the other: two downloads that were looked at before either was moved could bring the halves of a repository. */
const inOrder = createQueue();

/**
 * Moves the download to its place. Only what is listed in `agreed` is replaced. @returns where it is now.
 * @throws AppError `rejected` if something else came in its way; what wasn't moved by then lies beside its place and is the person's.
 */
export async function settleDownload(arrived: Arrived, into: string, agreed: readonly string[]): Promise<string> {
  const place = join(into, arrived.name);
  const may = new Set(agreed);
  const work = async () => {
    if (arrived.kind === "folder" && (await find(place))) await merge(arrived, place, may);
    else await move(arrived.path, place, may.has(arrived.name));
  };
  return await inOrder(() => settle(arrived, place, work));
}

/**
 * Moves each file of the download to its place in a folder that is there, whatever becomes of the others. Only what is listed in `agreed` is
 * replaced. @returns those that couldn't be moved, which are still where they were.
 */
export async function settleEach(
  { path: from, report }: Arrival,
  place: string,
  agreed: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const may = new Set(agreed);
  return await inOrder(async () => {
    const left: (readonly string[])[] = [];
    for (const path of report.paths) {
      try {
        // None of them is a link that leads elsewhere.
        for (const depth of path.keys()) await makeFolder(join(place, ...path.slice(0, depth)));
        await move(join(from, ...path), join(place, ...path), may.has(path.join("/")));
      } catch {
        left.push(path);
      }
    }
    return left;
  });
}

/** Moves the download to a name beside its place that nothing has. @returns where it is now. */
export async function settleBeside(arrived: Arrived, into: string): Promise<string> {
  return await inOrder(async () => {
    for (let number = 2; ; number += 1) {
      const place = join(into, toNumberedName(arrived.name, number));
      if (!(await find(place))) return await settle(arrived, place, () => move(arrived.path, place, false));
    }
  });
}

/** What is there already. */
class InTheWay extends Error {
  readonly path: string;

  constructor(path: string) {
    super(path);
    this.path = path;
  }
}

/** What would make a repository of the folder that it goes into, or be a part of one. */
class PartOfRepository extends InTheWay {}

/** Removes the temporary folder once nothing is in it any longer, or what is left is in another. */
async function settle(arrived: Arrived, place: string, work: () => Promise<void>): Promise<string> {
  try {
    await work();
  } catch (cause) {
    throw new AppError("rejected", describeStop(cause, place, await keepRest(arrived)), { cause });
  }
  await arrived.remove();
  return place;
}

function describeStop(cause: unknown, place: string, rest: string): string {
  if (cause instanceof PartOfRepository)
    return t(
      "“{0}” would be part of a git repository and wasn't created. The rest of the download is in {1}.",
      toPlainText(cause.path),
      toPlainText(rest),
    );
  if (cause instanceof InTheWay)
    return t(
      "“{0}” was created in the meantime and wasn't replaced. The rest of the download is in {1}.",
      toPlainText(cause.path),
      toPlainText(rest),
    );
  return t("The download couldn't be moved to {0}. The files are in {1}.", toPlainText(place), toPlainText(rest));
}

/** The next download would remove the temporary folder, so what the person is told to find gets a name of its own. @returns where it is. */
async function keepRest({ folder, path, name, kind, remove }: Arrived): Promise<string> {
  try {
    const usual = kind === "folder" ? `${name} (rest)` : name;
    for (let number = kind === "folder" ? 1 : 2; ; number += 1) {
      const rest = join(dirname(folder), number === 1 ? usual : toNumberedName(usual, number));
      if (await find(rest)) continue;
      await rename(path, rest);
      await remove().catch(() => undefined);
      return rest;
    }
  } catch {
    return folder;
  }
}

async function merge(arrived: Arrived, place: string, may: ReadonlySet<string>): Promise<void> {
  if (await wouldMakeRepository(arrived, dirname(place))) throw new PartOfRepository(place);
  for (const folder of arrived.report.folders) await makeFolder(join(place, ...folder));
  for (const path of arrived.report.paths) {
    const to = join(place, ...path);
    // Each folder on the way is one, and no link that leads elsewhere.
    for (let depth = path.length - 1; depth >= 0; depth -= 1) {
      const folder = join(place, ...path.slice(0, depth));
      if (!(await find(folder))?.isDirectory()) throw new InTheWay(folder);
    }
    await move(join(arrived.path, ...path), to, may.has(path.join("/")));
  }
}

async function makeFolder(path: string): Promise<void> {
  const met = await find(path);
  if (met?.isDirectory()) return;
  if (met || !(await find(dirname(path)))?.isDirectory()) throw new InTheWay(path);
  await assertNoPart(path);
  await mkdir(path);
}

async function move(from: string, to: string, mayReplace: boolean): Promise<void> {
  const met = await find(to);
  if (met && !(mayReplace && met.isFile())) throw new InTheWay(to);
  await assertNoPart(to);
  await rename(from, to);
}

/** What git looks for in a folder, by the names that it uses. */
const LOOKED_FOR = ["HEAD", "refs", "commondir"];

/** Right before something is put in a folder: another download may have brought there what this one lacks. @throws PartOfRepository */
async function assertNoPart(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  // A folder of a hundred thousand files is read for the few names only that complete a repository.
  const names = findRepositoryPart(name) ? await list(folder) : await listPresent(folder, LOOKED_FOR);
  if (isRepository([...names, name])) throw new PartOfRepository(path);
}

async function listPresent(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const met = await Promise.all(names.map((name) => find(join(folder, name))));
  return names.filter((_, at) => met[at]);
}
