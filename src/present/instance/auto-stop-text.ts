// When an instance is to end, in words that promise no more than what is there: a window that is open then, or an instance that has shown
// that it ends itself.
import {
  type AutoStopAction,
  type AutoStopWish,
  calculateEndTime,
  type InstanceAutoStop,
  type SelfStopDoubt,
} from "../../domain/instance/auto-stop.ts";
import { t } from "../../lib/text.ts";
import { formatNearTime } from "../base/when.ts";

/** Of a row, where there is little room. Undefined without an end. */
export function formatAutoStop(end: InstanceAutoStop | undefined, now: number): string | undefined {
  if (!end) return undefined;
  const first = formatFirstStep(end, now);
  const hours = end.until > now && !end.isDoubted && !end.second ? end.stoppedHours : undefined;
  return hours === undefined ? first : t("{0}, destroys {1} later if still stopped", first, formatHours(hours));
}

function formatFirstStep(end: InstanceAutoStop, now: number): string {
  const when = formatNearTime(end.until, now);
  const { guard, ending } = end;
  // Whatever a window does, this one comes first.
  if (guard?.kind === "unverified" && guard.until !== undefined && guard.until > now && guard.until <= end.until) {
    const first = formatNearTime(guard.until, now);
    return guard.doubt === "unread" ? t("may end itself at {0}", first) : t("ends itself at {0}", first);
  }
  if (end.isDoubted) return t("auto-stop unknown");
  if (end.until <= now) return t("past its end time ({0})", when);
  if (end.second === "kept") return t("destroys at {0} if still stopped", when);
  if (end.second === "unsure") return t("asks at {0} whether to destroy it", when);
  if (guard?.kind === "armed")
    return ending === "stop" ? t("stops itself at {0}", when) : t("destroys itself at {0}", when);
  if (guard && guard.doubt !== "idle")
    return ending === "stop"
      ? t("stops at {0} (self-stop not verified)", when)
      : t("destroys at {0} (self-destroy not verified)", when);
  const words = {
    remind: t("reminder at {0}", when),
    stop: t("stops at {0}", when),
    destroy: t("destroys at {0}", when),
  };
  return words[end.ending];
}

/** One line that says all of it. Undefined without an end. */
export function describeAutoStop(end: InstanceAutoStop | undefined, now: number): string | undefined {
  if (!end) return undefined;
  const when = formatNearTime(end.until, now);
  if (end.isDoubted)
    return t(
      "unknown: an auto-stop that was set later than the one at {0} can't be read. Set the auto-stop again.",
      when,
    );
  if (end.until <= now) return t("{0} (passed)", when);
  if (end.second) return secondText(end.second, when);
  const then = end.stoppedHours === undefined ? undefined : describeThen(end.stoppedHours);
  if (end.guard?.kind === "armed") return [`${when}, ${itselfText(end.ending)}`, then].filter(Boolean).join(". ");
  if (end.isLeft) return leftText(end, when);
  const doubt = describeDoubt(end, now);
  return [`${when}, ${endingText(end.ending)}`, doubt, then].filter(Boolean).join(". ");
}

const secondText = (second: "kept" | "unsure", when: string): string =>
  second === "kept"
    ? t("{0}, destroys it if it's still stopped (VS Code must be open and signed in until then, or you're asked)", when)
    : t("{0}, asks whether to destroy it (VS Code can't tell whether it was started since it stopped)", when);

/** What follows a stop, as a sentence of its own. */
const describeThen = (hours: number): string =>
  t(
    "If it's still stopped {0} later, it's destroyed (VS Code must be open and signed in until then, or you're asked)",
    formatHours(hours),
  );

/** No one wants it any longer. */
const leftText = ({ guard }: InstanceAutoStop, when: string): string =>
  guard?.kind === "unverified" && guard.doubt === "unread"
    ? t("possibly {0}: the instance may not know that this end time was removed", when)
    : t("{0}: the instance doesn't know that this end time was removed", when);

