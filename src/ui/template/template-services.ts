// What the commands on templates and their files need.
import type { SessionService } from "../../services/core/session.ts";
import type { FormPerson, TemplateEdits } from "../../services/template/template-edits.ts";
import type { TemplateFileActions } from "../../services/template/template-file-actions.ts";
import type { TemplateSaves } from "../../services/template/template-saves.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import type { Kit } from "../kit/module.ts";
import type { TemplateFiles } from "./files/template-files.ts";

export interface TemplateServices extends Kit {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly edits: TemplateEdits;
  readonly fileActions: TemplateFileActions;
  readonly person: FormPerson;
  /** Parts of templates in their own tabs. */
  readonly files: TemplateFiles;
}
