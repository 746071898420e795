// A price that someone waits for: which offers it is about, when it counts as reached, and when that is told.

import * as z from "zod";
import { isNear } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { TemplateHash } from "../base/id.ts";
import { Dollars, formatPrice } from "../base/money.ts";
import { createRejection, readNumber } from "../base/typed-number.ts";
import { LEAST_DISK } from "./disk.ts";
import { Filters } from "./filter.ts";
import { calculateGpuPrice, getHourlyPrice, type Offer } from "./offer.ts";
import {
  getLimit,
  MOST_OFFERS,
  type OfferSearch,
  SearchLimit,
  SORTS,
  sortOffers,
  withCondition,
} from "./offer-search.ts";

const GOAL_KINDS = ["price", "gpuPrice", "reliability"] as const;
export type GoalKind = (typeof GOAL_KINDS)[number];

/** What is waited for: a price in dollars per hour (`gpuPrice`: per hour and GPU), or a reliability (0 to 1) at a price. */
export const WatchGoal = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["price", "gpuPrice"]), most: Dollars }),
  z.object({ kind: z.literal("reliability"), most: Dollars, least: z.number().positive().max(1) }),
]);
export type WatchGoal = z.infer<typeof WatchGoal>;

/** Written once; a later version takes its place. Holds no key. */
export const PriceWatch = z.object({
  version: z.literal(1),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  /** Whether it is the sandbox's, which is gone when its window is. */
  sandbox: z.literal(true).optional(),
  search: z.object({
    filters: Filters,
    type: z.enum(["ondemand", "bid"]),
    sort: z.enum(SORTS),
    diskGb: z.number().min(LEAST_DISK),
    limit: SearchLimit.optional(),
  }),
  goal: WatchGoal,
  /** What is launched on it. */
  template: TemplateHash.optional(),
  /** Whether its launch was configured. What was configured isn't here: it may be secret. */
  configured: z.boolean().optional(),
  /** When someone began to wait, in epoch milliseconds. */
  at: EpochTime,
});
export type PriceWatch = z.infer<typeof PriceWatch>;

/** Of one account. */
export const MOST_WATCHES = 5;
/** Offers that one look asks for. */
const FEW = 5;

/** The search of one look, in the order in which its offers are judged. A limit of the person's own holds. */
export function toWatchSearch({ search, goal }: Pick<PriceWatch, "search" | "goal">): OfferSearch & { limit: number } {
  const { filters } = search;
  if (goal.kind === "reliability") {
    const least = filters.reliability?.gte;
    const gte = typeof least === "number" ? Math.max(least, goal.least) : goal.least;
    const wanted = withCondition(filters, "reliability", { ...filters.reliability, gte });
    return { ...search, filters: wanted, sort: "price", limit: limitOf(search, FEW) };
  }
  if (goal.kind === "price") return { ...search, sort: "price", limit: limitOf(search, FEW) };
  // A service orders by the price of the whole machine. By GPU, a large one may be the cheapest.
  return { ...search, sort: "gpuPrice", limit: limitOf(search, hasOneSize(filters) ? FEW : MOST_OFFERS) };
}

/** A look comes every few minutes: it never asks for more than a list does. */
const limitOf = (search: Pick<OfferSearch, "limit">, few: number): number =>
  Math.min(MOST_OFFERS, getLimit(search, few));

function hasOneSize({ num_gpus: condition }: Filters): boolean {
  return condition?.eq !== undefined || condition?.in?.length === 1;
}

/** What a goal compares, in dollars per hour or per hour and GPU. */
export const getGoalPrice = ({ kind }: WatchGoal, offer: Offer): number | undefined =>
  kind === "gpuPrice" ? calculateGpuPrice(offer) : getHourlyPrice(offer);

