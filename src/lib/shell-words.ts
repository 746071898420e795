// Shell words as Python's `shlex` reads them, which is how the service reads flags and arguments (interface 4.1).

/** A text that can't be split into words, and where the problem begins. */
export class ShellWordsError extends SyntaxError {
  /** Characters before the unclosed quote, or before the trailing backslash. */
  readonly at: number;

  constructor(at: number) {
    super(`No word can be read from character ${at} on.`);
    this.name = "ShellWordsError";
    this.at = at;
  }
}

const [SINGLE, DOUBLE, BACKSLASH] = ["'", '"', "\\"].map((char) => char.charCodeAt(0));

/** Whether a character code is a space, tab or line break. False past the end of the text. */
const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;

/** Where the whitespace that begins at `at` ends. */
export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (isBlank(text.charCodeAt(end))) end += 1;
  return end;
}

/** What a part of a word means, and where it ends. Undefined if it isn't closed. */
type Part = { readonly read: string; readonly end: number } | undefined;

function bare(text: string, at: number): Part {
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === SINGLE || code === DOUBLE || code === BACKSLASH || isBlank(code)) break;
  }
  return { read: text.slice(at, end), end };
}

function single(text: string, at: number): Part {
  const close = text.indexOf("'", at + 1);
  return close < 0 ? undefined : { read: text.slice(at + 1, close), end: close + 1 };
}

/** Between double quotes, a backslash escapes only a backslash or a double quote. */
function double(text: string, at: number): Part {
  let read = "";
  let from = at + 1;
  for (let end = from; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === DOUBLE) return { read: read + text.slice(from, end), end: end + 1 };
    if (code !== BACKSLASH) continue;
    const next = text.charCodeAt(end + 1);
    if (next === DOUBLE || next === BACKSLASH) {
      read += text.slice(from, end);
      from = end + 1;
    }
    end += 1;
  }
  return undefined;
}

function escaped(text: string, at: number): Part {
  return at + 1 < text.length ? { read: text.charAt(at + 1), end: at + 2 } : undefined;
}

function part(text: string, at: number): Part {
  const code = text.charCodeAt(at);
  if (code === SINGLE) return single(text, at);
  if (code === DOUBLE) return double(text, at);
  return code === BACKSLASH ? escaped(text, at) : bare(text, at);
}

/**
 * The word that begins at `at`, where there is no whitespace, and where it ends.
 * @throws ShellWordsError if a quote isn't closed or the text ends with a backslash.
 */
export function readWord(text: string, at: number): { readonly word: string; readonly end: number } {
  let word = "";
  let end = at;
  while (end < text.length && !isBlank(text.charCodeAt(end))) {
    const next = part(text, end);
    if (next === undefined) throw new ShellWordsError(end);
    word += next.read;
    end = next.end;
  }
  return { word, end };
}

/** Splits a text into words. @throws ShellWordsError if a quote isn't closed or the text ends with a backslash. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; ) {
    const { word, end } = readWord(text, at);
    words.push(word);
    at = skipBlanks(text, end);
  }
  return words;
}

/** Writes one word so that `splitWords`, and any shell, reads exactly that word. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
