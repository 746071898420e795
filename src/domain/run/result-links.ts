// Which links of a machine hide results: `tar` brings a link back as a link, and what it leads to may be on the machine alone.
import { sortInTurns, type Turns } from "../../lib/turns.ts";
import { isWithin } from "../base/data-folders.ts";
import { isLeftOut, OUTWARD } from "./result-commands.ts";

export interface ResultLink {
  /** In the run's folder. */
  readonly path: string;
  /** Where it leads in the end, in the run's folder; empty for the folder itself, undefined for anything outside. */
  readonly target: string | undefined;
}

export const toResultPath = (name: string): string => name.replace(/^\.(?:\/|$)/, "");

/** From two words: a link and its target. The last target may have been cut off. */
export function readResultLink(link: string, target = OUTWARD): ResultLink {
  return { path: toResultPath(link), target: target.startsWith(".") ? toResultPath(target) : undefined };
}

/** What speaks for a link: the files that aren't downloaded, and which paths are asked for. */
interface LinkedFiles {
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
export async function countHiding(
  links: readonly ResultLink[],
  { others, isResult, mayHold }: LinkedFiles,
  turns: Turns,
): Promise<number> {
  const files = await sortInTurns(others, turns);
  const byPath = new Map<string, string | undefined>();
  for (const { path, target } of links) {
    byPath.set(path, target);
    await turns.take();
  }
  const paths = await sortInTurns([...byPath.keys()], turns);
  let steps = 0;
  const hides = async (path: string, target: string | undefined, before: readonly string[]): Promise<boolean> => {
    steps += OF_LINK;
    await turns.take();
    if (!mayHold(path)) return false;
    if (target === undefined || isLeftOut(target) || before.length > MOST.links) return true;
    if (before.includes(target)) return false;
    if (files[findPlace(files, target)] === target && isResult(path)) return true;
    for (const file of below(files, target)) {
      steps += 1;
      await turns.take();
      if (steps > MOST.steps || isResult(aliasOf(file, target, path))) return true;
    }
    for (const link of below(paths, target)) {
      if (steps > MOST.steps) return true;
      if (await hides(aliasOf(link, target, path), byPath.get(link), [...before, target])) return true;
    }
    return false;
  };
  let count = 0;
  for (const { path, target } of links) count += Number(await hides(path, target, []));
  return count;
}

/** What something in a folder is called through a link to that folder. */
const aliasOf = (path: string, folder: string, link: string): string =>
  `${link}/${folder === "" ? path : path.slice(folder.length + 1)}`;

/** Where in the sorted paths one is, or would be. */
function findPlace(sorted: readonly string[], path: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those of the sorted paths that are below a folder. */
function* below(sorted: readonly string[], folder: string): Generator<string> {
  for (let at = findPlace(sorted, folder === "" ? "" : `${folder}/`); at < sorted.length; at += 1) {
    const path = sorted[at] ?? "";
    if (folder !== "" && !isWithin(folder, path)) return;
    yield path;
  }
}
