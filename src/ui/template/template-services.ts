// What the commands on templates and their files need.
import type { SessionService } from "../../services/core/session.ts";
import type { TemplateSaves } from "../../services/template/template-saves.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import type { Kit } from "../kit/module.ts";
import type { TemplateFiles } from "./files/template-files.ts";
import type { TemplatePanels } from "./form/template-panels.ts";

export interface TemplateServices extends Kit {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly panels: TemplatePanels;
  /** Parts of templates in their own tabs. */
  readonly files: TemplateFiles;
}
