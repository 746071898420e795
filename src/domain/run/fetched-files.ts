// Which results of a run were downloaded while its command ran, and which are to be downloaded now. What is remembered of a download is a
// line of a file that only grows: whoever reads it takes the last line of a name for what is on this computer.

/** A result on the machine. */
export interface ThereResult {
  /** Begins with `./`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** When its content or its place was changed last, in epoch seconds of the machine's clock. */
  readonly changed: number;
}

/** All of them, and what time it is on the machine. */
export interface ThereResults {
  readonly now: number;
  readonly files: readonly ThereResult[];
}

interface FetchedFile {
  /** As it was when it was downloaded last. */
  readonly latest: ThereResult & { readonly digest: string };
  /** SHA-256 of all that was ever downloaded under its name. */
  readonly digests: ReadonlySet<string>;
}

/** By name. */
export type FetchedFiles = ReadonlyMap<string, FetchedFile>;

/** Seconds that a file rests before it counts as written, by the machine's own clock: ours may be another. */
const RESTS = 5;

/** The result in a line of an answer to `buildStatCommand`; undefined if it isn't one. */
export function readThereResult(line: string): ThereResult | undefined {
  const [, size, changed, name] = /^(\d{1,15}) (\d{1,12}) (\.\/.+)$/.exec(line) ?? [];
  return name === undefined ? undefined : { name, size: Number(size), changed: Number(changed) };
}

export const formatFetchedFile = ({ name, size, changed }: ThereResult, digest: string): string =>
  `${digest} ${size} ${changed} ${name}\n`;

/** What lines say; one that was cut off is passed over. */
export function readFetchedFiles(text: string): FetchedFiles {
  const files = new Map<string, { latest: FetchedFile["latest"]; digests: Set<string> }>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, digest = "", rest = ""] = /^([0-9a-f]{64}) (.+)$/.exec(line) ?? [];
    const file = readThereResult(rest);
    if (!file) continue;
    const { digests } = files.get(file.name) ?? { digests: new Set() };
    files.set(file.name, { latest: { ...file, digest }, digests: digests.add(digest) });
  }
  return files;
}

/** Whether a result is on the machine as it was when it was downloaded. */
const isUnchanged = ({ name, size, changed }: ThereResult, fetched: FetchedFiles): boolean => {
  const latest = fetched.get(name)?.latest;
  return latest?.size === size && latest.changed === changed;
};

/**
 * The results that are new or have changed since, and no longer change. With those that are here already they have at most so many bytes:
 * the rest waits for the end, where the person is asked.
 */
export function chooseDue({ now, files }: ThereResults, fetched: FetchedFiles, most: number): readonly ThereResult[] {
  const isDue = (file: ThereResult) => !isUnchanged(file, fetched) && now - file.changed >= RESTS;
  const all = files.filter(isDue);
  const names = new Set(all.map(({ name }) => name));
  let room = most;
  for (const [name, { latest }] of fetched) if (!names.has(name)) room -= latest.size;
  return all.filter(({ size }) => {
    if (size > room) return false;
    room -= size;
    return true;
  });
}
