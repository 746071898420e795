// Templates worth showing: the account's own, the recommended and the popular ones.

import type { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Collection } from "../core/collection.ts";
import { lastOf } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { type SaveKind, TemplateOwner } from "./template-owner.ts";

export interface TemplateGroups {
  readonly own: readonly Row<Template>[];
  readonly recommended: readonly Row<Template>[];
  readonly popular: readonly Row<Template>[];
  /** What the person searched for, as far as there is a search. */
  readonly found: Found | undefined;
  readonly unreadable: number;
}

export interface Found {
  readonly filters: Filters;
  readonly rows: readonly Row<Template>[];
}

/** Instances created from a template before it counts as popular. */
const POPULAR = 100;
const MOST_POPULAR = 50;
/** Milliseconds for which a look at a template is good enough: going to and fro between windows is no reason to ask again. */
const LOOK_GOOD_FOR = 60_000;
const MOST_LOOKED_AT = 50;

/** A template that was saved here: reads that began before it do not know of it. */
interface Save {
  readonly from: TemplateHash | undefined;
  readonly row: Row<Template>;
  readonly at: number;
}

/** A template that is gone: reads that began before still know of it. */
interface Drop {
  readonly isIt: (row: Row<Template>) => boolean;
  readonly at: number;
}

export class TemplatesService {
  readonly collection: Collection<TemplateGroups>;
  readonly #forgetting: Disposable;
  readonly #session: SessionService;
  readonly #owner: TemplateOwner;
  #saves: Save[] = [];
  #drops: Drop[] = [];
  #filters: Filters | undefined;
  /** Hashes this window gave up for new ones, and what they became. */
  readonly #successors = new Map<TemplateHash, TemplateHash>();
  /** What was last read or saved of templates, whether a list holds them or not. */
  readonly #byNumber = new Map<TemplateId, Row<Template>>();
  readonly #lookedAt = new Map<TemplateId, number>();

