// Writes the filters of a search into one of the account's templates, as its machine search.
import type { Row } from "../../domain/base/wire.ts";
import { type Filters, toFilters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { SignedIn } from "../core/session.ts";
import { type SaveOutcome, type TemplateSaves, toStored } from "./template-saves.ts";

/**
 * Nothing else of the template changes, nor what of its search isn't understood here. `row` is the template as the person saw it: one that was changed since stays as it is.
 * @throws AppError as `TemplateSaves.edit`.
 */
export async function saveFilters(
  saves: TemplateSaves,
  account: SignedIn,
  row: Row<Template>,
  filters: Filters,
): Promise<SaveOutcome> {
  const stored = toStored(row);
  const { extra_filters: before } = stored.draft;
  const known = toFilters(before);
  const kept = Object.fromEntries(Object.entries(before).filter(([field]) => !Object.hasOwn(known, field)));
  return await saves.edit(account, stored, { ...stored.draft, extra_filters: { ...kept, ...filters } });
}
