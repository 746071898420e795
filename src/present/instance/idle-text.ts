// An instance that does nothing, and what a person ordered for it, in words that promise no more than what is there: an instance that has
// shown that it looks, or a window that is open then.
import type { InstanceId } from "../../domain/base/id.ts";
import type { AutoStopWish } from "../../domain/instance/auto-stop.ts";
import type { IdleState } from "../../domain/instance/idle.ts";
import type { IdleKeeperDoubt } from "../../domain/instance/idle-keeper.ts";
import { FAILED_STOP_MINUTES, type IdleOrdered, type IdleWish } from "../../domain/instance/idle-order.ts";
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
export function formatIdleWish(wish: IdleOrdered | undefined, now?: number): string | undefined {
  if (!wish) return undefined;
  if (wish.isDoubted) return t("idle timeout unknown");
  const span = formatHours(wish.minutes / 60);
  if (wish.guard?.kind === "armed" && now !== undefined)
    return formatSelfStop(wish, span, formatChecked(wish.guard, now));
  return wish.ending === "stop" ? t("stops after {0} idle", span) : t("destroys after {0} idle", span);
}

function formatSelfStop({ ending, orDestroy }: IdleWish, span: string, checked: string): string {
  if (ending === "destroy") return t("destroys itself after {0} idle ({1})", span, checked);
  return orDestroy
    ? t("stops itself after {0} idle, or destroys itself if that fails ({1})", span, checked)
    : t("stops itself after {0} idle ({1})", span, checked);
}

/** How long ago the instance looked. Rounded up: it isn't newer than that. `now` is in epoch milliseconds. */
function formatChecked({ lookedAt }: { readonly lookedAt: number }, now: number): string {
  const minutes = Math.max(1, Math.ceil((now - lookedAt) / MINUTE));
  return t("checked {0} ago", formatIdleSpan(minutes));
}

/** One line that says all of it: what keeps it is the instance where it has shown that, and else a window. Undefined without an order. */
export function describeIdleWish(wish: IdleWish | IdleOrdered | undefined, now?: number): string | undefined {
  if (!wish) return undefined;
  if ("isDoubted" in wish && wish.isDoubted)
    return t("unknown: what you set later can't be read, so nothing is done. Set it again.");
  const span = formatHours(wish.minutes / 60);
  const guard = "guard" in wish ? wish.guard : undefined;
  const isArmed = guard?.kind === "armed";
  if (isArmed && now !== undefined) return formatSelfStop(wish, span, formatChecked(guard, now));
  const said =
    wish.ending === "stop"
      ? t("stops after {0} idle (if VS Code is open and signed in)", span)
      : t("destroys after {0} idle (if VS Code is open and signed in)", span);
  const doubt = describeKeeperDoubt(isArmed ? undefined : guard?.doubt);
  const orDestroy = wish.orDestroy ? t("destroyed if that fails only once self-stop is verified") : undefined;
  return [said, orDestroy, doubt].filter((part) => part !== undefined).join("; ");
}

/** What is lost, and who does it, where a stop that fails becomes a destroy. */
export const describeDestroyIfStopFails = (): string =>
  t(
    "Everything on its disk is lost if stopping fails for {0} min: the instance then destroys itself, once its self-stop is verified. A window only stops it.",
    FAILED_STOP_MINUTES,
  );

/** Why nothing is promised of the instance itself. Undefined if there is nothing to say. */
function describeKeeperDoubt(doubt: IdleKeeperDoubt | undefined): string | undefined {
  switch (doubt) {
    case "blind":
      return t("no self-stop: the instance can't tell whether it's idle");
    case "refused":
      return t("no self-stop: the service doesn't accept the instance's key");
    case "missing":
    case "ended":
      return t("self-stop not verified");
    case "other":
      return t("the instance may follow another idle timeout");
    case "unread":
      return t("the instance may still follow its previous idle timeout");
    case "starting":
    case undefined:
      return undefined;
  }
}

/** That an instance couldn't be told of a change. Until it is, it does what was set before. */
export const describeKeeperUnreached = (id: InstanceId): string =>
  t(
    "Cloud GPU couldn't reach instance {0}, which may still follow its previous idle timeout. It will be updated once it can be reached while VS Code is open and signed in.",
    id,
  );

export const describeKeeperOther = (id: InstanceId): string =>
  t(
    "Instance {0} follows an idle timeout that was set later on another computer. To change it, set the auto-stop there, or check this computer's clock and try again.",
    id,
  );

/** On a summary: an end time, an idle timeout, or both. */
export function formatAutoStopWishes(
  { end, idle }: { readonly end?: AutoStopWish | undefined; readonly idle?: IdleWish | undefined },
  now: number,
): string {
  const wish = describeIdleWish(idle, now);
  if (wish === undefined) return formatAutoStopWish(end, now);
  return end ? `${formatAutoStopWish(end, now)}; ${wish}` : wish;
}

/** Said in the question before renting. Undefined without an idle timeout. */
export function describeIdleTimeout(wish: IdleWish | undefined): string | undefined {
  if (!wish) return undefined;
  const span = formatHours(wish.minutes / 60);
  const stops = t("Cloud GPU stops it after {0} idle if VS Code is open and signed in to this account.", span);
  if (wish.ending === "stop") return wish.orDestroy ? `${stops} ${describeDestroyIfStopFails()}` : stops;
  return t("Cloud GPU destroys it and its disk after {0} idle if VS Code is open and signed in to this account.", span);
}
