// Writes a file in large pieces, and takes the next bytes while one is being written.
import type { FileHandle } from "node:fs/promises";

/** Bytes of a piece. At most twice as many are held. */
const PIECE = 1e6;
/** What a piece is gathered of: one of a few bytes takes hundreds in memory. */
const MOST_PARTS = 1000;

export class WriteBehind {
  readonly #file: FileHandle;
  #gathered: Uint8Array[] = [];
  #size = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Takes bytes that no one changes any longer. @throws the disk's error, which may be of bytes before these. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#gathered.push(bytes);
    this.#size += bytes.length;
    if (this.#size < PIECE && this.#gathered.length < MOST_PARTS) return;
    await this.#writing;
    this.#writing = this.#writeGathered();
    // Told at the next call.
    this.#writing.catch(() => undefined);
  }

  /** Writes what is left, and gives the file its time in seconds unless that is 0. @throws the disk's error; it is closed even so. */
  async close(time: number): Promise<void> {
    try {
      await this.#writing;
      await this.#writeGathered();
      if (time > 0) await this.#file.utimes(time, time);
    } finally {
      await this.#file.close();
    }
  }

  async #writeGathered(): Promise<void> {
    let left = this.#gathered;
    this.#gathered = [];
    this.#size = 0;
    while (left.length > 0) left = skipBytes(left, (await this.#file.writev(left)).bytesWritten);
  }
}

/** A disk that is almost full takes only some. */
function skipBytes(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let rest = count;
  return pieces.flatMap((piece) => {
    const skipped = Math.min(rest, piece.length);
    rest -= skipped;
    return skipped === piece.length ? [] : [piece.subarray(skipped)];
  });
}
