// The body of an answer as text, bounded while it comes.
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";

/** Bytes that were read before it was known how many come. */
const FIRST_BYTES = 64 * 1024;

/** One buffer that grows: an answer is held once while it comes and once as text, less than three times its limit. */
class Growing {
  #held: Buffer;
  #length = 0;
  readonly #most: number;

  constructor(announced: number, most: number) {
    this.#held = Buffer.allocUnsafe(announced > 0 ? announced : FIRST_BYTES);
    this.#most = most;
  }

  /** False where the chunk would be one too many. */
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

  /** Half as much room again, and no more than may come. */
  #grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.min(this.#most, Math.max(least, Math.ceil(this.#held.length * 1.5))));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }
}

/**
 * `announced` is the length its header names, `most` the limit; both in bytes.
 * @throws AppError `unexpected-reply` for a longer one and for what is not UTF-8; else what broke the connection.
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

/** All bytes, or undefined where there are too many. Listens itself: waiting for each chunk takes longer than reading it. */
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
