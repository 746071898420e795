// Shell words as Python's `shlex` reads them, which is how the service reads flags and arguments (interface 4.1).

/** A text that no words can be read from, and where that begins. */
export class ShellWordsError extends SyntaxError {
  /** Characters before the quote that is not closed, or before the backslash at the end. */
  readonly at: number;

  constructor(at: number) {
    super(`No word can be read from character ${at} on.`);
    this.name = "ShellWordsError";
    this.at = at;
  }
}

const [SINGLE, DOUBLE, BACKSLASH] = ["'", '"', "\\"].map((char) => char.charCodeAt(0));

/** A space, tab or line break, by its code; past the end there is none. */
const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;

/** Where the blanks end that begin at `at`. */
export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (isBlank(text.charCodeAt(end))) end += 1;
  return end;
}

/** What a part of a word reads as, and where it ends; undefined where it is not closed. */
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

/** Between double quotes a backslash takes the meaning only from a backslash and a double quote. */
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
 * The word that begins at `at`, where no blank stands, and where it ends.
 * @throws ShellWordsError where a quote is not closed or a backslash stands at the end.
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

/** The words of a text. @throws ShellWordsError where a quote is not closed or a backslash stands at the end. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; ) {
    const { word, end } = readWord(text, at);
    words.push(word);
    at = skipBlanks(text, end);
  }
  return words;
}

/** One word written so that `splitWords`, and any shell, reads exactly it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
