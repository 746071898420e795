// The files of the ledger: one for each window and month, each only ever grows, and only its window writes it.
import { appendFileSync } from "node:fs";
import { appendFile, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LedgerHeader, LineReader, type Reading } from "../../domain/account/ledger.ts";
import { createQueue } from "../../lib/task.ts";

const NAME = /^(\d{4}-\d{2})\.[0-9a-f-]{36}\.jsonl$/;
/** Milliseconds. */
const DAY = 86_400_000;
const KEPT = 400 * DAY;
/** No one asks later what a sandbox cost. */
const KEPT_OF_SANDBOX = 7 * DAY;
/** Bytes that are read at once. */
const CHUNK = 1 << 20;

/** What is known of one file so far. */
interface ReadSoFar {
  offset: number;
  /** The end of what was read, without an end of line so far. */
  rest: Buffer;
  header: LedgerHeader | undefined;
  readonly lines: LineReader;
  readonly readings: Reading[];
  /** Epoch milliseconds: readings before it were dropped, but for the last ones. */
  from: number;
}

/** What files of the ledger are read for. */
interface Wanted {
  /** Files from its month on are read; epoch milliseconds. */
  readonly since: number;
  /** Epoch milliseconds: of what was read before it, the last list without gaps and what follows is enough. */
  readonly from: number;
  readonly isWanted: (header: LedgerHeader) => boolean;
  /** Whether that is all of it: if not, older files are read as well. */
  readonly isEnough: (readings: readonly Reading[]) => boolean;
}

export interface LedgerRead {
  readonly readings: readonly Reading[];
  /** Names of files that couldn't be read: what they hold is missing. */
  readonly unread: readonly string[];
}

export class LedgerFiles {
  readonly #folder: string;
  readonly #known = new Map<string, ReadSoFar>();
  /** Reads and writes one after the other. */
  readonly #inTurn = createQueue();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The name of a new file. `at` is epoch milliseconds. */
  static nameFor(at: number): string {
    return `${new Date(at).toISOString().slice(0, 7)}.${crypto.randomUUID()}.jsonl`;
  }

  append(name: string, records: readonly unknown[]): Promise<void> {
    return this.#inTurn(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await appendFile(join(this.#folder, name), toLines(records), { mode: 0o600 });
    });
  }

  /** For a window that closes: it can't wait. */
  appendNow(name: string, records: readonly unknown[]): void {
    appendFileSync(join(this.#folder, name), toLines(records), { mode: 0o600 });
  }

  /** In no order. @throws the disk's error if the folder can't be read. */
  read({ since, from, isWanted, isEnough }: Wanted): Promise<LedgerRead> {
    return this.#inTurn(async () => {
      const month = new Date(since).toISOString().slice(0, 7);
      const names = (await readdir(this.#folder).catch(emptyIfMissing)).filter((name) => NAME.test(name));
      for (const name of this.#known.keys()) if (!names.includes(name)) this.#known.delete(name);
      const near = await this.#readAll(
        names.filter((name) => name >= month),
        { from, isWanted },
      );
      if (isEnough(near.readings)) return near;
      const far = await this.#readAll(
        names.filter((name) => name < month),
        { from, isWanted },
      );
      return { readings: [...near.readings, ...far.readings], unread: [...far.unread, ...near.unread] };
    });
  }

  async #readAll(names: readonly string[], { from, isWanted }: Pick<Wanted, "from" | "isWanted">): Promise<LedgerRead> {
    const all: Reading[][] = [];
    const unread: string[] = [];
    for (const name of names) {
      const header = this.#known.get(name)?.header;
      if (header && !isWanted(header)) continue;
      const known = await this.#readOn(name, from).catch((error: NodeJS.ErrnoException) => {
        // Another window may have removed it just now, or it is a folder.
        if (error.code === "ENOENT" || error.code === "EISDIR") return undefined;
        unread.push(name);
        return this.#known.get(name);
      });
      if (known?.header && isWanted(known.header)) all.push(known.readings);
    }
    return { readings: all.flat(), unread };
  }

  /** Goes on where it was read to, or begins again for a time of which nothing is kept. */
  async #readOn(name: string, from: number): Promise<ReadSoFar> {
    const before = this.#known.get(name);
    const known =
      before && before.from <= from
        ? before
        : { offset: 0, rest: Buffer.alloc(0), header: undefined, lines: new LineReader(), readings: [], from };
    known.from = from;
    dropOld(known);
    this.#known.set(name, known);
    const file = await open(join(this.#folder, name), "r");
    try {
      const chunk = Buffer.alloc(CHUNK);
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, CHUNK, known.offset);
        if (bytesRead === 0) return known;
        known.offset += bytesRead;
        takeLines(known, chunk.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  /** Removes what is too old to be asked for. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(emptyIfMissing)) {
      if (!NAME.test(name)) continue;
      const path = join(this.#folder, name);
      const age = now - (await stat(path)).mtimeMs;
      if (age > KEPT || (age > KEPT_OF_SANDBOX && (await this.#isOfSandbox(name)))) await rm(path, { force: true });
    }
  }

  #isOfSandbox(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const known = await this.#readOn(name, Number.POSITIVE_INFINITY).catch(() => undefined);
      return known?.header?.sandbox === true;
    });
  }
}

const toLines = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

function takeLines(known: ReadSoFar, bytes: Buffer): void {
  const all = Buffer.concat([known.rest, bytes]);
  const end = all.lastIndexOf(0x0a) + 1;
  known.rest = Buffer.from(all.subarray(end));
  const lines = all.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  for (const line of lines) {
    if (known.header === undefined) known.header = readHeader(line);
    else {
      const reading = known.lines.read(line);
      if (reading) known.readings.push(reading);
    }
  }
  dropOld(known);
}

/** Before the last list without gaps that is old enough, nothing tells anything more. */
function dropOld({ readings, from }: ReadSoFar): void {
  let last = -1;
  readings.forEach(({ at, hasGaps }, index) => {
    if (at < from && !hasGaps && at >= (readings[last]?.at ?? at)) last = index;
  });
  const begin = readings[last]?.at;
  if (begin === undefined) return;
  const kept = readings.filter((reading, index) => reading.at > begin || index === last);
  if (kept.length < readings.length) readings.splice(0, readings.length, ...kept);
}

/** Of no account, if it can't be read. */
const NOBODY: LedgerHeader = { version: 1, origin: "", account: "" };

function readHeader(line: string): LedgerHeader {
  try {
    return LedgerHeader.parse(JSON.parse(line));
  } catch {
    return NOBODY;
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
