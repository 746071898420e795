// Which links of a machine hide results: `tar` brings a link back as a link, and what it leads to may be on the machine alone.
import { isWithin } from "../base/data-folders.ts";
import { isLeftOut, OUTWARD } from "./run-script.ts";

export interface ResultLink {
  /** In the run's folder. */
  readonly path: string;
  /** Where it leads in the end, in the run's folder; empty for the folder itself, undefined for anything outside. */
  readonly target: string | undefined;
}

export const toResultPath = (name: string): string => name.replace(/^\.(?:\/|$)/, "");

/** From words that come in pairs: a link and its target. The last target may have been cut off. */
export function readResultLinks(words: readonly string[]): readonly ResultLink[] {
  return words.flatMap((word, at): ResultLink[] => {
    if (at % 2 === 1) return [];
    const target = words[at + 1] ?? OUTWARD;
    return [{ path: toResultPath(word), target: target.startsWith(".") ? toResultPath(target) : undefined }];
  });
}

/** What speaks for a link: the files that aren't downloaded, and which paths are asked for. */
export interface LinkedFiles {
  readonly others: readonly string[];
  readonly isResult: (path: string) => boolean;
  /** Whether something at this path, or below it, may be a result. */
  readonly mayHold: (path: string) => boolean;
}

/** Links that lead from one to the next, and steps in all: what takes longer counts as hidden. */
const MOST = { links: 20, steps: 200_000 };
/** Steps that a link counts for: it is compared with each part of each pattern. */
const OF_LINK = 20;

/** How many of the links lead to results by a name that nothing is downloaded under. */
export function countHiding(links: readonly ResultLink[], { others, isResult, mayHold }: LinkedFiles): number {
  const known = new Set(others);
  const files = [...others].sort();
  const byPath = new Map(links.map(({ path, target }) => [path, target]));
  const paths = [...byPath.keys()].sort();
  let steps = 0;
  const hides = (path: string, target: string | undefined, before: readonly string[]): boolean => {
    steps += OF_LINK;
    if (!mayHold(path)) return false;
    if (target === undefined || isLeftOut(target) || before.length > MOST.links) return true;
    if (before.includes(target)) return false;
    if (known.has(target) && isResult(path)) return true;
    for (const file of below(files, target)) {
      steps += 1;
      if (steps > MOST.steps || isResult(aliasOf(file, target, path))) return true;
    }
    for (const link of below(paths, target)) {
      if (steps > MOST.steps) return true;
      if (hides(aliasOf(link, target, path), byPath.get(link), [...before, target])) return true;
    }
    return false;
  };
  return links.filter(({ path, target }) => hides(path, target, [])).length;
}

/** What something in a folder is called through a link to that folder. */
const aliasOf = (path: string, folder: string, link: string): string =>
  `${link}/${folder === "" ? path : path.slice(folder.length + 1)}`;

/** Those of the sorted paths that are below a folder. */
function* below(sorted: readonly string[], folder: string): Generator<string> {
  const start = folder === "" ? "" : `${folder}/`;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < start) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < sorted.length; at += 1) {
    const path = sorted[at] ?? "";
    if (folder !== "" && !isWithin(folder, path)) return;
    yield path;
  }
}
