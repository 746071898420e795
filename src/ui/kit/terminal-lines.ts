// Writes to a terminal without a program: text as it comes, and lines of our own, marked as the editor's tasks mark theirs.

/** It begins by undoing whatever style the text before left on. */
const MARK = "\u001b[0m\u001b[7m * \u001b[0m ";
/** Back to the beginning of the line, which is erased. */
const AGAIN = "\r\u001b[2K";
/** Between these, a line that is too long for the terminal goes on in its last column: only one line can be erased. */
const [UNWRAPPED, WRAPPED] = ["\u001b[?7l", "\u001b[?7h"];

export class TerminalLines {
  readonly #send: (text: string) => void;
  #isAtLineStart = true;
  /** The last line, if it is one that the next one of its kind takes the place of. */
  #passing: string | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  write(text: string): void {
    this.#settle();
    this.#put(text);
  }

  /** A line of ours. */
  say(line: string): void {
    this.#settle();
    this.#put(`${this.#isAtLineStart ? "" : "\n"}${MARK}${line}\n`);
  }

  /** A line of ours that stands until the next one, as for progress. */
  show(line: string): void {
    if (this.#passing !== undefined) this.#send(AGAIN);
    else if (!this.#isAtLineStart) this.#put("\n");
    this.#passing = line;
    this.#put(`${UNWRAPPED}${MARK}${line}${WRAPPED}`);
  }

  /** The last progress stays, all of it. */
  #settle(): void {
    if (this.#passing !== undefined) this.#put(`${AGAIN}${MARK}${this.#passing}\n`);
    this.#passing = undefined;
  }

  #put(text: string): void {
    if (text === "") return;
    this.#isAtLineStart = text.endsWith("\n");
    this.#send(text.replaceAll("\n", "\r\n"));
  }
}
