// The lists of templates as values: read one after another, and changed by what was saved and deleted here.
import type { TemplateHash } from "../../domain/base/id.ts";
import type { Row, Rows } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { SignedIn } from "../core/session.ts";
import type { TemplateOwner } from "./template-owner.ts";

export interface TemplateGroups {
  readonly own: readonly Row<Template>[];
  readonly recommended: readonly Row<Template>[];
  readonly popular: readonly Row<Template>[];
  /** The results of the person's search, if there is one. */
  readonly found: FoundTemplates | undefined;
  readonly unreadable: number;
}

export interface FoundTemplates {
  readonly filters: Filters;
  readonly rows: readonly Row<Template>[];
}

/** How many instances must have been created from a template for it to count as popular. */
const POPULAR = 100;
const MOST_POPULAR = 50;

/** A template that was saved here. Reads that began earlier don't include it. */
export interface Save {
  readonly from: TemplateHash | undefined;
  readonly row: Row<Template>;
  readonly at: number;
}

/** A template that is gone. Reads that began earlier may still include it. */
export interface Drop {
  readonly isIt: (row: Row<Template>) => boolean;
  readonly at: number;
}

/** Applies the same change to every list of templates. */
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

export function withoutDropped(groups: TemplateGroups, { isIt }: Drop): TemplateGroups {
  return each(groups, (rows) => (rows.some(isIt) ? rows.filter((row) => !isIt(row)) : rows));
}

export function withSaved(groups: TemplateGroups, { from, row }: Save): TemplateGroups {
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

/** What the service returned for each list. A list that hasn't arrived yet is missing. */
interface Answers {
  readonly own?: Rows<Template>;
  readonly recommended?: Rows<Template>;
  readonly popular?: Rows<Template>;
}

/**
 * Three narrow searches: a public service holds thousands of templates and has no pagination. A service that limits how
 * often it can be asked takes seconds for each, so `partly` gets the lists one by one.
 */
export async function readLists(
  session: SignedIn,
  signal: AbortSignal,
  owner: TemplateOwner,
  partly: (groups: TemplateGroups) => void,
): Promise<TemplateGroups> {
  const search = (filters: Filters) => session.client.searchTemplates(filters, signal);
  const mine = await owner.readFilters(session);
  const own = mine === undefined ? { rows: [], unreadable: 0 } : await search(mine);
  owner.review(session, own.rows);
  partly(toGroups({ own }));
  const recommended = await search({ recommended: { eq: true } });
  partly(toGroups({ own, recommended }));
  const popular = await search({ count_created: { gte: POPULAR }, recommended: { eq: false } });
  return toGroups({ own, recommended, popular });
}

function toGroups({ own, recommended, popular }: Answers): TemplateGroups {
  const seen = new Set<string>();
  const unseen = (rows: readonly Row<Template>[] = []) =>
    rows.filter(({ value }) => !seen.has(value.hash_id) && seen.add(value.hash_id));
  const byUse = (rows: readonly Row<Template>[] = []) =>
    [...rows].sort((a, b) => (b.value.count_created ?? 0) - (a.value.count_created ?? 0));
  return {
    own: unseen(own && byName(own.rows)),
    recommended: unseen(byUse(recommended?.rows)),
    popular: unseen(byUse(popular?.rows)).slice(0, MOST_POPULAR),
    found: undefined,
    unreadable: [own, recommended, popular].reduce((sum, answer) => sum + (answer?.unreadable ?? 0), 0),
  };
}
