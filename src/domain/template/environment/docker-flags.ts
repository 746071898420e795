// The docker flag string of a template's `env` (interface 2.3), and the object form an instance takes (interface 4.3,
// rule 4).
import { readWord, skipBlanks } from "../../../lib/shell-words.ts";

interface DockerFlags {
  /** Variables and options in the object form: `{ NAME: "value", "-p 8080:8080": "1" }`. */
  readonly env: Readonly<Record<string, string>>;
  /** Words that are neither `-e NAME=value` nor a known option. Shown to the person, never dropped silently. */
  readonly unread: readonly string[];
}

/** Every spelling of a flag that takes one value, with its short form. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["-e", "-e"],
  ["--env", "-e"],
  ["-p", "-p"],
  ["--publish", "-p"],
  ["-h", "-h"],
  ["--hostname", "-h"],
  ["-v", "-v"],
  ["--volume", "-v"],
  ["-n", "-n"],
]);

/** The short form of a word that is just a flag; undefined for any other word. */
export function toShortFlag(word: string): string | undefined {
  return word.startsWith("-") ? FLAGS.get(word) : undefined;
}

/** Flag and value in one word: `--env=A=b`, `-eA=b` and `-e=A=b`. */
export function splitAttachedFlag(word: string): { readonly flag: string; readonly value: string } | undefined {
  if (!word.startsWith("-")) return undefined;
  const isLong = word.startsWith("--");
  const end = isLong ? word.indexOf("=") : 2;
  const flag = end < 0 ? undefined : FLAGS.get(word.slice(0, end));
  const value = word.slice(isLong || word[end] === "=" ? end + 1 : end);
  return flag === undefined || (value === "" && !isLong) ? undefined : { flag, value };
}

/** The maximum number of words read. A template has dozens; everything after the limit counts as one unknown word. */
export const MOST_WORDS = 20_000;

function words(text: string): string[] {
  try {
    const all: string[] = [];
    for (let at = skipBlanks(text, 0); at < text.length; ) {
      if (all.length >= MOST_WORDS) return [...all, text.slice(at)];
      const { word, end } = readWord(text, at);
      all.push(word);
      at = skipBlanks(text, end);
    }
    return all;
  } catch {
    return text.split(/\s+/, MOST_WORDS).filter((word) => word !== "");
  }
}

interface Taken {
  readonly flag: string;
  readonly value: string;
  /** How many words the flag takes. */
  readonly words: 1 | 2;
}

/** The flag that begins at a word. `-e A=b`, `-eA=b`, `-e=A=b`, `--env A=b` and `--env=A=b` are the same. */
function flagAt(all: readonly string[], at: number): Taken | undefined {
  const word = all[at] ?? "";
  const flag = toShortFlag(word);
  if (flag === undefined) {
    const attached = splitAttachedFlag(word);
    return attached && { ...attached, words: 1 };
  }
  const value = all[at + 1];
  return value === undefined ? undefined : { flag, value, words: 2 };
}

/** Reads a flag string. An unbalanced quote is no error: the text is then split at spaces. */
export function parseDockerFlags(text: string): DockerFlags {
  const env: [string, string][] = [];
  const unread: string[] = [];
  const all = words(text);
  for (let at = 0; at < all.length; ) {
    const taken = flagAt(all, at);
    at += taken?.words ?? 1;
    if (taken === undefined) unread.push(all[at - 1] ?? "");
    else if (taken.flag !== "-e")
      env.push(taken.flag === "-h" ? ["-h", taken.value] : [`${taken.flag} ${taken.value}`, "1"]);
    // In the object form, a name that begins with a dash would be an option: `-e "-p 22:22=1"` must not open a port.
    else if (/^[^=-][^=]*=/.test(taken.value)) env.push(variable(taken.value));
    else unread.push("-e", taken.value);
  }
  return { env: Object.fromEntries(env), unread };
}

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Template keys are kept, request keys added, and the request's value wins on conflict (interface 4.3, rule 6). */
export function mergeEnv(
  template: string | undefined,
  request: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return { ...parseDockerFlags(template ?? "").env, ...request };
}
