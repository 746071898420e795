// The accounts that were signed in to: an address and a name for each, and the name that its key is stored under. The key itself
// isn't stored here.
import { randomBytes } from "node:crypto";
import { type Address, parseAddress } from "../../domain/base/address.ts";
import { AppError } from "../../domain/base/error.ts";
import { stored } from "../../ids.ts";
import { Emitter } from "../../lib/event.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Notes } from "./notes.ts";

export interface Profile {
  /** The name that its key is stored under: the origin, followed by a unique word for further accounts at the same origin. */
  readonly id: string;
  readonly base: string;
  /** What the service calls the account, or its host. */
  readonly name: string;
  /** What the person calls it instead. */
  readonly alias?: string | undefined;
  /** The service's ID for the account, if it provides one. */
  readonly user: number | undefined;
}

/** What windows tell each other. It contains no secrets. */
export interface SessionChange {
  readonly origin: string;
  readonly signedIn: boolean;
  /** Set unless it is the first account at its origin. */
  readonly profile?: Profile | undefined;
  /** No one signed in or out: the account has another name. */
  readonly renamed?: true | undefined;
  /** No one signed in or out: the rentals of an account that was left are no longer shown. Names what is remembered of it. */
  readonly forgotten?: string | undefined;
}

/** Stores the keys: one per profile. Each profile belongs to one origin. */
export interface KeyStore {
  read(profile: string): Promise<string | undefined>;
  store(profile: string, key: string): Promise<void>;
  remove(profile: string): Promise<void>;
}

interface AccountInUse {
  readonly address: Address;
  readonly profile: string;
  readonly sandbox: boolean;
}

const RECORD = stored.profile("");
const LONGEST_ALIAS = 60;

/** What a person knows the account by. */
export function formatAccountName({ alias, name }: Profile): string {
  return alias ?? name;
}

/** The origin that a profile's key is bound to, or undefined if the ID isn't one of ours. */
export function readOrigin(id: string): string | undefined {
  const [origin = "", ...more] = id.split(" ");
  return URL.canParse(origin) && new URL(origin).origin === origin && more.length <= 1 ? origin : undefined;
}

export class Profiles {
  readonly #notes: Notes;
  readonly #changes = new Emitter<void>();
  /** Fires when there is another account, one less, or another name for one. */
  readonly onDidChange = this.#changes.event;
  readonly #renames = new Emitter<Profile>();
  /** Fires when the person gave an account another name in this window. */
  readonly onDidRename = this.#renames.event;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Sorted by name. */
  list(): readonly Profile[] {
    return this.#notes
      .keys()
      .filter((key) => key.startsWith(RECORD))
      .flatMap((key) => this.find(key.slice(RECORD.length)) ?? [])
      .sort((a, b) => formatAccountName(a).localeCompare(formatAccountName(b)) || a.id.localeCompare(b.id));
  }

  /** What a person knows an account by that is in use. */
  nameOf({ profile, address, sandbox }: AccountInUse): string {
    if (sandbox) return t("Sandbox");
    const known = this.find(profile);
    if (!known) return address.host;
    const name = formatAccountName(known);
    if (name === address.host) return name;
    const isShared = this.list().some((other) => other.id !== profile && formatAccountName(other) === name);
    return isShared ? t("{0} at {1}", name, address.host) : name;
  }

  /** Who pays, where that isn't the only account. */
  findPayer(account: AccountInUse): string | undefined {
    return this.list().length > 1 ? this.nameOf(account) : undefined;
  }

  /** A note that would send a key to a different origin is ignored. */
  find(id: string): Profile | undefined {
    const note = this.#notes.get(RECORD + id);
    if (typeof note !== "object" || note === null) return undefined;
    const { base, name, alias, user } = note as Record<string, unknown>;
    if (typeof base !== "string" || typeof name !== "string") return undefined;
    try {
      const address = parseAddress(base);
      if (address.origin !== readOrigin(id)) return undefined;
      return {
        id,
        base: address.base,
        name,
        ...(typeof alias === "string" ? { alias } : {}),
        user: typeof user === "number" ? user : undefined,
      };
    } catch {
      return undefined;
    }
  }

  /** Stores what the service says of an account. An alias that isn't given stays, unless it was another account's. */
  put({ id, base, name, alias, user }: Profile): void {
    const known = this.find(id);
    const isAnother = known?.user !== undefined && user !== undefined && known.user !== user;
    this.#write({ id, base, name, alias: alias ?? (isAnother ? undefined : known?.alias), user });
  }

