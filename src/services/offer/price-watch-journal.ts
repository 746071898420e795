// The prices that someone waits for, in write-once files that all windows share.

import { randomBytes } from "node:crypto";
import * as z from "zod";
import { EpochTime } from "../../domain/base/epoch-time.ts";
import { OfferId } from "../../domain/base/id.ts";
import { PriceWatch, SNOOZE, type ToldPrice, type WatchMemory } from "../../domain/offer/price-watch.ts";
import { isNear } from "../../lib/clock.ts";
import { isOfAccount } from "../core/account-mark.ts";
import { Book, type BookEntry, type BookTable, findHighest, listNumbers } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
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

/** `version`: of the watch, which is told again once it is another one. */
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

/** Whoever created the last one looks for all windows. No one does if it names no window. */
interface WatchLeader {
  readonly turn: number;
  readonly window: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

const Leader = z.object({ window: z.string().max(64), since: EpochTime });
type Kind = "watch" | "told" | "armed" | "snoozed" | "look" | "stopped";

const WATCHES: BookTable<Kind> = {
  entry: /wat-[0-9a-f]{20}/,
  // A window that dies halfway must not bring back a watch that was stopped.
  kinds: { watch: [6], told: [6], armed: [6], snoozed: [16], look: [16], stopped: [] },
  unread: "waits",
};
/** Whose turn it is to look for an account's key. */
const TURNS: BookTable<"leader"> = { entry: /[0-9a-f]{16}/, kinds: { leader: [9] }, unread: "waits" };
const DAY = 86_400_000;
/** Milliseconds that a watch of a sandbox is kept, which is gone long before. */
const KEPT_OF_SANDBOX = 7 * DAY;

export class PriceWatchJournal {
  readonly #watches: Book<Kind>;
  readonly #turns: Book<"leader">;

  constructor(folder: string, disk?: Disk) {
    this.#watches = new Book(WATCHES, folder, disk);
    this.#turns = new Book(TURNS, folder, disk);
  }

  /** @returns the name of its files. @throws the disk's error: no one may believe in a watch that wasn't written down. */
  async write(watch: PriceWatch): Promise<string> {
    const name = `wat-${randomBytes(10).toString("hex")}`;
    await this.#watches.create(name, ["watch", 1], watch);
    return name;
  }

  /** @returns false if another window changed it in the meantime. @throws the disk's error. */
  async change({ name, version }: Pick<WatchEntry, "name" | "version">, watch: PriceWatch): Promise<boolean> {
    return await this.#watches.create(name, ["watch", version + 1], watch);
  }

  async stop(name: string): Promise<void> {
    await this.#watches.create(name, "stopped");
  }

  /** In place of the one before, which may have been made while the clock was ahead. */
  async snooze(name: string, until: number): Promise<void> {
    await this.#replace(name, "snoozed", Math.floor(until));
  }

  /** Only the one with this number is left of its kind. */
  async #replace(name: string, kind: "snoozed" | "look", number: number, content?: WatchLook): Promise<void> {
    await this.#watches.create(name, [kind, number], content);
    const all = (await this.#watches.list()).get(name)?.get(kind) ?? [];
    for (const [other = 0] of all) if (other !== number) await this.#watches.remove(name, [kind, other]);
  }

  /** What was told so often counts no longer. */
  async rearm(name: string, timesTold: number): Promise<void> {
    if (timesTold > 0) await this.#watches.create(name, ["armed", timesTold]);
  }

  /** Whoever creates the file tells the person. @returns false if another window was faster. */
  async claimTold({ name, version, timesTold }: WatchEntry, told: ToldPrice): Promise<boolean> {
    return await this.#watches.create(name, ["told", timesTold + 1], { ...told, version } satisfies Told);
  }

  /** In place of the look before. */
  async noteLook(name: string, look: WatchLook): Promise<void> {
    await this.#replace(name, "look", Math.floor(look.at), look);
  }

  /** The watches of an account, the oldest first. Damaged and stopped ones are left out. @throws the disk's error. */
  async readAll(account: SignedIn): Promise<readonly WatchEntry[]> {
    return (await this.#readAll()).filter(({ watch }) => isOfAccount(watch, account));
  }

  async #readAll(): Promise<readonly WatchEntry[]> {
    const entries: WatchEntry[] = [];
    for (const [name, files] of await this.#watches.list()) {
      const entry = files.has("stopped") ? undefined : await this.#readEntry(name, files);
      if (entry) entries.push(entry);
    }
    return entries.sort((a, b) => a.watch.at - b.watch.at || (a.name < b.name ? -1 : 1));
  }

  async #readEntry(name: string, files: BookEntry<Kind>): Promise<WatchEntry | undefined> {
    const changed = await this.#readVersion(name, listNumbers(files, "watch"));
    if (!changed) return undefined;
    const { version, watch } = changed;
    const [timesTold, armed] = [findHighest(files, "told"), findHighest(files, "armed")];
    const told: Told[] = [];
    const counts = listNumbers(files, "told").filter((count) => count > armed);
    for (const count of counts.sort((a, b) => a - b)) {
      const one = await this.#watches.read(name, ["told", count], Told);
      if (one?.version === version) told.push(one);
    }
    const before = timesTold > 0 ? await this.#watches.read(name, ["told", timesTold], Told) : undefined;
    const look = files.has("look")
      ? await this.#watches.read(name, ["look", findHighest(files, "look")], WatchLook)
      : undefined;
    return {
      ...{ name, version, watch, told, timesTold, lastTold: before?.at },
      snoozedUntil: files.has("snoozed") ? findHighest(files, "snoozed") : undefined,
      look: look?.version === version ? look : undefined,
    };
  }

  /** The last one that can be read: another window may just be writing the next one. */
  async #readVersion(
    name: string,
    versions: readonly number[],
  ): Promise<Pick<WatchEntry, "version" | "watch"> | undefined> {
    for (const version of [...versions].sort((a, b) => b - a)) {
      const watch = await this.#watches.read(name, ["watch", version], PriceWatch);
      if (watch) return { version, watch };
    }
    return undefined;
  }

  /** Who looks for an account's key. @throws the disk's error. */
  async readLeader(tag: string): Promise<WatchLeader | undefined> {
    const turn = findHighest((await this.#turns.list()).get(tag), "leader");
    if (turn === 0) return undefined;
    const { window = "", since = 0 } = (await this.#turns.read(tag, ["leader", turn], Leader)) ?? {};
    return { turn, window, since };
  }

  /** @returns whether this window has the turn: another one may have been faster, or have had a later one already. */
  async claimTurn(tag: string, { turn, window, since }: WatchLeader): Promise<boolean> {
    if (!(await this.#turns.create(tag, ["leader", turn], { window, since }))) return false;
    const turns = listNumbers((await this.#turns.list()).get(tag), "leader");
    for (const before of turns.filter((one) => one < turn)) await this.#turns.remove(tag, ["leader", before]);
    return Math.max(...turns) === turn;
  }

  /** Removes what was stopped or left over, and watches of sandboxes. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const [name, files] of await this.#watches.list()) {
      const entry = files.has("stopped") ? undefined : await this.#readVersion(name, listNumbers(files, "watch"));
      const isOutdated = entry?.watch.sandbox === true && now - entry.watch.at > KEPT_OF_SANDBOX;
      if (files.has("stopped") || !files.has("watch") || isOutdated) await this.#watches.removeEntry(name);
      else
        for (const until of listNumbers(files, "snoozed"))
          if (!isNear(now, until, SNOOZE)) await this.#watches.remove(name, ["snoozed", until]);
    }
  }
}
