// What the account commands need.
import type { InstanceId } from "../../domain/base/id.ts";
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

/** How a machine fails, as its status. */
export type RehearsedFailure = "exited" | "offline" | "unknown";

/** What can be done to the embedded sandbox, and to nothing else. */
export interface Rehearsal {
  /** False if it isn't there, is stopped, or has failed already. */
  fail(id: InstanceId, status: RehearsedFailure): boolean;
  /** False if it has no bid, or doesn't hold its GPU. */
  outbid(id: InstanceId): boolean;
  skip(seconds: number): void;
}

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
  /** What can be done to the embedded sandbox; undefined unless this window is in it. */
  readonly rehearsal: () => Rehearsal | undefined;
  /** Shows what the extension has logged. */
  readonly showLog: () => void;
  /** Reads the lists of all views again. */
  readonly refresh: () => Promise<void>;
}
