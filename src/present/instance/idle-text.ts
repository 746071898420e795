// An instance that does nothing, and what a person ordered for it, in words that promise no more than what is there: a window that is
// open then.
import type { AutoStopWish } from "../../domain/instance/auto-stop.ts";
import type { IdleState } from "../../domain/instance/idle.ts";
import type { IdleOrdered, IdleWish } from "../../domain/instance/idle-order.ts";
import { t } from "../../lib/text.ts";
import { formatAutoStopWish, formatHours } from "./auto-stop-text.ts";

const MINUTE = 60_000;
/** Minutes from which on hours say enough. */
const LONG = 120;

/** `34 min`, `3 h`. Rounded down: so long it was watched at least. */
export function formatIdleSpan(minutes: number): string {
  return minutes < LONG ? t("{0} min", Math.floor(minutes)) : t("{0} h", Math.floor(minutes / 60));
}

/** Of a row, where there is little room. Undefined unless it is known to be idle. */
export function formatIdle(state: IdleState | undefined): string | undefined {
  return state && t("idle {0}", formatIdleSpan(state.time / MINUTE));
}

/** One line that says who says so. Undefined unless it is known to be idle. */
export function describeIdle(state: IdleState | undefined): string | undefined {
  if (!state) return undefined;
  const { time, percent, source, gpus } = state;
  const span = formatIdleSpan(time / MINUTE);
  if (source === "service") return t("{0}, all GPUs below {1}% (reported by the service)", span, percent);
  if (gpus?.memory === undefined) return t("{0}, all GPUs below {1}% (nvidia-smi)", span, percent);
  const used = (gpus.memory / 1024).toFixed(1);
  return t("{0}, all GPUs below {1}%, {2} GB of GPU memory in use (nvidia-smi)", span, percent, used);
}

/** Of a row. Undefined without an order. */
export function formatIdleWish(wish: IdleOrdered | undefined): string | undefined {
  if (!wish) return undefined;
  if (wish.isDoubted) return t("idle timeout unknown");
  const span = formatHours(wish.minutes / 60);
  return wish.ending === "stop" ? t("stops after {0} idle", span) : t("destroys after {0} idle", span);
}

/** One line that says all of it. Undefined without an order. */
export function describeIdleWish(wish: IdleWish | IdleOrdered | undefined): string | undefined {
  if (!wish) return undefined;
  if ("isDoubted" in wish && wish.isDoubted)
    return t("unknown: what you set later can't be read, so nothing is done. Set it again.");
  const span = formatHours(wish.minutes / 60);
  return wish.ending === "stop"
    ? t("stops after {0} idle (if VS Code is open and signed in)", span)
    : t("destroys after {0} idle (if VS Code is open and signed in)", span);
}

/** On a summary: an end time, an idle timeout, or both. */
export function formatAutoStopWishes(
  { end, idle }: { readonly end?: AutoStopWish | undefined; readonly idle?: IdleWish | undefined },
  now: number,
): string {
  const wish = describeIdleWish(idle);
  if (wish === undefined) return formatAutoStopWish(end, now);
  return end ? `${formatAutoStopWish(end, now)}; ${wish}` : wish;
}

/** Said in the question before renting. Undefined without an idle timeout. */
export function describeIdleTimeout(wish: IdleWish | undefined): string | undefined {
  if (!wish) return undefined;
  const span = formatHours(wish.minutes / 60);
  return wish.ending === "stop"
    ? t("Cloud GPU stops it after {0} idle if VS Code is open and signed in to this account.", span)
    : t("Cloud GPU destroys it and its disk after {0} idle if VS Code is open and signed in to this account.", span);
}
