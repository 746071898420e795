// Templates: their view, the form, their tabs, and files in a workspace.

import type * as vscode from "vscode";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import type { OffersService } from "../../services/offer/offers.ts";
import type { TemplateEdits } from "../../services/template/template-edits.ts";
import type { TemplateFileActions } from "../../services/template/template-file-actions.ts";
import type { TemplateSaves } from "../../services/template/template-saves.ts";
import type { TemplateTabs } from "../../services/template/template-tabs.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import type { Kit, Module } from "../kit/module.ts";
import { createScriptMeter } from "./files/script-meter.ts";
import { TemplateFiles } from "./files/template-files.ts";
import { watchTemplateFiles } from "./files/workspace-files.ts";
import { MergeView } from "./form/merge-view.ts";
import { TemplatePanels } from "./form/template-panels.ts";
import { fetchImageTags } from "./image-commands.ts";
import * as templateCommands from "./template-commands.ts";
import * as fileCommands from "./template-file-commands.ts";
import { type ProposedRun, readProposedRun } from "./template-file-run.ts";
import { createTemplatePerson } from "./template-person.ts";
import type { TemplateServices } from "./template-services.ts";
import { createTemplatesView } from "./templates-view.ts";

interface Parts extends Kit {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly offers: OffersService;
  readonly edits: TemplateEdits;
  readonly tabs: TemplateTabs;
  readonly fileActions: TemplateFileActions;
}

interface TemplateModule extends Module {
  readonly panels: TemplatePanels;
  readonly files: TemplateFiles;
  /** What a template file says to run. */
  readonly readProposedRun: (account: SignedIn, given: unknown) => Promise<ProposedRun>;
}

export function createTemplateModule(
  parts: Parts,
  { extensionUri }: Pick<vscode.ExtensionContext, "extensionUri">,
  bag: Bag,
): TemplateModule {
  const { session, templates } = parts;
  const merges = bag.add(new MergeView());
  bag.add(session.onDidChange(() => void merges.forgetAll()));
  const person = createTemplatePerson(merges);
  const panels = new TemplatePanels(extensionUri, person, { ...parts, merges });
  const files = bag.add(new TemplateFiles(parts, person));
  bag.add(createScriptMeter(files));
  bag.add(watchTemplateFiles(parts));
  const services: TemplateServices = { ...parts, person: panels.person, files };
  return {
    panels,
    files,
    readProposedRun: (account, given) => readProposedRun(services, account, given),
    commands: {
      [commands.templateNew]: () => templateCommands.createTemplate(services),
      [commands.templateNewFile]: () => fileCommands.beginTemplateFile(),
      [commands.templateEdit]: (args) => templateCommands.editTemplate(services, args),
      [commands.templateEditStartScript]: (args) => templateCommands.editOnstart(services, args),
      [commands.templateEditReadme]: (args) => templateCommands.editReadme(services, args),
      [commands.templateShowStartScript]: (args) => templateCommands.editOnstart(services, args),
      [commands.templateShowReadme]: (args) => templateCommands.editReadme(services, args),
      [commands.templateCompressStartScript]: (args) => templateCommands.compressOnstart(services, args),
      [commands.templateDuplicate]: (args) => templateCommands.duplicateTemplate(services, args),
      [commands.templateCompleteMerge]: ([given]) => merges.complete(given),
      [commands.templateCopyHash]: (args) => templateCommands.copyHash(services, args),
      [commands.templateDelete]: (args) => templateCommands.removeTemplate(services, args),
      [commands.templateSaveToFile]: (args) => templateCommands.saveToFile(services, args),
      [commands.templatePushFile]: (args) => fileCommands.pushFile(services, args),
      [commands.templatePullFile]: (args) => fileCommands.pullFile(services, args),
      [commands.templateDiffFile]: (args) => fileCommands.diffFile(services, args),
      [commands.templateRepinFile]: (args) => fileCommands.repinFile(services, args),
      [commands.templateLaunchFile]: (args) => fileCommands.launchFile(services, args),
      [commands.templateSearch]: (args) => templateCommands.searchTemplates(services, args),
      [commands.templateClearSearch]: () => templates.search(undefined),
      [commands.fetchImageTags]: (args) => fetchImageTags(services, args),
    },
    views: [bag.add(createTemplatesView(parts))],
  };
}
