// A docker flag string as a table and back without loss: order, spelling, duplicates and unknown words are preserved.
import { quoteWord, readWord, ShellWordsError, skipBlanks } from "../../../lib/shell-words.ts";
import { MOST_WORDS, splitAttachedFlag, toShortFlag } from "./docker-flags.ts";

/**
 * One flag of the string. `source` is its own text and `lead` the whitespace before it, together exactly what was
 * written.
 */
export type EnvRow = {
  readonly lead: string;
  readonly source: string;
} & (
  | { readonly kind: "variable"; readonly name: string; readonly value: string }
  /** `-p host:container`. A mapping with one part has no host. */
  | { readonly kind: "port"; readonly host: string; readonly container: string }
  /** Another flag with a value, by its short form: `-h`, `-v`, `-n`. */
  | { readonly kind: "option"; readonly flag: string; readonly value: string }
  /** A word that isn't a known flag. */
  | { readonly kind: "raw" }
);

/** The content of a row, independent of its spelling. */
export type EnvEntry =
  | { readonly kind: "variable"; readonly name: string; readonly value: string }
  | { readonly kind: "port"; readonly host: string; readonly container: string }
  | { readonly kind: "option"; readonly flag: string; readonly value: string };

export interface EnvTable {
  readonly rows: readonly EnvRow[];
  /** Everything from the first word that can't be read, such as an open quote. Kept unchanged. */
  readonly tail: string;
}

interface Word {
  readonly lead: string;
  readonly source: string;
  readonly text: string;
}

/** The words up to the first one that can't be read or exceeds the limit, and the rest. */
function words(text: string): { readonly found: readonly Word[]; readonly rest: string } {
  const found: Word[] = [];
  let at = 0;
  try {
    for (let from = skipBlanks(text, 0); from < text.length; from = skipBlanks(text, at)) {
      if (found.length >= MOST_WORDS) break;
      const { word, end } = readWord(text, from);
      found.push({ lead: text.slice(at, from), source: text.slice(from, end), text: word });
      at = end;
    }
  } catch (error) {
    if (!(error instanceof ShellWordsError)) throw error;
  }
  return { found, rest: text.slice(at) };
}

function entry(flag: string, value: string): EnvEntry | undefined {
  const at = value.indexOf(flag === "-e" ? "=" : ":");
  // `-e NAME` passes on a variable of the machine docker runs on, which makes no sense in a template.
  if (flag === "-e")
    return at < 0 ? undefined : { kind: "variable", name: value.slice(0, at), value: value.slice(at + 1) };
  if (flag !== "-p") return { kind: "option", flag, value };
  return at < 0
    ? { kind: "port", host: "", container: value }
    : { kind: "port", host: value.slice(0, at), container: value.slice(at + 1) };
}

/** Reads any text. The rows and the tail, written one after the other, give the original text. */
export function parseEnvTable(text: string): EnvTable {
  const { found, rest } = words(text);
  const rows: EnvRow[] = [];
  for (let at = 0; at < found.length; at += 1) {
    const { lead, source, text: word } = found[at] as Word;
    const flag = toShortFlag(word);
    if (flag === undefined) {
      rows.push({ lead, source, ...(attached(word) ?? { kind: "raw" }) });
      continue;
    }
    const next = found[at + 1];
    // A flag with an unreadable value belongs to the tail: a row inserted after it would become its value.
    if (next === undefined) return { rows, tail: lead + source + rest };
    rows.push({ lead, source: source + next.lead + next.source, ...(entry(flag, next.text) ?? { kind: "raw" }) });
    at += 1;
  }
  return { rows, tail: rest };
}

/** `--env=A=b` and `-eA=b`: flag and value in one word. */
function attached(word: string): EnvEntry | undefined {
  const found = splitAttachedFlag(word);
  return found && entry(found.flag, found.value);
}

export function formatEnvTable({ rows, tail }: EnvTable): string {
  return rows.map(({ lead, source }) => lead + source).join("") + tail;
}

/** Writes one flag. */
export function formatEntry(said: EnvEntry): string {
  if (said.kind === "variable") return `-e ${quoteWord(`${said.name}=${said.value}`)}`;
  if (said.kind === "option") return `${said.flag} ${quoteWord(said.value)}`;
  return `-p ${quoteWord(said.host === "" ? said.container : `${said.host}:${said.container}`)}`;
}

function row(said: EnvEntry, lead: string): EnvRow {
  return { ...said, lead, source: formatEntry(said) };
}

/** Ensures whitespace after every row, so that what follows stays separate. */
function apart(table: EnvTable): EnvTable {
  const blank = /^[ \t\r\n]/;
  const rows = table.rows.map((one, at) => (at === 0 || blank.test(one.lead) ? one : { ...one, lead: ` ${one.lead}` }));
  const tail = table.tail === "" || rows.length === 0 || blank.test(table.tail) ? table.tail : ` ${table.tail}`;
  return { rows, tail };
}

/** The table with different content in one row. Other rows keep their spelling. */
export function withEntry(table: EnvTable, at: number, said: EnvEntry): EnvTable {
  return { ...table, rows: table.rows.map((one, index) => (index === at ? row(said, one.lead) : one)) };
}

/** The table with an additional row before the tail. */
export function withNewEntry(table: EnvTable, said: EnvEntry): EnvTable {
  return apart({ ...table, rows: [...table.rows, row(said, table.rows.length === 0 ? "" : " ")] });
}

export function withoutRow(table: EnvTable, at: number): EnvTable {
  const rows = table.rows.filter((_, index) => index !== at);
  if (at > 0) return apart({ ...table, rows });
  // The whitespace before the second row only separated it from the first.
  const first = rows[0];
  if (first === undefined) return { rows, tail: table.tail.replace(/^[ \t\r\n]+/, "") };
  return apart({ ...table, rows: [{ ...first, lead: table.rows[0]?.lead ?? "" }, ...rows.slice(1)] });
}
