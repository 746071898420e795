// The person's orders to stop or destroy an instance once it is idle: a window that is open warns of it and carries it out. What was
// ordered in one window holds in all, each of them counts for itself, and one of them acts.
import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import {
  calculateWarningTime,
  type IdleOrdered,
  type IdleWish,
  MOST_IDLE_ORDERS,
} from "../../../domain/instance/idle-order.ts";
import type { Instance } from "../../../domain/instance/instance.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { t } from "../../../lib/text.ts";
import { toAccountMark } from "../../core/account-mark.ts";
import { DueReading } from "../../core/book/due-reading.ts";
import { getLast } from "../../core/loaded.ts";
import type { ScheduledJob, Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { AutoStopAttempts } from "../auto-stops/auto-stop-attempts.ts";
import type { InstanceOrders } from "../instance-orders.ts";
import type { InstancesService } from "../instances.ts";
import type { OrderJournal } from "../order-journal.ts";
import type { OrderEnd } from "../order-notices.ts";
import { HeldIdleOrders } from "./held-idle-orders.ts";
import { findLatestOrder, type IdleEntry, type IdleJournal } from "./idle-journal.ts";
import { IdleLaunches } from "./idle-launches.ts";
import type { IdleWatch } from "./idle-watch.ts";

/** What a window tells its person. `name` is that of the order. */
export type IdleOrderNotice = {
  readonly account: SignedIn;
  readonly instance: Instance;
  readonly wish: IdleWish;
  readonly name: string;
} & ({ readonly kind: "soon"; readonly minutesLeft: number } | { readonly kind: "ended"; readonly result: OrderEnd });

/** `late`: the order before may have been carried out already. `changed`: what it was to replace no longer holds; nothing was set. */
type IdleChange = "set" | "late" | "changed";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly orderJournal: OrderJournal;
  readonly journal: IdleJournal;
  readonly watch: IdleWatch;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** What this window knows of an order that holds, in monotonic milliseconds. */
interface Known {
  /** Nothing before counts. */
  readonly from: number;
  /** When the stretch without work began that the rest is about. */
  since: number | undefined;
  /** How many warnings there were by then. */
  before: number;
  /** When a warning was seen after it. */
  warnedAt: number | undefined;
}

const MINUTE = 60_000;
/** Milliseconds between looks. */
const LOOK_EVERY = 30_000;
/** Milliseconds after what was warned of should have come, and didn't: then the person is warned again. */
const STALE = 10 * MINUTE;

export class IdleOrders implements Disposable {
  readonly #parts: Parts;
  readonly #ends: AutoStopAttempts;
  readonly #launches: IdleLaunches;
  readonly #job: ScheduledJob;
  readonly #listening: readonly Disposable[];
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<IdleOrderNotice>();
  readonly onNotice = this.#notices.event;
  /** Of the signed-in account. */
  readonly held = new HeldIdleOrders();
  /** By the name of the order. */
  readonly #known = new Map<string, Known>();
  readonly #due: DueReading;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#due = new DueReading(LOOK_EVERY, parts.scheduler.clock);
    this.#ends = new AutoStopAttempts({ ...parts, clock: parts.scheduler.clock });
    this.#launches = new IdleLaunches(parts);
    this.#job = parts.scheduler.add({ id: "idle-orders", wait: () => this.#wait(), run: () => this.#check() });
    this.#listening = [
      parts.session.onDidChange(() => this.#restart()),
      parts.instances.collection.store.onDidChange(() => {
        if (this.#launches.hasNew()) this.wake();
      }),
    ];
    parts.watch.guard((id) => this.held.entries.has(id));
    this.wake();
  }

  /** What is done once it is idle, if the person ordered that and no one has carried it out. */
  getWish({ id }: Pick<Instance, "id">): IdleOrdered | undefined {
    return this.held.getWish(id);
  }

  /** As `IdleLaunches.set` does it. */
  async setOfLaunch(...order: Parameters<IdleLaunches["set"]>): Promise<void> {
    await this.#launches.set(...order);
    this.wake();
  }

  isOrdered(id: InstanceId): boolean {
    return this.held.entries.has(id);
  }

  /** Whether there are orders, which need a reading each minute. */
  get needsReadings(): boolean {
    return this.held.entries.size > 0;
  }

  /** The orders couldn't be read twice in a row: this window doesn't carry them out. */
  get onDidGetStuck(): DueReading["onDidGetStuck"] {
    return this.#due.onDidGetStuck;
  }

  /** This or another window wrote something. */
  wake(): void {
    this.#due.mark();
    this.#job.plan();
  }

  #restart(): void {
    this.held.read([]);
    this.#launches.clear();
    this.#known.clear();
    this.#changes.fire();
    this.wake();
  }

  #wait(): number | undefined {
    if (this.#parts.session.current.kind !== "signed-in") return undefined;
    if (this.#due.wait !== undefined) return this.#due.wait;
    return this.held.entries.size > 0 ? LOOK_EVERY : undefined;
  }

  /**
   * Orders what happens to an idle instance, or takes it back. With `instead`, only if the order of that name still holds. Idleness is
   * counted from now on.
   * @throws AppError `rejected` if the account was left; the disk's error: then nothing has changed.
   */
  async set(account: SignedIn, id: InstanceId, wish: IdleWish | undefined, instead?: string): Promise<IdleChange> {
    const { session, journal, scheduler } = this.#parts;
    session.assertStill(account);
    // What was ordered before the launch comes before this.
    await this.#launches.give(account);
    const before = (await journal.readAll(account)).filter(({ order }) => order.id === id);
    const unread = await journal.findHighestCount(id);
    session.assertStill(account);
    const last = findLatestOrder(before, id);
    if (instead !== undefined && (last?.name !== instead || last.isOver)) return "changed";
    const isUnread = last ? last.isDoubted : unread > 0;
    if (!wish && (!last?.order.wish || last.isOver) && !isUnread) return "set";
    try {
      const at = Math.max(Math.floor(scheduler.clock.now()), ...before.map(({ order }) => order.at + 1));
      const count = Math.min(MOST_IDLE_ORDERS, Math.max(unread, ...before.map(({ order }) => order.count)) + 1);
      const order = { version: 1, id, ...toAccountMark(account), wish: wish ?? null, at, count } as const;
      const name = await journal.write(order, last);
      const others = (await journal.readAll(account)).filter((entry) => entry.order.id === id && entry.name !== name);
      const inTime = await Promise.all(others.map((entry) => this.#callOff(entry))).catch(() => [false]);
      return inTime.every(Boolean) ? "set" : "late";
    } finally {
      // A look that is under way may have begun before.
      const now = await journal.readAll(account).catch(() => undefined);
      if (now && session.current === account) this.held.read(now);
      await this.#job.runNow();
      this.wake();
    }
  }

  async #callOff({ name, isOver, order: { id } }: IdleEntry): Promise<boolean> {
    return await this.#ends.callOff({ name, over: new Set(isOver ? [id] : []) }, id);
  }

  async #check(): Promise<void> {
    const account = this.#parts.session.current;
    if (account.kind !== "signed-in") return;
    await this.#due.run(() => this.#readAll(account));
    for (const entry of this.held.entries.values()) {
      if (this.#parts.session.current !== account) return;
      if (await this.#ends.wasCarriedOut(entry, entry.order.id)) await this.#noteOver(entry.name);
      else
        await this.#handle(account, entry).catch((error) =>
          this.#parts.log.warn("What was ordered for an idle instance couldn't be done.", error),
        );
    }
  }

  async #readAll(account: SignedIn): Promise<void> {
    const { journal, session, scheduler, watch } = this.#parts;
    await watch.readOthers(account);
    // Those that were given before hold, also where the disk takes no more.
    const failure = await this.#launches.giveIfPossible(account);
    const all = await journal.readAll(account);
    if (session.current !== account) return;
    this.held.read(all);
    const from = scheduler.clock.elapsed();
    for (const { name, warnings, order } of this.held.entries.values()) {
      const known = this.#known.get(name) ?? { from, since: undefined, before: warnings, warnedAt: undefined };
      this.#known.set(name, known);
      const since = watch.getQuietSince(order.id);
      if (since !== known.since) Object.assign(known, { since, before: warnings, warnedAt: undefined });
      if (warnings > known.before) known.warnedAt ??= from;
    }
    this.#changes.fire();
    if (failure) throw failure;
  }

  async #handle(account: SignedIn, entry: IdleEntry): Promise<void> {
    const { watch, scheduler } = this.#parts;
    const { name, order } = entry;
    const { id, wish } = order;
    const known = this.#known.get(name);
    if (!wish || !known || entry.isDoubted) return;
    if (!watch.find(id)) return await this.#endGone(account, entry);
    if (watch.getIdleTime(id, calculateWarningTime(wish.minutes), known.from) === undefined) return;
    const lead = (wish.minutes - calculateWarningTime(wish.minutes)) * MINUTE;
    const warned = known.warnedAt === undefined ? undefined : scheduler.clock.elapsed() - known.warnedAt;
    if (warned === undefined || warned > lead + STALE) return await this.#warn(account, entry, wish);
    if (warned >= lead && watch.getIdleTime(id, wish.minutes, known.from) !== undefined)
      await this.#act(account, entry, { wish, known });
  }

  /** Where another window was faster, its warning is read with the next look. */
  async #warn(account: SignedIn, entry: IdleEntry, wish: IdleWish): Promise<void> {
    const { journal, session, watch } = this.#parts;
    const instance = watch.find(entry.order.id);
    const isOurs = await journal.claimWarning(entry.name, entry.warnings + 1);
    const known = this.#known.get(entry.name);
    if (known) known.warnedAt = undefined;
    this.wake();
    if (!isOurs || !instance || session.current !== account) return;
    const minutesLeft = Math.round(wish.minutes - calculateWarningTime(wish.minutes));
    this.#notices.fire({ kind: "soon", account, instance, wish, name: entry.name, minutesLeft });
  }

  async #act(
    account: SignedIn,
    { name, order: { id } }: IdleEntry,
    { wish, known }: { readonly wish: IdleWish; readonly known: Known },
  ): Promise<void> {
    const { watch, journal, session } = this.#parts;
    const instance = await watch.recheck(account, id);
    const isIdle = () => session.current === account && watch.getIdleTime(id, wish.minutes, known.from) !== undefined;
    if (!instance || !isIdle()) return;
    const recheck = async () => {
      await watch.readOthers(account);
      const last = findLatestOrder(await journal.readAll(account), id);
      if (last?.name !== name || last.isOver) return "replaced";
      if (last.isDoubted) return "late";
      // The order stays: it is for the next time that it is idle.
      if (!isIdle()) throw new AppError("cancelled", t("Instance {0} is no longer idle.", id));
      return "holds";
    };
    const entry = { name, over: new Set<InstanceId>() };
    const tell = (result: OrderEnd) => this.#notices.fire({ kind: "ended", account, instance, wish, name, result });
    const wanted = { entry, id, kind: wish.ending, recheck, isRecurring: true, tell };
    if (await this.#ends.carryOut(account, wanted)) await this.#noteOver(name);
  }

  async #noteOver(name: string): Promise<void> {
    await this.#parts.journal.noteOver(name);
    this.wake();
  }

  /** An instance that is gone needs no order. One list may lag, so the service is asked for it as well, as often as that takes. */
  async #endGone(account: SignedIn, { name, order: { id } }: IdleEntry): Promise<void> {
    const { whereabouts, collection } = this.#parts.instances;
    const list = getLast(collection.store.current)?.value;
    if (!list?.complete || list.unread || !list.listed || list.rows.some(({ value }) => value.id === id)) return;
    const { kind } = await whereabouts.find(account, id);
    if (kind === "missing" && (await whereabouts.isGone(account, id))) await this.#noteOver(name);
  }

  dispose(): void {
    this.#job.dispose();
    for (const one of this.#listening) one.dispose();
    this.#due.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
  }
}
