// What git tracks, as its index says, in git's own format (gitformat-index, versions 2 to 4).

export interface IndexEntry {
  /** Within the repository, with slashes. */
  readonly path: string;
  /** Whether it is a repository within this one. */
  readonly isFolder: boolean;
}

const HEADER = 12;
/** Bytes of an entry before its hash: times, place, mode, owner and size; and where the mode is among them. */
const [BEFORE_HASH, MODE] = [40, 24];
/** A flag of an entry with two more bytes of them. */
const EXTENDED = 0x4000;
const [KINDS, REPOSITORY] = [0o170000, 0o160000];

/**
 * @param hash bytes of an object's name: 20, or 32 in a repository with SHA-256.
 * @returns the name of the file with the rest of the entries, where the index shares it with others. What is no index has no entries.
 */
export function* readIndex(data: Buffer, hash: number): Generator<IndexEntry, string | undefined> {
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
    before = Buffer.concat([before.subarray(0, before.length - left.value), data.subarray(left.next, end)]);
    const path = before.toString("utf8");
    const isFolder = (data.readUInt32BE(entry + MODE) & KINDS) === REPOSITORY;
    // A folder that isn't checked out has a slash at its end. An entry that only replaces one of the shared file has no name.
    if (path !== "" && !path.endsWith("/")) yield { path, isFolder };
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

/** Extensions follow the entries, each with a name and its size. The one that names a shared file is the first of them. */
function findShared(data: Buffer, at: number, hash: number): string | undefined {
  if (data.toString("latin1", at, at + 4) !== "link") return undefined;
  const name = data.toString("hex", at + 8, at + 8 + hash);
  return /^0*$/.test(name) ? undefined : `sharedindex.${name}`;
}
