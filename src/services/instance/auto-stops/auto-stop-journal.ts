// The ends that a person set for their instances, in write-once files that all windows share.
import { createHash, randomBytes } from "node:crypto";
import type { ZodType } from "zod";
import { InstanceId } from "../../../domain/base/id.ts";
import { AutoStop, calculateReminderTime, ITSELF_FIRST, SelfStopProof } from "../../../domain/instance/auto-stop.ts";
import { StoppedSpan, UNREAD_SPAN } from "../../../domain/instance/second-step.ts";
import type { Clock } from "../../../lib/clock.ts";
import {
  Book,
  type BookEntry,
  type BookFile,
  type BookTable,
  findHighestCount,
  listInstanceIds,
} from "../../core/book/book.ts";
import type { Disk } from "../../core/book/disk.ts";
import { readCounted } from "../../core/book/latest.ts";
import { findTidyLimit } from "../../core/book/tidy-limit.ts";
import {
  type AutoStopEntry,
  type AutoStopTold,
  isEarly,
  isNeeded,
  isToCome,
  type NumberedSpan,
  type ToldKey,
} from "./auto-stop-entry.ts";

/** One message of many: the first has the count 1. */
interface ToldMessage {
  readonly what: AutoStopTold;
  readonly id: InstanceId;
  readonly count: number;
}

type Kind = "lease" | "of" | "over" | "seen" | "proof" | "stopped" | `${AutoStopTold}-told`;

/** All but an end whose instance isn't known name that instance. An end says its count by its name, too: one that can't be read holds. */
const ENDS: BookTable<Kind> = {
  entry: /lea-[0-9a-f]{20}/,
  kinds: {
    ...{ lease: [15, 6], of: [15], over: [15], seen: [15], proof: [15, 6], stopped: [15, 6] },
    ...{ "soon-told": [15, 4], "over-told": [15, 4], "overdue-told": [15, 4], "itself-told": [15, 4] },
  },
  unnumbered: ["lease"],
  unread: "waits",
};

interface NumberedProof {
  readonly count: number;
  readonly proof: SelfStopProof | undefined;
}

/** Far more than windows that could die over the same file. */
const MOST_HALVES = 5;
/** Far more than windows that could note something at the same moment. */
const MOST_AT_ONCE = 50;

export class AutoStopJournal {
  readonly #book: Book<Kind>;

  constructor(folder: string, disk?: Disk) {
    this.#book = new Book(ENDS, folder, disk);
  }

