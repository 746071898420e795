// What makes git take a folder for a repository, whatever its name is: git, and every editor that asks it, runs programs that the
// configuration of such a folder names.
import { foldName } from "./archive-path.ts";

/** `refs` is enough: `objects` may be in another place. A folder that has `commondir` keeps both elsewhere. */
const BODY = new Set(["refs", "commondir"]);

/** What a file or folder of this name is to a repository that it lies in the top folder of, by its most forgiving reading. */
export function findRepositoryPart(name: string): "head" | "body" | undefined {
  const folded = foldName(name);
  if (folded === "head") return "head";
  return BODY.has(folded) ? "body" : undefined;
}

/** Whether git may take a folder with these names in it for a repository. */
export function isRepository(names: Iterable<string>): boolean {
  const parts = new Set<unknown>();
  for (const name of names) parts.add(findRepositoryPart(name));
  return parts.has("head") && parts.has("body");
}

/** Folders with the same one may be the same on some system. */
const toForgivingKey = (parts: readonly string[]): string => parts.map(foldName).join("/");

type Path = readonly string[];

/** Says what has to go so that no folder of a new tree ever is a repository. That is its HEAD, which is quickly written again. */
export class RepositoryBreaker {
  /** By folder: whether the rest of a repository is there, and each HEAD that is. */
  readonly #bodies = new Set<string>();
  readonly #heads = new Map<string, Path[]>();

  /** Before a file or folder is made. @returns the files to remove first; undefined if this one may not be made, should it be a file. */
  makeRoomFor(path: Path): readonly Path[] | undefined {
    const part = findRepositoryPart(path.at(-1) ?? "");
    if (!part) return [];
    const folder = toForgivingKey(path.slice(0, -1));
    if (part === "head") return this.#bodies.has(folder) ? undefined : [];
    this.#bodies.add(folder);
    const heads = this.#heads.get(folder) ?? [];
    this.#heads.delete(folder);
    return heads;
  }

  /** After a file was made. */
  noteFile(path: Path): void {
    if (findRepositoryPart(path.at(-1) ?? "") !== "head") return;
    const folder = toForgivingKey(path.slice(0, -1));
    const heads = this.#heads.get(folder) ?? [];
    heads.push(path);
    this.#heads.set(folder, heads);
  }
}
