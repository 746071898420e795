// Prices that someone waits for: one window looks every few minutes while an editor is open, and tells once when one is reached. It never
// rents anything.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import { MOST_OFFERS } from "../../domain/offer/offer-search.ts";
import {
  calculateLookPause,
  findBest,
  judgeLook,
  MOST_WATCHES,
  type PriceWatch,
  SNOOZE,
  toMachineKey,
  toWatchSearch,
} from "../../domain/offer/price-watch.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { toAccountMark } from "../core/account-mark.ts";
import type { Disk } from "../core/book/disk.ts";
import { DueReading } from "../core/book/due-reading.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { FoundOffers, OffersService } from "./offers.ts";
import { PriceWatchJournal, type WatchEntry, type WatchLook } from "./price-watch-journal.ts";
import { PriceWatchLeader } from "./price-watch-leader.ts";

/** That a price was reached. */
export interface PriceNotice {
  readonly account: SignedIn;
  /** Of the watch. */
  readonly name: string;
  readonly watch: PriceWatch;
  readonly offer: Offer;
}

/** What someone waits for. */
export type WatchWish = Pick<PriceWatch, "search" | "goal" | "template" | "configured">;

interface Parts {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  /** Minutes between two looks. */
  readonly minutes: () => number;
  readonly log: Log;
}

/** Milliseconds between looks at the clock and at the other windows: a computer that slept must not wait for a long timer. */
const TICK = 60_000;

