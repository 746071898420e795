// Destroying and stopping: one queue for one machine or many, written down first, sent in bulk where the service can, read
// back from the service, and taken up again by the next window where this one closes half way.
import type { InstanceId } from "../domain/id.ts";
import type { Instance } from "../domain/instance.ts";
import type { Clock } from "../lib/clock.ts";
import type { Disposable } from "../lib/disposable.ts";
import { Emitter } from "../lib/event.ts";
import type { Log } from "../lib/log.ts";
import { plain, t } from "../lib/text.ts";
import type { InstancesService } from "./instances.ts";
import { isOpen, newOrderToken, type OrderJournal, type OrderKind, type OrderRecord } from "./order-journal.ts";
import { hasComeAbout, type OrderEntry, OrderQueue, type OrderStage } from "./order-queue.ts";
import type { SessionService, SignedIn } from "./session.ts";

/**
 * - `done`: the service shows that it came about
 * - `failed`: refused, or not confirmed by the service; `reason` says which
 * - `left`: not sent, because the account was left; it is taken up when the account is back
 */
export interface OrderEnd {
  readonly id: InstanceId;
  readonly kind: OrderKind;
  readonly name: string;
  readonly outcome: "done" | "failed" | "left";
  readonly reason?: string;
}

/** What the person hears of orders nobody in this window waits for. */
export type OrderNotice =
  /** An earlier window closed before it was through; this one finished. */
  | { readonly kind: "finished"; readonly ends: readonly OrderEnd[] }
  /** Too long ago to be carried out without asking again; these instances are still there. */
  | { readonly kind: "stale"; readonly account: SignedIn; readonly orders: readonly OrderRecord["order"][] };

/** An instance as the person saw it when they confirmed. */
export interface OrderedRow {
  readonly value: Pick<Instance, "id" | "label">;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: OrderJournal;
  readonly clock: Clock;
  readonly log: Log;
  /** This window's process, and whether another one still runs. */
  readonly process: { readonly id: number; readonly isAlive: (id: number) => boolean };
}

/** A confirmation older than this is asked for again. */
const FRESH_MS = 15 * 60_000;
/** Orders that another process seems to carry out are looked at again after this. */
const AGAIN_MS = 30_000;

