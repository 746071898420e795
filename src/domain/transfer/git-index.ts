// What git tracks, as its index says, in git's own format (gitformat-index, versions 2 to 4).

interface IndexEntry {
  /** Within the repository, with slashes. */
  readonly path: string;
  /** Whether it is a repository within this one. */
  readonly isFolder: boolean;
}

/** The file with the rest of the entries, and which of those are gone since, by their place in it. */
export interface SharedIndex {
  readonly file: string;
  readonly removed: ReadonlySet<number>;
}

const HEADER = 12;
/** Bytes of a name: no path is longer. */
const MOST_NAME = 5000;
/** Entries: an index with more isn't read, and neither are bits of those that are gone. */
const MOST_REMOVED = 1_000_000;
/** Bytes of an entry before its hash: times, place, mode, owner and size; and where the mode is among them. */
const [BEFORE_HASH, MODE] = [40, 24];
/** A flag of an entry with two more bytes of them. */
const EXTENDED = 0x4000;
const [KINDS, REPOSITORY] = [0o170000, 0o160000];

/**
 * @param hash bytes of an object's name: 20, or 32 in a repository with SHA-256.
 * @param removed places of entries that are gone.
 * @returns the file with the rest of the entries, where the index shares it with others. What is no index has no entries.
 */
export function* readIndex(
  data: Buffer,
  hash: number,
  removed?: ReadonlySet<number>,
): Generator<IndexEntry, SharedIndex | undefined> {
  if (data.length < HEADER || data.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const [version, count] = [data.readUInt32BE(4), data.readUInt32BE(8)];
  let [entry, before] = [HEADER, Buffer.alloc(0)];
  for (let read = 0; read < count; read += 1) {
    const flags = entry + BEFORE_HASH + hash;
    if (flags + 2 > data.length) return undefined;
    const at = flags + ((data.readUInt16BE(flags) & EXTENDED) === 0 ? 2 : 4);
    const left = version === 4 ? readNumber(data, at) : { value: before.length, next: at };
    const end = data.indexOf(0, left.next);
    if (end < 0 || left.value > before.length) return undefined;
    if (before.length - left.value + end - left.next > MOST_NAME) return undefined;
    before = Buffer.concat([before.subarray(0, before.length - left.value), data.subarray(left.next, end)]);
    const path = before.toString("utf8");
    const isFolder = (data.readUInt32BE(entry + MODE) & KINDS) === REPOSITORY;
    // A folder that isn't checked out has a slash at its end. An entry that only replaces one of the shared file has no name.
    if (path !== "" && !path.endsWith("/") && !removed?.has(read)) yield { path, isFolder };
    // One to eight zeros follow a name, so that entries are multiples of eight bytes.
    entry = version === 4 ? end + 1 : entry + Math.ceil((end - entry + 1) / 8) * 8;
  }
  return findShared(data, entry, hash);
}

/** How much of the name before goes, as version 4 writes it: seven bits a byte, and one more for each byte that follows. */
function readNumber(data: Buffer, at: number): { readonly value: number; readonly next: number } {
  let [value, next] = [0, at];
  for (; next - at < 4; next += 1) {
    const byte = data[next] ?? 0;
    value += byte & 127;
    if ((byte & 128) === 0) break;
    value = (value + 1) * 128;
  }
  return { value, next: next + 1 };
}

/** Extensions follow the entries, each with a name and its size. */
function findShared(data: Buffer, first: number, hash: number): SharedIndex | undefined {
  for (let at = first; at + 8 + hash <= data.length; at += 8 + data.readUInt32BE(at + 4)) {
    if (data.toString("latin1", at, at + 4) !== "link") continue;
    const name = data.toString("hex", at + 8, at + 8 + hash);
    const bits = data.subarray(at + 8 + hash, at + 8 + data.readUInt32BE(at + 4));
    return /^0*$/.test(name) ? undefined : { file: `sharedindex.${name}`, removed: readBits(bits) };
  }
  return undefined;
}

/** Which bits are set, as git packs them (EWAH): a word says how many words are all the same bit, and how many follow as they are. */
function readBits(data: Buffer): ReadonlySet<number> {
  const set = new Set<number>();
  const words = data.length < 8 ? 0 : Math.min(data.readUInt32BE(4), Math.floor((data.length - 8) / 8));
  for (let [word, bit] = [0, 0]; word < words; ) {
    const head = data.readBigUInt64BE(8 + word * 8);
    const same = Number((head >> 1n) & 0xffff_ffffn) * 64;
    if (bit + same > MOST_REMOVED) break;
    for (let end = bit + same; bit < end; bit += 1) if ((head & 1n) === 1n) set.add(bit);
    const last = Math.min(word + Number(head >> 33n), words - 1);
    for (word += 1; word <= last; word += 1, bit += 64) {
      const literal = data.readBigUInt64BE(8 + word * 8);
      for (let one = 0; one < 64; one += 1) if (((literal >> BigInt(one)) & 1n) === 1n) set.add(bit + one);
    }
  }
  return set;
}
