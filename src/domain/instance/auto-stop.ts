// When an instance is to end, and what becomes of it then.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { InstanceId } from "../base/id.ts";
import { parseHours } from "../base/time-span.ts";
import { createRejection } from "../base/typed-number.ts";

/** What happens at the end: the person is reminded and nothing else, or a window of theirs stops or destroys the instance. */
const AUTO_STOP_ACTIONS = ["remind", "stop", "destroy"] as const;
export type AutoStopAction = (typeof AUTO_STOP_ACTIONS)[number];

/** What a person asks for: hours from the moment it is rented or set, or a time in epoch milliseconds. */
export type AutoStopWish = {
  readonly ending: AutoStopAction;
  /** The address by which a new instance is to end itself, too. */
  readonly byItself?: string | undefined;
  /** What it stopped is destroyed after so many hours; of a second step, after so many hours in which it was stopped all of the time. */
  readonly stoppedHours?: number | undefined;
  /** Whether it is the second step: it destroys only what is still stopped. */
  readonly isSecond?: true | undefined;
} & ({ readonly hours: number } | { readonly until: number });

/** Hours of 90 days. */
export const MOST_AUTO_STOP_HOURS = 2160;
/** Of ends of one instance. */
export const MOST_AUTO_STOPS = 999_999;

/** Written once; a later one of the same instance takes its place. Holds no key and no free text. */
export const AutoStop = z.object({
  /** 2 of both ends of a second step: what knows of none can't read them, and so neither forgets it nor destroys what may have been started. */
  version: z.union([z.literal(1), z.literal(2)]),
  /** Left out until the instance of a launch is known. */
  id: InstanceId.optional(),
  /** The launch token at the start of its label, if it has one. */
  token: z.string().max(40).optional(),
  /** What was listed before that launch was sent, if it is known. */
  before: z.array(InstanceId).optional(),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  /** Epoch milliseconds; null takes back the end before. */
  until: EpochTime.nullable(),
  ending: z.enum(AUTO_STOP_ACTIONS),
  /** When it was set, in epoch milliseconds. */
  at: EpochTime,
  /** The highest of an instance holds: clocks may be set back. */
  count: z.int().min(1).max(MOST_AUTO_STOPS),
  /** Whether the instance's start script has it end itself, too. */
  byItself: z.boolean().optional(),
  /** As in `AutoStopWish`. */
  stoppedHours: z.number().positive().max(MOST_AUTO_STOP_HOURS).optional(),
});
export type AutoStop = z.infer<typeof AutoStop>;

/** What is known of an instance's end. */
export interface InstanceAutoStop {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly ending: AutoStopAction;
  /** What is known of an instance that was started so that it ends itself; undefined where a window alone keeps the end. */
  readonly guard?: SelfStopGuard | undefined;
  /** It no longer holds, but the instance keeps it and couldn't be told. */
  readonly isLeft?: boolean;
  /** One that was set later can't be read and may hold instead: no window carries this one out. */
  readonly isDoubted?: boolean;
  /** Of a stop: after so many hours, what is still stopped is destroyed. */
  readonly stoppedHours?: number | undefined;
  /** Of that second step. `unsure`: no one can say that it was stopped all of the time, so its person is asked. */
  readonly second?: "kept" | "unsure" | undefined;
}

const SELF_STOP_DOUBTS = ["missing", "ended", "refused", "other", "unread"] as const;
/** Why it isn't sure that an instance ends itself at its end. `idle`: it doesn't run. */
export type SelfStopDoubt = (typeof SELF_STOP_DOUBTS)[number] | "idle";

/** When an instance ends itself, in epoch milliseconds, and what it does then if that is known. */
const TimedEnd = z.object({
  until: EpochTime,
  ending: z.enum(["stop", "destroy"]).optional(),
});
export type TimedEnd = z.infer<typeof TimedEnd>;
/** Ends that an instance was told of without an answer, one after the other. */
export const MOST_ASKED = 20;

/** What an instance showed of the end that it keeps itself: any program of this computer can write the file that it is read from. */
export const SelfStopProof = z.object({
  version: z.literal(1),
  /** Epoch milliseconds. */
  at: EpochTime,
  /**
   * - `missing`: nothing on it keeps an end
   * - `ended`: what kept it has ended, or takes its end for one that passed
   * - `refused`: the service doesn't accept its own key from it
   * - `other`: it keeps another end
   * - `unread`: it was told of another end, and its answer was lost
   */
  doubt: z.enum(SELF_STOP_DOUBTS).optional(),
  /** The other end that it keeps, in epoch milliseconds. */
  until: TimedEnd.shape.until.optional(),
  ending: TimedEnd.shape.ending,
  /** Others that it was told of without an answer: it may keep one of them. */
  asked: z.array(TimedEnd).max(MOST_ASKED).optional(),
});
export type SelfStopProof = z.infer<typeof SelfStopProof>;

