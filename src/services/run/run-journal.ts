// What is known of the person's runs: a file each, which all windows share. A run that is over is kept for a while.
import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceId, RunId } from "../../domain/base/id.ts";
import {
  type FetchedFiles,
  formatEarlierFiles,
  formatFetchedFiles,
  readFetchedFiles,
} from "../../domain/run/fetched-files.ts";
import {
  countAttempts,
  hasResultsThere,
  isOpen,
  isRunOf,
  type RunRecord,
  readRunRecord,
} from "../../domain/run/run-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { Emitter } from "../../lib/event.ts";
import { createQueue } from "../../lib/task.ts";
import { toMarkedAccount } from "../core/account-mark.ts";
import { replaceFile } from "../core/book/replace-file.ts";
import { takeTurn } from "../core/book/turn-file.ts";
import type { SignedIn } from "../core/session.ts";

const SUFFIX = ".json";
/** Bytes. */
const LARGEST = 1_000_000;
/** What was downloaded of a run while its command ran. */
const FETCHED = ".fetched";
/** Bytes of it from which on what no longer counts is left out, whenever there is twice as much. */
const LENGTHY = 500_000;
/** Of those that are over, the latest are kept. */
const MOST_OVER = 50;

export class RunJournal {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #inTurn = createQueue();
  /** Bytes that were left of what was downloaded. */
  readonly #shortened = new Map<RunId, number>();
  readonly #changes = new Emitter<void>();
  /** Fires for what this window wrote. */
  readonly onDidChange = this.#changes.event;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * The runs of an account, the latest first: of several attempts the last, and those whose results are still on their machines. Files that
   * can't be read are passed over.
   */
  async readAll(account: SignedIn): Promise<readonly RunRecord[]> {
    const runs = await this.#readEach(account);
    const earlier = new Set(runs.flatMap(({ earlier: attempts = [] }) => attempts.map(({ run }) => run)));
    return runs.filter((run) => !earlier.has(run.id) || hasResultsThere(run));
  }

