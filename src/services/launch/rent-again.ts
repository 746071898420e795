// A launch like an earlier one: the same template or image, on the cheapest machine of the same kind that there is now.

import type { Row } from "../../domain/base/wire.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { emptyDraft, type LaunchDraft, withoutNeeds } from "../../domain/launch/launch-draft.ts";
import { calculatePlanPrice } from "../../domain/launch/launch-plan.ts";
import type { SignedIn } from "../core/session.ts";
import type { OffersService } from "../offer/offers.ts";
import type { OfferLimits } from "./offer-limits.ts";
import { type RebuildServices, rebuildPlan } from "./rebuild-plan.ts";
import type { RentalTerms } from "./replacement.ts";

interface Services extends RebuildServices {
  readonly offers: Pick<OffersService, "search">;
  readonly offerLimits: Pick<OfferLimits, "isBlocked">;
}

/** What is proposed, and the price per hour in dollars of the offer in it. Without an offer, there is none of the kind now. */
export interface AgainDraft {
  readonly draft: LaunchDraft;
  readonly price: number | undefined;
}

/** The launch of what was rented, before an offer is chosen. */
export function toLaunchDraft({ plan, search }: RentalTerms): LaunchDraft {
  const { template, image, runtype, diskGb, label, configuration, lostLogin } = plan;
  const what = { template, image, runtype, configuration, lostLogin, label };
  const begun: LaunchDraft = { ...emptyDraft, ...what, search, diskGb, pricedGb: diskGb };
  // Without what it needs, it can be on any machine of its kind.
  return { ...begun, fresh: withoutNeeds(begun) };
}

/** @throws AppError `rejected` if the record doesn't say what ran on it, or why the service can't be asked. */
export async function proposeAgain(services: Services, account: SignedIn, row: Row<Instance>): Promise<AgainDraft> {
  const terms = await rebuildPlan(services, account, row);
  const { plan, search } = terms;
  const { diskGb } = plan;
  const draft = toLaunchDraft(terms);
  const { offers } = await services.offers.search(search);
  const offer = offers.find(
    (one) => !services.offerLimits.isBlocked(one) && (one.disk_space === undefined || one.disk_space >= diskGb),
  );
  if (!offer) return { draft, price: undefined };
  const bid = plan.bid === undefined ? undefined : Math.max(plan.bid, offer.min_bid ?? 0);
  return { draft: { ...draft, offer, bid }, price: calculatePlanPrice({ ...plan, offer, bid }) };
}
