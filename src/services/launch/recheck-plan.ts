// Whether a reviewed plan can still be rented as it was shown: the same machine, for no more.
import { AppError } from "../../domain/base/error.ts";
import { formatHourlyPrice } from "../../domain/base/money.ts";
import { isOutbid, listChangedTerms } from "../../domain/launch/changed-terms.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { isUnresolved, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { Listing } from "../instance/instances.ts";
import type { OffersService } from "../offer/offers.ts";
import type { LaunchWatch } from "./outcome/launch-watch.ts";

/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const OFFER_CHANGED = "OFFER_CHANGED";

/** Whether an error says that an offer is taken, or isn't what was reviewed any longer. Nothing was sent then. */
export function isAboutOffer({ kind, facts }: AppError): boolean {
  return (kind === "gone" && facts.operation === undefined) || facts.code === OFFER_CHANGED;
}

/** Without a complete list, a lost rental couldn't be found. @throws AppError. */
export async function readWholeList(watch: Pick<LaunchWatch, "list">, account: SignedIn): Promise<Listing> {
  const listing = await watch.list(account);
  if (listing.complete) return listing;
  throw new AppError(
    "unexpected-reply",
    t(
      "The service's list of instances is incomplete right now, so a rental could get lost. Nothing was rented. Try again.",
    ),
  );
}

/**
 * The plan with its current offer.
 * @throws AppError `gone` if it was taken, `rejected` if it costs more than was shown, has no price, or is something else by now.
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
  const [before, price] = [calculatePlanPrice(plan), calculatePlanPrice(now)];
  const isTooLow = plan.bid !== undefined && isOutbid(plan.bid, plan.offer, offer);
  const changes = [
    ...listChangedTerms(plan.offer, offer),
    ...(isTooLow ? [t("minimum bid {0}", formatHourlyPrice(offer.min_bid))] : []),
  ];
  if (changes.length > 0)
    throw new AppError(
      "rejected",
      t(
        "The offer changed since you reviewed it: {0}. Nothing was rented. Review the launch again.",
        changes.join(", "),
      ),
      { code: OFFER_CHANGED },
    );
  // The bid itself can't change. Only the price of its disk may be unknown.
  if (price === undefined && plan.type === "bid") return now;
  if (price === undefined)
    throw new AppError(
      "rejected",
      t("The service doesn't give a price for this offer, so it can't be rented from here."),
      { code: OFFER_CHANGED },
    );
  if (before === undefined || price > before + 1e-9) {
    throw new AppError(
      "rejected",
      t(
        "The price changed from {0} to {1}. Nothing was rented. Review the launch again.",
        formatHourlyPrice(before),
        formatHourlyPrice(price),
      ),
      { code: OFFER_CHANGED },
    );
  }
  return now;
}

/** @throws AppError `rejected` while an earlier launch of the same offer may have rented a machine. */
export function assertNoTwin(records: readonly LaunchRecord[], { offer }: LaunchPlan): void {
  const twin = records.find(
    (record) => isUnresolved(record) && !record.facts.has("refused") && record.prepared?.offer === offer.id,
  );
  if (!twin) return;
  throw new AppError(
    "rejected",
    t("An earlier launch of this offer may have rented a machine. Resolve that launch first, in Instances."),
  );
}
