// The accounts that were signed in to: an address and a name for each, and the name that its key is stored under. The key itself
// isn't stored here.
import { randomBytes } from "node:crypto";
import { parseAddress } from "../../domain/base/address.ts";
import { stored } from "../../ids.ts";
import type { Notes } from "./notes.ts";

export interface Profile {
  /** The name that its key is stored under: the origin, followed by a unique word for further accounts at the same origin. */
  readonly id: string;
  readonly base: string;
  readonly name: string;
  /** The service's ID for the account, if it provides one. */
  readonly user: number | undefined;
}

/** What windows tell each other. It contains no secrets. */
export interface SessionChange {
  readonly origin: string;
  readonly signedIn: boolean;
  /** Set unless it is the first account at its origin. */
  readonly profile?: Profile | undefined;
}

/** Stores the keys: one per profile. Each profile belongs to one origin. */
export interface KeyStore {
  read(profile: string): Promise<string | undefined>;
  store(profile: string, key: string): Promise<void>;
  remove(profile: string): Promise<void>;
}

const RECORD = "profile ";

/** The origin that a profile's key is bound to, or undefined if the ID isn't one of ours. */
export function originOf(id: string): string | undefined {
  const [origin = "", ...more] = id.split(" ");
  return URL.canParse(origin) && new URL(origin).origin === origin && more.length <= 1 ? origin : undefined;
}

export class Profiles {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Sorted by name. */
  all(): readonly Profile[] {
    return this.#notes
      .keys()
      .filter((key) => key.startsWith(RECORD))
      .flatMap((key) => this.find(key.slice(RECORD.length)) ?? [])
      .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  }

  /** A note that would send a key to a different origin is ignored. */
  find(id: string): Profile | undefined {
    const note = this.#notes.get(RECORD + id);
    if (typeof note !== "object" || note === null) return undefined;
    const { base, name, user } = note as Record<string, unknown>;
    if (typeof base !== "string" || typeof name !== "string") return undefined;
    try {
      const address = parseAddress(base);
      if (address.origin !== originOf(id)) return undefined;
      return { id, base: address.base, name, user: typeof user === "number" ? user : undefined };
    } catch {
      return undefined;
    }
  }

  put({ id, base, name, user }: Profile): void {
    const known = this.find(id);
    if (known?.base === base && known.name === name && known.user === user) return;
    this.#notes.set(RECORD + id, { base, name, ...(user === undefined ? {} : { user }) });
  }

  drop(id: string): void {
    this.#notes.set(RECORD + id, undefined);
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
  active(origin: string): string {
    const id = this.#notes.get(stored.activeProfile(origin));
    return typeof id === "string" && originOf(id) === origin ? id : origin;
  }

  /** Its key is the one that the person means from now on. */
  activate(origin: string, id: string): void {
    this.noteKeyLeft(id, false);
    if (this.active(origin) !== id) this.#notes.set(stored.activeProfile(origin), id);
  }
}

interface Comer {
  readonly origin: string;
  readonly key: string;
  /** Undefined if the service doesn't say which account the key belongs to. */
  readonly user: number | undefined;
  /** True for an additional account, for services that don't identify accounts. */
  readonly add: boolean;
}

/**
 * The profile in which to store the key of a person who signs in: the profile of the same account, otherwise a new one.
 */
export async function profileFor(
  { keyStore, profiles }: { readonly keyStore: KeyStore; readonly profiles: Profiles },
  { origin, key, user, add }: Comer,
): Promise<string> {
  const there = profiles.all().filter(({ id }) => originOf(id) === origin);
  const same = user === undefined ? undefined : there.find((one) => one.user === user);
  if (same) return same.id;
  for (const { id } of there) if ((await keyStore.read(id)) === key) return id;
  if (!there.some(({ id }) => id === origin)) return origin;
  return user === undefined && !add ? profiles.active(origin) : `${origin} ${randomBytes(6).toString("hex")}`;
}

/** What other windows are told about a profile. For the first profile at an origin, that is only the origin. */
export function toSessionChange(profiles: Profiles, id: string, signedIn: boolean): SessionChange {
  const origin = originOf(id) ?? id;
  if (id === origin) return { origin, signedIn };
  return { origin, signedIn, profile: profiles.find(id) ?? { id, base: origin, name: "", user: undefined } };
}
