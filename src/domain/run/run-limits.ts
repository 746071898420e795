// How long a run may take, and what it may cost: whatever comes first stops its command.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { MaxAttempts } from "../base/max-attempts.ts";
import { Dollars, formatPrice, formatTotal, formatHourlyPrice as perHourText, toPrice } from "../base/money.ts";
import { parseHours } from "../base/time-span.ts";
import { createRejection } from "../base/typed-number.ts";

/** Hours of 30 days. */
export const MOST_HOURS = 720;
/** Hours of a run on an instance that is rented for it. */
export const USUAL_HOURS = 24;
const HOUR = 3_600_000;

const Hours = z.number().positive().max(MOST_HOURS);

export const RunLimits = z.object({
  maxHours: Hours.optional(),
  maxCost: Dollars.optional(),
  maxPricePerHour: Dollars.optional(),
  maxAttempts: MaxAttempts.optional(),
});
/**
 * `maxHours` from the request of the instance, or from the start of the upload to one that runs; `maxCost` in dollars at its price. `maxPricePerHour`
 * is the most that an instance may cost for it, in $/h; it ends nothing. `maxAttempts`: how many may be made, this one included, on instances that
 * are rented without another question once the one before is lost; one if left out.
 */
export type RunLimits = z.infer<typeof RunLimits>;

