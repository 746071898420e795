// Which files of a machine are the results of a run, and what else is new there.
import { isWithin } from "../base/data-folders.ts";
import { compileGlobs, mayMatchBelow } from "../base/glob.ts";
import { countHiding, readResultLinks, toResultPath } from "./result-links.ts";
import type { RunPlan } from "./run-plan.ts";
import { isLeftOut, RESULTS_END } from "./run-script.ts";

export interface ResultNames {
  /** Each begins with `./`. */
  readonly names: readonly string[];
  /** Results that can't be downloaded: names that `tar` couldn't be told line by line, and links to what isn't downloaded. */
  readonly odd: number;
  /** Files that are new or changed, but aren't results. */
  readonly others: readonly string[];
  /** Patterns that nothing matched. */
  readonly unmatched: readonly string[];
  /** The machine could list all of them. */
  readonly isWhole: boolean;
}

/** Characters. Anything longer is no path. */
const LONGEST_PATH = 4096;

/** The names in an answer to `buildListResultsCommand`. */
export function readResultNames(
  printed: Uint8Array,
  { results = [], data = [] }: Pick<RunPlan, "results" | "data"> = {},
): ResultNames {
  const all = new TextDecoder().decode(printed).split("\0").slice(0, -1);
  const isWhole = all.at(-1) === RESULTS_END && all.at(-2) === "";
  const end = all.indexOf("");
  const listed = end < 0 ? all : all.slice(0, end);
  const links = end < 0 ? [] : all.slice(end + 1, isWhole ? -2 : undefined);
  const isData = (path: string) => data.some((folder) => isWithin(folder, path));
  const findMatching = compileGlobs(results);
  const unmatched = new Set(results);
  const isAll = results.length === 0;
  const isResult = (name: string): boolean => {
    const path = toResultPath(name);
    if (path.length > LONGEST_PATH) return true;
    if (isData(path)) return false;
    const matching = findMatching(path);
    for (const glob of matching) unmatched.delete(glob);
    return isAll || matching.length > 0;
  };
  const [files, others]: [string[], string[]] = [[], []];
  for (const name of listed) (isResult(name) ? files : others).push(name);
  const names = files.filter(
    (name) => name.startsWith("./") && name.length <= LONGEST_PATH && !/[\n\\\ufffd]/.test(name),
  );
  const reported = readResultLinks(links).filter(({ path }) => !isData(path));
  const hiding =
    isAll && others.length === 0
      ? reported.filter(({ target }) => target === undefined || isLeftOut(target)).length
      : countHiding(reported, {
          others: others.map(toResultPath),
          isResult: (path) => isAll || findMatching(path).length > 0,
          mayHold: (path) => isAll || results.some((glob) => mayMatchBelow(glob, path)),
        });
  return {
    names,
    odd: files.length - names.length + hiding,
    others: others.map(toResultPath),
    unmatched: [...unmatched],
    isWhole,
  };
}
