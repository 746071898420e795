// Which files a folder's own rules keep out of an upload: `.gitignore` and `.cloudgpuignore`, read as git reads them. Git never ignores
// what it tracks.
import { lstat, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import ignore from "ignore";
import { AppError } from "../../domain/base/error.ts";
import { isRule, normalizeRule, toByteSigns } from "../../domain/transfer/ignore-line.ts";
import { countDoubleStars, isQuickPattern, MOST_DOUBLED } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Turns } from "../../lib/turns.ts";
import {
  findGitFolder,
  findPersonalRules,
  findStats,
  foldAccents,
  readTracked,
  type TrackedFiles,
} from "./git-folder.ts";

/** The file with rules that git knows nothing of. They decide last, and hold in repositories within one, too. */
const OWN = ".cloudgpuignore";
/** Bytes and lines of such a file, and lines of all that apply in a folder: each name there is compared with each of them. */
const MOST = { bytes: 1_000_000, lines: 5000, applied: 3000 };
/** How far up a repository is looked for. */
const MOST_UP = 40;

/** Names are compared as git does by default on each system. */
const READING = { ignorecase: process.platform !== "linux", allowRelativePaths: true };

/** The rules of one folder, for what lies in it at any depth. */
interface Level {
  readonly rules: ignore.Ignore;
  /** Whether git doesn't know them. */
  readonly isOwn: boolean;
  /** The path of the walk's current folder within the level's folder, with a slash at its end; empty for the folder itself. */
  readonly within: string;
  /** All lines, and those with two double stars. */
  readonly lines: number;
  readonly doubled: number;
}

function assertFew(levels: readonly Pick<Level, "lines">[], folder: string): void {
  if (levels.reduce((sum, { lines }) => sum + lines, 0) <= MOST.applied) return;
  throw new AppError(
    "rejected",
    t("Too many ignore rules apply to {0}, so nothing was uploaded.", toPlainText(folder, 200)),
  );
}

/** The repository that a folder is in. */
interface Repository {
  readonly tracked: TrackedFiles;
  /** The path of the walk's current folder within it, with a slash at its end; empty for its top folder. */
  readonly within: string;
  /** Whether git ignores all of the folder that it doesn't track. */
  readonly isIgnored: boolean;
}

/** The rules that hold in one folder: its own come last, and win. */
export class IgnoreRules {
  readonly #levels: readonly Level[];
  readonly #repository: Repository | undefined;
  readonly #turns: Turns;

  private constructor(levels: readonly Level[], repository: Repository | undefined, turns: Turns, folder: string) {
    assertFew(levels, folder);
    if (levels.reduce((sum, { doubled }) => sum + doubled, 0) > MOST_DOUBLED)
      throw new AppError(
        "rejected",
        t("Too many ignore rules with two “**” apply to {0}, so nothing was uploaded.", toPlainText(folder, 200)),
      );
    this.#levels = levels;
    this.#repository = repository;
    this.#turns = turns;
  }

  /**
   * The rules for a folder that is about to be walked, with those of the repository that it lies in. Rules that keep out the folder
   * itself don't hold: the person chose it. @throws AppError `rejected` for a file of rules that can't be followed.
   */
  static async open(folder: string, turns: Turns): Promise<IgnoreRules> {
    const levels = await readLevels(folder);
    if (await findGitFolder(folder))
      return new IgnoreRules(levels, await openRepository(folder, "", turns), turns, folder);
    const above: Level[] = [];
    let within = `${basename(folder)}/`;
    for (let [at, up] = [dirname(folder), 0]; at !== dirname(at) && up < MOST_UP; up += 1) {
      const kept = (await readLevels(at)).filter(({ rules }) => !rules.ignores(toByteSigns(within)));
      above.unshift(...kept.map((level) => ({ ...level, within })));
      // Rules are read no further up than it takes to see that they are too many.
      assertFew([...above, ...levels], folder);
      await turns.take();
      if (await findGitFolder(at))
        return new IgnoreRules([...above, ...levels], await openRepository(at, within, turns), turns, folder);
      within = `${basename(at)}/${within}`;
      at = dirname(at);
    }
    return new IgnoreRules(levels, undefined, turns, folder);
  }

  /** Whether the rules keep out what has this name in the folder. */
  excludes(name: string, isFolder: boolean): boolean {
    const said = this.#judge(name, isFolder);
    return said?.isOut === true && (said.isOwn || !this.#isTracked(name, isFolder));
  }

  /** What decides about a name, and how; undefined if nothing does. */
  #judge(name: string, isFolder: boolean): { readonly isOut: boolean; readonly isOwn: boolean } | undefined {
    for (let at = this.#levels.length - 1; at >= 0; at -= 1) {
      const isOut = this.#ask(at, name, isFolder);
      if (isOut !== undefined) return { isOut, isOwn: this.#levels[at]?.isOwn === true };
    }
    return this.#repository?.isIgnored ? { isOut: true, isOwn: false } : undefined;
  }

  #isTracked(name: string, isFolder: boolean): boolean {
    if (!this.#repository) return false;
    const { tracked, within } = this.#repository;
    return (isFolder ? tracked.folders : tracked.files).has(foldAccents(within + name));
  }

  /** What a level says of a name; undefined for nothing. */
  #ask(at: number, name: string, isFolder: boolean): boolean | undefined {
    const level = this.#levels[at];
    if (!level) return undefined;
    const { ignored, unignored } = level.rules.test(toByteSigns(level.within + name) + (isFolder ? "/" : ""));
    if (ignored) return true;
    return unignored ? false : undefined;
  }

