// When an instance is to end, in words that promise no more than what is there: a window that is open then.
import { type InstanceEnd, type LeaseEnding, type LeaseWish, leaseEnd } from "../../domain/instance/lease.ts";
import { t } from "../../lib/text.ts";
import { comingText } from "../base/when.ts";

/** Of a row, where there is little room. Undefined without an end. */
export function endWords(end: InstanceEnd | undefined, now: number): string | undefined {
  if (!end) return undefined;
  const when = comingText(end.until, now);
  if (end.until <= now) return t("end passed {0}", when);
  const words = { remind: t("reminder {0}", when), stop: t("stops {0}", when), destroy: t("destroyed {0}", when) };
  return words[end.ending];
}

/** One line that says all of it. Undefined without an end. */
export function endFact(end: InstanceEnd | undefined, now: number): string | undefined {
  if (!end) return undefined;
  const when = comingText(end.until, now);
  if (end.until <= now) return t("{0}, which has passed", when);
  return `${when}, ${endingText(end.ending)}`;
}

function endingText(ending: LeaseEnding): string {
  return {
    remind: t("with a reminder if a window is open"),
    stop: t("then stopped if a window is open and signed in"),
    destroy: t("then destroyed if a window is open and signed in"),
  }[ending];
}

/** On a receipt, where hours are counted from the rental. */
export function wishText(wish: LeaseWish | undefined, now: number): string {
  if (!wish) return t("no end");
  const when = "hours" in wish ? t("{0} after the rental", hoursText(wish.hours)) : comingText(wish.until, now);
  return `${when}, ${endingText(wish.ending)}`;
}

/** `4 h`, `90 min`, `2 d`. */
export function hoursText(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes % 60 !== 0) return t("{0} min", minutes);
  return minutes % 1440 === 0 && minutes > 1440 ? t("{0} d", minutes / 1440) : t("{0} h", minutes / 60);
}

/** Said in the question before renting. Undefined without an end. */
export function wishSentence(wish: LeaseWish | undefined, now: number): string | undefined {
  if (!wish) return undefined;
  const when = comingText(leaseEnd(wish, now), now);
  return {
    remind: t("You'll be reminded at {0} if a window is open.", when),
    stop: t("It's stopped at {0} if a window is open and signed in to this account then.", when),
    destroy: t("It's destroyed with its disk at {0} if a window is open and signed in to this account then.", when),
  }[wish.ending];
}
