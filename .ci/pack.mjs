// Compresses the VSIX named on the command line again, as tightly as deflate can: the same files give the same bytes,
// whenever and wherever they are packed.
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import zopfli from "@gfx/zopfli";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from "@zip.js/zip.js";

/** What the compressor calls its usual number: more save next to nothing. */
const ITERATIONS = 15;
/** Parts of a file that are compressed each for itself, at most. The compressor's usual 15 are few for a library in one file. */
const BLOCKS = 50;
/** What every file says about itself, instead of when it was built and with which rights. */
const SAME_FOR_ALL = {
  /** The earliest that the format knows. */
  lastModDate: new Date(1980, 0, 1),
  /** A plain file, `rw-r--r--`. */
  externalFileAttributes: 0o100644 * 2 ** 16,
  extendedTimestamp: false,
  dataDescriptor: false,
};

const deflate = promisify(zopfli.deflate);

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("Name the VSIX.");
const reader = new ZipReader(new Uint8ArrayReader(new Uint8Array(await readFile(path))), { checkSignature: true });
const writer = new ZipWriter(new Uint8ArrayWriter());
for (const entry of await reader.getEntries()) {
  const content = await entry.getData(new Uint8ArrayWriter());
  const packed = await deflate(content, { numiterations: ITERATIONS, blocksplittingmax: BLOCKS });
  await writer.add(entry.filename, new Uint8ArrayReader(packed), {
    ...SAME_FOR_ALL,
    passThrough: true,
    compressionMethod: 8,
    uncompressedSize: content.length,
    signature: entry.signature,
  });
}
await writeFile(path, await writer.close());
