// The lines of an ignore file as git itself reads them, written so that a matcher of the documented rules does the same.

import { isDouble } from "./upload-list.ts";

/** Stars beside other signs are one star, however many; what is escaped stays. */
const joinStars = (part: string): string =>
  isDouble(part) ? "**" : part.replace(/(\\.)|\*{2,}/gs, (_, escaped?: string) => escaped ?? "*");

const anchor = (pattern: string): string => (pattern.startsWith("/") ? pattern : `/${pattern}`);

/** Whether a line is a rule at all: no comment, and not blank. */
export const isRule = (line: string): boolean => /[^ \r]/.test(line) && !line.startsWith("#");

/** Where signs are that are no letters and no spaces, so that a byte means nothing but itself. */
const BYTES_AT = 0xe000;

/** A rule or a name with one sign for each byte: git compares bytes, and its `?` is one of them, which `é` isn't. */
export function toByteSigns(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes that are signs on their own.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) =>
    String.fromCharCode(byte < 0x80 ? byte : BYTES_AT + byte),
  ).join("");
}

/**
 * One rule as those that a matcher of the documented rules takes the same way. Git compares what comes before the first wildcard on its own:
 * double stars right behind it then stand at the start of a pattern, where they reach across folders (a `data` with two stars and `/raw` has `data/1/raw`).
 */
export function normalizeRule(line: string): readonly string[] {
  // The one of a line break is gone already.
  const [, not = "", body = ""] = /^(!?)(.*)$/s.exec(line.replace(/\r$/, "[\r]")) ?? [];
  const first = body.search(/[*?[\\]/);
  const before = body.slice(0, Math.max(first, 0));
  const [, stars = ""] = /^(\*{2,})/.exec(body.slice(first)) ?? [];
  const rest = body.slice(before.length + stars.length);
  const isBehind = stars !== "" && before !== "" && !before.endsWith("/");
  const [, inFolders] = /^\/(.+)$/s.exec(rest) ?? [];
  if (isBehind && inFolders !== undefined && inFolders.trim() !== "") {
    const tail = inFolders.split("/").map(joinStars).join("/");
    return [`${not}${anchor(before + tail)}`, `${not}${anchor(before)}*/**/${tail}`];
  }
  if (isBehind && rest.trim() === "" && before.includes("/"))
    return [`${not}${anchor(before)}*`, `${not}${anchor(before)}*/**`];
  return [not + body.split("/").map(joinStars).join("/")];
}
