// Our one line in the person's own SSH configuration. Nothing else in that file is ours to change.
import { quoteForSsh } from "./ssh-command.ts";

const BOM = "\uFEFF";

/** The line for a file, as `ssh` reads its path: `~` is the home folder. */
export function formatInclude(path: string): string {
  return `Include ${quoteForSsh(path)}`;
}

/** The words of a line as `ssh` splits them, with the keyword in lower case. Characters that only some versions know as escapes stay. */
function wordsOf(line: string): readonly string[] {
  const [, keyword = "", rest = ""] = /^[ \t]*(\w+)(?:[ \t]*=[ \t]*|[ \t]+)(.*)$/.exec(line) ?? [];
  const words = rest.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return [keyword.toLowerCase(), ...words.map((word) => word.replace(/^"(.*)"$/, "$1").replaceAll("%%", "%"))];
}

/** Whether a line includes this file and no other. */
function includes(line: string, path: string): boolean {
  // Any longer line holds more than one path.
  if (line.length > path.length * 2 + 100) return false;
  const [keyword, first, ...more] = wordsOf(line);
  return keyword === "include" && first === path && more.length === 0;
}

interface Line {
  /** Where it begins, and where the next one does. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function* linesOf(text: string): Generator<Line> {
  for (let start = text.startsWith(BOM) ? BOM.length : 0; start < text.length; ) {
    const at = text.indexOf("\n", start);
    const end = at < 0 ? text.length : at + 1;
    yield { start, end, text: text.slice(start, end).replace(/\r?\n$/, "") };
    start = end;
  }
}

/** A comment or nothing: what stands before the line and changes nothing. */
const isSilent = (line: string): boolean => /^[ \t]*(?:#|$)/.test(line);

/**
 * The line that includes the file before anything else: below another one it would come into effect for some machines only, or
 * after options that it must precede.
 */
function findInclude(text: string, path: string): Line | undefined {
  for (const line of linesOf(text)) {
    if (includes(line.text, path)) return line;
    if (!isSilent(line.text)) return undefined;
  }
  return undefined;
}

/** Whether the file is included, and before anything else. */
export function isIncluded(text: string, path: string): boolean {
  return findInclude(text, path) !== undefined;
}

/** The text with the line at its very top, in the text's own line endings. The same text if the file is included already. */
export function withInclude(text: string, path: string): string {
  if (isIncluded(text, path)) return text;
  const [bom, rest] = text.startsWith(BOM) ? [BOM, text.slice(BOM.length)] : ["", text];
  const [first] = /\r?\n/.exec(rest) ?? ["\n"];
  return `${bom}${formatInclude(path)}${first}${rest}`;
}

/**
 * The text without the line that includes the file before anything else: what `withInclude` made of a text becomes that text again.
 * Whoever included the file further down did it themselves.
 */
export function withoutInclude(text: string, path: string): string {
  const line = findInclude(text, path);
  return line ? text.slice(0, line.start) + text.slice(line.end) : text;
}