  /** The one that a run goes on with elsewhere, or went on with last; the run itself if there is none. */
  async findLatest(account: SignedIn, run: RunRecord): Promise<RunRecord> {
    const later = (await this.#readEach(account)).filter(({ earlier }) => earlier?.some((one) => one.run === run.id));
    const now = (await this.find(run.id)) ?? run;
    return later.reduce((last, one) => (countAttempts(one) > countAttempts(last) ? one : last), now);
  }

  /** The attempt before the one that waits for an instance in a window; undefined if it is for no such attempt. */
  async findEarlier(instance: InstanceId, window: string): Promise<RunId | undefined> {
    const isWaiting = (run: RunRecord) =>
      run.instance === instance && run.window === window && run.state.kind === "waiting";
    return (await this.#readFiles()).find(isWaiting)?.earlier?.at(-1)?.run;
  }

  async #readEach(account: SignedIn): Promise<RunRecord[]> {
    const of = toMarkedAccount(account);
    return (await this.#readFiles()).filter((run) => isRunOf(run, of)).sort((a, b) => b.at - a.at);
  }

  async #readFiles(): Promise<RunRecord[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(names.filter((name) => name.endsWith(SUFFIX)).map((name) => this.#read(name)));
    return found.filter((run) => run !== undefined);
  }

  async find(id: RunId): Promise<RunRecord | undefined> {
    return await this.#read(id + SUFFIX);
  }

  async #read(name: string): Promise<RunRecord | undefined> {
    const path = join(this.#folder, name);
    try {
      const { size } = await stat(path);
      const run = size > LARGEST ? undefined : readRunRecord(await readFile(path, "utf8"));
      return run?.id === name.slice(0, -SUFFIX.length) ? run : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes a run down, durably. @throws RangeError for one that couldn't be read again; the disk's error. */
  async put(run: RunRecord): Promise<void> {
    if (!readRunRecord(JSON.stringify(run))) throw new RangeError("This run can't be written down.");
    await this.#alone(run.id, () => this.#write(run));
  }

  /** Changes what is known of a run, and gives it as it is now; undefined if it was forgotten. @throws the disk's error. */
  async change(
    id: RunId,
    change: Partial<Pick<RunRecord, "state" | "window" | "guard" | "early" | "next" | "isStopAsked">>,
  ): Promise<RunRecord | undefined> {
    return await this.#decide(id, () => change);
  }

  /**
   * The launch that rents for the next attempt at a run: the one that was written down, or this one if there is none but one of which
   * nothing came. @returns undefined if the run was forgotten. @throws the disk's error.
   */
  async chooseNext(id: RunId, token: string, free: string | undefined): Promise<string | undefined> {
    const isFree = ({ next }: RunRecord) => next === undefined || next === free;
    return (await this.#decide(id, (before) => (isFree(before) ? { next: token } : {})))?.next;
  }

  /** Changes what is known of a run by what is known of it then. */
  async #decide(id: RunId, decide: (before: RunRecord) => Partial<RunRecord>): Promise<RunRecord | undefined> {
    return await this.#alone(id, async () => {
      const before = await this.find(id);
      if (!before) return undefined;
      const now = { ...before, ...decide(before) };
      await this.#write(now);
      return now;
    });
  }

  /** Whoever changes a run begins with what the others wrote, in this window and in others. */
  async #alone<T>(id: RunId, work: () => Promise<T>): Promise<T> {
    return await this.#inTurn(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      return await takeTurn(join(this.#folder, `.${id}.turn`), this.#clock, work);
    });
  }

  async #write(run: RunRecord): Promise<void> {
    await replaceFile({ path: join(this.#folder, run.id + SUFFIX), text: `${JSON.stringify(run)}\n` }, this.#clock);
    this.#changes.fire();
  }

  /** What of its results was downloaded while its command ran. */
  async readFetched(id: RunId): Promise<FetchedFiles> {
    return readFetchedFiles(
      await readFile(join(this.#folder, id + FETCHED), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return "";
        throw error;
      }),
    );
  }

  /** Remembers lines of files, also after one that was cut off, before their files are where the person sees them. */
  async noteFetched(id: RunId, lines: string): Promise<void> {
    const path = join(this.#folder, id + FETCHED);
    await this.#alone(id, async () => {
      await appendFile(path, `\n${lines}`, { mode: 0o600 });
      const { size } = await stat(path);
      if (size < 2 * Math.max(this.#shortened.get(id) ?? 0, LENGTHY)) return;
      const text = formatFetchedFiles(await this.readFetched(id));
      await replaceFile({ path, text }, this.#clock);
      this.#shortened.set(id, Buffer.byteLength(text));
    });
  }

  /** The next attempt begins with what was downloaded of this one. */
  async copyFetched(from: RunId, to: RunId): Promise<void> {
    const lines = formatEarlierFiles(await this.readFetched(from));
    if (lines !== "") await this.noteFetched(to, lines);
  }

  /** With its earlier attempts, except those whose results are still on their machines. */
  async remove(run: RunRecord): Promise<void> {
    for (const { run: id } of run.earlier ?? []) {
      const before = await this.find(id);
      if (before && !hasResultsThere(before)) await this.forget(id);
    }
    await this.forget(run.id);
  }

  async forget(id: RunId): Promise<void> {
    await this.#alone(id, async () => {
      for (const suffix of [SUFFIX, FETCHED]) await rm(join(this.#folder, id + suffix), { force: true });
    });
    this.#changes.fire();
  }

  /** Forgets the oldest of those of an account about which nothing is left to do. */
  async tidyUp(account: SignedIn): Promise<void> {
    const over = (await this.readAll(account)).filter((run) => !isOpen(run) && !hasResultsThere(run));
    for (const run of over.slice(MOST_OVER)) await this.remove(run);
  }
}
