// Reads a tar archive that someone else's machine sends, piece by piece. Every length in it is checked before it is believed, and
// nothing in it makes reading cost more than its bytes do.

/** What an archive lists. `path` is as it stands there, and may be anything. */
export interface TarEntry {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly path: string;
  /** Bytes of data that follow. */
  readonly size: number;
  readonly isExecutable: boolean;
  /** Epoch seconds. */
  readonly mtime: number;
}

/** Bytes of a file belong to the entry before them. */
type TarPiece = { readonly entry: TarEntry } | { readonly bytes: Uint8Array };

/** The archive isn't one, or is damaged. */
export class TarFlaw extends Error {}

const BLOCK = 512;
/** Bytes of a record with attributes; paths on Linux have 4096 at most. */
const LARGEST_RECORD = 65_536;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Attributes of the next entry, from the records before it. */
interface Attributes {
  path?: string;
  size?: number;
  mtime?: number;
  isSparse?: boolean;
}

/** Types with data that says something about the next entry. */
type RecordType = "x" | "g" | "L" | "K";

export class TarReader {
  /** What is read in one piece: a header, or the data of a record. */
  #wanted = new Uint8Array(BLOCK);
  #filled = 0;
  #record: { readonly type: RecordType; readonly size: number } | undefined;
  #next: Attributes = {};
  /** Bytes of data, and then of padding, that come before the next header. */
  #data = 0;
  #padding = 0;
  #zeroBlocks = 0;

  /** Whether the mark at the end of the archive was read. */
  get isOver(): boolean {
    return this.#zeroBlocks === 2;
  }

