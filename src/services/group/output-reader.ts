// What a machine prints, as whole lines that are safe in a terminal, behind whatever begins the line there.
import { LogCleaner } from "../../domain/connection/log-text.ts";

/** Characters of a line; a longer one is told in pieces. */
const LONGEST = 4000;
const ESC = "\u001b";
/** What is left of a terminal's sequences in a cleaned text. */
const STYLE = new RegExp(`${ESC}\\[[\\d;:]*m`, "y");
const TOKENS = new RegExp(`${STYLE.source}|[^]`, "gu");

export class OutputReader {
  readonly #tell: (line: string) => void;
  readonly #cleaner = new LogCleaner();
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    this.#take(this.#cleaner.push(text));
  }

  #take(cleaned: string): void {
    this.#rest += cleaned;
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#say(line);
    if (this.#rest.length <= LONGEST) return;
    const at = findPieceEnd(this.#rest, this.#rest.length - (this.#rest.length % LONGEST));
    const told = this.#rest.slice(0, at);
    this.#rest = this.#rest.slice(at);
    this.#say(told);
  }

  end(): void {
    this.#take(this.#cleaner.end());
    if (this.#rest !== "") this.#say(this.#rest);
    this.#rest = "";
  }

  /** A progress bar draws its line again and again: what it shows last counts. */
  #say(line: string): void {
    let end = line.length;
    while (line[end - 1] === "\r") end -= 1;
    let left = applyBackspaces(line.slice(line.lastIndexOf("\r", end - 1) + 1, end));
    do {
      const at = findPieceEnd(left, LONGEST);
      this.#tell(left.slice(0, at));
      left = left.slice(at);
    } while (left !== "");
  }
}

/** Where a piece of at most so many characters ends: never within a style or a character. */
function findPieceEnd(text: string, most: number): number {
  if (text.length <= most) return text.length;
  STYLE.lastIndex = text.lastIndexOf(ESC, most - 1);
  const style = STYLE.lastIndex;
  if (style > 0 && STYLE.test(text) && STYLE.lastIndex > most) return style;
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most;
}

/** What a line shows once its steps back are done: none may lead to what stands before it. */
function applyBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  const cells: string[] = [];
  let column = 0;
  let style = "";
  for (const [token] of line.matchAll(TOKENS)) {
    if (token === "\b") column = Math.max(0, column - 1);
    else if (token.startsWith(ESC)) style += token;
    else {
      cells[column] = style + token;
      style = "";
      column += 1;
    }
  }
  return cells.join("") + style;
}