/** Those that a task or a file names, if it names any. */
export function pickLimits(given: RunLimits): { readonly limits?: RunLimits } {
  const limits = RunLimits.parse(given);
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** Epoch milliseconds at which the command is stopped; undefined for never, or if a sum is all there is and the price isn't known. */
export function calculateLimitEnd(limits: RunLimits, at: number, price: number | undefined): number | undefined {
  const known = toPrice(price);
  const ends = [
    limits.maxHours,
    limits.maxCost === undefined || known === undefined ? undefined : limits.maxCost / known,
  ].filter((hours) => hours !== undefined);
  return ends.length === 0 ? undefined : at + Math.min(...ends) * HOUR;
}

/** The same for a run's record. */
export function findUntil(
  limits: RunLimits | undefined,
  at: number,
  price: number | undefined,
): { readonly until?: number } {
  const until = calculateLimitEnd(limits ?? {}, at, price);
  return until === undefined ? {} : { until };
}

/** How much more another instance may cost than the first one, unless a price per hour was agreed to: that one was the cheapest of its kind. */
const MORE = 1.25;

/** $/h that no instance of a run may exceed which is rented without another question; undefined if no one knows the price of the first one. */
export function findMostPerHour({ maxPricePerHour }: RunLimits, price: number | undefined): number | undefined {
  const known = toPrice(price);
  return maxPricePerHour ?? (known === undefined ? undefined : Math.ceil(known * MORE * 1000 - 1e-6) / 1000);
}

/** Limits with the usual time, unless a time or a sum ends the command. */
export const withUsualTime = (limits: RunLimits): RunLimits =>
  limits.maxHours === undefined && limits.maxCost === undefined ? { ...limits, maxHours: USUAL_HOURS } : limits;

/**
 * Neither a sum nor a price per hour can be kept where no one knows the price, and a summary never shows what isn't kept.
 * @throws AppError `rejected`.
 */
export function assertKeepable(limits: RunLimits, price: number | undefined): void {
  assertCheap(limits, toPrice(price));
  if (limits.maxCost !== undefined && toPrice(price) === undefined)
    throw createRejection(
      "maxCost",
      t("The price is unknown, so a dollar limit can't be enforced. Enter only a time limit, such as 8 h."),
    );
  if ((limits.maxAttempts ?? 1) > 1 && toPrice(price) === undefined)
    throw createRejection(
      "maxAttempts",
      t(
        "The price is unknown, so no other instance can be rented without asking. Choose another machine, or 1 attempt.",
      ),
    );
}

function assertCheap({ maxPricePerHour }: RunLimits, price: number | undefined): void {
  if (maxPricePerHour === undefined || (price !== undefined && price <= maxPricePerHour + 1e-9)) return;
  const wrong =
    price === undefined
      ? t("The price is unknown, so the run's limit of {0} can't be enforced.", perHourText(maxPricePerHour))
      : t("This costs {0}, above the run's limit of {1}.", perHourText(price), perHourText(maxPricePerHour));
  throw createRejection("maxPricePerHour", `${wrong} ${t("Choose another machine, or change the limit.")}`);
}

/** What follows the dollars of a price per hour. */
const RATE = /\s*\/\s*h$/i;
const SUM = /^\$\s*(\d+(?:\.\d+)?)$/;

/** Reads `8 h`, `90 min`, `2 d`, `$5` or `8 h, $5`: one time and one sum at most. @throws AppError `rejected`. */
export function parseRunLimits(input: string): RunLimits {
  const limits: { maxHours?: number; maxCost?: number; maxPricePerHour?: number } = {};
  for (const part of input.split(/[,;]/).map((one) => one.trim())) {
    const amount = part.replace(RATE, "");
    const [sum, hours] = [SUM.exec(amount)?.[1], parseHours(amount)];
    const isRate = RATE.test(part);
    const field = isRate ? "maxPricePerHour" : "maxCost";
    if (
      limits[sum === undefined ? "maxHours" : field] !== undefined ||
      (sum === undefined && (hours === undefined || isRate))
    )
      throw createRejection("limit", t("Enter a time limit, a cost limit, or both, such as “8 h” or “8 h, $5”."));
    if (sum !== undefined) limits[field] = Number(sum);
    else if (hours !== undefined) limits.maxHours = hours;
  }
  if (limits.maxPricePerHour !== undefined && !Dollars.safeParse(limits.maxPricePerHour).success)
    throw createRejection("limit", t("The price per hour must be above $0."));
  if (!RunLimits.safeParse(limits).success)
    throw createRejection(
      "limit",
      t("The time limit must be above 0 and at most {0} h. The cost limit must be above $0.", MOST_HOURS),
    );
  return limits;
}

/** When the command is stopped: `8 h`, `90 min`, `8 h or $5.00`; empty for never. What a time costs at most stands behind it where the price is known. */
export function formatLimits(limits: RunLimits, first?: number): string {
  const { maxHours: hours, maxCost: sum, maxAttempts = 1 } = limits;
  const price = maxAttempts > 1 && first !== undefined ? findMostPerHour(limits, first) : first;
  const cost =
    hours !== undefined && price !== undefined ? ` (${t("at most about {0}", formatTotal(price, hours))})` : "";
  const parts = [
    ...(hours === undefined ? [] : [`${timeText(hours)}${cost}`]),
    ...(sum === undefined ? [] : [formatPrice(sum)]),
  ];
  return parts.join(` ${t("or")} `);
}

/** All of them, on one line. */
export function describeLimits(limits: RunLimits, price?: number): string {
  const { maxPricePerHour } = limits;
  const most = maxPricePerHour === undefined ? [] : [t("at most {0}", perHourText(maxPricePerHour))];
  return [formatLimits(limits, price), ...most].filter((part) => part !== "").join(", ");
}

function timeText(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes === 0) return t("{0} s", Math.ceil(hours * 3600));
  return minutes % 60 === 0 ? t("{0} h", minutes / 60) : t("{0} min", minutes);
}

/** What someone would type for them. */
export const toTypedLimits = ({ maxHours: hours, maxCost: sum, maxPricePerHour }: RunLimits): string =>
  [
    ...(hours === undefined ? [] : [typedTime(hours)]),
    ...(sum === undefined ? [] : [`$${sum}`]),
    ...(maxPricePerHour === undefined ? [] : [`$${maxPricePerHour}/h`]),
  ].join(", ");

/** In minutes where hours would be a fraction that no one types. */
function typedTime(hours: number): string {
  const isFraction = hours < 1 || !isNearlyWhole(hours * 100);
  return isFraction && isNearlyWhole(hours * 60) ? `${Math.round(hours * 60)} min` : `${hours} h`;
}

const isNearlyWhole = (number: number): boolean => Math.abs(number - Math.round(number)) < 1e-9;
