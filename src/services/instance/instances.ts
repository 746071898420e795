// The account's instances: one list call for all of them, plus what was rented here and isn't listed yet.
import { INSTANCES_PER_PAGE } from "../../api/operations/instances.ts";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { getPhase, type Instance, isInTransition } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import { Emitter } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { Collection, type ReadableCollection } from "../core/collection.ts";
import { getLast } from "../core/loaded.ts";
import type { Notes } from "../core/notes.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { InstanceNotes } from "./instance-notes.ts";
import { Whereabouts } from "./whereabouts.ts";

export interface InstanceRow extends Row<Instance> {
  /** Dollars per hour confirmed when it was launched here, or undefined. */
  readonly launchPrice: number | undefined;
  /** True if the service has no list and no longer knows this instance. The row stays until the person removes it. */
  readonly gone?: boolean;
}

export interface Instances {
  readonly rows: readonly InstanceRow[];
  /** The number of records that couldn't be read. It is shown, never hidden. */
  readonly unreadable: number;
  /** False if the list had gaps: a missing row then means nothing. */
  readonly complete: boolean;
  /** False if the service has no list at all: the rows are then those launched here or added by ID. */
  readonly listed: boolean;
  /** True until the first response: until then, these are only the rows known from elsewhere. */
  readonly unread?: true;
}

/** Whether they are all that the account has: a missing row means something only then. */
export function isWholeList({ complete, listed, unread, unreadable }: Instances): boolean {
  return complete && listed && !unread && unreadable === 0;
}

/** One list of instances from the service, and when it was requested. */
export interface Listing {
  readonly session: SignedIn;
  readonly rows: readonly Row<Instance>[];
  readonly unreadable: number;
  readonly complete: boolean;
  /** Monotonic milliseconds when it was requested: it can't contain anything rented later. */
  readonly askedAt: number;
}

interface ListOptions {
  readonly since?: number;
  readonly signal?: AbortSignal;
}

export class InstancesService {
  readonly #collection: Collection<Instances>;
  readonly #session: SessionService;
  readonly #notes: InstanceNotes;
  readonly #clock: Clock;
  readonly #listings = new Emitter<Listing>();
  /** Fires for every list from the service, whoever requested it. */
  readonly onDidList = this.#listings.event;
  readonly whereabouts: Whereabouts;
  /**
   * Rented here but not listed yet: shown at once, and kept until the service lists them or says that they don't exist.
   */
  #expected = new Map<InstanceId, { row: InstanceRow; session: SignedIn }>();
  #watched = new Set<object>();
  /** The list request in progress: whoever needs the list in the meantime shares it. */
  #listing: { readonly session: SignedIn; readonly askedAt: number; readonly done: Promise<Listing> } | undefined;

  constructor(session: SessionService, notes: Notes, clock: Clock) {
    this.#session = session;
    this.#notes = new InstanceNotes(notes);
    this.#clock = clock;
    this.whereabouts = new Whereabouts((account, options) => this.list(account, options), clock);
    this.#listings.event((listing) => this.whereabouts.take(listing));
    const read = (signedIn: SignedIn, signal: AbortSignal) => this.#read(signedIn, signal);
    this.#collection = new Collection({ session, clock, read });
  }

  get collection(): ReadableCollection<Instances> {
    return this.#collection;
  }

