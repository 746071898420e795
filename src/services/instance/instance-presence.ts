// Whether an instance that someone looks at is still there. A list that lacks it is no proof: the service is asked for this one.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Presence } from "../../domain/base/presence.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { getError, getLast } from "../core/loaded.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "./instance-orders.ts";
import type { InstanceRow, InstancesService } from "./instances.ts";

interface Parts {
  readonly instances: InstancesService;
  readonly orders: Pick<InstanceOrders, "onDidDestroy">;
  readonly clock: Pick<Clock, "now">;
}

export class InstancePresence implements Disposable {
  readonly #parts: Parts;
  readonly #account: SignedIn;
  readonly #bag = new Bag();
  readonly #changes = this.#bag.add(new Emitter<void>());
  readonly onDidChange = this.#changes.event;
  #row: InstanceRow;
  /** Wall clock milliseconds. */
  #seenAt: number | undefined;
  #presence: Presence = "listed";
  /** When the list was read that made us ask: each makes us ask once. */
  #askedFor: number | undefined;
  #isOver = false;

  constructor(parts: Parts, account: SignedIn, row: InstanceRow) {
    this.#parts = parts;
    this.#account = account;
    this.#row = row;
    const { collection } = parts.instances;
    this.#bag.add(collection.store.onDidChange(() => this.#check()));
    this.#bag.add(
      parts.orders.onDidDestroy(({ account: { tag }, id }) => {
        if (tag === account.tag && id === this.#id) this.#become("ended");
      }),
    );
    this.#check();
  }

  get #id(): InstanceId {
    return this.#row.value.id;
  }

  /** As it was seen last. */
  get row(): InstanceRow {
    return this.#row;
  }

  get presence(): Presence {
    return this.#presence;
  }

  /** Wall clock milliseconds when it was seen last, if that isn't now; undefined also if it was never read. */
  get staleSince(): number | undefined {
    const isNow = this.#presence === "listed" && !getError(this.#parts.instances.collection.store.current);
    return isNow ? undefined : this.#seenAt;
  }

  #check(): void {
    const list = getLast(this.#parts.instances.collection.store.current);
    const found = list?.value.rows.find(({ value }) => value.id === this.#id);
    if (list && found) {
      this.#row = found;
      if (!found.gone) this.#seenAt = list.at;
      this.#become(found.gone ? "ended" : "listed");
    } else if (list && this.#presence !== "ended") {
      this.#become("missing");
      if (this.#askedFor === list.at) return;
      this.#askedFor = list.at;
      void this.#ask();
    } else this.#changes.fire();
  }

  async #ask(): Promise<void> {
    const { instances, clock } = this.#parts;
    const found = await instances.whereabouts.find(this.#account, this.#id);
    // In the meantime a list may have had it, or an order may have destroyed it.
    if (this.#isOver || this.#presence !== "missing" || found.kind === "unknown") return;
    if (found.kind === "missing") return this.#become("ended");
    this.#row = instances.withPrice(this.#account, found.row);
    this.#seenAt = clock.now();
    this.#changes.fire();
  }

  #become(presence: Presence): void {
    this.#presence = presence;
    this.#changes.fire();
  }

  dispose(): void {
    this.#isOver = true;
    this.#bag.dispose();
  }
}