  /** What this much more of the archive holds. The bytes are views of the chunk. @throws TarFlaw. */
  *read(chunk: Uint8Array): Generator<TarPiece> {
    let at = 0;
    while (at < chunk.length && !this.isOver) {
      const rest = chunk.length - at;
      if (this.#data > 0) {
        const size = Math.min(rest, this.#data);
        this.#data -= size;
        yield { bytes: chunk.subarray(at, at + size) };
        at += size;
      } else if (this.#padding > 0) {
        const size = Math.min(rest, this.#padding);
        this.#padding -= size;
        at += size;
      } else {
        const size = Math.min(rest, this.#wanted.length - this.#filled);
        this.#wanted.set(chunk.subarray(at, at + size), this.#filled);
        this.#filled += size;
        at += size;
        const entry = this.#filled === this.#wanted.length ? this.#take() : undefined;
        if (entry) yield { entry };
      }
    }
  }

  /** Reads what is complete now: a record for the next entry, or a header. */
  #take(): TarEntry | undefined {
    const [bytes, record] = [this.#wanted, this.#record];
    this.#record = undefined;
    this.#expect(BLOCK);
    if (!record) return this.#readHeader(bytes);
    const content = bytes.subarray(0, record.size);
    if (record.type === "x") Object.assign(this.#next, readAttributes(content));
    if (record.type === "L") this.#next.path = readText(content);
    // What is said of all entries, and where links lead, changes nothing here.
    return undefined;
  }

  #expect(size: number): void {
    // The one before may still be in use.
    this.#wanted = new Uint8Array(size);
    this.#filled = 0;
  }

  #readHeader(block: Uint8Array): TarEntry | undefined {
    if (block.every((byte) => byte === 0)) {
      this.#zeroBlocks += 1;
      return undefined;
    }
    if (this.#zeroBlocks > 0) throw new TarFlaw("a block of zeros in the middle");
    if (!hasChecksum(block)) throw new TarFlaw("a wrong checksum");
    if (!readText(block.subarray(257, 263)).startsWith("ustar")) throw new TarFlaw("another format");
    const size = readNumber(block.subarray(124, 136));
    const type = String.fromCharCode(block[156] ?? 0);
    if (type === "x" || type === "g" || type === "L" || type === "K") {
      if (size > LARGEST_RECORD) throw new TarFlaw("a record that is too long");
      this.#record = { type, size };
      if (size > 0) this.#expect(size + paddingOf(size));
      else this.#record = undefined;
      return undefined;
    }
    const next = this.#next;
    this.#next = {};
    const path = next.path ?? readHeaderPath(block);
    const kind = kindOf(type, path, next.isSparse === true);
    const own = next.size ?? size;
    const length = hasData(type) ? own : 0;
    this.#data = length;
    this.#padding = paddingOf(length);
    const isExecutable = (readNumber(block.subarray(100, 108)) & 0o111) !== 0;
    return { kind, path, size: length, isExecutable, mtime: next.mtime ?? readTime(block.subarray(136, 148)) };
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Links, devices, folders and pipes have none, whatever size is given for them. */
const hasData = (type: string): boolean => !/[1-6]/.test(type);

function kindOf(type: string, path: string, isSparse: boolean): TarEntry["kind"] {
  if (type === "1" || type === "2") return "link";
  if (type === "5") return "folder";
  if (isSparse || !/[07\0]/.test(type)) return "other";
  return path.endsWith("/") ? "folder" : "file";
}

/** A text that ends at its first NUL. */
function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function readHeaderPath(block: Uint8Array): string {
  const name = readText(block.subarray(0, 100));
  // GNU's older format keeps other things at this place.
  const isPosix = block[262] === 0;
  const prefix = isPosix ? readText(block.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** A number in octal digits or, if the first bit is set, in bytes. */
function readNumber(bytes: Uint8Array): number {
  let value = 0;
  const [first = 0] = bytes;
  if (first & 0x80) {
    value = first & 0x7f;
    for (const byte of bytes.subarray(1)) value = value * 256 + byte;
  } else {
    const [, digits] = /^ *([0-7]*)[ \0]*$/.exec(String.fromCharCode(...bytes)) ?? [];
    if (digits === undefined) throw new TarFlaw("a number that is none");
    value = digits === "" ? 0 : Number.parseInt(digits, 8);
  }
  if (!Number.isSafeInteger(value)) throw new TarFlaw("a number that is too large");
  return value;
}

/** GNU tar writes times before 1970 as negative numbers in bytes. */
const readTime = (bytes: Uint8Array): number => (bytes[0] === 0xff ? 0 : readNumber(bytes));

/** The sum of a header's bytes, with its own field taken for blanks. */
function hasChecksum(block: Uint8Array): boolean {
  let sum = 8 * 32;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum === readNumber(block.subarray(148, 156));
}

/** Records such as `27 path=some/long/name\n`, each beginning with its own length in bytes. */
function readAttributes(content: Uint8Array): Attributes {
  const found: Attributes = {};
  for (let at = 0; at < content.length; ) {
    const [digits = ""] = /^\d{1,6}(?= )/.exec(String.fromCharCode(...content.subarray(at, at + 7))) ?? [];
    const [start, end] = [at + digits.length + 1, at + Number(digits)];
    if (digits === "" || end <= start || end > content.length || content[end - 1] !== 10)
      throw new TarFlaw("a record with a wrong length");
    const equals = content.indexOf(61, start);
    if (equals < 0 || equals >= end) throw new TarFlaw("a record without a value");
    const name = decoder.decode(content.subarray(start, equals));
    const value = content.subarray(equals + 1, end - 1);
    if (name === "path") found.path = decoder.decode(value);
    if (name === "size") found.size = readDecimal(value);
    if (name === "mtime") found.mtime = Math.floor(Number(decoder.decode(value.subarray(0, 30)))) || 0;
    if (name.startsWith("GNU.sparse.")) found.isSparse = true;
    at = end;
  }
  return found;
}

function readDecimal(value: Uint8Array): number {
  const size = /^\d{1,16}$/.test(decoder.decode(value.subarray(0, 20))) ? Number(decoder.decode(value)) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new TarFlaw("a size that is none");
  return size;
}
