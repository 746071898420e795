// Templates to show: the account's own, the recommended and the popular ones.

import type { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Collection, type ReadableCollection } from "../core/collection.ts";
import { getLast, getPart } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import {
  type Drop,
  type FoundTemplates,
  readLists,
  type Save,
  type TemplateGroups,
  withoutDropped,
  withSaved,
} from "./template-lists.ts";
import { type SaveKind, TemplateOwner } from "./template-owner.ts";

/** Milliseconds for which a lookup stays valid: switching between windows is no reason to ask again. */
const LOOK_GOOD_FOR = 60_000;
const MOST_LOOKED_AT = 50;

export class TemplatesService {
  readonly #collection: Collection<TemplateGroups>;
  readonly #forgetting: Disposable;
  readonly #session: SessionService;
  readonly #clock: Clock;
  readonly #owner: TemplateOwner;
  #saves: Save[] = [];
  #drops: Drop[] = [];
  #filters: Filters | undefined;
  /** Hashes that were replaced in this window, with their new hashes. */
  readonly #successors = new Map<TemplateHash, TemplateHash>();
  /** Templates as last read or saved, whether or not a list contains them. */
  readonly #byNumber = new Map<TemplateId, Row<Template>>();
  readonly #lookedAt = new Map<TemplateId, number>();

  constructor(session: SessionService, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#owner = new TemplateOwner(session);
    this.#collection = new Collection({ session, clock, read: (...given) => this.#read(...given) });
    this.#forgetting = session.onDidChange(() => {
      this.#saves = [];
      this.#drops = [];
      this.#filters = undefined;
      this.#successors.clear();
      this.#byNumber.clear();
      this.#lookedAt.clear();
    });
  }

  get collection(): ReadableCollection<TemplateGroups> {
    return this.#collection;
  }

  async #read(
    signedIn: SignedIn,
    signal: AbortSignal,
    partly: (groups: TemplateGroups) => void,
  ): Promise<TemplateGroups> {
    const began = this.#clock.elapsed();
    const since = <C extends { readonly at: number }>(changes: readonly C[]) => changes.filter(({ at }) => at > began);
    const withChanges = (groups: TemplateGroups) =>
      since(this.#drops).reduce(withoutDropped, since(this.#saves).reduce(withSaved, groups));
    const groups = await readLists(signedIn, signal, this.#owner, (some) => partly(withChanges(some)));
    const found = await this.#found(signedIn, signal);
    this.#saves = since(this.#saves);
    this.#drops = since(this.#drops);
    return withChanges({ ...groups, found });
  }

  /** The lists, or those of them that the first read has brought so far. */
  get #groups(): TemplateGroups | undefined {
    const { current } = this.#collection.store;
    return (getLast(current) ?? getPart(current))?.value;
  }

  get all(): readonly Row<Template>[] {
    const groups = this.#groups;
    return groups ? [...groups.own, ...groups.recommended, ...groups.popular, ...(groups.found?.rows ?? [])] : [];
  }

  /**
   * From now on, lists the matches of these filters as a separate group; undefined removes the group.
   * @returns the number of matches; undefined if another search or account intervened.
   * @throws AppError.
   */
  async search(filters: Filters | undefined): Promise<number | undefined> {
    const session = this.#session.requireSignedIn();
    await this.#collection.getKnown();
    if (this.#session.current !== session) return undefined;
    const { current } = this.#collection.store;
    // There is no list that could show it.
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
    this.#collection.store.amend((groups) => ({ ...groups, found }));
    return found?.rows.length ?? 0;
  }

  get filters(): Filters | undefined {
    return this.#filters;
  }

  async #found(session: SignedIn, signal?: AbortSignal): Promise<FoundTemplates | undefined> {
    const filters = this.#filters;
    if (filters === undefined) return undefined;
    return { filters, rows: (await session.client.searchTemplates(filters, signal)).rows };
  }

  /** The template with this hash, or its successor after edits in this window. */
  find(hash: TemplateHash): Row<Template> | undefined {
    const found = this.all.find((row) => row.value.hash_id === hash);
    const next = this.#successors.get(hash);
    return found ?? (next === undefined ? undefined : this.find(next));
  }

  /**
   * Whether the signed-in account created it, or may have. If that is unknown, the service decides. The ID, if known,
   * finds a template that was saved since.
   */
  isOwn(hash: TemplateHash, id?: TemplateId): boolean {
    const groups = this.#groups;
    const isIt = ({ value }: Row<Template>) => value.hash_id === hash || (id !== undefined && value.id === id);
    const row = this.all.find(isIt);
    if (groups && row) return this.listOwned(groups.own)(row);
    // It may be in a list that hasn't arrived yet.
    return getLast(this.#collection.store.current) === undefined || this.#owner.me === undefined;
  }

  /** The same for many rows, based on the listed rows of the account itself. */
  listOwned(own: TemplateGroups["own"]): (row: Row<Template>) => boolean {
    const { me } = this.#owner;
    const mine = new Set(own.map(({ value }) => value.hash_id));
    return ({ value }) => me === undefined || mine.has(value.hash_id) || value.creator_id === me;
  }

  /** If the service doesn't identify the account, infers it from what was saved here. */
  learn(row: Row<Template>, kind: SaveKind): void {
    this.#owner.learn(this.#session.requireSignedIn(), row, kind);
  }

  /** The template with this ID as last read, without asking a server. */
  findByNumber(id: TemplateId): Row<Template> | undefined {
    return this.all.find(({ value }) => value.id === id) ?? this.#byNumber.get(id);
  }

  /**
   * Reads these with one narrow search (interface 4.5), unless that was done a moment ago; `byNumber` then returns
   * them. Never rejects: if the service can't be asked now, a later call asks again.
   * @returns whether anything was read.
   */
  async look(ids: readonly TemplateId[]): Promise<boolean> {
    const session = this.#session.current;
    if (session.kind !== "signed-in") return false;
    const now = this.#clock.elapsed();
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

  /** Applies the result of a save: the template's row stays in every list and gets the new hash. */
  adopt(row: Row<Template>, from: TemplateHash | undefined): void {
    const to = row.value.hash_id;
    this.#remember(row);
    // A template that is restored to an earlier state gets its old hash back, and following successors must not loop.
    this.#successors.delete(to);
    if (from !== undefined && from !== to) this.#successors.set(from, to);
    const save: Save = { from, row, at: this.#clock.elapsed() };
    this.#saves.push(save);
    this.#collection.store.amend((groups) => withSaved(groups, save));
  }

  /** Applies what was just read of a template, so that the lists are never older than an open form. */
  update(row: Row<Template>): void {
    const { id, hash_id } = row.value;
    this.#remember(row);
    const listed = this.all.find(({ value }) => (id === undefined ? value.hash_id === hash_id : value.id === id));
    if (listed && listed.value.hash_id !== hash_id) this.adopt(row, listed.value.hash_id);
  }

  #remember(row: Row<Template>): void {
    if (row.value.id !== undefined) this.#byNumber.set(row.value.id, row);
  }

  /** Removes a template that is gone from the lists. */
  drop({ id, hash }: { readonly id: TemplateId | undefined; readonly hash: TemplateHash }): void {
    if (id !== undefined) this.#byNumber.delete(id);
    const drop: Drop = {
      isIt: ({ value }) => (id === undefined ? value.hash_id === hash : value.id === id),
      at: this.#clock.elapsed(),
    };
    this.#drops.push(drop);
    this.#collection.store.amend((groups) => withoutDropped(groups, drop));
  }

  dispose(): void {
    this.#forgetting.dispose();
    this.#collection.dispose();
  }
}
