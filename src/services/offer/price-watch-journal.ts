// The prices that somebody waits for, in write-once files that all windows share.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { EpochTime } from "../../domain/base/epoch-time.ts";
import { OfferId } from "../../domain/base/id.ts";
import { PriceWatch, SNOOZE, type ToldPrice, type WatchMemory } from "../../domain/offer/price-watch.ts";
import { isOfAccount } from "../core/account-mark.ts";
import { createObject, type Disk, readObject, realDisk } from "../core/disk.ts";
import type { SignedIn } from "../core/session.ts";

/** What a look found, for the windows that didn't look. */
const WatchLook = z.object({
  /** Of the watch, whose goal was another one before. */
  version: z.int(),
  /** When it was, and when the next one is due, in epoch milliseconds. */
  at: EpochTime,
  next: EpochTime,
  /** How often in a row the service asked for fewer requests. */
  refusals: z.int().min(0).max(1000),
  /** The cheapest offer, in dollars per hour or per hour and GPU, as the goal says. None if nothing matched. */
  best: z.object({ id: OfferId, price: z.number().positive() }).optional(),
  isMet: z.boolean(),
  /** Why nothing is known. */
  problem: z.string().max(500).optional(),
});
export type WatchLook = z.infer<typeof WatchLook>;

/** `version`: of the watch, which is told anew once it is another one. */
const Told = z.object({ version: z.int(), machine: z.string().max(100), at: EpochTime });
type Told = z.infer<typeof Told>;

/** One watch as its files say it. */
export interface WatchEntry extends WatchMemory {
  /** Of its files. */
  readonly name: string;
  /** Counts its changes. */
  readonly version: number;
  readonly watch: PriceWatch;
  /** How often it was told. */
  readonly timesTold: number;
  /** The last look at this version. */
  readonly look: WatchLook | undefined;
}

interface Files {
  /** The numbers of each kind of file, in no order. */
  readonly numbers: Map<string, number[]>;
  isStopped: boolean;
}

/** Whoever created the last one looks for all windows. Nobody does if it names no window. */
export interface WatchLeader {
  readonly turn: number;
  readonly window: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

const Leader = z.object({ window: z.string().max(64), since: EpochTime });
const NAME = /^(wat-[0-9a-f]{20})\.(?:(watch|told|armed)-(\d{1,6})|(snoozed|look)-(\d{1,16})|(stopped))$/;
const LEADER = /^([0-9a-f]{16})\.leader-(\d{1,9})$/;
const DAY = 86_400_000;
/** Milliseconds that a watch of a sandbox is kept, which is gone long before. */
const KEPT_OF_SANDBOX = 7 * DAY;

export class PriceWatchJournal {
  readonly #folder: string;
  readonly #disk: Disk;
  /** What files say never changes. */
  readonly #read = new Map<string, unknown>();

