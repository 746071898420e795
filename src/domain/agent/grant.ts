// A budget that a person gives to agents: within it, they rent without a question. What it has paid for is what the launch journal says,
// so that no window, and no crash, can forget a part of it.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { Dollars, formatHourlyPrice, formatTotal } from "../base/money.ts";
import { createRejection, readNumber } from "../base/typed-number.ts";
import { calculateEndTime } from "../instance/auto-stop.ts";
import { calculateBilledPrice, type LaunchPlan } from "../launch/launch-plan.ts";
import { type Granted, getLaunchState, type LaunchRecord } from "../launch/launch-record.ts";

/** Hours for which agents may rent. */
const MOST_GRANT_HOURS = 24;
/** Rentals from one budget. */
const MOST_GRANT_LAUNCHES = 50;
/** Hours that an instance may go on after its auto-stop, until the service has ended it. They count. */
const AFTER_STOP = 0.25;
const HOUR = 3_600_000;

/** What the person agrees to. */
export const GrantTerms = z.object({
  /** Dollars for all of it. */
  amount: Dollars,
  /** Dollars per hour of each instance. */
  perHour: Dollars,
  /** How many may be rented, one after the other or at a time. */
  launches: z.int().min(1).max(MOST_GRANT_LAUNCHES),
});
export type GrantTerms = z.infer<typeof GrantTerms>;

/** Written once. Holds no key. */
export const Grant = GrantTerms.extend({
  version: z.literal(1),
  /** The service's address, with its path. */
  origin: z.string(),
  /** Digest of address and key. */
  account: z.string(),
  user: z.int().optional(),
  /** From when until when, in epoch milliseconds. What is rented ends by then. */
  at: EpochTime,
  until: EpochTime,
});
export type Grant = z.infer<typeof Grant>;

/** A budget with its name, and what it has paid for. */
export interface GrantState extends Grant {
  readonly name: string;
  /** How many were rented, or may have been. */
  readonly used: number;
  /** Dollars that those cost at most: until their auto-stops, even if they ended sooner. */
  readonly spent: number;
}

/** Whether agents may rent from it, by a clock that may have been set back. */
export const isGrantOpen = ({ at, until }: Pick<Grant, "at" | "until">, now: number): boolean =>
  now >= at && now < until;

/** `own`: a launch that isn't counted, by its token. */
export function countGrant(name: string, grant: Grant, launches: readonly LaunchRecord[], own?: string): GrantState {
  const paid = launches.flatMap((record) => {
    const { granted } = record.prepared ?? {};
    return granted?.grant === name && record.token !== own ? Array<number>(countRented(record)).fill(granted.most) : [];
  });
  return { ...grant, name, used: paid.length, spent: paid.reduce((sum, most) => sum + most, 0) };
}

/** How many instances a launch has, or may have. */
export function countRented(record: LaunchRecord): number {
  if (record.ids.length > 0) return record.ids.length;
  return getLaunchState(record) === "unresolved" ? 1 : 0;
}

/**
 * What a launch takes of a budget, or the sentence that says why it needs the person. `now` in epoch milliseconds. `noted`: what it was written
 * down with, in dollars; less of it is left to run by now.
 */
export function judgeGranted(grant: GrantState, plan: LaunchPlan, now: number, noted = 0): Granted | string {
  const { amount, spent, used, launches, until } = grant;
  const { end } = plan;
  const price = calculateBilledPrice(plan);
  // An outbid machine waits, billed for its disk, and nothing on it can end it.
  if (plan.type !== "ondemand") return t("The budget is only for on-demand instances.");
  if (end?.ending !== "destroy" || end.byItself === undefined)
    return t("Nothing on this instance could destroy it while VS Code is closed.");
  if (price === undefined) return t("The price is unknown.");
  if (price > grant.perHour + 1e-9)
    return t("This costs {0}, and the budget allows {1}.", formatHourlyPrice(price), formatHourlyPrice(grant.perHour));
  if (used >= launches) return t("Agents have rented {0} of {1} instances from the budget.", used, launches);
  const ends = calculateEndTime(end, now);
  if (ends > until) return t("Its auto-stop comes after the end of the budget.");
  const most = Math.max(noted, price * ((ends - now) / HOUR + AFTER_STOP));
  const left = amount - spent;
  if (most > left + 1e-9)
    return t("This may cost {0} until its auto-stop, and {1} is left.", formatTotal(most, 1), formatTotal(left, 1));
  return { grant: grant.name, most, until: ends };
}

/** @throws AppError `rejected` that says what to enter. */
export function parseGrantDollars(name: string, text: string): number {
  const value = Dollars.safeParse(readNumber(name, text.replace(/^\s*\$/, ""))).data;
  if (value === undefined) throw createRejection(name, t("{0}: enter more than $0 and at most $100,000.", name));
  return value;
}

/** @throws AppError `rejected` that says what to enter. */
export function parseGrantLaunches(name: string, text: string): number {
  const value = GrantTerms.shape.launches.safeParse(readNumber(name, text)).data;
  if (value === undefined)
    throw createRejection(name, t("{0}: enter a whole number from 1 to {1}.", name, MOST_GRANT_LAUNCHES));
  return value;
}

/** @throws AppError `rejected` that says what to enter. */
export function parseGrantHours(name: string, text: string): number {
  const value = readNumber(name, text.replace(/\s*h$/, ""));
  if (value >= 0.25 && value <= MOST_GRANT_HOURS) return value;
  throw createRejection(name, t("{0}: enter 0.25 to {1} hours.", name, MOST_GRANT_HOURS));
}