export type SelfStopGuard =
  /** It showed that it ends itself then. */
  | { readonly kind: "armed" }
  /** It didn't, or was never asked. `until` if it keeps another end. */
  | { readonly kind: "unverified"; readonly doubt?: SelfStopDoubt | undefined; readonly until?: number | undefined };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Milliseconds before the end. */
const REMIND_BEFORE = 10 * MINUTE;
/** Milliseconds after the end. By then circumstances may have changed, so the person is asked. */
const ASK_AFTER = 10 * MINUTE;

/** Milliseconds that a window leaves to an instance that ends itself. */
export const ITSELF_FIRST = 2 * MINUTE;

export const toSelfStopGuard = (proof: SelfStopProof | undefined): SelfStopGuard =>
  proof && proof.doubt === undefined
    ? { kind: "armed" }
    : { kind: "unverified", doubt: proof?.doubt, until: proof?.until };

export function calculateEndTime(wish: AutoStopWish, now: number): number {
  return "until" in wish ? wish.until : now + wish.hours * HOUR;
}

/** The same wish, for a moment that doesn't move any longer. */
export function fixEndTime(wish: AutoStopWish, now: number): AutoStopWish & { readonly until: number } {
  const { hours: _, ...rest } = { hours: 0, ...wish };
  return { ...rest, until: calculateEndTime(wish, now) };
}

/** Ten minutes before the end, or halfway to an end that is closer. */
export function calculateReminderTime(until: number, at: number): number {
  return until - Math.min(REMIND_BEFORE, Math.max(0, until - at) / 2);
}

/** Whether the end passed so long ago that nothing is stopped or destroyed without asking. */
export const isOverdue = (until: number, now: number): boolean => now - until > ASK_AFTER;

const TIME = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})[ T])?(\d{1,2}):(\d{2})$/;
/** `5 pm`, `5:30pm`. */
const HALF_DAY_TIME = /^(?:(\d{4}-\d{1,2}-\d{1,2})[ T])?(1[0-2]|0?[1-9])(?::(\d{2}))?\s*([ap])\.?m\.?$/i;

/** Reads `90 min`, `8 h`, `2 d`, `18:00` or `2026-11-25 18:00`, in this computer's time. @throws AppError `rejected`. */
export function parseEndTime(input: string, now: number): { readonly hours: number } | { readonly until: number } {
  const text = input.trim();
  const hours = parseHours(text);
  const end = hours === undefined ? readTime(text, now) : now + hours * HOUR;
  if (end === undefined)
    throw createRejection("end", t("Enter a duration (90 min, 8 h, 2 d) or a time (18:00, 2026-11-25 18:00)."));
  if (end < now + MINUTE) throw createRejection("end", t("The end time must be at least a minute from now."));
  if (end > now + MOST_AUTO_STOP_HOURS * HOUR)
    throw createRejection("end", t("The end time must be within {0} days.", MOST_AUTO_STOP_HOURS / 24));
  return hours === undefined ? { until: end } : { hours: (end - now) / HOUR };
}

/** A time without a day is the next one. Undefined if there is no such time. */
function readTime(text: string, now: number): number | undefined {
  const [, year, month, day, hour, minute] = (TIME.exec(toWholeDay(text)) ?? []).map(Number);
  if (hour === undefined || minute === undefined || hour > 23 || minute > 59) return undefined;
  const today = new Date(now);
  if (!Number.isNaN(year)) {
    const date = new Date(year as number, (month as number) - 1, day, hour, minute);
    // There is no February 30, which would be a day in March.
    return date.getDate() === day && date.getMonth() + 1 === month ? date.getTime() : undefined;
  }
  const at = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour, minute).getTime();
  return at(0) < now + MINUTE ? at(1) : at(0);
}

/** `17:00` for `5 pm`; all else as it is. */
function toWholeDay(text: string): string {
  const [, date, hour, minute = "00", half] = HALF_DAY_TIME.exec(text) ?? [];
  if (hour === undefined) return text;
  const whole = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
  return `${date === undefined ? "" : `${date} `}${whole}:${minute}`;
}

/** Reads the setting: an end and what happens then, such as `8 h, destroy`. Undefined if it is empty. @throws AppError `rejected`. */
export function parseDefaultAutoStop(text: string, now: number): AutoStopWish | undefined {
  if (text.trim() === "") return undefined;
  const [span = "", word = "remind", ...more] = text.split(",").map((part) => part.trim());
  const ending = AUTO_STOP_ACTIONS.find((one) => one === word.toLowerCase());
  if (ending === undefined || more.length > 0)
    throw createRejection("end", t("Enter a time and an action (remind, stop, or destroy), such as: 8 h, stop."));
  return { ...parseEndTime(span, now), ending };
}
