// What a machine prints, as whole lines that are safe in a terminal.
import { LogCleaner } from "../../domain/connection/log-text.ts";

/** Characters of a line; a longer one is told in pieces. */
const LONGEST = 4000;

export class OutputReader {
  readonly #tell: (line: string) => void;
  readonly #cleaner = new LogCleaner();
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    this.#rest += this.#cleaner.push(text);
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#say(line);
    while (this.#rest.length > LONGEST) {
      this.#say(this.#rest.slice(0, LONGEST));
      this.#rest = this.#rest.slice(LONGEST);
    }
  }

  end(): void {
    this.#rest += this.#cleaner.end();
    if (this.#rest !== "") this.#say(this.#rest);
    this.#rest = "";
  }

  /** A progress bar draws its line again and again: what it shows last counts. */
  #say(line: string): void {
    const shown = line.replace(/\r+$/, "");
    this.#tell(shown.slice(shown.lastIndexOf("\r") + 1).slice(0, LONGEST));
  }
}
