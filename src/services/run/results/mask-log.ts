// Masks the secrets of a run in its downloaded output, before that is anywhere but in the download's own folder.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { SecretMasker } from "../../../lib/secret-masker.ts";
import { Turns } from "../../../lib/turns.ts";

/**
 * Masks a file in place. @returns the SHA-256 of what the machine sent if anything was masked; undefined if the file is as it was.
 * @throws the disk's error; the signal's reason.
 */
export async function maskLog(
  path: string,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (secrets.length === 0) return undefined;
  const masker = new SecretMasker(secrets);
  const hash = createHash("sha256");
  const turns = new Turns(signal);
  const masked = `${path}.masked`;
  async function* mask(pieces: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      await turns.take();
      hash.update(piece);
      yield masker.push(piece);
    }
    yield masker.end();
  }
  await pipeline(createReadStream(path), mask, createWriteStream(masked, { flags: "wx" }), { signal });
  await rename(masked, path);
  return masker.hasMasked ? hash.digest("hex") : undefined;
}
