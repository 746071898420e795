// Where a repository keeps its own rules, and what git tracks in it. Git itself is never
// run, because a workspace's configuration of git can run programs.
import { lstat, open, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readIndex } from "../../domain/transfer/git-index.ts";
import type { Turns } from "../../lib/turns.ts";
import { READ_FLAGS } from "./holds-key.ts";

/** Longer than any path. */
const MOST_POINTER = 5000;
/** Bytes of an index, and characters of its names: those of half a million files have less. One may be made to hold far more than it has bytes. */
const [MOST_INDEX, MOST_NAMES] = [100_000_000, 100_000_000];
/** Bytes of the configuration that are read. */
const MOST_CONFIG = 1_000_000;

/** A repository's own folder, and the one that it shares with other worktrees. */
export interface GitFolder {
  readonly own: string;
  readonly common: string;
}

/** The repository whose top folder this is; undefined if it isn't one, or if that is on another computer. */
export async function findGitFolder(folder: string): Promise<GitFolder | undefined> {
  const git = join(folder, ".git");
  const found = await lstat(git).catch(() => undefined);
  if (found?.isDirectory()) return { own: git, common: git };
  const [, place] = /^gitdir: (.+?)\r?\n?$/.exec(await readPointer(git)) ?? [];
  if (place === undefined || isElsewhere(place)) return undefined;
  const own = resolve(folder, place);
  const common = await readPointer(join(own, "commondir"));
  return isElsewhere(common) ? undefined : { own, common: resolve(own, common.trim()) };
}

async function readPointer(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() && found.size <= MOST_POINTER ? await readFile(path, "utf8").catch(() => "") : "";
}

/** Whether a path is on another computer, which would be logged in to. */
const isElsewhere = (path: string): boolean => /^\s*[\\/]{2}/.test(path);

/** What git never ignores, by its path within the repository. */
export interface TrackedFiles {
  readonly files: Set<string>;
  /** Folders with such a file at any depth, and repositories within this one. */
  readonly folders: Set<string>;
}

/** A disk of macOS may write accents apart from their letters, which git does not. */
export const foldAccents = (name: string): string => (process.platform === "darwin" ? name.normalize("NFC") : name);

/** What git tracks in a folder that is the top one of a repository. Nothing is known of an index that can't be read. */
export async function readTracked(folder: string, turns: Turns): Promise<TrackedFiles> {
  const tracked: TrackedFiles = { files: new Set(), folders: new Set() };
  const git = await findGitFolder(folder);
  if (!git) return tracked;
  const config = (await readWhole(join(git.common, "config"), MOST_CONFIG))?.toString("latin1") ?? "";
  const hash = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 32 : 20;
  const shared = await addTracked(tracked, join(git.own, "index"), hash, turns);
  if (shared !== undefined) await addTracked(tracked, join(git.own, shared), hash, turns);
  return tracked;
}

/** @returns the name of the file that this index shares with others, if any. */
async function addTracked(
  { files, folders }: TrackedFiles,
  path: string,
  hash: number,
  turns: Turns,
): Promise<string | undefined> {
  const entries = readIndex((await readWhole(path, MOST_INDEX)) ?? Buffer.alloc(0), hash);
  let length = 0;
  for (let entry = entries.next(); ; entry = entries.next()) {
    if (entry.done) return entry.value;
    const name = foldAccents(entry.value.path);
    (entry.value.isFolder ? folders : files).add(name);
    length += name.length;
    for (
      let at = name.lastIndexOf("/");
      at > 0 && !folders.has(name.slice(0, at));
      at = name.lastIndexOf("/", at - 1)
    ) {
      folders.add(name.slice(0, at));
      length += at;
    }
    if (length > MOST_NAMES) return undefined;
    await turns.take();
  }
}

/** Undefined if it isn't a file that can be read, or is larger than `most` bytes. */
async function readWhole(path: string, most: number): Promise<Buffer | undefined> {
  const file = await open(path, READ_FLAGS).catch(() => undefined);
  try {
    const found = await file?.stat();
    return found?.isFile() && found.size <= most ? await file?.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
