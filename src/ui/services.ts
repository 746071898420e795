// The services as commands and prompts get them: everything they can do is something a service offers.
import type { Log } from "../lib/log.ts";
import type { KeysService } from "../services/account/keys.ts";
import type { WebhooksService } from "../services/account/webhooks.ts";
import type { SessionService } from "../services/core/session.ts";
import type { HostService } from "../services/host/host.ts";
import type { InstanceActions } from "../services/instance/instance-actions.ts";
import type { InstanceOrders } from "../services/instance/instance-orders.ts";
import type { InstancesService } from "../services/instance/instances.ts";
import type { LaunchService } from "../services/launch/launch.ts";
import type { LaunchVerdicts } from "../services/launch/launch-verdicts.ts";
import type { LaunchWatch } from "../services/launch/launch-watch.ts";
import type { ReplacementService } from "../services/launch/replacement.ts";
import type { OffersService } from "../services/offer/offers.ts";
import type { WorkergroupsService } from "../services/serverless/workergroups.ts";
import type { TemplateSaves } from "../services/template/template-saves.ts";
import type { TemplatesService } from "../services/template/templates.ts";
import type { Documents } from "./kit/documents.ts";
import type { SecretClipboard } from "./kit/secret-clipboard.ts";
import type { TemplateFiles } from "./template/files/template-files.ts";
import type { TemplatePanels } from "./template/form/template-panels.ts";

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
