// Which accounts were signed in to: an address and a name for each, and where its key lies; the key itself is not here.
import { randomBytes } from "node:crypto";
import { parseAddress } from "../../domain/base/address.ts";
import { stored } from "../../ids.ts";
import type { Notes } from "./notes.ts";

export interface Profile {
  /** Where the vault holds its key: the origin, for a second account at one origin followed by a word of its own. */
  readonly id: string;
  readonly base: string;
  readonly name: string;
  /** The service's id of the account, where it says. */
  readonly user: number | undefined;
}

/** What windows tell each other; no secret is in it. */
export interface SessionNews {
  readonly origin: string;
  readonly signedIn: boolean;
  /** Where it is not the first account at its origin. */
  readonly profile?: Profile | undefined;
}

/** Where keys live; one for a profile, which belongs to one origin. */
export interface Vault {
  read(profile: string): Promise<string | undefined>;
  store(profile: string, key: string): Promise<void>;
  remove(profile: string): Promise<void>;
}

const RECORD = "profile ";

/** The origin a profile's key is bound to; undefined for an id that is none of ours. */
export function originOf(id: string): string | undefined {
  const [origin = "", ...more] = id.split(" ");
  return URL.canParse(origin) && new URL(origin).origin === origin && more.length <= 1 ? origin : undefined;
}

export class Profiles {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** In the order of their names. */
  all(): readonly Profile[] {
    return this.#notes
      .keys()
      .filter((key) => key.startsWith(RECORD))
      .flatMap((key) => this.find(key.slice(RECORD.length)) ?? [])
      .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  }

  /** A note that would lead a key to another origin than its own is none. */
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

  /** Whose key is used at an origin. It goes on naming one that signed out: nobody else takes its place by itself. */
  active(origin: string): string {
    const id = this.#notes.get(stored.activeProfile(origin));
    return typeof id === "string" && originOf(id) === origin ? id : origin;
  }

  activate(origin: string, id: string): void {
    if (this.active(origin) !== id) this.#notes.set(stored.activeProfile(origin), id);
  }
}

interface Comer {
  readonly origin: string;
  readonly key: string;
  /** Undefined where the service does not say whose key it is. */
  readonly user: number | undefined;
  /** Another account than the one there, for services that do not say. */
  readonly add: boolean;
}

/** Where the key of somebody who signs in belongs: with their account of before, else in a profile of its own. */
export async function profileFor(
  { vault, profiles }: { readonly vault: Vault; readonly profiles: Profiles },
  { origin, key, user, add }: Comer,
): Promise<string> {
  const there = profiles.all().filter(({ id }) => originOf(id) === origin);
  const same = user === undefined ? undefined : there.find((one) => one.user === user);
  if (same) return same.id;
  for (const { id } of there) if ((await vault.read(id)) === key) return id;
  if (!there.some(({ id }) => id === origin)) return origin;
  return user === undefined && !add ? profiles.active(origin) : `${origin} ${randomBytes(6).toString("hex")}`;
}

/** What other windows are told of a profile; of the first one at an origin that is the origin alone. */
export function newsOf(profiles: Profiles, id: string, signedIn: boolean): SessionNews {
  const origin = originOf(id) ?? id;
  if (id === origin) return { origin, signedIn };
  return { origin, signedIn, profile: profiles.find(id) ?? { id, base: origin, name: "", user: undefined } };
}