export class PriceWatches implements Disposable {
  readonly #parts: Parts;
  readonly #journal: PriceWatchJournal;
  readonly #leader: PriceWatchLeader;
  readonly #job: ScheduledJob;
  readonly #listening: Disposable;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<PriceNotice>();
  readonly onNotice = this.#notices.event;
  /** Of the signed-in account. */
  #entries: readonly WatchEntry[] = [];
  /** The last looks of this window, by the names of the watches. */
  readonly #looks = new Map<string, WatchLook>();
  #isLeading = false;
  readonly #due: DueReading;
  /** The account's key was refused: it will be refused again. */
  #refused: SignedIn | undefined;
  #isExcluded: (offer: Offer) => boolean = () => false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#due = new DueReading(TICK, parts.scheduler.clock);
    this.#journal = new PriceWatchJournal(parts.folder, parts.disk);
    this.#leader = new PriceWatchLeader({ ...parts, journal: this.#journal, clock: parts.scheduler.clock });
    this.#job = parts.scheduler.add({ id: "price-watches", wait: () => this.#wait(), run: () => this.#run() });
    this.#listening = parts.session.onDidChange(() => this.#restart());
    this.wake();
  }

  /** How many prices of the signed-in account are watched. */
  get count(): number {
    return this.#entries.length;
  }

  /** Offers that are never told of: those on machines that the person blocked. */
  leaveOut(isExcluded: (offer: Offer) => boolean): void {
    this.#isExcluded = isExcluded;
  }

  /** This or another window wrote something. */
  wake(): void {
    this.#due.mark();
    this.#job.plan();
  }

  /** As the files are now, the oldest first. @throws the disk's error. */
  async list(account: SignedIn): Promise<readonly WatchEntry[]> {
    // Two windows may have added one at the same moment.
    return (await this.#journal.readAll(account)).slice(0, MOST_WATCHES);
  }

  /**
   * Watches a price from now on. @returns the name of the watch.
   * @throws AppError `rejected` if there are five already; the disk's error.
   */
  async add(account: SignedIn, wish: WatchWish): Promise<string> {
    if ((await this.list(account)).length >= MOST_WATCHES) throw tooMany();
    this.#parts.session.assertStill(account);
    const name = await this.#journal.write(this.#describe(account, wish));
    const isKept = await this.#isThere(account, name);
    if (!isKept) await this.#journal.stop(name);
    this.wake();
    if (!isKept) throw tooMany();
    return name;
  }

  /** Another goal or search. It is told again. @returns false if the watch was changed or stopped in the meantime. */
  async change(account: SignedIn, entry: WatchEntry, wish: WatchWish): Promise<boolean> {
    if (!(await this.#isThere(account, entry.name))) return false;
    this.#parts.session.assertStill(account);
    const isChanged = await this.#journal.change(entry, { ...this.#describe(account, wish), at: entry.watch.at });
    this.wake();
    return isChanged;
  }

  /** Tells nothing for an hour, in whichever window. @returns false if the watch was stopped in the meantime. */
  async snooze(account: SignedIn, name: string): Promise<boolean> {
    if (!(await this.#isThere(account, name))) return false;
    await this.#journal.snooze(name, this.#parts.scheduler.clock.now() + SNOOZE);
    this.wake();
    return true;
  }

  /** @returns false if the watch was stopped before. */
  async stop(account: SignedIn, name: string): Promise<boolean> {
    if (!(await this.#isThere(account, name))) return false;
    await this.#journal.stop(name);
    this.wake();
    return true;
  }

  async #isThere(account: SignedIn, name: string): Promise<boolean> {
    return (await this.list(account)).some((entry) => entry.name === name);
  }

  #describe(account: SignedIn, { search, goal, template }: WatchWish): PriceWatch {
    const { filters, type, sort, diskGb, limit } = search;
    const own = limit === undefined ? {} : { limit };
    return {
      ...{ version: 1, ...toAccountMark(account), search: { filters, type, sort, diskGb, ...own }, goal },
      ...(template === undefined ? {} : { template }),
      at: this.#parts.scheduler.clock.now(),
    };
  }

  #restart(): void {
    this.#entries = [];
    this.#looks.clear();
    this.#refused = undefined;
    this.#leader.resign().catch((error) => this.#parts.log.debug("Another window takes over later.", error));
    this.#changes.fire();
    this.wake();
  }

  #wait(): number | undefined {
    const account = this.#parts.session.current;
    if (account.kind !== "signed-in" || account === this.#refused) return undefined;
    if (this.#due.wait !== undefined) return this.#due.wait;
    if (this.#entries.length === 0) return undefined;
    if (!this.#isLeading) return TICK;
    return Math.min(TICK, ...this.#entries.map((entry) => this.#left(entry)));
  }

  /** Milliseconds until the next look at a watch: at once if the clock was set back since the last one. */
  #left({ look }: WatchEntry): number {
    const now = this.#parts.scheduler.clock.now();
    if (!look || look.at > now) return 0;
    // The setting may be another one by now.
    const latest = look.at + calculateLookPause(this.#parts.minutes(), look.refusals, 1);
    return Math.max(0, Math.min(look.next, latest) - now);
  }

  async #run(): Promise<void> {
    const account = this.#parts.session.current;
    if (account.kind !== "signed-in") return;
    await this.#due.run(() => this.#takeTurn(account));
    if (!this.#isLeading) return;
    for (const entry of this.#entries)
      if (this.#left(entry) === 0 && this.#parts.session.current === account && account !== this.#refused)
        await this.#check(account, entry);
  }

  async #takeTurn(account: SignedIn): Promise<void> {
    await this.#readAll(account);
    if (this.#parts.session.current !== account) return;
    if (this.#entries.length === 0) await this.#leader.resign();
    this.#isLeading = this.#entries.length > 0 && (await this.#leader.lead(account));
    // The account was left while the turn was taken: no one would look as long as this window is open.
    if (this.#parts.session.current !== account) await this.#leader.resign();
  }

  async #readAll(account: SignedIn): Promise<void> {
    const entries = await this.list(account);
    const now = this.#parts.scheduler.clock.now();
    if (this.#parts.session.current !== account) return;
    // What couldn't be written down holds all the same: a full disk is no reason to ask the service more often.
    this.#entries = entries.map((entry) => {
      const own = this.#looks.get(entry.name);
      const at = entry.look?.at ?? 0;
      const isNewer = own?.version === entry.version && (own.at > at || at > now);
      return isNewer ? { ...entry, look: own } : entry;
    });
    this.#changes.fire();
  }

  /** One request; another one if all that it finds can't be rented. */
  async #check(account: SignedIn, entry: WatchEntry): Promise<void> {
    const { offers, session } = this.#parts;
    const search = toWatchSearch(entry.watch);
    const isUsable = (offer: Offer) => !this.#isExcluded(offer) && findBest(entry.watch.goal, [offer]) !== undefined;
    try {
      const first = await offers.searchIn(account, search);
      const isHidden = first.offers.length + first.unreadable >= search.limit && !first.offers.some(isUsable);
      const found = isHidden ? await offers.searchIn(account, { ...search, limit: MOST_OFFERS }) : first;
      if (session.current === account) await this.#judge(account, entry, found);
    } catch (thrown) {
      const error = asAppError(thrown);
      if (session.current !== account) return;
      if (error.kind === "key-refused") this.#refused = account;
      // A failure of another kind in between says nothing of what the service can bear by now.
      const refusals = (entry.look?.refusals ?? 0) + Number(error.kind === "too-fast");
      await this.#note(entry, { isMet: false, problem: error.message, refusals });
    }
  }

  async #judge(account: SignedIn, { name, version }: WatchEntry, found: FoundOffers): Promise<void> {
    const { session, scheduler } = this.#parts;
    // It may have been changed, snoozed or stopped in the meantime.
    const entry = (await this.list(account)).find((one) => one.name === name);
    if (entry?.version !== version || session.current !== account) return;
    const now = scheduler.clock.now();
    const allowed = found.offers.filter((offer) => !this.#isExcluded(offer));
    const { best, isMet, rearms, tells } = judgeLook(entry.watch.goal, allowed, entry, now);
    // What can't be read may be the very offer that was told.
    if (rearms && (best || found.unreadable === 0)) await this.#journal.rearm(name, entry.timesTold);
    const cheapest = best ? { best: { id: best.offer.id, price: best.price } } : {};
    await this.#note(entry, { isMet, refusals: 0, ...cheapest });
    if (!tells || !best || session.current !== account) return;
    if (!(await this.#journal.claimTold(entry, { machine: toMachineKey(best.offer), at: now }))) return;
    if (session.current === account) this.#notices.fire({ account, name, watch: entry.watch, offer: best.offer });
    // No one was there to be told.
    else await this.#journal.rearm(name, entry.timesTold + 1);
  }

  async #note(
    { name, version }: WatchEntry,
    found: Pick<WatchLook, "best" | "isMet" | "problem" | "refusals">,
  ): Promise<void> {
    const at = this.#parts.scheduler.clock.now();
    const next = at + calculateLookPause(this.#parts.minutes(), found.refusals, Math.random());
    const look = { ...found, version, at, next };
    this.#looks.set(name, look);
    this.#entries = this.#entries.map((entry) => (entry.name === name ? { ...entry, look } : entry));
    await this.#journal.noteLook(name, look);
    this.#changes.fire();
  }

  tidy(): Promise<void> {
    return this.#journal.tidy(this.#parts.scheduler.clock.now());
  }

  dispose(): void {
    this.#job.dispose();
    this.#listening.dispose();
    this.#leader.dispose();
    this.#due.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
  }
}

const tooMany = (): AppError =>
  new AppError("rejected", t("You can watch up to {0} prices. Stop watching one of them first.", MOST_WATCHES));
