// Shell words as Python's `shlex` reads them, which is how the service reads flags and arguments (interface 4.1).

/** A part of a word: in single quotes, in double quotes, after a backslash, or bare. Else blanks, which end the word. */
const PART = /'([^']*)'|"([^"\\]*(?:\\.[^"\\]*)*)"|\\(.)|([^'"\\ \t\r\n]+)|[ \t\r\n]+/gsy;

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

/**
 * The words of a text. Between double quotes a backslash takes the meaning only from a backslash and a double quote.
 * @throws ShellWordsError where a quote is not closed or a backslash stands at the end.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const [part, single, double, escaped, bare] of text.matchAll(PART)) {
    end += part.length;
    const read = single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? bare;
    if (read !== undefined) word = (word ?? "") + read;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (end < text.length) throw new ShellWordsError(end);
  if (word !== undefined) words.push(word);
  return words;
}

/** One word written so that `splitWords`, and any shell, reads exactly it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
