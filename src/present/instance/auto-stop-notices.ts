// What is told of the end of an instance: that it comes, has come or passed, and what became of it.
import { formatHourlyPrice } from "../../domain/base/money.ts";
import type { InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatNearTime } from "../base/when.ts";
import { describeDoubt, describeSecondWish } from "./auto-stop-text.ts";
import { formatInstanceTitle } from "./instances.ts";
import { describeOrderFailures } from "./orders.ts";

type NoticeKind = "soon" | "over" | "overdue" | "itself";

interface Noticed {
  readonly instance: Instance;
  readonly end: InstanceAutoStop;
  readonly launchPrice: number | undefined;
}

/** That an end comes, has come, passed while no one could carry it out, or was carried out by the instance itself. */
export function describeAutoStopNotice(kind: NoticeKind, noticed: Noticed, now: number): string {
  const words = describeNotice(kind, noticed, now);
  // What an overdue stop is followed by depends on when someone stops it.
  return kind === "soon" || kind === "itself" ? addSecondStep(words, noticed.end) : words;
}

/** After a stop: what may follow it, which destroys a disk. */
const addSecondStep = (words: string, { ending, stoppedHours }: InstanceAutoStop): string =>
  ending === "stop" && stoppedHours !== undefined ? `${words} ${describeSecondWish(stoppedHours)}` : words;

function describeNotice(kind: NoticeKind, { instance, end, launchPrice }: Noticed, now: number): string {
  const [name, when] = [toPlainText(formatInstanceTitle(instance), 100), formatNearTime(end.until, now)];
  const price = formatHourlyPrice(getCurrentPrice({ value: instance, launchPrice }));
  if (kind === "over") return t("{0} has reached its end time and still costs {1}.", name, price);
  const isArmed = end.guard?.kind === "armed";
  if (end.second && kind === "soon")
    return t("{0} is still stopped. It and its disk will be destroyed at {1} if VS Code is open.", name, when);
  if (end.second === "unsure" && kind === "overdue" && !end.isDoubted)
    return t(
      "{0} was to be destroyed at {1} if still stopped. VS Code can't tell whether it was started in between, so nothing was destroyed. It still costs {2}.",
      name,
      when,
      price,
    );
  if (kind === "itself")
    return end.ending === "stop"
      ? t("{0} has stopped, as scheduled for {1}. Its disk still costs money.", name, when)
      : t("{0} no longer exists. It was scheduled to destroy itself at {1}.", name, when);
  if (kind === "overdue" && end.isDoubted)
    return t(
      "{0} is past its end time ({1}), but an end time that was set later can't be read, so nothing was done. It still costs {2}.",
      name,
      when,
      price,
    );
  if (kind === "overdue" && isArmed)
    return end.ending === "stop"
      ? t("{0} was set to stop itself at {1}, but still costs {2}.", name, when, price)
      : t("{0} was set to destroy itself at {1}, but still costs {2}.", name, when, price);
  if (kind === "overdue")
    return t(
      "{0} is past its end time ({1}) and still costs {2}. Cloud GPU couldn't stop or destroy it in time.",
      name,
      when,
      price,
    );
  if (isArmed)
    return end.ending === "stop"
      ? t("{0} will stop itself at {1}, even if this computer is off.", name, when)
      : t("{0} will destroy itself and its disk at {1}, even if this computer is off.", name, when);
  const doubt = describeDoubt(end, now);
  const words = {
    remind: t("{0} reaches its end time at {1}. It costs {2}.", name, when, price),
    stop: t("{0} will be stopped at {1} if VS Code is open.", name, when),
    destroy: t("{0} and its disk will be destroyed at {1} if VS Code is open.", name, when),
  }[end.ending];
  return doubt === undefined ? words : `${words} ${doubt}`;
}

interface Held {
  readonly instance: Instance;
  /** The end that it may carry out itself, in epoch milliseconds. */
  readonly until: number;
  /** A sentence. */
  readonly why: string;
  /** Whether it may have taken the new end. */
  readonly isUnsure: boolean;
  /** Whether it has shown that it keeps the one before. */
  readonly isKnown: boolean;
  /** Whether it was to end itself no more. */
  readonly isTakenBack: boolean;
}

/** An end that couldn't be moved on the instance, which may carry it out itself. */
export function describeHeldEnd(kind: "held" | "partly", held: Held, now: number): string {
  const [name, when] = [toPlainText(formatInstanceTitle(held.instance), 100), formatNearTime(held.until, now)];
  return (kind === "held" ? heldText : partlyText)(name, when, held);
}

/** Nothing was set. */
function heldText(name: string, when: string, { why, isUnsure, isKnown, isTakenBack }: Held): string {
  if (isUnsure && isTakenBack)
    return t("{0} didn't confirm that its end time was removed. It may still end itself at {1}. {2}", name, when, why);
  if (isUnsure)
    return t("{0} didn't confirm the new end time. It may end itself at {1} or at the new time. {2}", name, when, why);
  return isKnown
    ? t("Couldn't change the end time on {0}. It will still end itself at {1}. {2}", name, when, why)
    : t("Couldn't reach {0}, so nothing was changed. It may end itself at {1} (not verified). {2}", name, when, why);
}

/** The new end, which comes first, was set. */
function partlyText(name: string, when: string, { why, isUnsure, isKnown }: Held): string {
  return isKnown && !isUnsure
    ? t(
        "Couldn't change the end time on {0}. It will still end itself at {1}. The new end time works only if VS Code is open then. {2}",
        name,
        when,
        why,
      )
    : t(
        "The new end time is set, but {0} didn't confirm it and may still end itself at {1}. The new time works only if VS Code is open then. {2}",
        name,
        when,
        why,
      );
}

/** What became of an end that a window carried out. */
export function describeEnded(instance: Instance, end: InstanceAutoStop, result: OrderResult, now: number): string {
  const [name, when] = [toPlainText(formatInstanceTitle(instance), 100), formatNearTime(end.until, now)];
  if (result.outcome === "done" && end.second)
    return t("{0} was still stopped, so it was destroyed as scheduled for {1}.", name, when);
  if (result.outcome === "done")
    return result.kind === "destroy"
      ? t("{0} was destroyed at its end time ({1}).", name, when)
      : addSecondStep(t("{0} was stopped at its end time ({1}). Its disk still costs money.", name, when), end);
  const failed = describeOrderFailures([result], () => name) ?? "";
  return t("{0} Cloud GPU keeps trying for a few minutes, then asks you.", failed);
}

/** This window keeps no end, and no order for idle instances, as long as they can't be read. `code` is the disk's, such as EACCES. */
export function describeUnreadable(what: "ends" | "idle-orders", code: string): string {
  const said =
    what === "ends"
      ? t(
          "Cloud GPU can't read your end times ({0}), so this window won't stop or destroy instances at their end times.",
          toPlainText(code),
        )
      : t(
          "Cloud GPU can't read your idle timeouts ({0}), so this window won't stop or destroy idle instances.",
          toPlainText(code),
        );
  return `${said} ${t("Check the free space and permissions of the editor's storage folder.")}`;
}
