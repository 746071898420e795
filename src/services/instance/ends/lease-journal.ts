// The ends that a person set for their instances, in write-once files that all windows share.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { InstanceId } from "../../../domain/base/id.ts";
import { calculateReminderTime, EndProof, ITSELF_FIRST, Lease } from "../../../domain/instance/lease.ts";
import type { Clock } from "../../../lib/clock.ts";
import { findTidyLimit } from "../../core/book/tidy-limit.ts";
import { createObject, type Disk, readObject, realDisk } from "../../core/disk.ts";
import {
  type LeaseFiles,
  type LeaseTold,
  nameLeaseFile,
  nameToldFile,
  readLeaseFiles,
  type ToldKey,
  type ToldMessage,
} from "./lease-files.ts";

/** One end as its files say it. */
export interface LeaseEntry {
  /** Of its files. */
  readonly name: string;
  readonly lease: Lease;
  /** The instances that it is for: more than one if the network repeated the launch. */
  readonly ids: ReadonlySet<InstanceId>;
  /** Those of them for which nothing is left to do. */
  readonly over: ReadonlySet<InstanceId>;
  /** Those of them of which somebody has answered that the end passed. */
  readonly seen: ReadonlySet<InstanceId>;
  /** Those of them for which an end was set later that can't be read: it may hold instead. */
  readonly doubted: ReadonlySet<InstanceId>;
  /** Those of them for which it was carried out before its time: the clock was ahead. */
  readonly settled?: ReadonlySet<InstanceId>;
  /** How often which message was told of which of them. */
  readonly told: ReadonlyMap<ToldKey, number>;
  /** What each of them showed last of the end that it keeps itself. */
  readonly proofs: ReadonlyMap<InstanceId, EndProof>;
  /** How many times each of them showed something. */
  readonly proofCounts: ReadonlyMap<InstanceId, number>;
}

interface NumberedProof {
  readonly count: number;
  readonly proof: EndProof | undefined;
}

/** Milliseconds after its end that an end which is over, or not the last one of its instance, is kept. */
const KEPT = 7 * 86_400_000;
/** The same for the end of a launch whose instance was never seen. */
const KEPT_UNKNOWN = 30 * 86_400_000;
/** Far more than windows that could note something at the same moment. */
const MOST_AT_ONCE = 50;

