// Orders whose window is gone: the next window carries them out, or tells the person of them.
import { hasRunSince, type Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { isElsewhere } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstancesService } from "./instances.ts";
import {
  isSecondOrder,
  mayBeSent,
  ORDER_KINDS,
  type Order,
  type OrderJournal,
  type OrderKind,
  type OrderRecord,
} from "./order-journal.ts";
import { listFailures, type OrderAcknowledgments, type OrderEnd, type OrderNotice } from "./order-notices.ts";
import { hasComeAbout } from "./order-queue.ts";
import type { OrderReasons, ReasonStatus } from "./order-reasons.ts";
import type { OrderEntry, OwnOrders } from "./own-orders.ts";

interface Parts {
  readonly journal: OrderJournal;
  readonly reasons: OrderReasons;
  readonly instances: Pick<InstancesService, "whereabouts">;
  readonly ownOrders: OwnOrders;
  readonly acknowledgments: OrderAcknowledgments;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this window is carrying it out. */
  readonly isOwn: (account: SignedIn, record: OrderRecord) => boolean;
  readonly work: (account: SignedIn, kind: OrderKind, entries: readonly OrderEntry[]) => Promise<readonly OrderEnd[]>;
  readonly tell: (notice: OrderNotice) => void;
}

/** A confirmation older than this must be confirmed again, in milliseconds. */
const FRESH = 15 * 60_000;

