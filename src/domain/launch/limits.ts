// The budget guard: limits the person set for themselves, checked before every launch, however it was started.
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { formatHourlyPrice } from "../base/money.ts";
import { formatPercent, toPercent } from "../base/percent.ts";
import type { Offer } from "../offer/offer.ts";
import { calculateBilledPrice, type LaunchPlan } from "./launch-plan.ts";

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
  /** Machines and hosts that the person never wants to rent from again. */
  readonly blockedMachines?: readonly number[] | undefined;
  readonly blockedHosts?: readonly number[] | undefined;
}

type LimitName = keyof Limits;

/** What is, or may be, rented already. */
export interface Commitments {
  /** Dollars per hour of each; undefined if the service doesn't say. */
  readonly prices: readonly (number | undefined)[];
}

/** What a limit is compared with. */
export type Terms = Pick<
  LaunchPlan,
  "offer" | "type" | "bid" | "diskGb" | "mostPerHour" | "configuration" | "volumePrice"
>;

/** A limit of the person's, and the sentence that says how it is exceeded. */
export interface Exceeded {
  /** Undefined if it is what the plan itself may cost at most: no setting has that. */
  readonly limit: LimitName | undefined;
  readonly message: string;
}

/**
 * Refuses plans that exceed a limit, each alone or all of them together.
 * @throws AppError `rejected` that names the limit in `facts.limit`.
 */
export function assertWithinLimits(limits: Limits, plans: readonly Terms[], held: Commitments): void {
  const [only] = plans;
  const exceeded =
    plans.length === 1 && only ? findExceeded(limits, only, held) : findExceededTogether(limits, plans, held);
  if (exceeded)
    throw new AppError("rejected", `${exceeded.message} ${t("Nothing was rented.")}`, toLimitSetting(exceeded));
}

/** The setting that an error names. */
export const toLimitSetting = ({ limit }: Exceeded): { readonly limit?: LimitName } =>
  limit === undefined ? {} : { limit };

/**
 * The first limit that a rental would exceed. Unknown values count against the limit: otherwise an unknown price could
 * bypass it.
 */
export function findExceeded(limits: Limits, plan: Terms, held: Commitments): Exceeded | undefined {
  const { instances = Infinity } = limits;
  const rented = held.prices.length;
  return (
    findBlocked(limits, plan.offer) ??
    findExceededPrice(limits, calculateBilledPrice(plan), held) ??
    findAboveMost(plan) ??
    (rented + 1 > instances
      ? {
          limit: "instances",
          message: t("Your instance limit is {0}. Rented or possibly rented: {1}.", instances, rented),
        }
      : findUnreliable(limits, plan))
  );
}

/** Limits of one rental hold for each of them, the others for their sum. */
function findExceededTogether(limits: Limits, plans: readonly Terms[], held: Commitments): Exceeded | undefined {
  const { totalPerHour, instances = Infinity, ...each } = limits;
  for (const plan of plans) {
    const exceeded = findExceeded(each, plan, { prices: [] });
    if (exceeded) return exceeded;
  }
  const rented = held.prices.length;
  if (rented + plans.length > instances)
    return {
      limit: "instances",
      message: t(
        "Your instance limit is {0}. Rented or possibly rented: {1}. This group would add {2}.",
        instances,
        rented,
        plans.length,
      ),
    };
  if (totalPerHour === undefined) return undefined;
  const prices = [...held.prices, ...plans.map(calculateBilledPrice)];
  const sum = prices.reduce<number>((all, price) => all + (price ?? 0), 0);
  if (!prices.includes(undefined) && sum <= totalPerHour + 1e-9) return undefined;
  const message = prices.includes(undefined)
    ? t(
        "Your limit for all rentals is {0}. Known prices add up to {1}, but some prices are unknown.",
        formatHourlyPrice(totalPerHour),
        formatHourlyPrice(sum),
      )
    : t(
        "Your limit for all rentals is {0}. With this group, they would cost {1}.",
        formatHourlyPrice(totalPerHour),
        formatHourlyPrice(sum),
      );
  return { limit: "totalPerHour", message };
}

/** The block list that has the machine of an offer, or its host. */
export function findBlocked(
  { blockedMachines = [], blockedHosts = [] }: Limits,
  { machine_id: machine, host_id: host }: Pick<Offer, "machine_id" | "host_id">,
): Exceeded | undefined {
  if (machine !== undefined && blockedMachines.includes(machine))
    return { limit: "blockedMachines", message: t("You blocked machine {0}.", machine) };
  if (host === undefined || !blockedHosts.includes(host)) return undefined;
  return { limit: "blockedHosts", message: t("You blocked host {0}.", host) };
}

function findAboveMost(plan: Terms): Exceeded | undefined {
  const { mostPerHour } = plan;
  const price = calculateBilledPrice(plan);
  if (mostPerHour === undefined || (price !== undefined && price <= mostPerHour + 1e-9)) return undefined;
  const message =
    price === undefined
      ? t("The price is unknown, so the run's limit of {0} can't be enforced.", formatHourlyPrice(mostPerHour))
      : t("This costs {0}, above the run's limit of {1}.", formatHourlyPrice(price), formatHourlyPrice(mostPerHour));
  return { limit: undefined, message };
}

function findUnreliable({ reliability = -Infinity, verifiedOnly }: Limits, { offer }: Terms): Exceeded | undefined {
  if ((offer.reliability ?? 0) < reliability) {
    const has = offer.reliability === undefined ? t("unknown") : formatPercent(offer.reliability);
    return {
      limit: "reliability",
      message: t("You require host reliability of at least {0}%. This host: {1}.", toPercent(reliability), has),
    };
  }
  if (!verifiedOnly || offer.verified === true) return undefined;
  return {
    limit: "verifiedOnly",
    message: t("Your limits allow only verified hosts. The service doesn't say that this host is verified."),
  };
}

function findExceededPrice(
  { pricePerHour, totalPerHour }: Limits,
  price: number | undefined,
  { prices }: Commitments,
): Exceeded | undefined {
  if (pricePerHour !== undefined && (price === undefined || price > pricePerHour + 1e-9))
    return {
      limit: "pricePerHour",
      message:
        price === undefined
          ? t("The price is unknown. Your limit per rental is {0}.", formatHourlyPrice(pricePerHour))
          : t(
              "This costs {1}, above your limit of {0} per rental.",
              formatHourlyPrice(pricePerHour),
              formatHourlyPrice(price),
            ),
    };
  if (totalPerHour === undefined) return undefined;
  const unknown = [price, ...prices].some((one) => one === undefined);
  const sum = [price, ...prices].reduce<number>((all, one) => all + (one ?? 0), 0);
  if (!unknown && sum <= totalPerHour + 1e-9) return undefined;
  const message = unknown
    ? t(
        "Your limit for all rentals is {0}. Known prices add up to {1}, but some prices are unknown.",
        formatHourlyPrice(totalPerHour),
        formatHourlyPrice(sum),
      )
    : t(
        "Your limit for all rentals is {0}. With this one, they would cost {1}.",
        formatHourlyPrice(totalPerHour),
        formatHourlyPrice(sum),
      );
  return { limit: "totalPerHour", message };
}

/** How far a dead host may be replaced without asking again. */
export interface ReplacementPolicy {
  readonly automatic: boolean;
  /** How much more the other machine may cost: 0.1 is ten percent. */
  readonly priceRise: number;
  /** How many machines may be rented to replace the first. */
  readonly tries: number;
}
