// Splits bytes that arrive piece by piece into words, in time and memory that follow the words, not the pieces.

export class WordReader {
  readonly #end: string;
  readonly #longest: number;
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #length = 0;

  /** Of a word that is longer than so many characters, only the beginning is kept. */
  constructor(end: "\0" | "\n", longest: number) {
    this.#end = end;
    this.#longest = longest;
  }

  /** The words that these bytes complete. One that nothing ends is none. */
  *read(bytes: Uint8Array): Generator<string> {
    const text = this.#decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let at = text.indexOf(this.#end); at >= 0; at = text.indexOf(this.#end, from)) {
      this.#keep(text.slice(from, at));
      from = at + 1;
      const word = this.#parts.join("");
      this.#parts = [];
      this.#length = 0;
      yield word;
    }
    this.#keep(text.slice(from));
  }

  #keep(part: string): void {
    const kept = part.slice(0, this.#longest - this.#length);
    if (kept === "") return;
    this.#parts.push(kept);
    this.#length += kept.length;
  }
}
