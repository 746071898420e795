// The orders that carry out ends. Their tokens are the same in all windows, so each end gives one order at a time.
import { createHash } from "node:crypto";
import type { InstanceId } from "../../../domain/base/id.ts";
import { type Clock, isNear } from "../../../lib/clock.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstanceOrders } from "../instance-orders.ts";
import type { Order, OrderJournal, OrderKind, OrderStatus } from "../order-journal.ts";
import type { OrderEnd } from "../order-notices.ts";
import type { ReasonStatus } from "../order-reasons.ts";
import { ORDER_TAKES } from "./auto-stop-due.ts";
import type { AutoStopEntry } from "./auto-stop-entry.ts";

interface Parts {
  readonly orders: InstanceOrders;
  readonly orderJournal: OrderJournal;
  readonly clock: Clock;
}

/** What is to be ended, and whether it still is. */
export interface AutoStopOrder {
  readonly entry: Pick<AutoStopEntry, "name">;
  readonly id: InstanceId;
  readonly kind: OrderKind;
  /** Another end may have been set in the meantime, here or in another window. */
  readonly recheck: () => Promise<ReasonStatus>;
  /** It is for each time that it comes to it: one that was called off because the instance was started isn't the last. */
  readonly isRecurring?: boolean;
  /** Of its auto-stop. */
  readonly version?: Order["version"];
  /** Tells the person that it was carried out just now, or that it failed here for the first time: it is tried again. */
  readonly tell: (result: OrderEnd) => void;
}

interface Attempt {
  readonly token: string;
  readonly state: OrderStatus | undefined;
  /** Epoch milliseconds. */
  readonly at: number | undefined;
  /** The token of the attempt after it. */
  readonly next: string;
}

/** Milliseconds until an end that failed is tried again, or one whose order can't be read. */
const TRY_AGAIN = 60_000;

export class AutoStopAttempts {
  readonly #parts: Parts;
  /** By token, since when an order can't be read, in monotonic milliseconds. */
  readonly #unread = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * @returns whether it is over: carried out, perhaps by another window, or the instance was started again. If not, another window has it,
   * or it is tried again. @throws AppError `rejected` if the account was left; the disk's error: nothing was sent.
   */
  async carryOut(
    account: SignedIn,
    { entry, id, kind, isRecurring = false, ...wanted }: AutoStopOrder,
  ): Promise<boolean> {
    const { orders, clock } = this.#parts;
    const last = await this.#lastAttempt(entry, id);
    const isUnderWay = last.state === "open" || last.state === "sent";
    const isAbandoned = isUnderWay && this.#isAbandoned(last, kind);
    if (isUnderWay && !isAbandoned) return false;
    const isAgain = isRecurring && last.state === "revoked";
    if (last.state === "done" || (last.state === "revoked" && !isAgain)) return true;
    if (last.at !== undefined && isNear(clock.now(), last.at, TRY_AGAIN)) return false;
    const { recheck, tell, version = 1 } = wanted;
    const once = { token: last.next, reason: entry.name, version, recheck };
    const result = await orders.carryOutOnce(account, kind, id, once);
    if (!result || result.outcome === "elsewhere" || result.outcome === "left") return false;
    if (result.outcome === "done") {
      tell(result);
      return true;
    }
    // It is tried again, and asked about in the end, so no one else needs to remember it.
    await orders.acknowledge([result]);
    const isFirst = isAgain || isAbandoned || last.state === undefined;
    if (isFirst && (await recheck()) === "holds") tell(result);
    return false;
  }

  /** No window carries out an order that can't be read, or takes it over. A stop that was sent isn't sent twice. */
  #isAbandoned({ token, state, at }: Attempt, kind: OrderKind): boolean {
    if (at !== undefined || (state === "sent" && kind === "stop")) return false;
    const now = this.#parts.clock.elapsed();
    const since = this.#unread.get(token) ?? now;
    this.#unread.set(token, since);
    return now - since >= TRY_AGAIN;
  }

  /** Whether it was carried out, also by a window that died and another one that finished for it. */
  async wasCarriedOut(entry: Pick<AutoStopEntry, "name">, id: InstanceId): Promise<boolean> {
    return (await this.#lastAttempt(entry, id)).state === "done";
  }

  /** When the last order for it was given, in epoch milliseconds: until then, its instance ran. Undefined without one that can be read. */
  async findOrderTime(entry: Pick<AutoStopEntry, "name">, id: InstanceId): Promise<number | undefined> {
    return (await this.#lastAttempt(entry, id)).at;
  }

  /** Whether an order for the instance was given since the end was set, or while it was. @throws the disk's error. */
  async wasOrdered(account: SignedIn, { autoStop }: Pick<AutoStopEntry, "autoStop">, id: InstanceId): Promise<boolean> {
    const isOwn = (order: Order) => isOfAccount(order, account);
    return await this.#parts.orderJournal.wasGiven(id, isOwn, autoStop.at - ORDER_TAKES);
  }

  /** Whether it isn't to be carried out any longer: it was, or the instance was started again. @throws the disk's error. */
  async isSettled(entry: Pick<AutoStopEntry, "name">, id: InstanceId): Promise<boolean> {
    const { state } = await this.#lastAttempt(entry, id);
    return state === "done" || state === "revoked";
  }

  /** What hasn't left yet isn't sent any longer. @returns false if it may have left. */
  async callOff(entry: Pick<AutoStopEntry, "name" | "over">, id: InstanceId): Promise<boolean> {
    const { orders, orderJournal } = this.#parts;
    if (entry.over.has(id)) return true;
    const { token, state } = await this.#lastAttempt(entry, id);
    if (state === "done") return false;
    if (state !== "open" && state !== "sent") return true;
    await orders.revokeOrder(token);
    // Read once it is revoked: who sends it notes that first, and looks whether it was revoked then.
    const now = await orderJournal.readState(token);
    return now?.state === "revoked" && !now.isSent;
  }

  async #lastAttempt(entry: Pick<AutoStopEntry, "name">, id: InstanceId): Promise<Attempt> {
    let last: Attempt = { token: "", state: undefined, at: undefined, next: attemptToken(entry, id, 1) };
    for (let count = 2; ; count += 1) {
      const order = await this.#parts.orderJournal.readState(last.next);
      if (!order) return last;
      const { state, at } = order;
      last = { token: last.next, state, at, next: attemptToken(entry, id, count) };
    }
  }
}

function attemptToken({ name }: Pick<AutoStopEntry, "name">, id: InstanceId, count: number): string {
  return `ord-${createHash("sha256").update(`${name} ${id} ${count}`).digest("hex").slice(0, 20)}`;
}
