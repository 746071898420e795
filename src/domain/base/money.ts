// Money as the service counts it: US dollars per hour, possibly unknown, never guessed.
import * as z from "zod";

/** A sum, or a price per hour, that someone sets as a limit. */
export const Dollars = z.number().positive().max(100_000);

/** The service quotes storage per GB and month, and counts a month as 30 days. */
export const HOURS_PER_MONTH = 720;

/** A price a service may plausibly state: finite and above zero. Anything else is unknown, not free. */
export function toPrice(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 && value < 1e6 ? value : undefined;
}

/**
 * Dollars with enough digits to tell two offers apart: $12.40, $0.412, $0.0173. Unknown is "$?", tiny amounts are
 * "<$0.0001".
 */
export function formatPrice(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "$?";
  const size = Math.abs(value);
  const digits = countDigits(size);
  const text = amount(value, digits);
  return digits > 2 ? text.replace(/0{1,2}$/, (zeros) => "0".repeat(Math.max(0, zeros.length - (digits - 2)))) : text;
}

function countDigits(size: number): number {
  if (size >= 10 || size === 0) return 2;
  return size >= 0.1 ? 3 : 4;
}

/** `$0.412/h`; unknown is `$?/h`, never `$0/h`. */
export function formatHourlyPrice(value: number | undefined): string {
  return `${formatPrice(value)}/h`;
}

/** The cost of `hours` at a rate, in whole cents from one dollar up. */
export function formatTotal(rate: number | undefined, hours: number): string {
  const sum = rate === undefined ? Number.NaN : rate * hours;
  return Number.isFinite(sum) ? amount(sum, Math.abs(sum) >= 1 ? 2 : 3) : "$?";
}

/** A cost is never written as zero: an amount too small for the digits is "less than" the smallest of them. */
function amount(value: number, digits: number): string {
  const [size, least] = [Math.abs(value), 10 ** -digits];
  if (size > 0 && size < least / 2) return `<$${least.toFixed(digits)}`;
  return `${value < 0 ? "-" : ""}$${size.toFixed(digits)}`;
}

/** The sum of several hourly rates. An unknown part is marked, never left out. */
export function formatHourlySum(prices: readonly (number | undefined)[]): string {
  const sum = prices.reduce<number>((all, price) => all + (price ?? 0), 0);
  return prices.includes(undefined) ? `${formatPrice(sum)} + $?/h` : formatHourlyPrice(sum);
}

/** The sum of several hourly rates; undefined if a part is unknown. */
export function addPrices(prices: readonly (number | undefined)[]): number | undefined {
  return prices.reduce<number | undefined>(
    (sum, price) => (sum === undefined || price === undefined ? undefined : sum + price),
    0,
  );
}
