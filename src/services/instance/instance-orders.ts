// Destroying and stopping: one queue for one machine or many. Orders are recorded first, sent once, and verified with
// the service. If this window closes halfway, the next window takes over.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { isOfAccount } from "../core/account-mark.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "./instances.ts";
import { LeftOrders } from "./left-orders.ts";
import { createOrderToken, isSecondOrder, type Order, type OrderJournal, type OrderKind } from "./order-journal.ts";
import { listFailures, OrderAcknowledgments, type OrderEnd, type OrderNotice } from "./order-notices.ts";
import { OrderQueue } from "./order-queue.ts";
import type { OrderReasons, ReasonStatus } from "./order-reasons.ts";
import { type OrderEntry, OwnOrders } from "./own-orders.ts";

/** An instance as the person saw it when they confirmed. */
interface OrderedRow {
  readonly value: Pick<Instance, "id">;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: OrderJournal;
  readonly reasons: OrderReasons;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly liveness: Liveness;
}

/** An order that all windows know by the same token. */
interface OrderOnce {
  readonly token: string;
  /** The name of what it is carried out for. */
  readonly reason: string;
  readonly version?: Order["version"];
  /** Whether that still holds. */
  readonly recheck: () => Promise<ReasonStatus>;
}

/** Orders that another window seems to be carrying out are checked again after this time. */
const AGAIN_MS = 10_000;

