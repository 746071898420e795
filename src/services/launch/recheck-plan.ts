// Whether a reviewed plan can still be rented at the price that was shown.
import { AppError } from "../../domain/base/error.ts";
import { perHour } from "../../domain/base/money.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { OffersService } from "../offer/offers.ts";

/**
 * The plan with its current offer.
 * @throws AppError `gone` if it was taken, `rejected` if it costs more than was shown or has no price.
 */
export async function recheckPlan(
  offers: Pick<OffersService, "reread">,
  account: SignedIn,
  plan: LaunchPlan,
  signal?: AbortSignal,
): Promise<LaunchPlan> {
  const offer = await offers.reread(account, plan.offer.id, plan.type, plan.diskGb, signal);
  if (!offer) throw new AppError("gone", t("That offer was just taken. Nothing was rented."));
  const now = { ...plan, offer };
  const [before, price] = [planPrice(plan), planPrice(now)];
  // The bid itself can't change. Only the price of its disk may be unknown.
  if (price === undefined && plan.type === "bid") return now;
  if (price === undefined)
    throw new AppError("rejected", t("The service names no price for this offer, so it cannot be rented from here."));
  if (before === undefined || price > before + 1e-9) {
    throw new AppError(
      "rejected",
      t("The price went from {0} to {1}. Nothing was rented; review it again.", perHour(before), perHour(price)),
    );
  }
  return now;
}
