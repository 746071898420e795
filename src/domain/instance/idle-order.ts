// What a person ordered for one instance: that a window of theirs stops or destroys it once it has been idle for long enough.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { InstanceId } from "../base/id.ts";
import { parseHours } from "../base/time-span.ts";
import { createRejection } from "../base/typed-number.ts";
import type { IdleKeeperGuard } from "./idle-keeper.ts";

const IDLE_ENDINGS = ["stop", "destroy"] as const;
export type IdleEnding = (typeof IDLE_ENDINGS)[number];

/** What a person asks for. */
export interface IdleWish {
  /** How long it must have been idle. */
  readonly minutes: number;
  readonly ending: IdleEnding;
  /** Whether a stop that fails for `FAILED_STOP_MINUTES` becomes a destroy, which only the instance itself does. */
  readonly orDestroy?: boolean | undefined;
}

/** Minutes. */
export const FAILED_STOP_MINUTES = 30;

/** The order that holds. */
export interface IdleOrdered extends IdleWish {
  /** One that was given later can't be read and may hold instead: no window carries this one out. */
  readonly isDoubted: boolean;
  /** What keeps it beside a window. */
  readonly guard?: IdleKeeperGuard | undefined;
}

/** Minutes. */
const [LEAST_IDLE, MOST_IDLE] = [5, 1440] as const;
/** Of orders for one instance. */
export const MOST_IDLE_ORDERS = 999_999;

/** Written once; a later one of the same instance takes its place. Holds no key and no free text. */
export const IdleOrder = z.object({
  version: z.literal(1),
  id: InstanceId,
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  /** Null takes back the order before. */
  wish: z
    .object({
      minutes: z.number().min(LEAST_IDLE).max(MOST_IDLE),
      ending: z.enum(IDLE_ENDINGS),
      orDestroy: z.boolean().optional(),
    })
    .nullable(),
  /** When it was given, in epoch milliseconds. */
  at: EpochTime.int(),
  /** The highest of an instance holds: clocks may be set back. */
  count: z.int().min(1).max(MOST_IDLE_ORDERS),
});
export type IdleOrder = z.infer<typeof IdleOrder>;

/** Milliseconds that an order may seem to come later than now: a clock was set back, or a stranger wrote it. */
export const MOST_AHEAD = 86_400_000;

/** What holds for the instance that a launch comes to be. Written before the launch is sent. */
export const IdleLaunchOrder = IdleOrder.omit({ id: true, count: true }).extend({
  wish: IdleOrder.shape.wish.unwrap(),
  /** The launch token at the start of its label. */
  token: z.string().max(40),
  /** What was listed before, if it is known. */
  before: z.array(InstanceId).optional(),
});
export type IdleLaunchOrder = z.infer<typeof IdleLaunchOrder>;

/** Minutes of idleness from which on the person is warned: ten minutes before the end, or halfway. */
export const calculateWarningTime = (minutes: number): number => minutes - Math.min(10, minutes / 2);

/** Reads `30 min` or `2 h`. @throws AppError `rejected`. */
export function parseIdleTime(input: string): number {
  const hours = parseHours(input.trim());
  const minutes = hours === undefined ? undefined : Math.round(hours * 60);
  if (minutes === undefined) throw createRejection("idle", t("Enter a duration, such as 30 min or 2 h."));
  if (minutes < LEAST_IDLE || minutes > MOST_IDLE)
    throw createRejection("idle", t("Enter a duration between {0} min and {1} h.", LEAST_IDLE, MOST_IDLE / 60));
  return minutes;
}