/** A price that was told. */
export interface ToldPrice {
  readonly machine: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface WatchMemory {
  /** Since the price was last above the goal, the oldest first. */
  readonly told: readonly ToldPrice[];
  /** Before or after that. */
  readonly lastTold: number | undefined;
  readonly snoozedUntil: number | undefined;
}

interface WatchVerdict {
  /** The cheapest offer with a known price, and that price. */
  readonly best: { readonly offer: Offer; readonly price: number } | undefined;
  readonly isMet: boolean;
  /** The price was above the goal: the next time that it is reached is told again. */
  readonly rearms: boolean;
  readonly tells: boolean;
}

const HOUR = 3_600_000;
/** Milliseconds without a message after *Snooze 1 h*. */
export const SNOOZE = HOUR;
/** How far above the goal a price must have been: one that swings around it isn't news each time. */
const ABOVE = 1.02;

/** The cheapest offer, if its price is known. Of unknown reliability, none is what someone waits for who named one. */
export function findBest(goal: WatchGoal, offers: readonly Offer[]): WatchVerdict["best"] {
  const least = goal.kind === "reliability" ? goal.least : 0;
  const wanted = offers.filter(({ reliability = 0 }) => reliability >= least);
  const [first] = sortOffers(wanted, goal.kind === "gpuPrice" ? "gpuPrice" : "price");
  const price = first && getGoalPrice(goal, first);
  return first && price !== undefined ? { offer: first, price } : undefined;
}

/** Judges the offers of one look. `now` is epoch milliseconds. */
export function judgeLook(goal: WatchGoal, offers: readonly Offer[], memory: WatchMemory, now: number): WatchVerdict {
  const best = findBest(goal, offers);
  const isMet = best !== undefined && best.price <= goal.most;
  const wasTold = (offer: Offer) => memory.told.some(({ machine }) => machine === toMachineKey(offer));
  // Offers that say no price say nothing of how it went: not if there is no other one, and not if one of them was told.
  const isUnsaid = offers.some((offer) => wasTold(offer) && findBest(goal, [offer]) === undefined);
  const wasAbove = best === undefined ? offers.length === 0 : best.price > goal.most * ABOVE && !isUnsaid;
  const rearms = memory.told.length > 0 && wasAbove;
  const isNews = best !== undefined && !wasTold(best.offer);
  return { best, isMet, rearms, tells: isMet && isNews && !isQuiet(memory, now) };
}

/** One message an hour. Compared in both directions: a clock may have been set back. */
function isQuiet({ lastTold, snoozedUntil }: WatchMemory, now: number): boolean {
  const wasJustTold = lastTold !== undefined && isNear(now, lastTold, HOUR);
  return wasJustTold || isSnoozed(snoozedUntil, now);
}

/** One that would last longer than it can was made before the clock was set back. */
export const isSnoozed = (until: number | undefined, now: number): until is number =>
  until !== undefined && until > now && until <= now + SNOOZE;

/** Tells machines apart; an offer that names none is one of its own. */
export const toMachineKey = ({ machine_id: machine, id }: Offer): string =>
  machine === undefined ? `offer ${id}` : String(machine);

/** Minutes between two looks. */
export const [LEAST_MINUTES, USUAL_WATCH_MINUTES, MOST_MINUTES] = [5, 10, 1440] as const;
const MINUTE = 60_000;
/** Minutes that a service that asks for fewer requests is left alone at most, unless the person wants it so anyway. */
const LONGEST_PAUSE = 240;
const JITTER = 0.1;

/**
 * Milliseconds until the next look: a little more or less each time, so that not everyone comes at the same moment, and twice as long
 * after each refusal. `random` is from 0 to 1.
 */
export function calculateLookPause(minutes: number, refusals: number, random: number): number {
  const longest = Math.max(LONGEST_PAUSE, minutes);
  const pause = Math.min(longest, minutes * 2 ** Math.min(refusals, 20));
  return Math.round(pause * MINUTE * (1 - JITTER + 2 * JITTER * random));
}

/** Dollars per hour that can be waited for. */
const [LEAST_PRICE, MOST_PRICE] = [0.001, 1000] as const;

/** Dollars per hour. @throws AppError `rejected`. */
export function parseGoalPrice(input: string): number {
  const price = readNumber(t("Price"), input.trim().replace(/^\$\s*/, ""));
  if (price < LEAST_PRICE || price > MOST_PRICE)
    throw createRejection(
      "price",
      t("Price: {0} is out of range. Enter $0.001 to $1,000 per hour.", formatPrice(price)),
    );
  return price;
}

/** Percent, as a share. @throws AppError `rejected`. */
export function parseGoalReliability(input: string): number {
  const percent = readNumber(t("Reliability"), input.trim().replace(/\s*%$/, ""));
  if (percent < 1 || percent > 100)
    throw createRejection("reliability", t("Reliability: enter a percentage from 1 to 100."));
  return percent / 100;
}

/** A price to wait for that is a tenth below the present one. */
export const proposeGoalPrice = (price: number): number =>
  Math.min(MOST_PRICE, Math.max(LEAST_PRICE, Number((price * 0.9).toPrecision(2))));
