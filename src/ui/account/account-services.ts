// What the account commands need.
import type { Clock } from "../../lib/clock.ts";
import type { AccountReadings } from "../../services/account/account-readings.ts";
import type { Balances } from "../../services/account/balances.ts";
import type { KeysService } from "../../services/account/keys.ts";
import type { Ledger } from "../../services/account/ledger.ts";
import type { LowBalance } from "../../services/account/low-balance.ts";
import type { PayingService } from "../../services/account/paying.ts";
import type { SpendingService } from "../../services/account/spending.ts";
import type { WebhooksService } from "../../services/account/webhooks.ts";
import type { WhileAway } from "../../services/account/while-away.ts";
import type { LaunchWatch } from "../../services/launch/outcome/launch-watch.ts";
import type { PriceWatches } from "../../services/offer/price-watches.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface AccountServices extends InstanceServices {
  readonly watch: LaunchWatch;
  readonly readings: AccountReadings;
  readonly balances: Balances;
  readonly lowBalance: LowBalance;
  readonly paying: PayingService;
  readonly ledger: Ledger;
  readonly whileAway: WhileAway;
  readonly spending: SpendingService;
  readonly keys: KeysService;
  readonly webhooks: WebhooksService;
  readonly priceWatches: PriceWatches;
  readonly clock: Clock;
  /** Starts the embedded sandbox, or joins the running one, switches to it, and shows its instances. */
  readonly enterSandbox: () => Promise<void>;
  /** Shows what the extension has logged. */
  readonly showLog: () => void;
  /** Reads the lists of all views again. */
  readonly refresh: () => Promise<void>;
}