  constructor(session: SessionService) {
    this.#session = session;
    this.#owner = new TemplateOwner(session);
    this.collection = new Collection(session, async (signedIn, signal) => {
      const began = performance.now();
      const groups = await read(signedIn, signal, this.#owner);
      const found = await this.#found(signedIn, signal);
      this.#saves = this.#saves.filter(({ at }) => at > began);
      this.#drops = this.#drops.filter(({ at }) => at > began);
      return this.#drops.reduce(without, this.#saves.reduce(placed, { ...groups, found }));
    });
    this.#forgetting = session.onDidChange(() => {
      this.#saves = [];
      this.#drops = [];
      this.#filters = undefined;
      this.#successors.clear();
      this.#byNumber.clear();
      this.#lookedAt.clear();
    });
  }

  get all(): readonly Row<Template>[] {
    const groups = lastOf(this.collection.store.current)?.value;
    return groups ? [...groups.own, ...groups.recommended, ...groups.popular, ...(groups.found?.rows ?? [])] : [];
  }

  /**
   * Lists what meets the filters as a group of its own, from now on; undefined ends it.
   * @returns how many they are; undefined where another search or account came between. @throws AppError.
   */
  async search(filters: Filters | undefined): Promise<number | undefined> {
    const session = this.#session.signedIn();
    await this.collection.known();
    if (this.#session.current !== session) return undefined;
    const { current } = this.collection.store;
    // There would be no list for it to stand in.
    if (current.state === "failed" && !current.last) throw current.error;
    const before = this.#filters;
    this.#filters = filters;
    const still = () => this.#session.current === session && this.#filters === filters;
    const found = await this.#found(session).catch((error) => {
      if (!still()) return undefined;
      this.#filters = before;
      throw error;
    });
    if (!still()) return undefined;
    this.collection.store.amend((groups) => ({ ...groups, found }));
    return found?.rows.length ?? 0;
  }

  get filters(): Filters | undefined {
    return this.#filters;
  }

  async #found(session: SignedIn, signal?: AbortSignal): Promise<Found | undefined> {
    const filters = this.#filters;
    if (filters === undefined) return undefined;
    return { filters, rows: (await session.client.searchTemplates(filters, signal)).rows };
  }

  /** The template of this hash, or what it became by edits in this window. */
  find(hash: TemplateHash): Row<Template> | undefined {
    const found = this.all.find((row) => row.value.hash_id === hash);
    const next = this.#successors.get(hash);
    return found ?? (next === undefined ? undefined : this.find(next));
  }

  /**
   * Whether the account signed in made it, or may have: what cannot be told is for the service to refuse.
   * The number, where it is known, finds a template that was saved since.
   */
  isOwn(hash: TemplateHash, id?: TemplateId): boolean {
    const groups = lastOf(this.collection.store.current)?.value;
    if (groups === undefined) return true;
    const isIt = ({ value }: Row<Template>) => value.hash_id === hash || (id !== undefined && value.id === id);
    const row = this.all.find(isIt);
    return row ? this.owned(groups.own)(row) : this.#owner.me === undefined;
  }

  /** The same of many rows, by the rows of one's own that are listed. */
  owned(own: TemplateGroups["own"]): (row: Row<Template>) => boolean {
    const { me } = this.#owner;
    const mine = new Set(own.map(({ value }) => value.hash_id));
    return ({ value }) => me === undefined || mine.has(value.hash_id) || value.creator_id === me;
  }

  /** Where the service does not say whose account it is, what was saved here tells. */
  learn(row: Row<Template>, kind: SaveKind): void {
    this.#owner.learn(this.#session.signedIn(), row, kind);
  }

  /** The template of this number as far as it was read; no server is asked. */
  byNumber(id: TemplateId): Row<Template> | undefined {
    return this.all.find(({ value }) => value.id === id) ?? this.#byNumber.get(id);
  }

  /**
   * Reads these by one narrow search (interface 4.5), unless that was done a moment ago; `byNumber` then knows them.
   * Never rejects: who cannot be asked now is asked another time.
   * @returns whether anything was read.
   */
  async look(ids: readonly TemplateId[]): Promise<boolean> {
    const session = this.#session.current;
    if (session.kind !== "signed-in") return false;
    const now = performance.now();
    const isDue = (id: TemplateId) => now - (this.#lookedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= LOOK_GOOD_FOR;
    const due = [...new Set(ids)].filter(isDue).slice(0, MOST_LOOKED_AT);
    if (due.length === 0) return false;
    for (const id of due) this.#lookedAt.set(id, now);
    const found = await session.client.searchTemplates({ id: { in: due } }).catch(() => undefined);
    if (!found || this.#session.current !== session) return false;
    const savedSince = new Set(this.#saves.filter(({ at }) => at > now).map(({ row }) => row.value.id));
    for (const row of found.rows) if (!savedSince.has(row.value.id)) this.update(row);
    return true;
  }

  /** Takes over what a save made of a template: its row stays, with the new hash, in every list. */
  adopt(row: Row<Template>, from: TemplateHash | undefined): void {
    const to = row.value.hash_id;
    this.#remember(row);
    // A template brought back to what it was has its old hash again: following it must not lead in a circle.
    this.#successors.delete(to);
    if (from !== undefined && from !== to) this.#successors.set(from, to);
    const save: Save = { from, row, at: performance.now() };
    this.#saves.push(save);
    this.collection.store.amend((groups) => placed(groups, save));
  }

  /** Takes over what was just read of a template: the lists are never older than what is open. */
  update(row: Row<Template>): void {
    const { id, hash_id } = row.value;
    this.#remember(row);
    const listed = this.all.find(({ value }) => (id === undefined ? value.hash_id === hash_id : value.id === id));
    if (listed && listed.value.hash_id !== hash_id) this.adopt(row, listed.value.hash_id);
  }

  #remember(row: Row<Template>): void {
    if (row.value.id !== undefined) this.#byNumber.set(row.value.id, row);
  }

  /** Takes a template that is gone out of the lists. */
  drop({ id, hash }: { readonly id: TemplateId | undefined; readonly hash: TemplateHash }): void {
    if (id !== undefined) this.#byNumber.delete(id);
    const drop: Drop = {
      isIt: ({ value }) => (id === undefined ? value.hash_id === hash : value.id === id),
      at: performance.now(),
    };
    this.#drops.push(drop);
    this.collection.store.amend((groups) => without(groups, drop));
  }

  dispose(): void {
    this.#forgetting.dispose();
    this.collection.dispose();
  }
}

/** Every list of templates changed in the same way. */
function each(
  groups: TemplateGroups,
  change: (rows: readonly Row<Template>[]) => readonly Row<Template>[],
): TemplateGroups {
  const { own, recommended, popular, found, unreadable } = groups;
  return {
    own: change(own),
    recommended: change(recommended),
    popular: change(popular),
    found: found && { ...found, rows: change(found.rows) },
    unreadable,
  };
}

function without(groups: TemplateGroups, { isIt }: Drop): TemplateGroups {
  return each(groups, (rows) => (rows.some(isIt) ? rows.filter((row) => !isIt(row)) : rows));
}

function placed(groups: TemplateGroups, { from, row }: Save): TemplateGroups {
  const { id, hash_id } = row.value;
  const isIt = ({ value }: Row<Template>) =>
    value.hash_id === hash_id || value.hash_id === from || (id !== undefined && value.id === id);
  const replace = (rows: readonly Row<Template>[]) => {
    const first = rows.find(isIt);
    return rows.filter((old) => old === first || !isIt(old)).map((old) => (old === first ? row : old));
  };
  const known = [...groups.own, ...groups.recommended, ...groups.popular].some(isIt);
  const replaced = each(groups, replace);
  return { ...replaced, own: byName(known ? replaced.own : [...groups.own, row]) };
}

function byName(rows: readonly Row<Template>[]): Row<Template>[] {
  return [...rows].sort((a, b) => (a.value.name ?? "").localeCompare(b.value.name ?? ""));
}

/** Three narrow searches: a public service holds thousands of templates and has no pages. */
async function read(
  session: SignedIn,
  signal: AbortSignal,
  owner: TemplateOwner,
): Promise<Omit<TemplateGroups, "found">> {
  const search = (filters: Filters) => session.client.searchTemplates(filters, signal);
  const mine = await owner.filters(session);
  const own = mine === undefined ? { rows: [], unreadable: 0 } : await search(mine);
  owner.review(session, own.rows);
  const recommended = await search({ recommended: { eq: true } });
  const popular = await search({ count_created: { gte: POPULAR }, recommended: { eq: false } });
  const seen = new Set<string>();
  const unseen = (rows: readonly Row<Template>[]) =>
    rows.filter(({ value }) => !seen.has(value.hash_id) && seen.add(value.hash_id));
  const byUse = (rows: readonly Row<Template>[]) =>
    [...rows].sort((a, b) => (b.value.count_created ?? 0) - (a.value.count_created ?? 0));
  return {
    own: unseen(byName(own.rows)),
    recommended: unseen(byUse(recommended.rows)),
    popular: unseen(byUse(popular.rows)).slice(0, MOST_POPULAR),
    unreadable: own.unreadable + recommended.unreadable + popular.unreadable,
  };
}