export class InstanceOrders implements Disposable {
  readonly #parts: Parts;
  /** By account and instance: an instance ID means nothing in another account. */
  readonly #entries = new Map<string, OrderEntry>();
  readonly #own: OwnOrders;
  readonly #acknowledgments: OrderAcknowledgments;
  readonly #left: LeftOrders;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<OrderNotice>();
  readonly onNotice = this.#notices.event;
  readonly #destroyed = new Emitter<{ readonly account: SignedIn; readonly id: InstanceId }>();
  /** Fires for each instance that the service confirmed to be destroyed. */
  readonly onDidDestroy = this.#destroyed.event;
  readonly #listening: Disposable;
  readonly #clock: Clock;
  readonly #following: ScheduledJob;
  /** Something was written, or the account changed: the journal is read at once. */
  #isDue = true;
  /** Whether the journal has open orders of this account, which may need this window later. */
  #isFollowing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#clock = parts.scheduler.clock;
    this.#own = new OwnOrders({ ...parts, clock: this.#clock });
    this.#acknowledgments = new OrderAcknowledgments(parts.liveness, (token, fact) => this.#own.note(token, fact));
    this.#left = new LeftOrders({
      ...{ ...parts, clock: this.#clock, acknowledgments: this.#acknowledgments, ownOrders: this.#own },
      isOwn: (account, { token, order }) => this.#entries.get(keyOf(account, order.id))?.token === token,
      work: async (account, kind, entries) => {
        this.#enter(account, entries);
        return await this.#work(account, kind, entries);
      },
      tell: (notice) => this.#notices.fire(notice),
    });
    this.#following = parts.scheduler.add({
      id: "other-orders",
      wait: () => this.#wait(),
      run: () => this.#follow(),
    });
    this.#listening = parts.session.onDidChange(() => this.#begin());
    this.#begin();
  }

  /** What is in progress for an instance of the signed-in account. */
  getStage(id: InstanceId): Pick<OrderEntry, "kind" | "stage" | "isConfirmed"> | undefined {
    const account = this.#parts.session.current;
    return account.kind === "signed-in" ? this.#entries.get(keyOf(account, id)) : undefined;
  }

  /** Another window wrote or finished something. */
  wake(): void {
    this.#isDue = true;
    this.#following.plan();
  }

  /**
   * Carries out what was confirmed for these rows, in the account that showed them.
   * @returns the result of each; one failure doesn't stop the others. Call `acknowledge` once the person has seen them.
   * @throws AppError `rejected` if the account was switched before they were confirmed. Nothing is done then.
   */
  async carryOut(account: SignedIn, kind: OrderKind, rows: readonly OrderedRow[]): Promise<OrderEnd[]> {
    this.#parts.session.assertStill(account);
    const rest = this.#parts.liveness.begin();
    try {
      const entries = rows.map(
        ({ value: { id } }): OrderEntry => ({ token: createOrderToken(), id, kind, stage: "waiting" }),
      );
      this.#enter(account, entries);
      await this.#own.write(account, entries);
      return await this.#work(account, kind, entries);
    } finally {
      rest();
    }
  }

  /**
   * Carries out an order whose token is the same in all windows: nothing happens if one of them has it, or if what it is for doesn't
   * hold once it is written down.
   * @throws AppError `rejected` if the account was left; the disk's error.
   */
  async carryOutOnce(
    account: SignedIn,
    kind: OrderKind,
    id: InstanceId,
    { token, reason, version = 1, recheck }: OrderOnce,
  ): Promise<OrderEnd | undefined> {
    const { session, liveness } = this.#parts;
    session.assertStill(account);
    if (this.#entries.has(keyOf(account, id))) return undefined;
    const rest = liveness.begin();
    const entry: OrderEntry = { token, id, kind, stage: "waiting", recheck, isBrief: isSecondOrder({ version, kind }) };
    try {
      this.#enter(account, [entry]);
      if (!(await this.#own.claim(account, entry, { reason, version }))) return undefined;
      if (await this.#isHeld(token, recheck)) return (await this.#work(account, kind, [entry]))[0];
      return undefined;
    } finally {
      this.#leave(account, [entry]);
      rest();
    }
  }

  /** What is early or late isn't called off: its time may come, or it is asked about. */
  async #isHeld(token: string, recheck: () => Promise<ReasonStatus>): Promise<boolean> {
    try {
      const status = await recheck();
      if (status !== "holds") await this.#own.note(token, status === "replaced" ? "revoked" : "told");
      return status === "holds";
    } catch (error) {
      await this.#own.note(token, "told");
      throw error;
    }
  }

  /** It isn't sent unless it has left already. */
  async revokeOrder(token: string): Promise<void> {
    for (const entry of this.#entries.values()) if (entry.token === token) entry.isRevoked = true;
    await this.#own.note(token, "revoked");
  }

  /** The person was shown the failures. */
  async acknowledge(ends: readonly OrderEnd[]): Promise<void> {
    await this.#acknowledgments.acknowledge(listFailures(ends));
  }

  /** The person started the instance again: earlier orders no longer apply. An end that is still to come does, at its time. */
  async revoke(account: SignedIn, id: InstanceId): Promise<void> {
    const waiting = this.#entries.get(keyOf(account, id));
    if (waiting) waiting.isRevoked = true;
    const { journal, reasons } = this.#parts;
    const orders = await journal.readRevocable(id, (order) => isOfAccount(order, account)).catch(() => []);
    for (const { token, reason, isUnderWay } of orders) {
      // What can't be read may be to come, and is carried out only once it can be read.
      const mayCome = async (name: string) =>
        (await reasons.recheck(account, { name, id }).catch(() => "early")) === "early";
      const isToCome = reason !== undefined && !isUnderWay && (await mayCome(reason));
      await this.#own.note(token, isToCome ? "told" : "revoked");
    }
  }

  /** Runs before anything is written, so that this window doesn't mistake its own orders for another window's. */
  #enter(account: SignedIn, entries: readonly OrderEntry[]): void {
    for (const entry of entries) this.#entries.set(keyOf(account, entry.id), entry);
    this.#changes.fire();
  }

  #leave(account: SignedIn, entries: readonly OrderEntry[]): void {
    for (const entry of entries)
      if (this.#entries.get(keyOf(account, entry.id)) === entry) this.#entries.delete(keyOf(account, entry.id));
    this.#changes.fire();
  }

  async #work(account: SignedIn, kind: OrderKind, entries: readonly OrderEntry[]): Promise<OrderEnd[]> {
    const { session, instances, log } = this.#parts;
    const onDidMove = () => this.#changes.fire();
    const parts = { session, instances, clock: this.#clock, log, onDidMove, ownOrders: this.#own };
    try {
      const queue = new OrderQueue(parts, account, kind);
      const seen = await queue.work(entries);
      return await Promise.all(entries.map((entry) => this.#end(account, entry, seen.has(entry.id))));
    } finally {
      this.#leave(account, entries);
      if (session.current === account) await instances.collection.refresh();
      this.#changes.fire();
    }
  }

  async #end(account: SignedIn, entry: OrderEntry, seen: boolean): Promise<OrderEnd> {
    const { token, id, kind, stage, failure, isElsewhere, isConfirmed } = entry;
    const { instances, session } = this.#parts;
    if (stage === "waiting") return { token, id, kind, outcome: "left" };
    // The window that has it reports the failure. Acknowledging it here would end it there.
    if (!seen && isElsewhere) return { token, id, kind, outcome: "elsewhere" };
    if (!seen) {
      this.#acknowledgments.add([token]);
      return { token, id, kind, outcome: "failed", reason: failure ?? unconfirmed(kind) };
    }
    await this.#own.note(token, "done");
    if (kind === "destroy" && session.current === account) instances.untrack(id);
    if (kind === "destroy" && isConfirmed) instances.whereabouts.noteGone(account, id);
    if (kind === "destroy") this.#destroyed.fire({ account, id });
    return { token, id, kind, outcome: "done" };
  }

  #begin(): void {
    this.#acknowledgments.clear();
    this.wake();
  }

  #wait(): number | undefined {
    if (this.#parts.session.current.kind !== "signed-in") return undefined;
    if (this.#isDue) return 0;
    return this.#isFollowing ? AGAIN_MS : undefined;
  }

  /** Finishes what other windows of the signed-in account left unfinished, or reports it. */
  async #follow(): Promise<void> {
    const { session, journal } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    this.#isDue = false;
    this.#isFollowing = true;
    const open = (await journal.readOpen()).filter(({ order }) => isOfAccount(order, account));
    if (session.current !== account) return;
    await this.#left.takeUp(account, open);
    this.#isFollowing = open.length > 0;
  }

  dispose(): void {
    this.#following.dispose();
    this.#listening.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
    this.#destroyed.dispose();
  }
}

function keyOf({ tag }: SignedIn, id: InstanceId): string {
  return `${tag} ${id}`;
}

function unconfirmed(kind: OrderKind): string {
  return kind === "destroy"
    ? t("The service hasn't confirmed that the instance was destroyed.")
    : t("The service hasn't confirmed that the instance stopped.");
}
