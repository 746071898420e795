// What became of the one request of a launch.
import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { type Instance, readLaunchToken } from "../../../domain/instance/instance.ts";
import type { Prepared } from "../../../domain/launch/launch-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import type { SignedIn } from "../../core/session.ts";
import type { Intent } from "../intent.ts";

export type Outcome =
  /** `ids` holds more than one if the network repeated the request. Each of them is billed. */
  | { readonly kind: "rented"; readonly ids: readonly InstanceId[] }
  /**
   * `proven` if nothing was sent. Otherwise the service refused, no rental was found, and the launch is still watched.
   */
  | { readonly kind: "not-rented"; readonly proven: boolean; readonly error: AppError }
  /** Unknown: the request may have been carried out. The launch is still watched. */
  | { readonly kind: "unknown"; readonly error: AppError; readonly token: string };

export interface RentOptions {
  /** The person agreed to rent although this service has no list that would show a lost rental. */
  readonly withoutTracking?: boolean;
  /** The dead machine that was destroyed for this one. A lagging list may still contain it. */
  readonly insteadOf?: InstanceId | undefined;
  /** Cancels as long as nothing has been sent. After that, cancelling isn't possible. */
  readonly signal?: AbortSignal | undefined;
  /** Asked last of all, right before the request: what it is for may have ended while everything else was checked. It may throw an AppError. */
  readonly isWanted?: (() => Promise<boolean>) | undefined;
  /** Asked once there is a connection, right before the first byte. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Who asked for it, and what pays for it, where that isn't the person. */
  readonly note?: Pick<Prepared, "byAgent" | "granted">;
}

/** For the last moments before a request. @throws AppError if what it is for has ended, or the person doesn't wait any longer. */
export async function assertWanted({ isWanted, signal }: RentOptions): Promise<void> {
  const isStillWanted = isWanted === undefined || (await isWanted());
  if (!isStillWanted || signal?.aborted) throw new AppError("cancelled", t("Canceled."));
}

/** The instance, once the service shows it under our label. Reads may lag a little behind the create call. */
export async function confirmRental(
  clock: Clock,
  { account, intent }: { readonly account: SignedIn; readonly intent: Intent },
  id: InstanceId,
): Promise<Instance | undefined> {
  for (const wait of [0, 1, 2]) {
    await clock.sleep(wait * 1000);
    const row = await account.client.getInstance(id).catch(() => undefined);
    if (row && readLaunchToken(row.value.label) === intent.token) return row.value;
  }
  return undefined;
}