  /**
   * `shown`: what is known of the end that its instance keeps itself, which is its first proof.
   * @returns the name of its files. @throws the disk's error: no one may believe in an end that wasn't written down.
   */
  async write(autoStop: AutoStop, shown?: SelfStopProof): Promise<string> {
    const name = `lea-${randomBytes(10).toString("hex")}`;
    if (shown && autoStop.id !== undefined) await this.#createProof(name, autoStop.id, { count: 1, proof: shown });
    await this.#book.create(
      name,
      autoStop.id === undefined ? "lease" : ["lease", autoStop.id, autoStop.count],
      autoStop,
    );
    return name;
  }

  /** The highest number of an end of an instance, whether or not that end can be read; 0 without one. @throws the disk's error. */
  async findHighestCount(id: InstanceId): Promise<number> {
    return findHighestCount(await this.#book.list(), "lease", id);
  }

  async noteInstance(name: string, id: InstanceId): Promise<void> {
    await this.#book.create(name, ["of", id]);
  }

  async noteOver(name: string, id: InstanceId): Promise<void> {
    await this.#book.create(name, ["over", id]);
  }

  /** Someone has answered that the end passed: no one is asked again. */
  async noteSeen(name: string, id: InstanceId): Promise<void> {
    await this.#book.create(name, ["seen", id]);
  }

  /** The last one of an instance counts. @returns its number. */
  async noteProof(name: string, id: InstanceId, proof: SelfStopProof): Promise<number> {
    return await this.#createNext(name, ["proof", id], proof);
  }

  /**
   * What it showed, unless something was noted after the proof with this count: that is newer. Undefined if it showed nothing.
   * @returns whether it was noted.
   */
  async noteProofAfter(name: string, id: InstanceId, { count, proof }: NumberedProof): Promise<boolean> {
    return await this.#createProof(name, id, { count: count + 1, proof });
  }

  async #createProof(name: string, id: InstanceId, { count, proof }: NumberedProof): Promise<boolean> {
    return await this.#createNumbered(name, ["proof", id, count], proof ?? null);
  }

  async #findLastCount(name: string, kind: Kind, id: InstanceId): Promise<number> {
    return findCounts((await this.#book.list()).get(name), kind).get(id) ?? 0;
  }

  /** After all that others note at the same moment. @returns its number. */
  async #createNext(name: string, [kind, id]: readonly [Kind, InstanceId], content: unknown): Promise<number> {
    const before = await this.#findLastCount(name, kind, id);
    for (let count = before + 1; count <= before + MOST_AT_ONCE; count += 1)
      if (await this.#createNumbered(name, [kind, id, count], content)) return count;
    throw new Error("What an instance showed couldn't be noted.");
  }

  async #createNumbered(name: string, file: readonly [Kind, InstanceId, number], content: unknown): Promise<boolean> {
    const [kind, id, count] = file;
    if (!(await this.#book.create(name, file, content))) return false;
    // The one before may just be read.
    if (count > 2) await this.#book.remove(name, [kind, id, count - 2]);
    return true;
  }

  /**
   * How long an instance was seen stopped, after the look with this count: if another window has looked, that one says as much. That it may
   * have run is noted after whatever others noted.
   */
  async noteStopped(name: string, id: InstanceId, { count, span }: NumberedSpan): Promise<void> {
    if (span.from === null) await this.#createNext(name, ["stopped", id], span);
    else await this.#createNumbered(name, ["stopped", id, count + 1], span);
  }

  /**
   * An end that follows another one of an instance: the first window to write it says when it comes. In the place of one that a window left
   * half written, the next one holds. `seen`: how its instance was seen stopped by then.
   */
  async writeNext(
    { name }: Pick<AutoStopEntry, "name">,
    id: InstanceId,
    next: AutoStop,
    seen?: StoppedSpan,
  ): Promise<void> {
    for (let count = next.count; count < next.count + MOST_HALVES; count += 1) {
      const digest = createHash("sha256").update(`${name} ${id} ${count}`).digest("hex").slice(0, 20);
      const file = ["lease", id, count] as const;
      // Whoever looks first once the end can be read knows nothing of the time before.
      if (seen) await this.#book.create(`lea-${digest}`, ["stopped", id, 1], seen);
      if (await this.#book.create(`lea-${digest}`, file, { ...next, count })) return;
      if ((await this.#book.read(`lea-${digest}`, file, AutoStop)) !== undefined) return;
    }
    throw new Error("What follows an auto-stop couldn't be written down.");
  }

  /** Whoever creates the file tells the person. @returns false if another window was faster. */
  async claimTold(name: string, message: ToldMessage, window: string): Promise<boolean> {
    return await this.#book.create(name, toFile(message), window);
  }

  /** Which window told it; undefined if that can't be read. */
  async findTeller(name: string, message: ToldMessage): Promise<string | undefined> {
    return await this.#book.readText(name, toFile(message)).catch(() => undefined);
  }

  /** Every end, in no order. One that can't be read puts those before it in doubt. @throws the disk's error. */
  async readAll(): Promise<readonly AutoStopEntry[]> {
    const { all, isDoubted } = await readCounted(this.#book, "lease", AutoStop);
    const entries = await Promise.all(all.map(({ name, files, value }) => this.#toEntry(name, files, value)));
    return entries.map((entry) => ({
      ...entry,
      doubted: new Set([...entry.ids].filter((id) => isDoubted(id, entry.autoStop.count))),
    }));
  }

  async #toEntry(name: string, files: BookEntry<Kind>, autoStop: AutoStop): Promise<AutoStopEntry> {
    const proofCounts = findCounts(files, "proof");
    const proofs = new Map<InstanceId, SelfStopProof>();
    for (const [id, count] of proofCounts) {
      const proof = await this.#readNumbered(name, ["proof", id, count], SelfStopProof.nullable());
      if (proof) proofs.set(id, proof);
    }
    const stopped = new Map<InstanceId, NumberedSpan>();
    for (const [id, count] of findCounts(files, "stopped")) stopped.set(id, await this.#readSpan(name, id, count));
    const told = new Map<ToldKey, number>();
    for (const what of TOLD)
      for (const [id, times] of findCounts(files, `${what}-told`)) told.set(`${what} ${id}`, times);
    const ids = new Set([...listInstanceIds(files, "of"), ...(autoStop.id === undefined ? [] : [autoStop.id])]);
    const [over, seen] = [new Set(listInstanceIds(files, "over")), new Set(listInstanceIds(files, "seen"))];
    return { name, autoStop, ids, over, seen, doubted: new Set(), told, proofs, proofCounts, stopped };
  }

  /** The last one. One that a window left half written says nothing, and the one before is still there. */
  async #readNumbered<T>(
    name: string,
    [kind, id, count]: readonly [Kind, InstanceId, number],
    schema: ZodType<T>,
  ): Promise<T | undefined> {
    const last = await this.#book.read(name, [kind, id, count], schema);
    return last === undefined && count > 1 ? await this.#book.read(name, [kind, id, count - 1], schema) : last;
  }

  /** The last one. One that can't be read may say that it ran, so the one before says nothing. */
  async #readSpan(name: string, id: InstanceId, count: number): Promise<NumberedSpan> {
    const span = await this.#book.read(name, ["stopped", id, count], StoppedSpan);
    if (span) return { count, span };
    // It may have been removed since it was listed, as others looked.
    const last = await this.#findLastCount(name, "stopped", id);
    return last > count ? await this.#readSpan(name, id, last) : { count, span: UNREAD_SPAN };
  }

  /** Every end, but what was noted or told long before an end is taken back, as the clock was ahead. One that `isSettled` is over. */
  async readAllAt(
    clock: Pick<Clock, "now">,
    orders: { readonly isSettled: (entry: AutoStopEntry, id: InstanceId) => Promise<boolean> },
  ): Promise<readonly AutoStopEntry[]> {
    const all = await this.readAll();
    // Not before they were read: the computer may have slept, and another window have carried one out.
    const now = clock.now();
    const early: [name: string, file: BookFile<Kind>][] = [];
    const settled = new Map<string, Set<InstanceId>>();
    for (const entry of all) {
      for (const file of listTooEarly(entry, now)) early.push([entry.name, file]);
      for (const id of isToCome(entry, now) ? new Set([...entry.ids, ...entry.over]) : [])
        if (await orders.isSettled(entry, id)) settled.set(entry.name, (settled.get(entry.name) ?? new Set()).add(id));
        else if (entry.over.has(id) && isEarly(entry, now)) early.push([entry.name, ["over", id]]);
    }
    // Another program may hold a file for a moment: the other ends hold all the same, and the next reading tries again.
    for (const [name, file] of early) await this.#book.remove(name, file).catch(() => undefined);
    const left = early.length > 0 ? await this.readAll() : all;
    return left.map((entry) => {
      const done = settled.get(entry.name) ?? new Set();
      return { ...entry, over: new Set([...entry.over, ...done]), settled: done };
    });
  }

  /** Removes what no longer matters. The last end of an instance goes last: an earlier one would hold again. */
  async tidy(now: number): Promise<void> {
    const all = await this.readAll();
    const limit = findTidyLimit(all.map(({ autoStop }) => autoStop.at));
    for (const entry of all) {
      if (entry.autoStop.at <= limit && !isNeeded(entry, all, now)) await this.#book.removeEntry(entry.name);
    }
  }
}

const TOLD = ["soon", "over", "overdue", "itself"] as const;

const toFile = ({ what, id, count }: ToldMessage): BookFile<Kind> => [`${what}-told`, id, count];

/** By instance, the highest number of its files of a kind. */
function findCounts(files: BookEntry<Kind> | undefined, kind: Kind): ReadonlyMap<InstanceId, number> {
  const counts = new Map<InstanceId, number>();
  for (const [of, count = 0] of files?.get(kind) ?? []) {
    const id = InstanceId.safeParse(of).data;
    if (id !== undefined) counts.set(id, Math.max(counts.get(id) ?? 0, count));
  }
  return counts;
}

/** The files of messages that were told long before their time. */
function listTooEarly({ autoStop: { until, at }, told }: AutoStopEntry, now: number): readonly BookFile<Kind>[] {
  if (until === null) return [];
  return [...told].flatMap(([key, times]) => {
    const [what, id] = key.split(" ") as [AutoStopTold, string];
    if (now >= (what === "soon" ? calculateReminderTime(until, at) : until) - ITSELF_FIRST) return [];
    return Array.from({ length: times }, (_, index) =>
      toFile({ what, id: Number(id) as InstanceId, count: index + 1 }),
    );
  });
}