  get rows(): readonly InstanceRow[] {
    return getLast(this.#collection.store.current)?.value.rows ?? [];
  }

  /** How many requests a list takes. */
  get requestsPerList(): number {
    return Math.max(1, Math.ceil(this.rows.length / INSTANCES_PER_PAGE));
  }

  find(id: InstanceId): InstanceRow | undefined {
    return this.rows.find((row) => row.value.id === id);
  }

  /** Whether the list says that an instance doesn't run. One that it doesn't mention may still run. */
  isOver(id: InstanceId): boolean {
    const row = this.find(id);
    return row !== undefined && (row.gone || getPhase(row.value) !== "running");
  }

  /** Whether the next response is likely to differ: something is changing, or a caller is waiting for a change. */
  get unsettled(): boolean {
    return this.#watched.size > 0 || this.rows.some((row) => isInTransition(row.value) && !row.gone);
  }

  /** Shows a rental at once, before any list contains it, and stores its confirmed price. */
  expect(session: SignedIn, instance: Instance, price: number | undefined): void {
    if (price !== undefined) this.#notes.setPrice(session.tag, instance.id, price);
    this.#notes.track(session.tag, instance.id);
    if (this.#session.current !== session) return;
    const row: InstanceRow = { value: instance, raw: { ...instance }, launchPrice: price };
    this.#expected.set(instance.id, { row, session });
    const { store } = this.#collection;
    if (!getLast(store.current))
      store.setReady({ rows: [], unreadable: 0, complete: false, listed: true, unread: true });
    store.amend((now) => ({ ...now, rows: [row, ...now.rows.filter((other) => other.value.id !== instance.id)] }));
  }

  /**
   * Adds an instance by its ID, for services without a list and for rentals made elsewhere.
   * @throws AppError `not-found` if this key can't see it.
   */
  async track(id: InstanceId): Promise<InstanceRow> {
    const session = this.#session.requireSignedIn();
    const row = await session.client.getInstance(id);
    if (!row) throw new AppError("not-found", t("This account has no instance {0}.", id));
    this.#session.assertStill(session);
    const known = this.#notes.getPrice(session.tag, id);
    if (!this.find(id)) this.expect(session, row.value, known);
    return this.find(id) ?? { ...row, launchPrice: known };
  }

  /** Removes an instance and everything stored about it: it is gone, or the person no longer wants to see it. */
  untrack(id: InstanceId): void {
    this.#expected.delete(id);
    const session = this.#session.current;
    if (session.kind === "signed-in") this.#notes.drop(session.tag, id);
    this.#collection.store.amend((now) => ({ ...now, rows: now.rows.filter((row) => row.value.id !== id) }));
  }

  /** Refreshes fast until the returned function is called. */
  watch(): () => void {
    const waiting = {};
    this.#watched.add(waiting);
    return () => this.#watched.delete(waiting);
  }

  /** Forgets the stored prices of an account that signed out. */
  forget(account: SignedIn): void {
    this.#notes.forgetPrices(account.tag);
  }

  /**
   * The account's instances as the service lists them. The tree, the launch watch and the checks of orders share one
   * request, unless the one in progress began before `since` (monotonic milliseconds).
   * @throws AppError.
   */
  list(session: SignedIn, { since = 0, signal }: ListOptions = {}): Promise<Listing> {
    const running = this.#listing;
    if (running?.session === session && running.askedAt >= since) return running.done;
    const askedAt = this.#clock.elapsed();
    const listing = { session, askedAt, done: this.#request(session, askedAt, signal) };
    this.#listing = listing;
    const end = () => {
      if (this.#listing === listing) this.#listing = undefined;
    };
    listing.done.then(end, end);
    return listing.done;
  }

  async #request(session: SignedIn, askedAt: number, signal: AbortSignal | undefined): Promise<Listing> {
    const { rows, unreadable, complete } = await session.client.listInstances(undefined, signal);
    const listing = { session, askedAt, rows, unreadable, complete };
    if (this.#session.current === session) this.#listings.fire(listing);
    return listing;
  }

  async #read(session: SignedIn, signal: AbortSignal): Promise<Instances> {
    try {
      return await this.#list(session, signal);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === "unsupported")) throw error;
      return this.#readEach(session, signal);
    }
  }

  async #list(session: SignedIn, signal: AbortSignal): Promise<Instances> {
    const listed = await this.list(session, { signal });
    const rows: InstanceRow[] = listed.rows.map((row) => this.withPrice(session, row));
    const known = new Set(rows.map((row) => row.value.id));
    for (const [id, { session: own, row }] of this.#expected) {
      if (own !== session || known.has(id)) this.#expected.delete(id);
      else {
        // What can't be read now stays as it was.
        const now = await session.client.getInstance(id, signal).catch(() => row);
        if (now) rows.unshift({ ...now, launchPrice: row.launchPrice });
        else if (listed.complete) this.#expected.delete(id);
      }
    }
    if (listed.complete) this.#dropAllBut(session, known);
    // A list with gaps says nothing about the instances it omits. Those rows stay.
    if (!listed.complete)
      rows.push(...this.rows.filter((row) => !rows.some((other) => other.value.id === row.value.id)));
    return { rows, unreadable: listed.unreadable, complete: listed.complete, listed: true };
  }

  /** Removes what was stored about instances that ended elsewhere. */
  #dropAllBut(session: SignedIn, listed: ReadonlySet<InstanceId>): void {
    for (const id of this.#notes.listTracked(session.tag))
      if (!listed.has(id) && !this.#expected.has(id)) this.#notes.drop(session.tag, id);
  }

  /** For a service without a list: reads each instance launched here or added by ID separately. */
  async #readEach(session: SignedIn, signal: AbortSignal): Promise<Instances> {
    const rows: InstanceRow[] = [];
    for (const id of this.#notes.listTracked(session.tag)) {
      const now = await session.client.getInstance(id, signal);
      const before = this.find(id) ?? { value: { id } as Instance, raw: { id }, launchPrice: undefined };
      rows.unshift(now ? this.withPrice(session, now) : { ...before, gone: true });
    }
    return { rows, unreadable: 0, complete: true, listed: false };
  }

  /** A record with its confirmed price, if it was launched here. */
  withPrice(session: SignedIn, row: Row<Instance>): InstanceRow {
    return { ...row, launchPrice: this.#notes.getPrice(session.tag, row.value.id) };
  }

  dispose(): void {
    this.#listings.dispose();
    this.#collection.dispose();
  }
}