  /**
   * Gives an account a name of the person's own. An empty one returns to the service's name.
   * @throws AppError `rejected` if it is too long or another account's, `not-found` if there is no such account.
   */
  rename(id: string, text: string): void {
    const known = this.find(id);
    if (!known) throw new AppError("not-found", t("That account is no longer in the list. Nothing was changed."));
    // Names that look alike are alike.
    const typed = toPlainText(text);
    const alias = typed === "" || typed === known.name ? undefined : typed;
    if (alias !== undefined && alias.length > LONGEST_ALIAS)
      throw new AppError("rejected", t("Account name: use at most {0} characters.", LONGEST_ALIAS));
    if (
      alias !== undefined &&
      this.list().some((other) => other.id !== id && toPlainText(formatAccountName(other)) === alias)
    )
      throw new AppError("rejected", t("Account name: another account is already called {0}.", alias));
    this.#write({ ...known, alias });
    this.#renames.fire({ ...known, alias });
  }

  /** Another window gave an account another name. This window's notes may have it already, but no one was told. */
  learn(renamed: Profile): void {
    if (this.find(renamed.id)) this.#write(renamed);
    this.#changes.fire();
  }

  #write({ id, base, name, alias, user }: Profile): void {
    const known = this.find(id);
    if (known?.base === base && known.name === name && known.alias === alias && known.user === user) return;
    this.#notes.set(RECORD + id, {
      base,
      name,
      ...(alias === undefined ? {} : { alias }),
      ...(user === undefined ? {} : { user }),
    });
    this.#changes.fire();
  }

  drop(id: string): void {
    if (this.#notes.get(RECORD + id) === undefined) return;
    this.#notes.set(RECORD + id, undefined);
    this.#changes.fire();
  }

  /** Whether the key store may still hold a key that its owner signed out of. No window uses it until they sign in again. */
  isKeyLeft(id: string): boolean {
    return this.#notes.get(stored.leftKey(id)) === true;
  }

  noteKeyLeft(id: string, isLeft: boolean): void {
    if (this.isKeyLeft(id) !== isLeft) this.#notes.set(stored.leftKey(id), isLeft || undefined);
  }

  /**
   * The profile that is active for an origin. It stays the same after that profile signs out: no other replaces it
   * automatically.
   */
  findActive(origin: string): string {
    const id = this.#notes.get(stored.activeProfile(origin));
    return typeof id === "string" && readOrigin(id) === origin ? id : origin;
  }

  /** The same for an address, whose path may be another one than that of the active profile. */
  findActiveAt({ origin, base }: Pick<Address, "origin" | "base">): string {
    const active = this.findActive(origin);
    const current = this.find(active);
    if (!current || current.base === base) return active;
    return this.list().find((one) => one.base === base && readOrigin(one.id) === origin)?.id ?? active;
  }

  /** Its key is the one that the person means from now on. */
  activate(origin: string, id: string): void {
    this.noteKeyLeft(id, false);
    if (this.findActive(origin) !== id) this.#notes.set(stored.activeProfile(origin), id);
  }
}

interface Comer {
  readonly origin: string;
  /** The whole address: two paths of an origin are two services. */
  readonly base: string;
  readonly key: string;
  /** Undefined if the service doesn't say which account the key belongs to. */
  readonly user: number | undefined;
  /** True for an additional account, for services that don't identify accounts. */
  readonly add: boolean;
}

/**
 * The profile in which to store the key of a person who signs in: the profile of the same account, otherwise a new one. A key that
 * may be any account's never replaces the key of an account that is known.
 */
export async function findProfile(
  { keyStore, profiles }: { readonly keyStore: KeyStore; readonly profiles: Profiles },
  { origin, base, key, user, add }: Comer,
): Promise<string> {
  const all = profiles.list().filter(({ id }) => readOrigin(id) === origin);
  const there = all.filter((one) => one.base === base);
  const same = user === undefined ? undefined : there.find((one) => one.user === user);
  if (same) return same.id;
  for (const { id } of there) if ((await keyStore.read(id)) === key) return id;
  if (!all.some(({ id }) => id === origin)) return origin;
  const active = profiles.findActive(origin);
  const current = there.find(({ id }) => id === active);
  const mayBeActive = user === undefined && !add && current !== undefined && current.user === undefined;
  return mayBeActive ? active : `${origin} ${randomBytes(6).toString("hex")}`;
}

/** What other windows are told about a profile. For the first profile at an origin, that is only the origin. */
export function toSessionChange(profiles: Profiles, id: string, signedIn: boolean): SessionChange {
  const origin = readOrigin(id) ?? id;
  if (id === origin) return { origin, signedIn };
  return { origin, signedIn, profile: profiles.find(id) ?? { id, base: origin, name: "", user: undefined } };
}