  /** The rules for a folder of this name in the folder; `path` is its own. @throws AppError as `open` does. */
  async enter(name: string, path: string): Promise<IgnoreRules> {
    const said = this.#judge(name, true);
    const isIgnored = said?.isOut === true && !said.isOwn;
    // Git's rules end where a folder is a repository of its own, and none in a folder that it ignores lets anything in.
    const isRepository = (await findGitFolder(path)) !== undefined;
    const hold = ({ isOwn }: Level) => isOwn || (!isRepository && !isIgnored);
    const inherited = this.#levels.flatMap((level, at) => {
      if (!hold(level)) return [];
      const within = `${level.within}${name}/`;
      return [
        { ...level, within, rules: this.#ask(at, name, true) === true ? letIn(level.rules, within) : level.rules },
      ];
    });
    const levels = [...inherited, ...(await readLevels(path)).filter((level) => isRepository || hold(level))];
    const repository = isRepository
      ? await openRepository(path, "", this.#turns)
      : this.#repository && { ...this.#repository, within: `${this.#repository.within}${name}/`, isIgnored };
    return new IgnoreRules(levels, repository, this.#turns, path);
  }
}

/** Rules that exclude a folder which others let in: what lies in it is judged on its own, as git does. */
function letIn(rules: ignore.Ignore, folder: string): ignore.Ignore {
  const name = toByteSigns(folder).replaceAll(/[\\*?[\]]/g, "\\$&");
  return ignore(READING)
    .add(rules)
    .add([`!/${name}`]);
}

async function openRepository(folder: string, within: string, turns: Turns): Promise<Repository> {
  return { tracked: await readTracked(folder, turns), within, isIgnored: false };
}

/** The rules in a folder: git's, then our own. */
async function readLevels(folder: string): Promise<readonly Level[]> {
  const git = await findGitFolder(folder);
  const outside = git && [await findPersonalRules(), join(git.common, "info", "exclude")];
  const ofGit = [...(outside ?? []), join(folder, ".gitignore")];
  const levels = [await readLevel(folder, ofGit, false), await readLevel(folder, [join(folder, OWN)], true)];
  return levels.filter((level) => level !== undefined);
}

/** The rules in these files, those that decide last at the end; undefined if there are none. */
async function readLevel(
  folder: string,
  files: readonly (string | undefined)[],
  isOwn: boolean,
): Promise<Level | undefined> {
  const lines: string[] = [];
  for (const file of files) if (file !== undefined) lines.push(...(await readRules(file)));
  if (lines.length === 0) return undefined;
  // Making a matcher of them is the long part.
  assertFew([{ lines: lines.length }], folder);
  const rules = ignore(READING);
  rules.add(lines.flatMap((line) => normalizeRule(toByteSigns(line))));
  const doubled = lines.filter((line) => countDoubleStars(line) > 1).length;
  return { rules, isOwn, within: "", lines: lines.length, doubled };
}

/** The rules in a file; none if it isn't there. */
async function readRules(path: string): Promise<readonly string[]> {
  // Git follows no link to rules that lie among the files, and a pipe would never end.
  const isAmongThem = [".gitignore", OWN].includes(basename(path));
  const found = isAmongThem ? await lstat(path).catch(() => undefined) : await findStats(path);
  if (!found?.isFile()) return [];
  const file = await open(path).catch((cause) => {
    throw new AppError("rejected", t("{0} can't be read, so nothing was uploaded.", toPlainText(path, 200)), { cause });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST.bytes + 1), 0, MOST.bytes + 1, 0);
    const lines = buffer
      .toString("utf8", 0, bytesRead)
      .replace(/^\ufeff|\r$/g, "")
      .split(/\r?\n/);
    if (bytesRead > MOST.bytes || lines.length > MOST.lines)
      throw new AppError("rejected", t("{0} has too many lines, so nothing was uploaded.", toPlainText(path, 200)));
    const slow = lines.findIndex((line) => isRule(line) && !isQuickPattern(line));
    if (slow < 0) return lines.filter(isRule);
    throw new AppError(
      "rejected",
      t("Line {0} of {1} has too many wildcards, so nothing was uploaded.", slow + 1, toPlainText(path, 200)),
    );
  } finally {
    await file.close();
  }
}