  constructor(folder: string, disk: Disk = realDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** @returns the name of its files. @throws the disk's error: nobody may believe in a watch that wasn't written down. */
  async write(watch: PriceWatch): Promise<string> {
    await this.#disk.names(this.#folder);
    const name = `wat-${randomBytes(10).toString("hex")}`;
    await createObject(this.#disk, this.#path(`${name}.watch-1`), watch);
    return name;
  }

  /** @returns false if another window changed it meanwhile. @throws the disk's error. */
  async change({ name, version }: Pick<WatchEntry, "name" | "version">, watch: PriceWatch): Promise<boolean> {
    return await createObject(this.#disk, this.#path(`${name}.watch-${version + 1}`), watch);
  }

  async stop(name: string): Promise<void> {
    await this.#disk.create(this.#path(`${name}.stopped`), "");
  }

  /** In place of the one before, which may have been made while the clock was ahead. */
  async snooze(name: string, until: number): Promise<void> {
    const file = `${name}.snoozed-${Math.floor(until)}`;
    await this.#disk.create(this.#path(file), "");
    await this.#removeOthers(`${name}.snoozed-`, file);
  }

  async #removeOthers(head: string, file: string): Promise<void> {
    for (const other of await this.#disk.names(this.#folder))
      if (other.startsWith(head) && other !== file) await this.#disk.remove(this.#path(other));
  }

  /** What was told so often counts no longer. */
  async rearm(name: string, timesTold: number): Promise<void> {
    if (timesTold > 0) await this.#disk.create(this.#path(`${name}.armed-${timesTold}`), "");
  }

  /** Whoever creates the file tells the person. @returns false if another window was faster. */
  async claimTold({ name, version, timesTold }: WatchEntry, told: ToldPrice): Promise<boolean> {
    const file = this.#path(`${name}.told-${timesTold + 1}`);
    return await createObject(this.#disk, file, { ...told, version } satisfies Told);
  }

  /** In place of the look before. */
  async noteLook(name: string, look: WatchLook): Promise<void> {
    const file = `${name}.look-${Math.floor(look.at)}`;
    await createObject(this.#disk, this.#path(file), look);
    await this.#removeOthers(`${name}.look-`, file);
  }

  /** The watches of an account, the oldest first. Damaged and stopped ones are left out. @throws the disk's error. */
  async all(account: SignedIn): Promise<readonly WatchEntry[]> {
    return (await this.#readAll()).filter(({ watch }) => isOfAccount(watch, account));
  }

  async #collect(): Promise<ReadonlyMap<string, Files>> {
    const names = await this.#disk.names(this.#folder);
    const known = new Set(names);
    for (const file of this.#read.keys()) if (!known.has(file)) this.#read.delete(file);
    const found = new Map<string, Files>();
    for (const file of names) readName(found, file);
    return found;
  }

  async #readAll(): Promise<readonly WatchEntry[]> {
    const found = await this.#collect();
    const entries: WatchEntry[] = [];
    for (const [name, files] of found) {
      const entry = files.isStopped ? undefined : await this.#readEntry(name, files);
      if (entry) entries.push(entry);
    }
    return entries.sort((a, b) => a.watch.at - b.watch.at || (a.name < b.name ? -1 : 1));
  }

  async #readEntry(name: string, { numbers }: Files): Promise<WatchEntry | undefined> {
    const last = (kind: string) => Math.max(0, ...(numbers.get(kind) ?? []));
    const changed = await this.#readVersion(name, numbers.get("watch") ?? []);
    if (!changed) return undefined;
    const { version, watch } = changed;
    const [timesTold, armed] = [last("told"), last("armed")];
    const told: Told[] = [];
    const counts = (numbers.get("told") ?? []).filter((count) => count > armed);
    for (const count of counts.sort((a, b) => a - b)) {
      const one = await this.#parse(`${name}.told-${count}`, Told);
      if (one?.version === version) told.push(one);
    }
    const before = timesTold > 0 ? await this.#parse(`${name}.told-${timesTold}`, Told) : undefined;
    const look = await this.#parse(`${name}.look-${last("look")}`, WatchLook);
    return {
      ...{ name, version, watch, told, timesTold, lastTold: before?.at },
      snoozedUntil: numbers.has("snoozed") ? last("snoozed") : undefined,
      look: look?.version === version ? look : undefined,
    };
  }

  /** The last one that can be read: another window may just be writing the next one. */
  async #readVersion(
    name: string,
    versions: readonly number[],
  ): Promise<Pick<WatchEntry, "version" | "watch"> | undefined> {
    for (const version of [...versions].sort((a, b) => b - a)) {
      const watch = await this.#parse(`${name}.watch-${version}`, PriceWatch);
      if (watch) return { version, watch };
    }
    return undefined;
  }

  /** Who looks for an account's key. @throws the disk's error. */
  async leader(tag: string): Promise<WatchLeader | undefined> {
    const turn = Math.max(0, ...(await this.#turns(tag)));
    if (turn === 0) return undefined;
    const { window = "", since = 0 } = (await this.#parse(`${tag}.leader-${turn}`, Leader)) ?? {};
    return { turn, window, since };
  }

  async #turns(tag: string): Promise<readonly number[]> {
    const names = await this.#disk.names(this.#folder);
    return names.flatMap((file) => {
      const [, of, turn] = LEADER.exec(file) ?? [];
      return of === tag ? [Number(turn)] : [];
    });
  }

  /** @returns whether this window has the turn: another one may have been faster, or have had a later one already. */
  async claimTurn(tag: string, { turn, window, since }: WatchLeader): Promise<boolean> {
    if (!(await createObject(this.#disk, this.#path(`${tag}.leader-${turn}`), { window, since }))) return false;
    const turns = await this.#turns(tag);
    for (const before of turns.filter((one) => one < turn))
      await this.#disk.remove(this.#path(`${tag}.leader-${before}`));
    return Math.max(...turns) === turn;
  }

  async #parse<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
    if (this.#read.has(file)) return this.#read.get(file) as T | undefined;
    const value = await readObject(this.#disk, this.#path(file), schema);
    // Another window may just be writing it.
    if (value !== undefined) this.#read.set(file, value);
    return value;
  }

  /** Removes what was stopped or left over, and watches of sandboxes. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const isOutdated = ({ watch }: WatchEntry) => watch.sandbox === true && now - watch.at > KEPT_OF_SANDBOX;
    const outdated = new Set((await this.#readAll()).filter(isOutdated).map(({ name }) => name));
    const found = await this.#collect();
    const names = await this.#disk.names(this.#folder);
    // What says that a watch was stopped goes last: a window that dies halfway must not bring it back.
    for (const file of names.toSorted((a, b) => Number(isEnd(a)) - Number(isEnd(b)))) {
      const [, name = "", , , kind, until] = NAME.exec(file) ?? [];
      const files = found.get(name);
      // One that came meanwhile.
      if (!files) continue;
      const isOver = files.isStopped || !files.numbers.has("watch") || outdated.has(name);
      const isOldSnooze = kind === "snoozed" && Math.abs(now - Number(until)) > SNOOZE;
      if (isOver || isOldSnooze) await this.#disk.remove(this.#path(file));
    }
  }

  #path(file: string): string {
    return join(this.#folder, file);
  }
}

function readName(found: Map<string, Files>, file: string): void {
  const [, name, counted, count, dated, at, stopped] = NAME.exec(file) ?? [];
  if (name === undefined) return;
  const files = found.get(name) ?? { numbers: new Map(), isStopped: false };
  found.set(name, files);
  if (stopped !== undefined) files.isStopped = true;
  const kind = counted ?? dated;
  if (kind !== undefined) files.numbers.set(kind, [...(files.numbers.get(kind) ?? []), Number(count ?? at)]);
}

const isEnd = (file: string): boolean => file.endsWith(".stopped");
