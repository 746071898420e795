// The services as commands and prompts get them: everything they can do is something a service offers.
import type { Log } from "../lib/log.ts";
import type { HostService } from "../services/host.ts";
import type { InstanceActions } from "../services/instance-actions.ts";
import type { InstanceOrders } from "../services/instance-orders.ts";
import type { InstancesService } from "../services/instances.ts";
import type { KeysService } from "../services/keys.ts";
import type { LaunchService } from "../services/launch.ts";
import type { LaunchVerdicts } from "../services/launch-verdicts.ts";
import type { LaunchWatch } from "../services/launch-watch.ts";
import type { OffersService } from "../services/offers.ts";
import type { ReplacementService } from "../services/replacement.ts";
import type { SessionService } from "../services/session.ts";
import type { TemplateSaves } from "../services/template-saves.ts";
import type { TemplatesService } from "../services/templates.ts";
import type { WebhooksService } from "../services/webhooks.ts";
import type { WorkergroupsService } from "../services/workergroups.ts";
import type { SecretClipboard } from "./clipboard.ts";
import type { Documents } from "./documents.ts";
import type { TemplateFiles } from "./files/template-files.ts";
import type { TemplatePanels } from "./panels/template-panels.ts";

export interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly replacements: ReplacementService;
  readonly watch: LaunchWatch;
  readonly templates: TemplatesService;
  readonly offers: OffersService;
  readonly launches: LaunchService;
  readonly verdicts: LaunchVerdicts;
  readonly webhooks: WebhooksService;
  readonly workergroups: WorkergroupsService;
  readonly host: HostService;
  readonly keys: KeysService;
  readonly documents: Documents;
  /** The open template forms. */
  readonly panels: TemplatePanels;
  readonly secretClipboard: SecretClipboard;
  /** Template parts in tabs of their own. */
  readonly files: TemplateFiles;
  readonly saves: TemplateSaves;
  readonly log: Log;
}

/** What commands have beside the services. */
export interface Surroundings extends Services {
  /** Starts the embedded sandbox, or joins the one running, and switches to it. */
  readonly enterSandbox: () => Promise<void>;
  /** Reads every list anew. */
  readonly refresh: () => Promise<void>;
}
