// Templates worth showing: the account's own, the recommended and the popular ones.
import type { Filters } from "../domain/filter.ts";
import type { TemplateHash } from "../domain/id.ts";
import type { Template } from "../domain/template.ts";
import type { Row } from "../domain/wire.ts";
import { Collection } from "./collection.ts";
import { lastOf } from "./loaded.ts";
import type { SessionService, SignedIn } from "./session.ts";

export interface TemplateGroups {
  readonly own: readonly Row<Template>[];
  readonly recommended: readonly Row<Template>[];
  readonly popular: readonly Row<Template>[];
  readonly unreadable: number;
}

/** Instances created from a template before it counts as popular. */
const POPULAR = 100;
const MOST_POPULAR = 50;

export class TemplatesService {
  readonly collection: Collection<TemplateGroups>;

  constructor(session: SessionService) {
    this.collection = new Collection(session, read);
  }

  get all(): readonly Row<Template>[] {
    const groups = lastOf(this.collection.store.current)?.value;
    return groups ? [...groups.own, ...groups.recommended, ...groups.popular] : [];
  }

  find(hash: TemplateHash): Row<Template> | undefined {
    return this.all.find((row) => row.value.hash_id === hash);
  }

  dispose(): void {
    this.collection.dispose();
  }
}

/** Three narrow searches: a public service holds thousands of templates and has no pages. */
async function read(session: SignedIn, signal: AbortSignal): Promise<TemplateGroups> {
  const search = (filters: Filters) => session.client.searchTemplates(filters, signal);
  const me = (await session.account())?.id;
  const own = me === undefined ? { rows: [], unreadable: 0 } : await search({ creator_id: { eq: me } });
  const recommended = await search({ recommended: { eq: true } });
  const popular = await search({ count_created: { gte: POPULAR }, recommended: { eq: false } });
  const seen = new Set<string>();
  const unseen = (rows: readonly Row<Template>[]) =>
    rows.filter(({ value }) => !seen.has(value.hash_id) && seen.add(value.hash_id));
  const byUse = (rows: readonly Row<Template>[]) =>
    [...rows].sort((a, b) => (b.value.count_created ?? 0) - (a.value.count_created ?? 0));
  return {
    own: unseen([...own.rows].sort((a, b) => (a.value.name ?? "").localeCompare(b.value.name ?? ""))),
    recommended: unseen(byUse(recommended.rows)),
    popular: unseen(byUse(popular.rows)).slice(0, MOST_POPULAR),
    unreadable: own.unreadable + recommended.unreadable + popular.unreadable,
  };
}