const itselfText = (ending: AutoStopAction): string =>
  ending === "stop"
    ? t("stops itself, even if this computer is off")
    : t("destroys itself, even if this computer is off");

/** Why it isn't sure that the instance does it, too. Undefined if no one expects that, or if it is sure. */
export function describeDoubt({ guard }: InstanceAutoStop, now: number): string | undefined {
  if (guard?.kind !== "unverified") return undefined;
  if (guard.until !== undefined)
    return guard.doubt === "unread"
      ? t("The instance may end itself at {0}.", formatNearTime(guard.until, now))
      : t("The instance ends itself at {0}.", formatNearTime(guard.until, now));
  if (guard.doubt === undefined || guard.doubt === "unread") return t("Self-stop isn't verified yet.");
  const reasons: Readonly<Record<Exclude<SelfStopDoubt, "unread">, string>> = {
    missing: t("Self-stop is off: the file with the end time is missing on the instance."),
    ended: t("Self-stop is off: its process is no longer running on the instance."),
    refused: t("Self-stop is off: the service rejected the instance's API key."),
    other: t("Self-stop is off: no end time is set on the instance."),
    idle: t("Self-stop is off while the instance isn't running."),
  };
  return reasons[guard.doubt];
}

function endingText(ending: AutoStopAction): string {
  return {
    remind: t("reminder only (if VS Code is open)"),
    stop: t("stops (if VS Code is open and signed in)"),
    destroy: t("destroys (if VS Code is open and signed in)"),
  }[ending];
}

/** On a summary, where hours are counted from the rental. */
export function formatAutoStopWish(wish: AutoStopWish | undefined, now: number): string {
  if (!wish) return t("no auto-stop");
  const when = "hours" in wish ? t("{0} after renting", formatHours(wish.hours)) : formatNearTime(wish.until, now);
  const hours = wish.stoppedHours;
  if (wish.byItself === undefined && hours !== undefined)
    return `${when}, ${t("stops, then destroys {0} later (if VS Code is open and signed in)", formatHours(hours))}`;
  if (wish.byItself === undefined) return `${when}, ${endingText(wish.ending)}`;
  const itself = `${when}, ${itselfText(wish.ending)} (${t("verified once it runs")})`;
  return hours === undefined ? itself : `${itself}. ${describeThen(hours)}`;
}

/** `4 h`, `90 min`, `2 d`. */
export function formatHours(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes % 60 !== 0) return t("{0} min", minutes);
  return minutes % 1440 === 0 && minutes > 1440 ? t("{0} d", minutes / 1440) : t("{0} h", minutes / 60);
}

/** Said in the question before renting. Undefined without an end. */
export function describeAutoStopWish(wish: AutoStopWish | undefined, now: number): string | undefined {
  if (!wish) return undefined;
  const words = describeFirstWish(wish, formatNearTime(calculateEndTime(wish, now), now));
  return wish.stoppedHours === undefined ? words : `${words} ${describeSecondWish(wish.stoppedHours)}`;
}

function describeFirstWish({ ending, byItself }: AutoStopWish, when: string): string {
  if (byItself !== undefined)
    return ending === "stop"
      ? t(
          "Stops itself at {0}, even if this computer is off. Cloud GPU verifies this once the instance is running.",
          when,
        )
      : t(
          "Destroys itself and its disk at {0}, even if this computer is off. Cloud GPU verifies this once the instance is running.",
          when,
        );
  return {
    remind: t("You'll get a reminder at {0} if VS Code is open.", when),
    stop: t("Cloud GPU stops it at {0} if VS Code is open and signed in to this account.", when),
    destroy: t("Cloud GPU destroys it and its disk at {0} if VS Code is open and signed in to this account.", when),
  }[ending];
}

export const describeSecondWish = (hours: number): string =>
  t(
    "If it's still stopped {0} later and VS Code was open all that time, it's destroyed with its disk. Otherwise, you're asked.",
    formatHours(hours),
  );
