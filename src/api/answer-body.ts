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
  const fail = (message: string) => new AppError("unexpected-reply", message, { status });
  const bytes = announced > most ? undefined : await collect(body, new Growing(announced, most));
  if (bytes === undefined) {
    body.destroy();
    throw fail(t("The service's answer is larger than {0} MB; it was cut off.", most / 1024 / 1024));
  }
  if (!isUtf8(bytes)) throw fail(t("The service's answer is not valid UTF-8 text."));
  return bytes.toString("utf8");
}

/**
 * All bytes, or undefined if there are too many. Uses events, because awaiting each chunk takes longer than reading it.
 */
function collect(body: Readable, growing: Growing): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    body.on("data", (chunk: Buffer) => {
      if (!growing.add(chunk)) resolve(undefined);
    });
    body.once("end", () => resolve(growing.bytes));
    body.once("error", reject);
    body.once("close", () => reject(new Error("The connection was closed.")));
  });
}
