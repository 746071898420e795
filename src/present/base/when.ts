// Dates for people: a date, and how long ago it was.
import { formatDateTime, formatDayTime, formatTime, t } from "../../lib/text.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** UTC epoch seconds of the year 2200. Anything later isn't a real date. */
const LATEST = 7_258_118_400;

function sensible(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds > 0 && seconds < LATEST;
}

/** `seconds` is UTC epoch seconds. Undefined if that isn't a date. */
export function formatDate(seconds: number | undefined): string | undefined {
  return sensible(seconds) ? formatDateTime(seconds * 1000) : undefined;
}

/** `3 days`. Undefined if unknown, or further in the future than a wrong clock explains. */
export function formatAge(seconds: number | undefined, now: number): string | undefined {
  if (!sensible(seconds)) return undefined;
  const age = now / 1000 - seconds;
  if (age < -HOUR) return undefined;
  if (age < HOUR) return t("{0} min", Math.max(0, Math.round(age / MINUTE)));
  if (age < 2 * DAY) return t("{0} h", Math.round(age / HOUR));
  return t("{0} days", Math.round(age / DAY));
}

/** Hours, rounded down: `40 min`, `7 h`, `12 days`. */
export function formatLasting(hours: number): string {
  if (hours < 1) return t("{0} min", Math.floor(hours * 60));
  return hours < 48 ? t("{0} h", Math.floor(hours)) : t("{0} days", Math.floor(hours / 24));
}

/** A moment near by: `18:00` today, else with its day. Both are wall clock milliseconds. */
export function formatNearTime(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? formatTime(at) : formatDayTime(at);
}
