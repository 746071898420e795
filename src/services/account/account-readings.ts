// What each account had rented when it was last read: other accounts' machines are still billed while this one is
// shown.
import type { AccountReading } from "../../domain/account/account-reading.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { stored } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter, type Event, mergeEvents } from "../../lib/event.ts";
import type { Notes } from "../core/notes.ts";
import { formatAccountName, type Profile, readOrigin } from "../core/profiles.ts";
import type { SessionService } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

const RECORD = stored.reading("");

export class AccountReadings implements Disposable {
  readonly #session: SessionService;
  readonly #notes: Notes;
  readonly #listening: Disposable;
  readonly #forgets = new Emitter<void>();
  /** Fires when there is another account, one less, or one was forgotten. */
  readonly onDidChange: Event<void>;

  constructor(session: SessionService, instances: InstancesService, notes: Notes) {
    this.#session = session;
    this.#notes = notes;
    this.onDidChange = mergeEvents(session.profiles.onDidChange, this.#forgets.event);
    this.#listening = instances.collection.store.onDidChange((now) => {
      if (now.state !== "ready" || !now.last.value.complete || now.last.value.unread) return;
      this.#note(instances, now.last.at);
    });
  }

  /** Accounts other than the current one that had something rented when they were last read, those signed out of last. */
  get others(): readonly AccountReading[] {
    const now = this.#session.current;
    const current = now.kind === "signed-in" ? now.profile : undefined;
    const known = this.#session.profiles.list();
    const left = this.#notes
      .keys()
      .filter((key) => key.startsWith(RECORD))
      .flatMap((key) => readLeft(key.slice(RECORD.length), this.#notes.get(key)) ?? [])
      .filter((one) => !known.some((profile) => isSameAccount(profile, one)));
    return [...known.filter(({ id }) => id !== current), ...left].flatMap((profile) => {
      const { id, base } = profile;
      const { count, price, at } = toRecord(this.#notes.get(stored.reading(id)));
      if (typeof count !== "number" || count === 0 || typeof at !== "number") return [];
      return {
        ...{ profile: id, name: formatAccountName(profile), base, isLeft: left.includes(profile) },
        ...{ count, price: typeof price === "number" ? price : undefined, at },
      };
    });
  }

  /** Drops what is remembered of an account that was signed out of. */
  forget(profile: string): void {
    if (this.#session.profiles.find(profile)) return;
    this.#notes.set(stored.reading(profile), undefined);
    this.#forgets.fire();
  }

  /** The sandbox isn't an account. */
  #note(instances: InstancesService, at: number): void {
    const now = this.#session.current;
    if (now.kind !== "signed-in" || now.sandbox) return;
    const prices = instances.rows.filter((row) => !row.gone).map(getCurrentPrice);
    const price = addPrices(prices);
    const profile = this.#session.profiles.find(now.profile);
    const who = profile && { base: profile.base, name: formatAccountName(profile), user: profile.user };
    const reading = { ...who, count: prices.length, at, ...(price === undefined ? {} : { price }) };
    this.#notes.set(stored.reading(now.profile), prices.length === 0 ? undefined : reading);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#forgets.dispose();
  }
}

const toRecord = (note: unknown): Record<string, unknown> =>
  typeof note === "object" && note !== null ? (note as Record<string, unknown>) : {};

/** Whose reading it was, as the reading itself remembers it. A note with another origin than its key's leads nowhere. */
function readLeft(id: string, note: unknown): Profile | undefined {
  const { base, name, user } = toRecord(note);
  if (typeof base !== "string" || typeof name !== "string" || !URL.canParse(base)) return undefined;
  if (new URL(base).origin !== readOrigin(id)) return undefined;
  return { id, base, name, user: typeof user === "number" ? user : undefined };
}

/** Someone who signed in again may have a profile of another ID. */
const isSameAccount = (one: Profile, other: Profile): boolean =>
  one.id === other.id ||
  (one.base === other.base &&
    (one.user === undefined || other.user === undefined ? one.name === other.name : one.user === other.user));
