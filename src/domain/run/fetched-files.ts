// Which results of a run were downloaded while its command ran, and which are to be downloaded now. What is remembered of a download is a
// line of a file: whoever reads it takes the last line of a name for what is on this computer.

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
  /** As it was when it was put in its place last; undefined if it never was. */
  readonly latest: (ThereResult & { readonly digest: string }) | undefined;
  /** The bytes of all that may have been put there under its name, by SHA-256. What came last is the last. */
  readonly digests: ReadonlyMap<string, number>;
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

/** Of a file that is in its place. */
export const formatFetchedFile = ({ name, size, changed }: ThereResult, digest: string): string =>
  `${digest} ${size} ${changed} ${name}\n`;

/** Of a file that is about to be put there. */
export const formatComingFile = (file: ThereResult, digest: string): string =>
  formatFetchedFile({ ...file, changed: 0 }, digest);

/** What lines say; one that was cut off is passed over. */
export function readFetchedFiles(text: string): FetchedFiles {
  const files = new Map<string, { latest: FetchedFile["latest"]; digests: Map<string, number> }>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, digest = "", rest = ""] = /^([0-9a-f]{64}) (.+)$/.exec(line) ?? [];
    const file = readThereResult(rest);
    if (!file) continue;
    const { latest, digests } = files.get(file.name) ?? { latest: undefined, digests: new Map<string, number>() };
    digests.delete(digest);
    digests.set(digest, file.size);
    files.set(file.name, { latest: file.changed === 0 ? latest : { ...file, digest }, digests });
  }
  return files;
}

/** The same in as few lines as say it: what is in a file's place is what was put there last, or what was to be put there since. */
export function formatFetchedFiles(fetched: FetchedFiles): string {
  const lines: string[] = [];
  for (const [name, { latest, digests }] of fetched) {
    if (latest) lines.push(formatFetchedFile(latest, latest.digest));
    const [digest, size] = [...digests].at(-1) ?? [];
    if (digest !== undefined && size !== undefined && digest !== latest?.digest)
      lines.push(formatComingFile({ name, size, changed: 0 }, digest));
  }
  return lines.join("");
}

/** What the next attempt at a run begins with: of its own machine, nothing is known. */
export const formatEarlierFiles = (fetched: FetchedFiles): string =>
  [...fetched]
    .flatMap(([name, { digests }]) =>
      [...digests].map(([digest, size]) => formatComingFile({ name, size, changed: 0 }, digest)),
    )
    .join("");

const utf8 = new TextEncoder();

/** Bytes that `formatFetchedFiles` needs for a file at most. */
const measureLines = (name: string): number =>
  2 * utf8.encode(formatFetchedFile({ name, size: 1e14, changed: 1e11 }, "0".repeat(64))).length;

/** Whether a result is on the machine as it was when it was downloaded. */
const isUnchanged = ({ name, size, changed }: ThereResult, fetched: FetchedFiles): boolean => {
  const latest = fetched.get(name)?.latest;
  return latest?.size === size && latest.changed === changed;
};

/** Of what is here before the command is over. */
interface EarlyLimits {
  readonly bytes: number;
  /** Bytes that say what it is. */
  readonly lines: number;
}

interface DueResults {
  readonly files: readonly ThereResult[];
  /** There is no room for others. */
  readonly isMore: boolean;
}

/**
 * The results that are new or have changed since, and no longer change. With those that are here already they keep within the limits:
 * the rest waits for the end, where the person is asked.
 */
export function chooseDue({ now, files }: ThereResults, fetched: FetchedFiles, limits: EarlyLimits): DueResults {
  const isDue = (file: ThereResult) => !isUnchanged(file, fetched) && now - file.changed >= RESTS;
  const all = files.filter(isDue);
  const names = new Set(all.map(({ name }) => name));
  let room = limits.bytes;
  let lines = limits.lines;
  for (const [name, { latest }] of fetched) {
    lines -= measureLines(name);
    if (!names.has(name)) room -= latest?.size ?? 0;
  }
  const chosen = all.filter(({ name, size }) => {
    const length = fetched.has(name) ? 0 : measureLines(name);
    if (size > room || length > lines) return false;
    room -= size;
    lines -= length;
    return true;
  });
  return { files: chosen, isMore: chosen.length < all.length };
}
