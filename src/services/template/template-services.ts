// Puts the services of templates together.
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { Notes } from "../core/notes.ts";
import type { SessionService } from "../core/session.ts";
import { type DraftSecrets, DraftStore } from "./draft-store.ts";
import { TabMemory } from "./tab-memory.ts";
import { TemplateEdits } from "./template-edits.ts";
import { TemplateFileActions } from "./template-file-actions.ts";
import { TemplateSaves } from "./template-saves.ts";
import { TemplateTabs } from "./template-tabs.ts";
import { TemplatesService } from "./templates.ts";

interface Ports {
  /** The folder that all of the person's windows share. */
  readonly folder: string;
  readonly draftSecrets: DraftSecrets;
  readonly workspaceNotes: Notes;
  readonly clock: Clock;
  readonly log: Log;
}

export function assembleTemplates(ports: Ports, bag: Bag, session: SessionService) {
  const { folder, draftSecrets, workspaceNotes, clock, log } = ports;
  const templates = bag.add(new TemplatesService(session, clock));
  const saves = bag.add(new TemplateSaves(session, templates));
  const drafts = new DraftStore(join(folder, "drafts"), draftSecrets, log);
  const edits = bag.add(new TemplateEdits({ session, templates, saves, drafts, clock, log }));
  const memory = new TabMemory(workspaceNotes);
  const tabs = bag.add(new TemplateTabs({ session, templates, saves, memory, clock }));
  const fileActions = new TemplateFileActions({ session, templates, saves });
  return { templates, saves, drafts, edits, tabs, fileActions };
}