export class InstanceOrders implements Disposable {
  readonly #parts: Parts;
  readonly #entries = new Map<InstanceId, OrderEntry>();
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<OrderNotice>();
  readonly onNotice = this.#notices.event;
  readonly #listening: Disposable;
  #over = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = parts.session.onDidChange(() => this.#begin());
    this.#begin();
  }

  /** What is under way for an instance of the account signed in. */
  stageOf(id: InstanceId): { readonly kind: OrderKind; readonly stage: OrderStage } | undefined {
    return this.#entries.get(id);
  }

  /**
   * Carries out what was confirmed for these rows, in the account they were shown in.
   * @returns what became of each; a failure of one does not keep the others from their turn.
   * @throws AppError `rejected` where another account was switched to before they were confirmed: then nothing is done.
   */
  async carryOut(account: SignedIn, kind: OrderKind, rows: readonly OrderedRow[]): Promise<OrderEnd[]> {
    this.#parts.session.assertStill(account);
    const entries = rows.map(({ value }): OrderEntry => {
      const name = plain(value.label ?? "", 100);
      return { token: newOrderToken(), id: value.id, kind, name, stage: "waiting" };
    });
    await Promise.all(entries.map((entry) => this.#write(account, entry)));
    return await this.#work(account, kind, entries);
  }

  /** The person started it again: what was ordered before no longer holds. */
  async revoke(account: SignedIn, id: InstanceId): Promise<void> {
    const { journal, log } = this.#parts;
    try {
      for (const record of await journal.read())
        if (record.order.id === id && belongsTo(record, account) && isOpen(record))
          await journal.note(record.token, "revoked");
    } catch (error) {
      log.warn("Orders could not be revoked.", error);
    }
  }

  /** An order that cannot be written down is carried out all the same: only a window that closes would lose it. */
  async #write(account: SignedIn, { token, id, kind, name }: OrderEntry): Promise<void> {
    const { journal, clock, log, process } = this.#parts;
    const user = account.user();
    const order = {
      version: 1 as const,
      ...{ kind, id, name },
      origin: account.address.origin,
      account: account.tag,
      ...(user === undefined ? {} : { user }),
      at: clock.now(),
      owner: process.id,
    };
    await journal.write(token, order).catch((error) => log.warn("An order could not be written down.", error));
  }

  async #work(account: SignedIn, kind: OrderKind, entries: readonly OrderEntry[]): Promise<OrderEnd[]> {
    const { session, instances, clock, log } = this.#parts;
    for (const entry of entries) this.#entries.set(entry.id, entry);
    this.#changes.fire();
    try {
      const queue = new OrderQueue({ session, clock, log, onDidMove: () => this.#changes.fire() }, account, kind);
      const seen = await queue.work(entries);
      return await Promise.all(entries.map((entry) => this.#end(account, entry, seen.has(entry.id))));
    } finally {
      for (const { id } of entries) this.#entries.delete(id);
      if (session.current === account) await instances.collection.refresh();
      this.#changes.fire();
    }
  }

  async #end(account: SignedIn, entry: OrderEntry, seen: boolean): Promise<OrderEnd> {
    const { token, id, kind, name, stage, failure } = entry;
    const { instances, session, journal, log } = this.#parts;
    const end = { id, kind, name };
    if (stage === "waiting") return { ...end, outcome: "left" };
    const note = (fact: "done" | "failed") =>
      journal.note(token, fact).catch((error) => log.warn("An order's end could not be written down.", error));
    if (seen) {
      await note("done");
      if (kind === "destroy" && session.current === account) instances.untrack(id);
      return { ...end, outcome: "done" };
    }
    await note("failed");
    return { ...end, outcome: "failed", reason: failure ?? unconfirmed(kind) };
  }

  #begin(): void {
    this.#over.abort();
    this.#over = new AbortController();
    const account = this.#parts.session.current;
    if (account.kind === "signed-in") void this.#takeUp(account, this.#over.signal);
  }

  /** Finishes what an earlier window left, or tells of it; what another window is still at is looked at again later. */
  async #takeUp(account: SignedIn, over: AbortSignal): Promise<void> {
    const { journal, clock, log } = this.#parts;
    try {
      for (;;) {
        const open = (await journal.read()).filter((record) => isOpen(record) && belongsTo(record, account));
        if (open.length === 0 || over.aborted) return;
        const orphans = open.filter((record) => this.#isOrphan(record));
        await this.#finish(account, orphans);
        if (orphans.length === open.length) return;
        await clock.sleep(AGAIN_MS, over);
      }
    } catch (error) {
      if (!over.aborted) log.warn("Orders of an earlier window could not be taken up.", error);
    }
  }

  /** Nobody carries it out: the process that had it is gone, or this window left it when it left the account. */
  #isOrphan({ order, owner }: OrderRecord): boolean {
    const { process } = this.#parts;
    if (owner === process.id) return !this.#entries.has(order.id);
    return !process.isAlive(owner);
  }

  async #finish(account: SignedIn, orphans: readonly OrderRecord[]): Promise<void> {
    const { journal, clock, process } = this.#parts;
    const taken: OrderRecord[] = [];
    for (const record of orphans) if (await journal.takeOver(record, process.id)) taken.push(record);
    if (taken.length === 0) return;
    const there = await this.#stillOpen(account, taken);
    for (const record of taken) if (!there.includes(record)) await journal.note(record.token, "done");
    const isFresh = ({ order }: OrderRecord) => clock.now() - order.at < FRESH_MS;
    const stale = there.filter((record) => !isFresh(record));
    for (const { token } of stale) await journal.note(token, "told");
    if (stale.length > 0) this.#notices.fire({ kind: "stale", account, orders: stale.map(({ order }) => order) });
    const ends: OrderEnd[] = [];
    for (const kind of ["destroy", "stop"] as const) {
      const entries = there
        .filter((record) => record.order.kind === kind && isFresh(record))
        .map(({ token, order: { id, name } }): OrderEntry => ({ token, id, kind, name, stage: "waiting" }));
      if (entries.length > 0) ends.push(...(await this.#work(account, kind, entries)));
    }
    if (ends.length > 0) this.#notices.fire({ kind: "finished", ends });
  }

  /** Those whose instance does not show yet what was ordered. @throws AppError where that cannot be read. */
  async #stillOpen({ client }: SignedIn, records: readonly OrderRecord[]): Promise<readonly OrderRecord[]> {
    const open: OrderRecord[] = [];
    for (const record of records) {
      const now = await client.getInstance(record.order.id);
      if (!hasComeAbout(record.order.kind, now?.value)) open.push(record);
    }
    return open;
  }

  dispose(): void {
    this.#over.abort();
    this.#listening.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
  }
}

function belongsTo({ order }: OrderRecord, { address, tag, user }: SignedIn): boolean {
  if (order.origin !== address.origin) return false;
  return order.account === tag || (order.user !== undefined && order.user === user());
}

function unconfirmed(kind: OrderKind): string {
  return kind === "destroy"
    ? t("The service doesn't confirm that it's gone.")
    : t("The service doesn't show it stopping.");
}
