// Which files of a machine are the results of a run, and what else is new there.
import { formatNumber, t } from "../../lib/text.ts";
import type { Turns } from "../../lib/turns.ts";
import { isWithin } from "../base/data-folders.ts";
import { AppError } from "../base/error.ts";
import { compileBelow, compileGlobs, type Globs } from "../base/glob.ts";
import { isLeftOut, RESULTS_END } from "./result-commands.ts";
import { countHiding, type ResultLink, readResultLink, toResultPath } from "./result-links.ts";
import type { RunPlan } from "./run-plan.ts";

export interface ResultNames {
  /** Each begins with `./`. */
  readonly names: readonly string[];
  /** Results that can't be downloaded: names that `tar` couldn't be told line by line, and links to what isn't downloaded. */
  readonly odd: number;
  /** Files that are new or changed, but aren't results; and how many more of them there are. */
  readonly others: readonly string[];
  readonly moreOthers: number;
  /** Patterns that nothing matched. */
  readonly unmatched: readonly string[];
  /** The machine could list all of them. */
  readonly isWhole: boolean;
}

/** Characters. Anything longer is no path. */
const LONGEST_PATH = 4096;

/** Reads the words of an answer to `buildListResultsCommand`, one by one: a machine may have millions of files. */
export class ResultNamesReader {
  readonly #globs: Globs;
  readonly #data: readonly string[];
  readonly #most: number;
  readonly #findMatching: (path: string) => Globs;
  readonly #unmatched: Set<string>;
  readonly #names: string[] = [];
  readonly #others: string[] = [];
  #moreOthers = 0;
  #odd = 0;
  /** Undefined before the links begin. */
  #links: string[] | undefined;

  /** At most so many results, other files and links are remembered. */
  constructor({ results = [], data = [] }: Pick<RunPlan, "results" | "data">, most: number) {
    this.#globs = results;
    this.#data = data;
    this.#most = most;
    this.#findMatching = compileGlobs(results);
    this.#unmatched = new Set(results);
  }

  /** @throws AppError `rejected` for too many results. */
  take(word: string): void {
    if (this.#links) this.#takeLink(this.#links, word);
    else if (word === "") this.#links = [];
    else if (this.#isResult(word)) this.#takeResult(word);
    else if (this.#others.length < this.#most) this.#others.push(toResultPath(word));
    else this.#moreOthers += 1;
  }

  #takeLink(links: string[], word: string): void {
    if (links.length >= 2 * this.#most + 2) throw this.#tooMany();
    links.push(word);
  }

  #takeResult(name: string): void {
    if (this.#names.length + this.#odd >= this.#most) throw this.#tooMany();
    if (name.startsWith("./") && name.length <= LONGEST_PATH && !/[\n\\\ufffd]/.test(name)) this.#names.push(name);
    else this.#odd += 1;
  }

  #tooMany(): AppError {
    const most = formatNumber(this.#most);
    return new AppError("rejected", t("The download has more than {0} files. Nothing was saved.", most));
  }

  #isData(path: string): boolean {
    return this.#data.some((folder) => isWithin(folder, path));
  }

  #isResult(name: string): boolean {
    const path = toResultPath(name);
    if (path.length > LONGEST_PATH) return true;
    if (this.#isData(path)) return false;
    const matching = this.#findMatching(path);
    for (const glob of matching) this.#unmatched.delete(glob);
    return this.#globs.length === 0 || matching.length > 0;
  }

  /** After the last word. */
  async finish(turns: Turns): Promise<ResultNames> {
    const links = this.#links ?? [];
    const isWhole = links.at(-1) === RESULTS_END && links.at(-2) === "";
    const words = isWhole ? links.slice(0, -2) : links;
    const hiding = await this.#countHiding(words, turns);
    return {
      names: this.#names,
      odd: this.#odd + hiding,
      others: this.#others,
      moreOthers: this.#moreOthers,
      unmatched: [...this.#unmatched],
      isWhole,
    };
  }

  async #countHiding(words: readonly string[], turns: Turns): Promise<number> {
    const isAll = this.#globs.length === 0;
    const reported: ResultLink[] = [];
    for (let at = 0; at < words.length; at += 2) {
      const link = readResultLink(words[at] ?? "", words[at + 1]);
      if (!this.#isData(link.path)) reported.push(link);
      await turns.take();
    }
    // What isn't remembered may be what they lead to.
    if (this.#moreOthers > 0) return reported.length;
    if (isAll && this.#others.length === 0)
      return reported.filter(({ target }) => target === undefined || isLeftOut(target)).length;
    const others = {
      others: this.#others,
      isResult: (path: string) => isAll || this.#findMatching(path).length > 0,
      mayHold: isAll ? () => true : compileBelow(this.#globs),
    };
    return await countHiding(reported, others, turns);
  }
}