export class LeftOrders {
  readonly #parts: Parts;
  /** Tokens of those that were another window's. */
  readonly #others = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes over those whose window is gone, and finishes or reports them. */
  async takeUp(account: SignedIn, open: readonly OrderRecord[]): Promise<void> {
    const { journal, liveness, acknowledgments, isOwn } = this.#parts;
    const tokens = new Set<string>();
    for (const record of open) {
      if (acknowledgments.has(record.token) || isOwn(account, record)) continue;
      if (await isElsewhere(liveness, record.owner)) continue;
      const isOurs = record.owner === liveness.id;
      if (!isOurs && !(await journal.takeOver(record, liveness.id))) continue;
      tokens.add(record.token);
      if (!isOurs) this.#others.add(record.token);
    }
    if (tokens.size === 0) return;
    const rest = liveness.begin();
    try {
      // Read again: until it was taken over, the other window may have sent or finished it.
      await this.#finish(
        account,
        (await journal.readOpen()).filter(({ token }) => tokens.has(token)),
      );
    } finally {
      rest();
    }
  }

  /** Carries out orders that are recent and harmless. The person is told about the others that weren't carried out. */
  async #finish(account: SignedIn, taken: readonly OrderRecord[]): Promise<void> {
    const due: OrderRecord[] = [];
    const doubtful = new Set<OrderRecord>();
    for (const record of taken) {
      // What can't be judged now stays open, and keeps none of the others.
      const judged = await this.#judge(account, record).catch((error) => {
        this.#parts.log.warn("What became of an order that another window left couldn't be read.", error);
      });
      if (judged) due.push(record);
      if (judged === "doubtful") doubtful.add(record);
    }
    for (const kind of ORDER_KINDS) {
      const own = due.filter(({ order }) => order.kind === kind);
      const fresh = own.filter((record) => this.#isFresh(record.order) && mayBeSent(record) && !doubtful.has(record));
      const stale = own.filter((record) => !fresh.includes(record));
      if (stale.length > 0) this.#tellStale(account, stale);
      if (fresh.length > 0) await this.#work(account, kind, fresh);
    }
  }

  /** What doesn't hold any longer by the time for its request is left to whoever keeps its reason. */
  async #work(account: SignedIn, kind: OrderKind, records: readonly OrderRecord[]): Promise<void> {
    const entries = records.map((record) => this.#toEntry(account, record));
    const isKept = (end: OrderEnd) => entries.some(({ token, recheck }) => token === end.token && recheck);
    const all = await this.#parts.work(account, kind, entries);
    const ends = all.filter((end) => end.outcome !== "left" || !isKept(end));
    if (ends.length === 0) return;
    const acknowledge = () => this.#parts.acknowledgments.acknowledge(listFailures(ends));
    this.#parts.tell({ kind: "finished", account, ends, acknowledge });
  }

  #toEntry(account: SignedIn, { token, isSent, order }: OrderRecord): OrderEntry {
    const { id, kind, reason } = order;
    const isBrief = isSecondOrder(order);
    const recheck = reason === undefined ? {} : { recheck: () => this.#recheck(account, order) };
    return { token, id, kind, stage: "waiting", wasSent: isSent, isBrief, ...recheck };
  }

  async #recheck(account: SignedIn, { reason, id }: Order): Promise<ReasonStatus> {
    return reason === undefined ? "holds" : await this.#parts.reasons.recheck(account, { name: reason, id });
  }

  /**
   * What is early or late is kept, or asked about, by whoever keeps that.
   * @returns undefined if nothing is left to do, or nothing can be done yet. @throws the disk's error, or AppError if the service can't be asked.
   */
  async #judge(account: SignedIn, record: OrderRecord): Promise<"due" | "doubtful" | undefined> {
    const { token, order, isSent } = record;
    const { ownOrders } = this.#parts;
    const status = await this.#recheck(account, order);
    // The clock was ahead when it was given: whatever is so now, its end is still to come.
    if (!isSent && status === "early") return void (await ownOrders.note(token, "told"));
    const { whereabouts } = this.#parts.instances;
    const found = await whereabouts.find(account, order.id);
    const ordered = { ...order, hasReason: order.reason !== undefined };
    if (await hasComeAbout(whereabouts, account, ordered, found)) return void (await this.#noteDone(account, record));
    // The instance may be there all the same: nothing is sent before the service says so.
    const isOpen = status === "holds" || (isSent && this.#isForEachTime(order));
    if (found.kind !== "there" && isOpen) return this.#isFresh(order) ? undefined : "doubtful";
    if (status !== "holds") return void (await ownOrders.note(token, status === "replaced" ? "revoked" : "told"));
    return found.row && this.#mayHaveRestarted(order, found.row.value) ? "doubtful" : "due";
  }

  /**
   * Who gave an order saw what became of it, but an end that a window sent before it died is told of here. One that wasn't
   * sent, and is for each time, is for the next time: whoever stopped it now is someone else.
   */
  async #noteDone(account: SignedIn, record: OrderRecord): Promise<void> {
    const { token, isSent, order } = record;
    const { id, kind, reason } = order;
    const isElses = this.#isForEachTime(order) && !isSent;
    const acknowledge = async () => undefined;
    if (reason !== undefined && isSent && this.#others.has(token))
      this.#parts.tell({ kind: "finished", account, ends: [{ token, id, kind, outcome: "done" }], acknowledge });
    await this.#parts.ownOrders.note(token, isElses ? "told" : "done");
  }

  #isForEachTime({ reason }: Order): boolean {
    return reason !== undefined && this.#parts.reasons.isForEachTime(reason);
  }

  #tellStale(account: SignedIn, records: readonly OrderRecord[]): void {
    const tokens = records.map(({ token }) => token);
    const { acknowledgments, tell } = this.#parts;
    acknowledgments.add(tokens);
    const orders = records.map(({ order }) => order);
    tell({ kind: "stale", account, orders, acknowledge: () => acknowledgments.acknowledge(tokens) });
  }

  /** A confirmation dated in the future has an unknown age. */
  #isFresh({ at }: Order): boolean {
    const age = this.#parts.clock.now() - at;
    return age >= 0 && age < FRESH;
  }

  /** Someone may have stopped it elsewhere and started it again: whoever wanted it stopped then is asked about now. */
  #mayHaveRestarted({ kind, reason, at }: Order, now: Instance): boolean {
    return kind === "stop" && reason === undefined && !hasRunSince(now, at, this.#parts.clock.now());
  }
}
