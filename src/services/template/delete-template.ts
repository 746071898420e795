// Deleting a template: the question names it as the service has it now, and exactly that one is deleted.
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import { type Template, toDisplayName } from "../../domain/template/template.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { TemplatePerson } from "./template-person.ts";
import { type TemplateSaves, toStored } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

interface Services {
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
}

/** @throws AppError `not-allowed` if it is someone else's; `rejected` if the account was left in the meantime. */
export async function deleteTemplate(
  { templates, saves }: Services,
  person: TemplatePerson,
  account: SignedIn,
  row: Row<Template>,
): Promise<void> {
  if (!templates.isOwn(row.value.hash_id)) {
    const name = toLabel(toDisplayName(row.value.name));
    throw new AppError("not-allowed", t("Only the creator can delete “{0}”.", name));
  }
  const stored = await saves.read(account, toStored(row));
  if (!stored) return void person.tell({ kind: "already-deleted" }, []);
  if (!(await person.confirm({ kind: "delete", name: stored.draft.name, id: stored.id }))) return;
  await saves.remove(account, stored);
}
