// The account's instances: one list call however many there are, plus what was rented here and is not listed yet.
import type { InstanceId } from "../domain/id.ts";
import { type Instance, inTransition } from "../domain/instance.ts";
import type { Row } from "../domain/wire.ts";
import { sleep } from "../lib/task.ts";
import { Collection } from "./collection.ts";
import { lastOf } from "./loaded.ts";
import type { SessionService, SignedIn } from "./session.ts";

/** Facts worth keeping over a reload, by key; comfort, not safety. */
export interface Notes {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  keys(): readonly string[];
}

export interface InstanceRow extends Row<Instance> {
  /** Dollars an hour confirmed when it was launched from here, or undefined. */
  readonly launchPrice: number | undefined;
}

export interface Instances {
  readonly rows: readonly InstanceRow[];
  /** Records the service sent that could not be read; said, never hidden. */
  readonly unreadable: number;
  /** False where the listing had gaps: then an absent row means nothing. */
  readonly complete: boolean;
}

export class InstancesService {
  readonly collection: Collection<Instances>;
  readonly #session: SessionService;
  readonly #notes: Notes;
  /** Rented here, not seen in a listing yet: shown at once, and kept until the service lists them or denies them. */
  #expected = new Map<InstanceId, { row: InstanceRow; session: SignedIn }>();
  #watched = new Set<InstanceId>();

  constructor(session: SessionService, notes: Notes) {
    this.#session = session;
    this.#notes = notes;
    this.collection = new Collection(session, (signedIn, signal) => this.#list(signedIn, signal));
  }

  get rows(): readonly InstanceRow[] {
    return lastOf(this.collection.store.current)?.value.rows ?? [];
  }

  find(id: InstanceId): InstanceRow | undefined {
    return this.rows.find((row) => row.value.id === id);
  }

  /** Whether the next answer is likely to differ: something is on its way, or somebody waits for it. */
  get unsettled(): boolean {
    return this.#watched.size > 0 || this.rows.some((row) => inTransition(row.value));
  }

  /** Shows a rental at once, before any listing knows it, and remembers the price it was confirmed at. */
  expect(instance: Instance, price: number | undefined): void {
    const session = this.#session.signedIn();
    if (price !== undefined) this.#notes.set(priceKey(session, instance.id), price);
    const row: InstanceRow = { value: instance, raw: { ...instance }, launchPrice: price };
    this.#expected.set(instance.id, { row, session });
    const { store } = this.collection;
    if (!lastOf(store.current)) store.ready({ rows: [], unreadable: 0, complete: false });
    store.amend((now) => ({ ...now, rows: [row, ...now.rows.filter((other) => other.value.id !== instance.id)] }));
  }

  /** Keeps refreshing fast while somebody waits for this instance; call the result when they no longer do. */
  watch(id: InstanceId): () => void {
    this.#watched.add(id);
    return () => this.#watched.delete(id);
  }

  /** Forgets what was noted for an account that signed out. */
  forget(account: SignedIn): void {
    const own = this.#notes.keys().filter((key) => key.startsWith(`price ${account.tag} `));
    for (const key of own) this.#notes.set(key, undefined);
  }

  /** What the service says of one instance right now; undefined where it is gone. */
  reread(id: InstanceId): Promise<Row<Instance> | undefined> {
    return this.#session.signedIn().client.getInstance(id);
  }

  /**
   * Ends a rental: one call, then looks until the service no longer lists it.
   * @returns whether it is gone; false means it may still be there and be billed.
   * @throws AppError where the service refused, or `outcome-unknown` where nobody can tell.
   */
  async destroy(id: InstanceId): Promise<boolean> {
    const session = this.#session.signedIn();
    await session.client.destroyInstance(id);
    for (const wait of [0, 1500, 3000, 6000]) {
      await sleep(wait);
      if ((await session.client.getInstance(id)) === undefined) {
        this.#remove(id);
        if (this.#session.current === session) await this.collection.refresh();
        return true;
      }
    }
    return false;
  }

  #remove(id: InstanceId): void {
    this.#expected.delete(id);
    const session = this.#session.current;
    if (session.kind === "signed-in") this.#notes.set(priceKey(session, id), undefined);
    this.collection.store.amend((now) => ({ ...now, rows: now.rows.filter((row) => row.value.id !== id) }));
  }

  async #list(session: SignedIn, signal: AbortSignal): Promise<Instances> {
    const listed = await session.client.listInstances(undefined, signal);
    const rows = listed.rows.map((row) => ({ ...row, launchPrice: this.#priceOf(session, row.value.id) }));
    const known = new Set(rows.map((row) => row.value.id));
    for (const [id, { session: own, row }] of this.#expected) {
      if (own !== session || known.has(id)) this.#expected.delete(id);
      else {
        const now = await session.client.getInstance(id, signal);
        if (now) rows.unshift({ ...now, launchPrice: row.launchPrice });
        else if (listed.complete) this.#expected.delete(id);
      }
    }
    // A listing with gaps says nothing about what it does not name: those rows stay as they were.
    if (!listed.complete)
      rows.push(...this.rows.filter((row) => !rows.some((other) => other.value.id === row.value.id)));
    return { rows, unreadable: listed.unreadable, complete: listed.complete };
  }

  #priceOf(session: SignedIn, id: InstanceId): number | undefined {
    const price = this.#notes.get(priceKey(session, id));
    return typeof price === "number" ? price : undefined;
  }

  dispose(): void {
    this.collection.dispose();
  }
}

function priceKey(session: SignedIn, id: InstanceId): string {
  return `price ${session.tag} ${id}`;
}
