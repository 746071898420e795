// Validates a form before it is saved: what a page sends isn't trusted.
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { listMissingValues, UNREADABLE } from "./environment/env-secrets.ts";
import { readRegistry } from "./image.ts";
import { listChangedFields } from "./template-changes.ts";
import { readForm, TEMPLATE_DRAFT_FIELDS, type TemplateForm, type WholeDraft } from "./template-form.ts";
import { lintForm } from "./template-lint.ts";

interface Against {
  /** The stored version, as a form. */
  readonly base: TemplateForm;
  /** Whether the service has the template. If so, unchanged fields aren't sent. */
  readonly isStored: boolean;
  /** Secret variables with lost values. */
  readonly withheld: readonly string[];
}

/** The draft with its registry as a service takes it. */
export const withPlainRegistry = (draft: WholeDraft): WholeDraft => ({
  ...draft,
  docker_login_repo: readRegistry(draft.docker_login_repo) ?? draft.docker_login_repo,
});

/** @throws AppError `rejected` naming the field. */
export function checkForm(typed: TemplateForm, { base, isStored, withheld }: Against): WholeDraft {
  const read = readForm(typed);
  const changed = new Set(listChangedFields(base, typed));
  const unchanged = new Set(isStored ? TEMPLATE_DRAFT_FIELDS.filter((field) => !changed.has(field)) : []);
  const wrong = lintForm(typed, read, unchanged).find(({ severity }) => severity === "error");
  if (wrong) throw new AppError("rejected", wrong.message, { fields: { [wrong.field]: wrong.message } });
  const [missing] = listMissingValues(typed.env, withheld);
  if (missing === undefined) return unchanged.has("docker_login_repo") ? read.draft : withPlainRegistry(read.draft);
  const message =
    missing === UNREADABLE
      ? t("Enter the Docker flags again. They aren't stored with unsaved changes.")
      : t("Enter the value of {0} again first. It couldn't be stored with your unsaved changes.", missing);
  throw new AppError("rejected", message, { fields: { env: message } });
}
