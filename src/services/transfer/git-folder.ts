// Where a repository keeps its own rules, and what git tracks in it. Git itself is never
// run, because a workspace's configuration of git can run programs.
import type { Stats } from "node:fs";
import { lstat, open, readlink, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type GitIdentity, readGitIdentity } from "../../domain/transfer/git-identity.ts";
import { readIndex, type SharedIndex } from "../../domain/transfer/git-index.ts";
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

/**
 * The repository whose top folder this is; undefined if git wouldn't take it for one, or if that is on another computer. What only looks like one,
 * such as a copied submodule whose pointer leads nowhere, is a folder of the repository around it, with its rules.
 */
export async function findGitFolder(folder: string): Promise<GitFolder | undefined> {
  const own = await findOwnFolder(folder);
  if (own === undefined) return undefined;
  const shared = await readPointer(join(own, "commondir"));
  if (isElsewhere(shared)) return undefined;
  const git = { own, common: resolve(own, shared.trim()) };
  return (await isComplete(git)) ? git : undefined;
}

async function findOwnFolder(folder: string): Promise<string | undefined> {
  const git = join(folder, ".git");
  const found = await findStats(git);
  if (found?.isDirectory()) return git;
  const [, place] = /^gitdir: (.+?)[\r\n]*$/.exec(found ? await readPointer(git) : "") ?? [];
  return place === undefined || isElsewhere(place) ? undefined : resolve(folder, place);
}

/** What is there, behind links where git follows them and none can lead to another computer. */
export const findStats = async (path: string): Promise<Stats | undefined> =>
  await (process.platform === "win32" ? lstat : stat)(path).catch(() => undefined);

/** A HEAD with a branch or a commit, objects and refs: that is all that git asks for. */
async function isComplete({ own, common }: GitFolder): Promise<boolean> {
  const head = await readlink(join(own, "HEAD")).catch(async () => await readPointer(join(own, "HEAD")));
  if (!/^(?:ref:\s*)?refs\/|^[0-9a-f]{40}/i.test(head)) return false;
  const parts = await Promise.all(["objects", "refs"].map((part) => lstat(join(common, part)).catch(() => undefined)));
  return !parts.includes(undefined);
}

async function readPointer(path: string): Promise<string> {
  return (await readWhole(path, MOST_POINTER))?.toString() ?? "";
}

/** Whether a path is on another computer, which would be logged in to. */
const isElsewhere = (path: string): boolean => /^\s*[\\/]{2}/.test(path);

/** A file of a repository's own; empty if it can't be read, or is far too large. */
export const readGitText = async (path: string): Promise<string> =>
  (await readWhole(path, MOST_CONFIG))?.toString() ?? "";

const findPersonalFolder = (): string => join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git");

/** The texts of the person's own configuration, never of a workspace's. Of two values, the last counts. */
async function readPersonalConfig(): Promise<readonly string[]> {
  const files = [join(findPersonalFolder(), "config"), join(homedir(), ".gitconfig")];
  const texts = await Promise.all(files.map((file) => readWhole(file, MOST_CONFIG)));
  return texts.map((bytes) => bytes?.toString() ?? "");
}

/** Who commits, if the person's own configuration says so. */
export const findGitIdentity = async (): Promise<GitIdentity | undefined> =>
  readGitIdentity(await readPersonalConfig());

/**
 * The file with the person's own rules for all of their repositories, by their own configuration and not by a workspace's. Undefined if it
 * is on another computer.
 */
export async function findPersonalRules(): Promise<string | undefined> {
  const sections = (await readPersonalConfig()).flatMap((text) => text.split(/^[ \t]*\[/m));
  const lines = sections.flatMap((one) => /^[ \t]*core[ \t]*\](.*)$/is.exec(one)?.[1]?.split("\n") ?? []);
  const written = lines.flatMap((line) => /^\s*excludesfile\s*=\s*(?:"([^"]*)"|([^"#;]*))/i.exec(line)?.slice(1) ?? []);
  const last = written
    .findLast((one) => one !== undefined)
    ?.trim()
    .replaceAll("\\\\", "\\");
  const place = last?.replace(/^~(?=[\\/])/, homedir()) ?? join(findPersonalFolder(), "ignore");
  return isAbsolute(place) && !isElsewhere(place) ? place : undefined;
}

/** What git never ignores, by its path within the repository. */
export interface TrackedFiles {
  readonly files: Set<string>;
  /** Folders with such a file at any depth, and repositories within this one. */
  readonly folders: Set<string>;
}

/** A disk of macOS may write accents apart from their letters, which git doesn't. */
export const foldAccents = (name: string): string => (process.platform === "darwin" ? name.normalize("NFC") : name);

/** What git tracks in a folder that is the top one of a repository. Nothing is known of an index that can't be read. */
export async function readTracked(folder: string, turns: Turns): Promise<TrackedFiles> {
  const tracked: TrackedFiles = { files: new Set(), folders: new Set() };
  const git = await findGitFolder(folder);
  if (!git) return tracked;
  const config = (await readWhole(join(git.common, "config"), MOST_CONFIG))?.toString("latin1") ?? "";
  const hash = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 32 : 20;
  const shared = await addTracked(tracked, join(git.own, "index"), hash, turns);
  if (shared) await addTracked(tracked, join(git.own, shared.file), hash, turns, shared.removed);
  return tracked;
}

/** @returns the file that this index shares with others, if any. */
async function addTracked(
  { files, folders }: TrackedFiles,
  path: string,
  hash: number,
  turns: Turns,
  removed?: ReadonlySet<number>,
): Promise<SharedIndex | undefined> {
  const entries = readIndex((await readWhole(path, MOST_INDEX)) ?? Buffer.alloc(0), hash, removed);
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
