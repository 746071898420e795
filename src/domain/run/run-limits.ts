// How long a run may take, and what it may cost: whatever comes first stops its command.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { dollars, knownPrice, total } from "../base/money.ts";
import { refusal } from "../base/typed-number.ts";

/** Hours of 30 days. */
export const MOST_HOURS = 720;
/** Hours of a run on an instance that is rented for it. */
export const USUAL_HOURS = 24;
const MOST_DOLLARS = 100_000;
const HOUR = 3_600_000;

const Hours = z.number().positive().max(MOST_HOURS);
const Dollars = z.number().positive().max(MOST_DOLLARS);

export const RunLimits = z.object({ hours: Hours.optional(), total: Dollars.optional() });
/** `hours` from the request of the instance, or from the start of the upload to one that runs; `total` in dollars at its price. */
export type RunLimits = z.infer<typeof RunLimits>;

/** Epoch milliseconds at which the command is stopped; undefined for never, or if a sum is all there is and the price isn't known. */
export function limitEnd(limits: RunLimits, at: number, price: number | undefined): number | undefined {
  const known = knownPrice(price);
  const ends = [
    limits.hours,
    limits.total === undefined || known === undefined ? undefined : limits.total / known,
  ].filter((hours) => hours !== undefined);
  return ends.length === 0 ? undefined : at + Math.min(...ends) * HOUR;
}

/** A sum can't be kept where nobody knows the price, and a receipt never shows what isn't kept. @throws AppError `rejected`. */
export function assertKeepable(limits: RunLimits, price: number | undefined): void {
  if (limits.total !== undefined && knownPrice(price) === undefined)
    throw refusal("total", t("The price isn't known, so a sum can't be kept. Enter only a time, such as 8 h."));
}

const PART = /^(?:\$\s*(?<sum>\d+(?:\.\d+)?)|(?<number>\d+(?:\.\d+)?)\s*(?<unit>min|h|d))$/i;
const IN_HOURS: Readonly<Record<string, number>> = { min: 1 / 60, h: 1, d: 24 };

/** Reads `8 h`, `90 min`, `2 d`, `$5` or `8 h, $5`: one time and one sum at most. @throws AppError `rejected`. */
export function parseRunLimits(input: string): RunLimits {
  const limits: { hours?: number; total?: number } = {};
  for (const part of input.split(/[,;]/).map((one) => one.trim())) {
    const { sum, number, unit = "" } = PART.exec(part)?.groups ?? {};
    const isGiven = sum === undefined ? limits.hours !== undefined : limits.total !== undefined;
    if (isGiven || (sum === undefined && number === undefined))
      throw refusal("limit", t("Enter a time, a sum, or both, such as 8 h, 90 min, or 8 h, $5."));
    if (sum !== undefined) limits.total = Number(sum);
    else limits.hours = Number(number) * (IN_HOURS[unit.toLowerCase()] ?? 1);
  }
  if (!RunLimits.safeParse(limits).success)
    throw refusal("limit", t("The time must be above 0 and at most {0} h, and the sum above $0.", MOST_HOURS));
  return limits;
}

/** `8 h`, `90 min`, `8 h or $5.00`; empty without any. What a time costs at most stands behind it where the price is known. */
export function limitsText({ hours, total: sum }: RunLimits, price?: number): string {
  const cost = hours !== undefined && price !== undefined ? ` (${t("at most about {0}", total(price, hours))})` : "";
  const parts = [
    ...(hours === undefined ? [] : [`${timeText(hours)}${cost}`]),
    ...(sum === undefined ? [] : [dollars(sum)]),
  ];
  return parts.join(` ${t("or")} `);
}

function timeText(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes === 0) return t("{0} s", Math.ceil(hours * 3600));
  return minutes % 60 === 0 ? t("{0} h", minutes / 60) : t("{0} min", minutes);
}

/** What somebody would type for them. */
export const typedLimits = ({ hours, total: sum }: RunLimits): string =>
  [...(hours === undefined ? [] : [typedTime(hours)]), ...(sum === undefined ? [] : [`$${sum}`])].join(", ");

/** In minutes where hours would be a fraction that nobody types. */
function typedTime(hours: number): string {
  const isFraction = hours < 1 || !isNearlyWhole(hours * 100);
  return isFraction && isNearlyWhole(hours * 60) ? `${Math.round(hours * 60)} min` : `${hours} h`;
}

const isNearlyWhole = (number: number): boolean => Math.abs(number - Math.round(number)) < 1e-9;
