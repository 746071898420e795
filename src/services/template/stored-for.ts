// The stored template that a form's own actions are about: to launch it, to write it to a file, to open its parts.
import { AppError } from "../../domain/base/error.ts";
import { t } from "../../lib/text.ts";
import type { TemplateEdit } from "./template-edit.ts";
import type { Stored } from "./template-saves.ts";

/** @throws AppError `rejected` if there is none, or if a launch would leave out what was typed. */
export function requireStored(
  { stored, conflict, isUnsaved }: Pick<TemplateEdit, "stored" | "conflict" | "isUnsaved">,
  use: "launch" | "saveToFile" | "editOnstart" | "previewReadme",
): Stored {
  const isOutdated = conflict?.kind === "deleted" || (use === "launch" && (isUnsaved || conflict !== undefined));
  if (!stored || isOutdated) throw new AppError("rejected", t("Save the template first."));
  return stored;
}
