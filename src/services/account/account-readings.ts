// What each account had rented when it was last read: other accounts' machines are still billed while this one is shown, and so are those
// of an account that was signed out of.
import * as z from "zod";
import type { AccountReading } from "../../domain/account/account-reading.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { stored } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter, type Event, mergeEvents } from "../../lib/event.ts";
import { hashAccount, isOfAccount, toAccountMark } from "../core/account-mark.ts";
import type { Notes } from "../core/notes.ts";
import { formatAccountName } from "../core/profiles.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

const RECORD = stored.reading("");

/** Of which account it is, what that was called, and what it had. `profile` is missing once another account has taken it over. */
const Note = z.object({
  origin: z.url({ protocol: /^https?$/ }),
  account: z.string(),
  user: z.number().optional(),
  profile: z.string().optional(),
  name: z.string(),
  count: z.number().positive(),
  price: z.number().optional(),
  at: z.number(),
});
type Note = z.infer<typeof Note>;

export class AccountReadings implements Disposable {
  readonly #session: SessionService;
  readonly #notes: Notes;
  readonly #listening: Disposable;
  readonly #changes = new Emitter<void>();
  readonly #forgets = new Emitter<AccountReading>();
  /** Fires with an account that the person had forgotten in this window. */
  readonly onDidForget = this.#forgets.event;
  /** Fires when there is another account, one less, or one was forgotten. */
  readonly onDidChange: Event<void>;

  constructor(session: SessionService, instances: InstancesService, notes: Notes) {
    this.#session = session;
    this.#notes = notes;
    this.onDidChange = mergeEvents(session.profiles.onDidChange, this.#changes.event);
    this.#listening = instances.collection.store.onDidChange((now) => {
      if (now.state !== "ready" || !now.last.value.complete || now.last.value.unread) return;
      this.#note(instances, now.last.at);
    });
  }

  /** Accounts other than the current one that had something rented when they were last read, those signed out of last. */
  get others(): readonly AccountReading[] {
    const now = this.#session.current;
    const readings = this.#list().flatMap(({ key, note }) => {
      if (now.kind === "signed-in" && isOfAccount(note, now)) return [];
      const { origin: base, name, count, price, at } = note;
      const profile = this.#findProfile(note);
      const known = profile && formatAccountName(profile);
      return [{ key, name: known ?? name, base, isLeft: !profile, count, price, at }];
    });
    return readings.sort(
      (one, other) => Number(one.isLeft) - Number(other.isLeft) || one.name.localeCompare(other.name),
    );
  }

  /** Drops what is remembered of an account. */
  forget(reading: AccountReading): void {
    this.learnForgotten(reading.key);
    this.#forgets.fire(reading);
  }

  /** Another window dropped it. This window's notes may still have it. */
  learnForgotten(key: string): void {
    this.#notes.set(RECORD + key, undefined);
    this.#changes.fire();
  }

  /**
   * What the account in use is called, if the person signed in to return to this one and it is another. Undefined where the service doesn't
   * say whose a key is: both stay remembered.
   */
  findOther({ key }: AccountReading): string | undefined {
    const now = this.#session.current;
    const note = this.#list().find((one) => one.key === key)?.note;
    if (now.kind === "signed-out" || !note || isOfAccount(note, now)) return undefined;
    const isKnown = now.user() !== undefined && note.user !== undefined;
    return isKnown ? this.#session.profiles.nameOf(now) : undefined;
  }

  #list(): readonly { readonly key: string; readonly note: Note }[] {
    const keys = this.#notes.keys().filter((key) => key.startsWith(RECORD));
    return keys.flatMap((key) => {
      const { data: note } = Note.safeParse(this.#notes.get(key));
      return note ? [{ key: key.slice(RECORD.length), note }] : [];
    });
  }

  /** The profile of a note's account; undefined if the person signed out of it, though someone else may have its profile since. */
  #findProfile({ profile: id, origin, user }: Note) {
    const now = this.#session.current;
    const profile = id === undefined ? undefined : this.#session.profiles.find(id);
    if (!profile || profile.base !== origin || (now.kind === "signed-in" && now.profile === id)) return undefined;
    const isAnother = user !== undefined && profile.user !== undefined && user !== profile.user;
    return isAnother ? undefined : profile;
  }

  /** The sandbox isn't an account. */
  #note(instances: InstancesService, at: number): void {
    const now = this.#session.current;
    if (now.kind !== "signed-in" || now.sandbox) return;
    const own = hashAccount(now);
    this.#takeOver(now, own);
    const prices = instances.rows.filter((row) => !row.gone).map(getCurrentPrice);
    const profile = this.#session.profiles.find(now.profile);
    const name = profile ? formatAccountName(profile) : now.address.host;
    const price = addPrices(prices);
    const reading = { ...toAccountMark(now), profile: now.profile, name, count: prices.length, at };
    const note = { ...reading, ...(price === undefined ? {} : { price }) };
    this.#notes.set(RECORD + own, prices.length === 0 ? undefined : note);
  }

  /** What else was noted of this account is old. Another account's note no longer has the profile, which is this one's now. */
  #takeOver(now: SignedIn, own: string): void {
    for (const { key, note } of this.#list().filter((one) => one.key !== own)) {
      const { profile, ...rest } = note;
      if (isOfAccount(note, now)) this.#notes.set(RECORD + key, undefined);
      else if (profile === now.profile) this.#notes.set(RECORD + key, rest);
    }
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changes.dispose();
    this.#forgets.dispose();
  }
}
