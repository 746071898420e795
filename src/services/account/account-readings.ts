// What each account had rented when it was last read: other accounts' machines are still billed while this one is
// shown.
import type { AccountReading } from "../../domain/account/account-reading.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { stored } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Notes } from "../core/notes.ts";
import { formatAccountName } from "../core/profiles.ts";
import type { SessionService } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

export class AccountReadings implements Disposable {
  readonly #session: SessionService;
  readonly #notes: Notes;
  readonly #listening: Disposable;

  constructor(session: SessionService, instances: InstancesService, notes: Notes) {
    this.#session = session;
    this.#notes = notes;
    this.#listening = instances.collection.store.onDidChange((now) => {
      if (now.state !== "ready" || !now.last.value.complete || now.last.value.unread) return;
      this.#note(instances, now.last.at);
    });
  }

  /** Accounts other than the current one that had something rented when they were last read. */
  get others(): readonly AccountReading[] {
    const now = this.#session.current;
    const current = now.kind === "signed-in" ? now.profile : undefined;
    return this.#session.profiles
      .list()
      .filter(({ id }) => id !== current)
      .flatMap((profile) => {
        const { id, base } = profile;
        const reading = this.#notes.get(stored.reading(id));
        if (typeof reading !== "object" || reading === null) return [];
        const { count, price, at } = reading as Record<string, unknown>;
        if (typeof count !== "number" || count === 0 || typeof at !== "number") return [];
        const name = formatAccountName(profile);
        return [{ name, host: new URL(base).host, count, price: typeof price === "number" ? price : undefined, at }];
      });
  }

  /** The sandbox isn't an account. */
  #note(instances: InstancesService, at: number): void {
    const now = this.#session.current;
    if (now.kind !== "signed-in" || now.sandbox) return;
    const prices = instances.rows.filter((row) => !row.gone).map(getCurrentPrice);
    const price = addPrices(prices);
    const reading = { count: prices.length, at, ...(price === undefined ? {} : { price }) };
    this.#notes.set(stored.reading(now.profile), prices.length === 0 ? undefined : reading);
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
