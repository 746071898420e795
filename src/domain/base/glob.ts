// Patterns for files in a folder: `*` and `?` within a name, `**` for any number of folders. A folder that matches stands for all that
// is in it. They may come from anyone's workspace, so none takes long.
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";

/** Patterns, and characters of one. */
const MOST = { globs: 20, characters: 200 };

const isAny = (part: string): boolean => /^\*\*+$/.test(part);

/** Whether a path leads from a folder to something in it, on every system. */
export const isPathInside = (path: string): boolean =>
  !/^[~/]|^[a-z]:|\\/i.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

/** What is wrong with a pattern; undefined if nothing is. */
function findMistake(glob: string): string | undefined {
  const shown = toPlainText(glob, 60);
  if (glob.length > MOST.characters) return t("“{0}” is longer than {1} characters.", shown, MOST.characters);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f\ufffd]/.test(glob)) return t("“{0}” contains an invalid character.", shown);
  if (!isPathInside(glob))
    return t(
      "“{0}” isn't inside the uploaded folder. Enter a relative path with slashes, such as “{1}”.",
      shown,
      "out/**",
    );
  if (/^!|[[\]{}]/.test(glob)) return t("“{0}” isn't supported. Use only the wildcards *, **, and ?.", shown);
  const parts = glob.split("/");
  const isEverything =
    parts.every((part) => isAny(part) || part === "*") && parts.filter((part) => part === "*").length < 2;
  return isEverything ? t("“{0}” matches every file. Leave out the list to download all results.", shown) : undefined;
}

const Glob = z
  .string({ error: () => t("Enter a list of up to {0} patterns, such as “out/**”.", MOST.globs) })
  .min(1, { error: () => t("A pattern is empty."), abort: true })
  .transform((glob, context) => {
    const trimmed = glob.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
    const message = findMistake(trimmed === "" ? glob : trimmed);
    if (message !== undefined) context.addIssue({ code: "custom", message });
    return trimmed;
  });

/** Which files of a folder; an empty list is for all of them. */
export const Globs = z
  .array(Glob, { error: () => t("Enter a list of up to {0} patterns, such as “out/**”.", MOST.globs) })
  .max(MOST.globs, {
    error: () => t("Enter a list of up to {0} patterns, such as “out/**”.", MOST.globs),
    abort: true,
  });
export type Globs = readonly string[];

/**
 * Whether items match a pattern in which some stand for any number of others. Only the last of those ever has to be tried again, so it
 * takes no longer than both lengths multiplied.
 */
function matchesWild<Part>(
  pattern: readonly Part[],
  items: readonly string[],
  isWild: (part: Part) => boolean,
  isSame: (part: Part, item: string) => boolean,
): boolean {
  let [at, item] = [0, 0];
  let retry: { at: number; item: number } | undefined;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isWild(part)) {
      at += 1;
      retry = { at, item };
    } else if (part !== undefined && isSame(part, items[item] ?? "")) {
      at += 1;
      item += 1;
    } else if (retry) {
      retry.item += 1;
      ({ at, item } = retry);
    } else return false;
  }
  return pattern.slice(at).every(isWild);
}

const isStar = (char: string): boolean => char === "*";
const isSameChar = (part: string, char: string): boolean => part === "?" || part === char;

/** A part of a pattern between slashes; `**` for any number of folders. */
type NamePattern = ((name: string) => boolean) | "**";

function compileName(part: string): NamePattern {
  if (isAny(part)) return "**";
  if (part.includes("?")) {
    const chars = [...part];
    return (name) => matchesWild(chars, [...name], isStar, isSameChar);
  }
  const [start = "", ...rest] = part.split("*");
  const end = rest.pop();
  return end === undefined ? (name) => name === part : (name) => matchesPieces(name, start, rest, end);
}

/** Whether a name begins and ends so, and has the pieces in that order in between: each is sought once, where it comes first. */
function matchesPieces(name: string, start: string, pieces: readonly string[], end: string): boolean {
  const last = name.length - end.length;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  let at = start.length;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= last;
}

const isAnyFolder = (part: NamePattern): boolean => part === "**";
const isSameName = (part: NamePattern, name: string): boolean => part !== "**" && part(name);

/** A folder that matches stands for all that is in it. */
const compileParts = (glob: string): readonly NamePattern[] => [...glob.split("/"), "**"].map(compileName);

const matchesParts = (pattern: readonly NamePattern[], names: readonly string[]): boolean =>
  matchesWild(pattern, names, isAnyFolder, isSameName);

/** Tells which of the patterns the file at a path in the folder matches. They are read once, for any number of paths. */
export function compileGlobs(globs: Globs): (path: string) => Globs {
  const patterns = globs.map((glob) => ({ glob, parts: compileParts(glob) }));
  return (path) => {
    const names = path.split("/");
    return patterns.filter(({ parts }) => matchesParts(parts, names)).map(({ glob }) => glob);
  };
}

/** Tells whether something at a path, or below it, could match one of the patterns. */
export function compileBelow(globs: Globs): (path: string) => boolean {
  const beginnings = globs.map(compileParts).flatMap((pattern) => pattern.map((_, last) => pattern.slice(0, last + 1)));
  return (path) => {
    const names = path.split("/");
    return beginnings.some((pattern) => matchesParts(pattern, names));
  };
}
