// Destroying and stopping: one queue for one machine or many. Orders are recorded first, sent once, and verified with
// the service. If this window closes halfway, the next window takes over.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { type Clock, untilAborted } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import type { Life } from "../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "./instances.ts";
import {
  newOrderToken,
  ORDER_KINDS,
  type Order,
  type OrderFact,
  type OrderJournal,
  type OrderKind,
  type OrderRecord,
} from "./order-journal.ts";
import { failuresOf, type OrderEnd, OrderHearing, type OrderNotice } from "./order-notices.ts";
import { hasComeAbout, type OrderEntry, OrderQueue, type OrderStage } from "./order-queue.ts";

/** An instance as the person saw it when they confirmed. */
export interface OrderedRow {
  readonly value: Pick<Instance, "id">;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: OrderJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly life: Life;
}

/** A confirmation older than this must be confirmed again. */
const FRESH_MS = 15 * 60_000;
/** Orders that another window seems to be carrying out are checked again after this time. */
const AGAIN_MS = 10_000;
/** How long a destroy waits for the disk. It is sent even if it can't be recorded, because the machine costs money. */
const DISK_MS = 2000;

export class InstanceOrders implements Disposable {
  readonly #parts: Parts;
  /** By account and instance: an instance ID means nothing in another account. */
  readonly #entries = new Map<string, OrderEntry>();
  readonly #hearing: OrderHearing;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<OrderNotice>();
  readonly onNotice = this.#notices.event;
  readonly #listening: Disposable;
  #over = new AbortController();
  #wake = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#hearing = new OrderHearing(parts.life, (token, fact) => this.#note(token, fact));
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
    this.#wake.abort();
  }

  /**
   * Carries out what was confirmed for these rows, in the account that showed them.
   * @returns the result of each; one failure doesn't stop the others. Call `heard` once the person has seen them.
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
      await this.#withinPatience(Promise.all(entries.map((entry) => this.#write(account, entry))));
      return await this.#work(account, kind, entries);
    } finally {
      rest();
    }
  }

  /** The person was shown the failures. */
  async heard(ends: readonly OrderEnd[]): Promise<void> {
    await this.#hearing.acknowledge(failuresOf(ends));
  }

  /** The person started the instance again: earlier orders no longer apply. */
  async revoke(account: SignedIn, id: InstanceId): Promise<void> {
    const open = await this.#parts.journal.readOpen().catch(() => []);
    for (const { token, order } of open)
      if (order.id === id && belongsTo(order, account)) await this.#note(token, "revoked");
  }

  /** An order that can't be recorded is carried out anyway. It is lost only if the window closes. */
  async #write(account: SignedIn, { token, id, kind }: OrderEntry): Promise<void> {
    const { journal, clock, log, life } = this.#parts;
    const user = account.user();
    const order: Order = {
      version: 1,
      kind,
      id,
      origin: account.address.origin,
      account: account.tag,
      ...(user === undefined ? {} : { user }),
      at: clock.now(),
      owner: life.id,
    };
    await journal.write(token, order).catch((error) => log.warn("An order could not be written down.", error));
  }

  async #note(token: string, fact: OrderFact): Promise<void> {
    await this.#parts.journal.note(token, fact).catch(this.#logUnwritten);
  }

  async #noteSent(token: string, isSent: boolean): Promise<void> {
    const { journal } = this.#parts;
    await (isSent ? journal.note(token, "sent") : journal.takeBackSent(token)).catch(this.#logUnwritten);
  }

  readonly #logUnwritten = (error: unknown) =>
    this.#parts.log.warn("What became of an order could not be written down.", error);

  async #withinPatience(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#parts.clock.sleep(DISK_MS)]);
  }

  /** Runs before anything is written, so that this window doesn't mistake its own orders for another window's. */
  #enter(account: SignedIn, entries: readonly OrderEntry[]): void {
    for (const entry of entries) this.#entries.set(keyOf(account, entry.id), entry);
    this.#changes.fire();
  }

  async #work(account: SignedIn, kind: OrderKind, entries: readonly OrderEntry[]): Promise<OrderEnd[]> {
    const { session, instances, clock, log } = this.#parts;
    const onDidMove = () => this.#changes.fire();
    const noteSent = (about: readonly OrderEntry[], isSent: boolean) =>
      this.#withinPatience(Promise.all(about.map(({ token }) => this.#noteSent(token, isSent))));
    try {
      const queue = new OrderQueue({ session, clock, log, onDidMove, noteSent }, account, kind);
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
    const { token, id, kind, stage, failure } = entry;
    const { instances, session } = this.#parts;
    if (stage === "waiting") return { token, id, kind, outcome: "left" };
    if (!seen) {
      this.#hearing.add([token]);
      return { token, id, kind, outcome: "failed", reason: failure ?? unconfirmed(kind) };
    }
    await this.#note(token, "done");
    if (kind === "destroy" && session.current === account) instances.untrack(id);
    return { token, id, kind, outcome: "done" };
  }

  #begin(): void {
    this.#over.abort();
    this.#over = new AbortController();
    this.#hearing.clear();
    const account = this.#parts.session.current;
    if (account.kind === "signed-in") void this.#follow(account, this.#over.signal);
  }

  /** Runs while the account is signed in: finishes what other windows left unfinished, or reports it. */
  async #follow(account: SignedIn, over: AbortSignal): Promise<void> {
    const { journal, clock, log } = this.#parts;
    while (!over.aborted) {
      this.#wake = new AbortController();
      const waking = AbortSignal.any([over, this.#wake.signal]);
      try {
        const open = (await journal.readOpen()).filter(({ order }) => belongsTo(order, account));
        if (over.aborted) return;
        await this.#takeUp(account, open);
        if (open.length === 0) {
          await untilAborted(waking).catch(() => undefined);
          continue;
        }
      } catch (error) {
        log.warn("Orders of other windows could not be followed.", error);
      }
      await clock.sleep(AGAIN_MS, waking).catch(() => undefined);
    }
  }

  async #takeUp(account: SignedIn, open: readonly OrderRecord[]): Promise<void> {
    const { journal, life } = this.#parts;
    const taken: OrderRecord[] = [];
    for (const record of open) {
      if (this.#hearing.has(record.token) || this.#isOwn(account, record)) continue;
      if (record.owner !== life.id && (await life.isAlive(record.owner))) continue;
      if (record.owner === life.id || (await journal.takeOver(record, life.id))) taken.push(record);
    }
    if (taken.length === 0) return;
    const rest = life.begin();
    try {
      await this.#finish(account, taken);
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
      if ((await this.#isDone(account, record.order)) === true) await this.#note(record.token, "done");
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
      this.#notices.fire({ kind: "finished", account, ends, heard: () => this.heard(ends) });
    }
  }

  #tellStale(account: SignedIn, records: readonly OrderRecord[]): void {
    const tokens = records.map(({ token }) => token);
    this.#hearing.add(tokens);
    const orders = records.map(({ order }) => order);
    this.#notices.fire({ kind: "stale", account, orders, heard: () => this.#hearing.acknowledge(tokens) });
  }

  /** A confirmation dated in the future has an unknown age. */
  #isFresh({ at }: Order): boolean {
    const age = this.#parts.clock.now() - at;
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
    this.#over.abort();
    this.#listening.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
  }
}

function keyOf({ tag }: SignedIn, id: InstanceId): string {
  return `${tag} ${id}`;
}

function belongsTo(order: Order, { address, tag, user }: SignedIn): boolean {
  if (order.origin !== address.origin) return false;
  return order.account === tag || (order.user !== undefined && order.user === user());
}

/** Destroying twice changes nothing. A stop isn't sent twice: the machine may have been restarted since. */
function mayBeSent({ order, isSent }: OrderRecord): boolean {
  return order.kind === "destroy" || !isSent;
}

function unconfirmed(kind: OrderKind): string {
  return kind === "destroy"
    ? t("The service hasn't confirmed that it was destroyed.")
    : t("The service hasn't confirmed that it stopped.");
}
