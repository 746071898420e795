// Searches for offers that the person comes back to: the last one of each template, and those they gave a name.
import * as z from "zod";
import { Filters } from "../../domain/offer/filter.ts";
import { type OfferSearch, SearchLimit, SORTS } from "../../domain/offer/offer-search.ts";
import { stored } from "../../ids.ts";
import type { Notes } from "../core/notes.ts";
import type { SessionService } from "../core/session.ts";

const Search = z.object({
  filters: Filters,
  type: z.enum(["ondemand", "bid"]),
  sort: z.enum(SORTS),
  limit: SearchLimit.optional(),
});
const Named = z.object({ name: z.string(), search: Search });
/** `start` is what the template asked for: once it asks for something else, the last search no longer fits it. */
const Last = z.object({ about: z.string(), start: z.string(), search: Search });

/** A search without its disk, which belongs to the launch. */
type SavedSearch = z.infer<typeof Search>;
export type NamedSearch = z.infer<typeof Named>;

export const MOST_NAMED = 50;
const MOST_LAST = 100;
/** Characters. A template may bring filters of any size. */
const MOST_REMEMBERED = 4000;

/** Rows that can't be read are left out. */
function readRows<T>(schema: z.ZodType<T>, value: unknown): T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => schema.safeParse(row).data ?? []);
}

const savedOf = ({ filters, type, sort, limit }: OfferSearch): SavedSearch => ({
  ...{ filters, type, sort },
  ...(limit === undefined ? {} : { limit }),
});
const startOf = (fresh: OfferSearch): string => JSON.stringify(savedOf(fresh));

export class SavedSearches {
  readonly #notes: Notes;
  readonly #session: SessionService;

  constructor(notes: Notes, session: SessionService) {
    this.#notes = notes;
    this.#session = session;
  }

  /** The searches with a name, in the order of their names. They are the same in every account. */
  listNamed(): NamedSearch[] {
    const rows = readRows(Named, this.#notes.get(stored.namedSearches));
    return rows.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Whether one can be kept under a name: there is room, or it replaces one. */
  hasRoom(name: string): boolean {
    const names = this.listNamed().map((one) => one.name);
    return names.includes(name) || names.length < MOST_NAMED;
  }

  /** Keeps a search under a name, and replaces one that has it. */
  save(name: string, search: OfferSearch): void {
    const others = this.listNamed().filter((one) => one.name !== name);
    const all = [...others.slice(-(MOST_NAMED - 1)), { name, search: savedOf(search) }];
    this.#notes.set(stored.namedSearches, all);
  }

  remove(name: string): void {
    this.#notes.set(
      stored.namedSearches,
      this.listNamed().filter((one) => one.name !== name),
    );
  }

  /**
   * The search that a template was last launched with, on the disk of `fresh`.
   * @param template its number; undefined for a launch that begins with the offer.
   */
  getLast(template: number | undefined, fresh: OfferSearch): OfferSearch | undefined {
    const about = this.#aboutOf(template);
    const found = this.#lasts().find((one) => one.about === about && one.start === startOf(fresh));
    return found && { ...found.search, diskGb: fresh.diskGb };
  }

  /** Remembers the search an offer was chosen with. One like `fresh` needs no memory. */
  remember(template: number | undefined, fresh: OfferSearch, search: OfferSearch): void {
    const about = this.#aboutOf(template);
    const lasts = this.#lasts();
    const others = lasts.filter((one) => one.about !== about);
    const start = startOf(fresh);
    const entry = { about, start, search: savedOf(search) };
    const isWorthIt = start !== startOf(search) && JSON.stringify(entry).length <= MOST_REMEMBERED;
    const now = isWorthIt ? [entry] : [];
    if (now.length === 0 && others.length === lasts.length) return;
    this.#notes.set(stored.lastSearches, [...others, ...now].slice(-MOST_LAST));
  }

  #lasts(): z.infer<typeof Last>[] {
    return readRows(Last, this.#notes.get(stored.lastSearches));
  }

  /** Numbers of templates mean nothing to another service. */
  #aboutOf(template: number | undefined): string {
    return `${this.#session.requireSignedIn().address.base} ${template ?? ""}`;
  }
}
