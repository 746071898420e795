// Which files a folder's own rules keep out of an upload: `.gitignore` and `.cloudgpuignore`, read as git reads them. Git itself is
// never run, because a workspace's configuration of git can run programs.
import { lstat, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import ignore from "ignore";
import { AppError } from "../../domain/base/error.ts";
import { countDoubleStars, isQuickPattern, MOST_DOUBLED } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";

/** The files with rules, those that decide last at the end. */
const SOURCES = [join(".git", "info", "exclude"), ".gitignore", ".cloudgpuignore"];
/** Bytes and lines of such a file, and lines of all that apply in a folder: each name there is compared with each of them. */
const MOST = { bytes: 1_000_000, lines: 5000, applied: 3000 };
/** How far up a repository is looked for. */
const MOST_UP = 40;

/** The rules of one folder, for what lies in it at any depth. */
interface Level {
  readonly rules: ignore.Ignore;
  /** The path of the walk's current folder within the level's folder, with a slash at its end; empty for the folder itself. */
  readonly within: string;
  /** All lines, and those with two double stars. */
  readonly lines: number;
  readonly doubled: number;
}

/** The rules that hold in one folder: its own come last, and win. */
export class IgnoreRules {
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[], folder: string) {
    if (levels.reduce((sum, { lines }) => sum + lines, 0) > MOST.applied)
      throw new AppError(
        "rejected",
        t("Too many ignore rules apply to {0}, so nothing was uploaded.", toPlainText(folder, 200)),
      );
    if (levels.reduce((sum, { doubled }) => sum + doubled, 0) > MOST_DOUBLED)
      throw new AppError(
        "rejected",
        t("Too many ignore rules with two “**” apply to {0}, so nothing was uploaded.", toPlainText(folder, 200)),
      );
    this.#levels = levels;
  }

  /**
   * The rules for a folder that is about to be walked, with those of the repository that it lies in. Rules that keep out the folder
   * itself don't hold: the person chose it. @throws AppError `rejected` for a file of rules that can't be followed.
   */
  static async open(folder: string): Promise<IgnoreRules> {
    const levels: Level[] = [];
    const own = await readLevel(folder);
    if (own) levels.push(own);
    if (await isThere(join(folder, ".git"))) return new IgnoreRules(levels, folder);
    const above: Level[] = [];
    let within = `${basename(folder)}/`;
    for (let [at, up] = [dirname(folder), 0]; at !== dirname(at) && up < MOST_UP; up += 1) {
      const level = await readLevel(at);
      if (level && !level.rules.ignores(within)) above.unshift({ ...level, within });
      if (await isThere(join(at, ".git"))) return new IgnoreRules([...above, ...levels], folder);
      within = `${basename(at)}/${within}`;
      at = dirname(at);
    }
    return new IgnoreRules(levels, folder);
  }

  /** Whether the rules keep out what has this name in the folder. */
  excludes(name: string, isFolder: boolean): boolean {
    for (let at = this.#levels.length - 1; at >= 0; at -= 1) {
      const said = this.#ask(at, name, isFolder);
      if (said !== undefined) return said;
    }
    return false;
  }

  /** What a level says of a name; undefined for nothing. */
  #ask(at: number, name: string, isFolder: boolean): boolean | undefined {
    const level = this.#levels[at];
    if (!level) return undefined;
    const { ignored, unignored } = level.rules.test(level.within + name + (isFolder ? "/" : ""));
    if (ignored) return true;
    return unignored ? false : undefined;
  }

  /** The rules for a folder of this name in the folder; `path` is its own. @throws AppError as `open` does. */
  async enter(name: string, path: string): Promise<IgnoreRules> {
    // A level that excludes a folder that one below lets in has nothing more to say: all in it would count as excluded.
    const kept = this.#levels.filter((_, at) => this.#ask(at, name, true) !== true);
    const levels = kept.map((level) => ({ ...level, within: `${level.within}${name}/` }));
    const own = await readLevel(path);
    return new IgnoreRules(own ? [...levels, own] : levels, path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

/** The rules in a folder; undefined if it has none. */
async function readLevel(folder: string): Promise<Level | undefined> {
  const texts: string[] = [];
  for (const source of SOURCES) {
    const text = await readRules(join(folder, source));
    if (text !== undefined) texts.push(text);
  }
  if (texts.length === 0) return undefined;
  // As git does by default on each system.
  const rules = ignore({ ignorecase: process.platform !== "linux", allowRelativePaths: true });
  for (const text of texts) rules.add(text);
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const doubled = lines.filter((line) => countDoubleStars(line) > 1).length;
  return { rules, within: "", lines: lines.length, doubled };
}

async function readRules(path: string): Promise<string | undefined> {
  // Git doesn't follow links here either, and a pipe would never end.
  if (!(await lstat(path).catch(() => undefined))?.isFile()) return undefined;
  const file = await open(path).catch((cause) => {
    throw new AppError("rejected", t("{0} can't be read, so nothing was uploaded.", toPlainText(path, 200)), { cause });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST.bytes + 1), 0, MOST.bytes + 1, 0);
    const lines = buffer
      .toString("utf8", 0, bytesRead)
      .replace(/^\ufeff/, "")
      .split(/\r?\n/);
    if (bytesRead > MOST.bytes || lines.length > MOST.lines)
      throw new AppError("rejected", t("{0} has too many lines, so nothing was uploaded.", toPlainText(path, 200)));
    const slow = lines.findIndex((line) => !isQuickPattern(line));
    if (slow < 0) return lines.join("\n");
    throw new AppError(
      "rejected",
      t("Line {0} of {1} has too many wildcards, so nothing was uploaded.", slow + 1, toPlainText(path, 200)),
    );
  } finally {
    await file.close();
  }
}