export class LeaseJournal {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(folder: string, disk: Disk = realDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /**
   * `shown`: what is known of the end that its instance keeps itself, which is its first proof.
   * @returns the name of its files. @throws the disk's error: nobody may believe in an end that wasn't written down.
   */
  async write(lease: Lease, shown?: EndProof): Promise<string> {
    await this.#disk.names(this.#folder);
    const name = `lea-${randomBytes(10).toString("hex")}`;
    if (shown && lease.id !== undefined) await this.#createProof(name, lease.id, { count: 1, proof: shown });
    await createObject(this.#disk, this.#path(nameLeaseFile(name, lease)), lease);
    return name;
  }

  /** The highest number of an end of an instance, whether or not that end can be read; 0 without one. @throws the disk's error. */
  async findHighestCount(id: InstanceId): Promise<number> {
    const ranks = [...(await this.#collect()).values()].map(({ rank }) => rank);
    return Math.max(0, ...ranks.map((rank) => (rank?.id === id ? rank.count : 0)));
  }

  async #collect(): Promise<ReadonlyMap<string, LeaseFiles>> {
    return readLeaseFiles(await this.#disk.names(this.#folder));
  }

  async noteInstance(name: string, id: InstanceId): Promise<void> {
    await this.#disk.create(this.#path(`${name}.of-${id}`), "");
  }

  async noteOver(name: string, id: InstanceId): Promise<void> {
    await this.#disk.create(this.#path(`${name}.over-${id}`), "");
  }

  /** Somebody has answered that the end passed: nobody is asked again. */
  async noteSeen(name: string, id: InstanceId): Promise<void> {
    await this.#disk.create(this.#path(`${name}.seen-${id}`), "");
  }

  /** The last one of an instance counts. @returns its number. */
  async noteProof(name: string, id: InstanceId, proof: EndProof): Promise<number> {
    const before = (await this.#collect()).get(name)?.proofCounts.get(id) ?? 0;
    // Another window may note one at the same moment.
    for (let count = before + 1; count <= before + MOST_AT_ONCE; count += 1)
      if (await this.#createProof(name, id, { count, proof })) return count;
    throw new Error("What an instance showed of its end couldn't be noted.");
  }

  /**
   * What it showed, unless something was noted after the proof with this count: that is newer. Undefined if it showed nothing.
   * @returns whether it was noted.
   */
  async noteProofAfter(name: string, id: InstanceId, { count, proof }: NumberedProof): Promise<boolean> {
    return await this.#createProof(name, id, { count: count + 1, proof });
  }

  async #createProof(name: string, id: InstanceId, { count, proof }: NumberedProof): Promise<boolean> {
    const path = (number: number) => this.#path(`${name}.proof-${id}-${number}`);
    if (!(await createObject(this.#disk, path(count), proof ?? null))) return false;
    // The one before may just be read.
    if (count > 2) await this.#disk.remove(path(count - 2));
    return true;
  }

  /** Whoever creates the file tells the person. @returns false if another window was faster. */
  async claimTold(name: string, message: ToldMessage, window: string): Promise<boolean> {
    return await this.#disk.create(this.#toldPath(name, message), window);
  }

  /** Which window told it; undefined if that can't be read. */
  async teller(name: string, message: ToldMessage): Promise<string | undefined> {
    return await this.#disk.read(this.#toldPath(name, message)).catch(() => undefined);
  }

  #toldPath(name: string, message: ToldMessage): string {
    return this.#path(nameToldFile(name, message));
  }

  /** Every end, in no order. One that can't be read puts those before it in doubt. @throws the disk's error. */
  async all(): Promise<readonly LeaseEntry[]> {
    const entries: LeaseEntry[] = [];
    const unread: { readonly id: InstanceId; readonly count: number }[] = [];
    for (const [name, { written, rank, ids, over, seen, told, proofCounts }] of await this.#collect()) {
      const lease = written === undefined ? undefined : await readObject(this.#disk, this.#path(written), Lease);
      if (!lease && written !== undefined && rank) unread.push(rank);
      if (!lease) continue;
      if (lease.id !== undefined) ids.add(lease.id);
      const proofs = new Map<InstanceId, EndProof>();
      for (const [id, count] of proofCounts) {
        const read = (number: number) =>
          readObject(this.#disk, this.#path(`${name}.proof-${id}-${number}`), EndProof.nullable());
        const last = await read(count);
        // One that a window left half written says nothing, and the one before is still there.
        const proof = last === undefined && count > 1 ? await read(count - 1) : last;
        if (proof) proofs.set(id, proof);
      }
      entries.push({ name, lease, ids, over, seen, doubted: new Set(), told, proofs, proofCounts });
    }
    const isDoubted = ({ lease }: LeaseEntry, id: InstanceId) =>
      unread.some((later) => later.id === id && later.count >= lease.count);
    return entries.map((entry) => ({
      ...entry,
      doubted: new Set([...entry.ids].filter((id) => isDoubted(entry, id))),
    }));
  }

  /** The same, but what was noted or told long before an end is taken back, as the clock was ahead. One that `isSettled` is over. */
  async allAt(
    clock: Pick<Clock, "now">,
    orders: { readonly isSettled: (entry: LeaseEntry, id: InstanceId) => Promise<boolean> },
  ): Promise<readonly LeaseEntry[]> {
    const all = await this.all();
    // Not before they were read: the computer may have slept, and another window have carried one out.
    const now = clock.now();
    const early: string[] = [];
    const settled = new Map<string, Set<InstanceId>>();
    for (const entry of all) {
      early.push(...tooEarly(entry, now));
      for (const id of isToCome(entry, now) ? new Set([...entry.ids, ...entry.over]) : [])
        if (await orders.isSettled(entry, id)) settled.set(entry.name, (settled.get(entry.name) ?? new Set()).add(id));
        else if (entry.over.has(id) && isEarly(entry, now)) early.push(`${entry.name}.over-${id}`);
    }
    // Another program may hold a file for a moment: the other ends hold all the same, and the next reading tries again.
    for (const file of early) await this.#disk.remove(this.#path(file)).catch(() => undefined);
    const left = early.length > 0 ? await this.all() : all;
    return left.map((entry) => {
      const done = settled.get(entry.name) ?? new Set();
      return { ...entry, over: new Set([...entry.over, ...done]), settled: done };
    });
  }

  /** Removes what no longer matters. The last end of an instance goes last: an earlier one would hold again. */
  async tidy(now: number): Promise<void> {
    const all = await this.all();
    const limit = findTidyLimit(all.map(({ lease }) => lease.at));
    for (const entry of all) {
      if (entry.lease.at > limit || isNeeded(entry, all, now)) continue;
      await this.#disk.remove(this.#path(nameLeaseFile(entry.name, entry.lease)));
      for (const file of await this.#disk.names(this.#folder))
        if (file.startsWith(`${entry.name}.`)) await this.#disk.remove(this.#path(file));
    }
  }

  #path(file: string): string {
    return join(this.#folder, file);
  }
}

const isToCome = ({ lease: { until } }: LeaseEntry, now: number): boolean => until !== null && now < until;

/** What is done at an end is done at its time or a moment before. */
const isEarly = ({ lease: { until } }: LeaseEntry, now: number): boolean =>
  until !== null && now < until - ITSELF_FIRST;

/** The instances for which an end is noted to be over long before it comes. */
export const listEarlyOver = (entry: LeaseEntry, now: number): readonly InstanceId[] =>
  isEarly(entry, now) ? [...entry.over].filter((id) => !entry.settled?.has(id)) : [];

/** The files of messages that were told long before their time. */
function tooEarly({ name, lease: { until, at }, told }: LeaseEntry, now: number): readonly string[] {
  if (until === null) return [];
  return [...told].flatMap(([key, times]) => {
    const [what, id] = key.split(" ") as [LeaseTold, string];
    if (now >= (what === "soon" ? calculateReminderTime(until, at) : until) - ITSELF_FIRST) return [];
    return Array.from({ length: times }, (_, index) =>
      nameToldFile(name, { what, id: Number(id) as InstanceId, count: index + 1 }),
    );
  });
}

function isNeeded(entry: LeaseEntry, all: readonly LeaseEntry[], now: number): boolean {
  const { lease, ids, over } = entry;
  const targets: LeaseTarget[] = ids.size === 0 ? [lease] : [...ids].map((id) => ({ id, token: lease.token }));
  return targets.some(({ id, token }) => {
    // Another service gives the same numbers to other instances.
    const own = all.filter((other) => other.lease.origin === lease.origin && isLeaseFor(other, { id, token }));
    const last = findLatestLease(own, { id, token }) ?? entry;
    const passed = now - Math.max(last.lease.at, last.lease.until ?? 0);
    // So may another account, for which this one may hold.
    const ofAccount = own.filter((other) => other.lease.account === lease.account);
    const mayHold =
      lease.until !== null && now - lease.until < KEPT && findLatestLease(ofAccount, { id, token }) === entry;
    if (last !== entry) return passed < KEPT || mayHold;
    if (own.length > 1) return true;
    if (id === undefined && lease.until !== null) return passed < KEPT_UNKNOWN;
    return (lease.until !== null && id !== undefined && !over.has(id)) || passed < KEPT;
  });
}

export const countTold = ({ told }: LeaseEntry, what: LeaseTold, id: InstanceId): number =>
  told.get(`${what} ${id}`) ?? 0;

export const wasTold = (entry: LeaseEntry, what: LeaseTold, id: InstanceId): boolean => countTold(entry, what, id) > 0;

/** An instance as an end knows it: by its ID, by the launch token of its label, or by both. */
export interface LeaseTarget {
  readonly id?: InstanceId | undefined;
  readonly token?: string | undefined;
  /** Of a launch that is about to be sent: what was listed before it. */
  readonly before?: Lease["before"];
}

/** Twins of a repeated launch have the same token: an end that was set for one of them is none of the other's. */
export function isLeaseFor({ lease, ids }: LeaseEntry, { id, token }: LeaseTarget): boolean {
  return (id !== undefined && ids.has(id)) || (token !== undefined && lease.id === undefined && lease.token === token);
}

/** Whether the start script of an instance has it end itself: so it does for all of its ends. */
export const endsItself = (entries: readonly LeaseEntry[], target: LeaseTarget): boolean =>
  entries.some((entry) => entry.lease.byItself === true && isLeaseFor(entry, target));

/** The end that holds for an instance, with or without a time. */
export function findLatestLease(entries: readonly LeaseEntry[], target: LeaseTarget): LeaseEntry | undefined {
  const own = entries.filter((entry) => isLeaseFor(entry, target));
  return own.length === 0 ? undefined : own.reduce((one, other) => (comesAfter(other, one) ? other : one));
}

function comesAfter(one: LeaseEntry, other: LeaseEntry): boolean {
  const [first, second] = [one.lease, other.lease];
  if (first.count !== second.count) return first.count > second.count;
  return first.at === second.at ? one.name > other.name : first.at > second.at;
}
