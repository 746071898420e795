// What the account commands need.
import type { Clock } from "../../lib/clock.ts";
import type { AccountReadings } from "../../services/account/account-readings.ts";
import type { Balances } from "../../services/account/balances.ts";
import type { KeysService } from "../../services/account/keys.ts";
import type { WebhooksService } from "../../services/account/webhooks.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import type { LaunchWatch } from "../../services/launch/launch-watch.ts";
import type { Kit } from "../kit/module.ts";

export interface AccountServices extends Kit {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly readings: AccountReadings;
  readonly balances: Balances;
  readonly keys: KeysService;
  readonly webhooks: WebhooksService;
  readonly clock: Clock;
  /** Starts the embedded sandbox, or joins the running one, and switches to it. */
  readonly enterSandbox: () => Promise<void>;
  /** Reads the lists of all views again. */
  readonly refresh: () => Promise<void>;
}
