// Destroying and stopping: one queue for one machine or many. Orders are recorded first, sent once, and verified with
// the service. If this window closes halfway, the next window takes over.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import type { Life } from "../core/heartbeat.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "./instances.ts";
import {
  isOrderOf,
  mayBeSent,
  newOrderToken,
  ORDER_KINDS,
  type Order,
  type OrderJournal,
  type OrderKind,
  type OrderRecord,
} from "./order-journal.ts";
import { OrderLedger } from "./order-ledger.ts";
import { failuresOf, OrderAcknowledgments, type OrderEnd, type OrderNotice } from "./order-notices.ts";
import { hasComeAbout, type OrderEntry, OrderQueue, type OrderStage } from "./order-queue.ts";

/** An instance as the person saw it when they confirmed. */
export interface OrderedRow {
  readonly value: Pick<Instance, "id">;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: OrderJournal;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly life: Life;
}

/** A confirmation older than this must be confirmed again. */
const FRESH_MS = 15 * 60_000;
/** Orders that another window seems to be carrying out are checked again after this time. */
const AGAIN_MS = 10_000;

export class InstanceOrders implements Disposable {
  readonly #parts: Parts;
  /** By account and instance: an instance ID means nothing in another account. */
  readonly #entries = new Map<string, OrderEntry>();
  readonly #ledger: OrderLedger;
  readonly #acknowledgments: OrderAcknowledgments;
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
    this.#ledger = new OrderLedger({ ...parts, clock: this.#clock });
    this.#acknowledgments = new OrderAcknowledgments(parts.life, (token, fact) => this.#ledger.note(token, fact));
    this.#following = parts.scheduler.add({
      id: "other-orders",
      wait: () => this.#wait(),
      run: () => this.#follow(),
    });
    this.#listening = parts.session.onDidChange(() => this.#begin());
    this.#begin();
  }

  /** What is in progress for an instance of the signed-in account. */
  stageOf(id: InstanceId): { readonly kind: OrderKind; readonly stage: OrderStage } | undefined {
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
    const rest = this.#parts.life.begin();
    try {
      const entries = rows.map(
        ({ value: { id } }): OrderEntry => ({ token: newOrderToken(), id, kind, stage: "waiting" }),
      );
      this.#enter(account, entries);
      await this.#ledger.write(account, entries);
      return await this.#work(account, kind, entries);
    } finally {
      rest();
    }
  }

  /** The person was shown the failures. */
  async acknowledge(ends: readonly OrderEnd[]): Promise<void> {
    await this.#acknowledgments.acknowledge(failuresOf(ends));
  }

  /** The person started the instance again: earlier orders no longer apply. */
  async revoke(account: SignedIn, id: InstanceId): Promise<void> {
    const waiting = this.#entries.get(keyOf(account, id));
    if (waiting) waiting.isRevoked = true;
    const open = await this.#parts.journal.readOpen().catch(() => []);
    for (const { token, order } of open)
      if (order.id === id && isOrderOf(order, account)) await this.#ledger.note(token, "revoked");
  }

  /** Runs before anything is written, so that this window doesn't mistake its own orders for another window's. */
  #enter(account: SignedIn, entries: readonly OrderEntry[]): void {
    for (const entry of entries) this.#entries.set(keyOf(account, entry.id), entry);
    this.#changes.fire();
  }

  async #work(account: SignedIn, kind: OrderKind, entries: readonly OrderEntry[]): Promise<OrderEnd[]> {
    const { session, instances, log } = this.#parts;
    const onDidMove = () => this.#changes.fire();
    const { noteSent, standings } = this.#ledger;
    const parts = { session, instances, clock: this.#clock, log, onDidMove, noteSent, standings };
    try {
      const queue = new OrderQueue(parts, account, kind);
      const seen = await queue.work(entries);
      return await Promise.all(entries.map((entry) => this.#end(account, entry, seen.has(entry.id))));
    } finally {
      for (const entry of entries)
        if (this.#entries.get(keyOf(account, entry.id)) === entry) this.#entries.delete(keyOf(account, entry.id));
      if (session.current === account) await instances.collection.refresh();
      this.#changes.fire();
    }
  }

  async #end(account: SignedIn, entry: OrderEntry, seen: boolean): Promise<OrderEnd> {
    const { token, id, kind, stage, failure, isElsewhere } = entry;
    const { instances, session } = this.#parts;
    if (stage === "waiting") return { token, id, kind, outcome: "left" };
    // The window that has it reports the failure. Acknowledging it here would end it there.
    if (!seen && isElsewhere) return { token, id, kind, outcome: "elsewhere" };
    if (!seen) {
      this.#acknowledgments.add([token]);
      return { token, id, kind, outcome: "failed", reason: failure ?? unconfirmed(kind) };
    }
    await this.#ledger.note(token, "done");
    if (kind === "destroy" && session.current === account) instances.untrack(id);
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
    const open = (await journal.readOpen()).filter(({ order }) => isOrderOf(order, account));
    if (session.current !== account) return;
    await this.#takeUp(account, open);
    this.#isFollowing = open.length > 0;
  }

  async #takeUp(account: SignedIn, open: readonly OrderRecord[]): Promise<void> {
    const { journal, life } = this.#parts;
    const tokens = new Set<string>();
    for (const record of open) {
      if (this.#acknowledgments.has(record.token) || this.#isOwn(account, record)) continue;
      if (record.owner !== life.id && (await life.isAlive(record.owner))) continue;
      if (record.owner === life.id || (await journal.takeOver(record, life.id))) tokens.add(record.token);
    }
    if (tokens.size === 0) return;
    const rest = life.begin();
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

  #isOwn(account: SignedIn, { token, order }: OrderRecord): boolean {
    return this.#entries.get(keyOf(account, order.id))?.token === token;
  }

  /** Carries out orders that are recent and harmless. The person is told about the others that weren't carried out. */
  async #finish(account: SignedIn, taken: readonly OrderRecord[]): Promise<void> {
    const rest: OrderRecord[] = [];
    for (const record of taken) {
      if ((await this.#isDone(account, record.order)) === true) await this.#ledger.note(record.token, "done");
      else rest.push(record);
    }
    for (const kind of ORDER_KINDS) {
      const own = rest.filter(({ order }) => order.kind === kind);
      const fresh = own.filter((record) => this.#isFresh(record.order) && mayBeSent(record));
      const stale = own.filter((record) => !fresh.includes(record));
      if (stale.length > 0) this.#tellStale(account, stale);
      if (fresh.length === 0) continue;
      const entries = fresh.map(({ token, order: { id } }): OrderEntry => ({ token, id, kind, stage: "waiting" }));
      this.#enter(account, entries);
      const ends = await this.#work(account, kind, entries);
      this.#notices.fire({ kind: "finished", account, ends, acknowledge: () => this.acknowledge(ends) });
    }
  }

  #tellStale(account: SignedIn, records: readonly OrderRecord[]): void {
    const tokens = records.map(({ token }) => token);
    this.#acknowledgments.add(tokens);
    const orders = records.map(({ order }) => order);
    this.#notices.fire({
      kind: "stale",
      account,
      orders,
      acknowledge: () => this.#acknowledgments.acknowledge(tokens),
    });
  }

  /** A confirmation dated in the future has an unknown age. */
  #isFresh({ at }: Order): boolean {
    const age = this.#clock.now() - at;
    return age >= 0 && age < FRESH_MS;
  }

  /** Undefined if the service can't say right now. */
  async #isDone({ client }: SignedIn, { id, kind }: Order): Promise<boolean | undefined> {
    return await client.getInstance(id).then(
      (now) => hasComeAbout(kind, now?.value),
      () => undefined,
    );
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
