// Reads a response body as text, with a bound on its size.
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";

/** Size of the first buffer, in bytes, if the length isn't announced. */
const FIRST_BYTES = 64 * 1024;

/** One growing buffer. A response is held once as bytes and once as text, in less than three times its limit. */
class Growing {
  #held: Buffer;
  #length = 0;
  readonly #most: number;

  constructor(announced: number, most: number) {
    this.#held = Buffer.allocUnsafe(announced > 0 ? announced : FIRST_BYTES);
    this.#most = most;
  }

  /** False if the chunk would exceed the limit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#most) return false;
    if (length > this.#held.length) this.#grow(length);
    chunk.copy(this.#held, this.#length);
    this.#length = length;
    return true;
  }

  /** Forgets all but the last `count` bytes. */
  keepLast(count: number): void {
    if (this.#length <= count) return;
    this.#held.copyWithin(0, this.#length - count, this.#length);
    this.#length = count;
  }

  get bytes(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  /** Grows by half, up to the limit. */
  #grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.min(this.#most, Math.max(least, Math.ceil(this.#held.length * 1.5))));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }
}

/**
 * `announced` is the length in the header, `most` the limit; both in bytes.
 * @throws AppError `unexpected-reply` if the body is longer or isn't UTF-8; otherwise the connection's error.
 */
export async function readBounded(body: Readable, status: number, announced: number, most: number): Promise<string> {
  const growing = new Growing(announced, most);
  if (announced > most || !(await isWhole(body, (chunk) => growing.add(chunk)))) throw tooLong(body, status, most);
  if (!isUtf8(growing.bytes))
    throw new AppError("unexpected-reply", t("The service's response isn't valid UTF-8 text."), { status });
  return growing.bytes.toString("utf8");
}

/** The end of a text. */
export interface TextEnd {
  readonly text: string;
  /** Whether something before it was left out. */
  readonly isCut: boolean;
}

/** How many times longer than its wanted end a text may be. */
const MOST_TIMES = 8;

/**
 * Reads a text of which only the end is wanted: at most `most` bytes, from the start of a line. What isn't UTF-8 becomes
 * replacement characters. `announced` as in `readBounded`.
 * @throws AppError `unexpected-reply` if the body is more than eight times longer; otherwise the connection's error.
 */
export async function readEnd(body: Readable, status: number, announced: number, most: number): Promise<TextEnd> {
  const growing = new Growing(0, 2 * most);
  let read = 0;
  const add = (chunk: Buffer) => {
    read += chunk.length;
    const end = chunk.subarray(-most);
    if (!growing.add(end)) {
      growing.keepLast(most);
      growing.add(end);
    }
    return read <= MOST_TIMES * most;
  };
  if (announced > MOST_TIMES * most || !(await isWhole(body, add))) throw tooLong(body, status, MOST_TIMES * most);
  growing.keepLast(most);
  const isCut = read > most;
  const start = isCut ? growing.bytes.indexOf("\n") + 1 : 0;
  // A character whose last bytes aren't there yet is left out, as the next reading has it whole.
  return { text: new TextDecoder().decode(growing.bytes.subarray(start), { stream: true }), isCut };
}

function tooLong(body: Readable, status: number, most: number): AppError {
  body.destroy();
  const message = t("The service's response is larger than {0} MB and was cut off.", most / 1024 / 1024);
  return new AppError("unexpected-reply", message, { status });
}

/**
 * Hands over each chunk, until one is refused. Uses events, because awaiting each chunk takes longer than reading it.
 * @returns whether all were taken.
 */
function isWhole(body: Readable, add: (chunk: Buffer) => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    body.on("data", (chunk: Buffer) => {
      if (!add(chunk)) resolve(false);
    });
    body.once("end", () => resolve(true));
    body.once("error", reject);
    body.once("close", () => reject(new Error("The connection was closed.")));
  });
}
