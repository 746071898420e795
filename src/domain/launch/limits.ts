// The budget guard: limits the person set for themselves, checked before every launch, however it was started.
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { perHour } from "../base/money.ts";
import { type LaunchPlan, planPrice } from "./launch-plan.ts";

/** Undefined or false means no limit. */
export interface Limits {
  /** Dollars per hour of one rental. */
  readonly pricePerHour?: number | undefined;
  /** Dollars per hour of everything rented, including the new rental. */
  readonly totalPerHour?: number | undefined;
  /** How many instances may be rented at a time, including the new one. */
  readonly instances?: number | undefined;
  /** Minimum reliability of a host, 0 to 1. */
  readonly reliability?: number | undefined;
  readonly verifiedOnly?: boolean | undefined;
}

export type LimitName = keyof Limits;

/** What is, or may be, rented already. */
export interface Commitments {
  /** Dollars per hour of each; undefined if the service doesn't say. */
  readonly prices: readonly (number | undefined)[];
}

/**
 * Refuses a plan that exceeds a limit. Unknown values count against the limit: otherwise an unknown price could bypass
 * it.
 * @throws AppError `rejected` that names the limit in `facts.limit`.
 */
export function guard(limits: Limits, plan: LaunchPlan, held: Commitments): void {
  const price = planPrice(plan);
  guardPrice(limits, price, held);
  const { instances = Infinity, reliability = -Infinity, verifiedOnly } = limits;
  if (held.prices.length + 1 > instances) {
    throw over(
      "instances",
      t(
        "You limited yourself to {0} instances at a time, and {1} are rented or may be.",
        instances,
        held.prices.length,
      ),
    );
  }
  const { offer } = plan;
  if ((offer.reliability ?? 0) < reliability) {
    const has = offer.reliability === undefined ? t("unknown") : `${(offer.reliability * 100).toFixed(1)} %`;
    throw over(
      "reliability",
      t("You limited yourself to hosts of {0} % reliability or more; this one's is {1}.", reliability * 100, has),
    );
  }
  if (verifiedOnly && offer.verified !== true)
    throw over("verifiedOnly", t("You limited yourself to verified hosts, and this one is not known to be verified."));
}

function guardPrice({ pricePerHour, totalPerHour }: Limits, price: number | undefined, { prices }: Commitments): void {
  if (pricePerHour !== undefined && (price === undefined || price > pricePerHour + 1e-9))
    throw over(
      "pricePerHour",
      t("You limited one rental to {0}; this one costs {1}.", perHour(pricePerHour), perHour(price)),
    );
  if (totalPerHour === undefined) return;
  const unknown = [price, ...prices].some((one) => one === undefined);
  const sum = [price, ...prices].reduce<number>((all, one) => all + (one ?? 0), 0);
  if (!unknown && sum <= totalPerHour + 1e-9) return;
  throw over(
    "totalPerHour",
    unknown
      ? t(
          "You limited all rentals together to {0}, and not every price is known ({1} without those).",
          perHour(totalPerHour),
          perHour(sum),
        )
      : t(
          "You limited all rentals together to {0}; with this one they would cost {1}.",
          perHour(totalPerHour),
          perHour(sum),
        ),
  );
}

function over(limit: LimitName, message: string): AppError {
  return new AppError("rejected", `${message} ${t("Nothing was rented.")}`, { limit });
}

/** How far a dead host may be replaced without asking again. */
export interface ReplacementPolicy {
  readonly automatic: boolean;
  /** How much more the other machine may cost: 0.1 is ten percent. */
  readonly priceRise: number;
  /** How many machines may be rented to replace the first. */
  readonly tries: number;
}
