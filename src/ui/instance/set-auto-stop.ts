// Sets when an instance is to end, and tells of ends that come, have come, or passed.
import { asAppError } from "../../domain/base/error.ts";
import { toPrice } from "../../domain/base/money.ts";
import type { AutoStopWish, InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { billsOnlyDisk, getCurrentPrice, type Instance, readLaunchToken } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatNearTime } from "../../present/base/when.ts";
import {
  describeAutoStopNotice,
  describeEnded,
  describeHeldEnd,
  describeUnreadable,
} from "../../present/instance/auto-stop-notices.ts";
import { formatAutoStop } from "../../present/instance/auto-stop-text.ts";
import { formatInstanceTitle } from "../../present/instance/instances.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { AutoStopNotice } from "../../services/instance/auto-stops/auto-stop-telling.ts";
import type { Choice } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellError, tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import { askEnd, type SelfStopChoice } from "./ask-auto-stop.ts";
import { findOneTarget } from "./instance-commands.ts";
import type { InstanceServices } from "./instance-services.ts";
import { buildIdleChoice, changeIdleEnd, setIdleEnd } from "./set-idle-auto-stop.ts";

export async function setEnd(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Set Auto-Stop"));
  if (!row) return;
  const place = { title: t("Set Auto-Stop of {0}", formatInstanceTitle(row.value)) };
  const diskPrice = toPrice(row.value.storage_total_cost);
  for (;;) {
    const itself = ownEndOf(services, row.value);
    const now = services.scheduler.clock.now();
    const end = services.autoStops.findAutoStop(row.value);
    const [price, isStopped] = [getCurrentPrice(row), billsOnlyDisk(row.value)];
    const facts = { now, price, diskPrice, isStopped, present: formatAutoStop(end, now), itself };
    const extend = end ? [extendChoice(end, facts.now)] : [];
    const wish = await askEnd<"idle" | "extend">(place, facts, [buildIdleChoice(services, row.value)], extend);
    if (wish === undefined || wish === BACK) return;
    if (wish === "extend") return end && (await setLaterEnd(services, account, row.value, end));
    if (wish === "idle" && (await setIdleEnd(services, account, row.value, { ...place, back: true })) === BACK)
      continue;
    if (wish === "idle") return;
    const change = await changeEnd(services, account, row.value, wish === "none" ? undefined : wish);
    // No end is none of either kind.
    if (["set", "late", "partly"].includes(change) && wish === "none")
      await changeIdleEnd(services, account, row.value, undefined);
    return;
  }
}

function extendChoice(end: InstanceAutoStop, now: number): Choice<"extend"> {
  return {
    label: t("Extend 1 h"),
    description: t("until {0}", formatNearTime(extended(end, now), now)),
    value: "extend",
  };
}

const EXTENSION = 3_600_000;

const extended = ({ until }: InstanceAutoStop, now: number): number => Math.max(now, until) + EXTENSION;

/** Puts off whatever step is next. */
export async function setLaterEnd(
  services: InstanceServices,
  account: SignedIn,
  instance: Instance,
  end: InstanceAutoStop,
): Promise<void> {
  const until = extended(end, services.scheduler.clock.now());
  const { ending, stoppedHours, second } = end;
  const wish: AutoStopWish = { until, ending, stoppedHours, ...(second ? { isSecond: true } : {}) };
  await changeEnd(services, account, instance, wish, end);
}

/** Undefined for an instance whose start script doesn't end it. */
function ownEndOf({ autoStops }: InstanceServices, instance: Instance): SelfStopChoice | undefined {
  if (autoStops.listSelfStopsOf(instance.id).length === 0) return undefined;
  return { kind: "kept", isArmed: autoStops.findAutoStop(instance)?.guard?.kind === "armed" };
}

/**
 * An instance that keeps its end itself is told first, which takes a login.
 * @returns what became of it; for all but `set`, the person is told that in a message, which isn't waited for.
 */
export async function changeEnd(
  { session, autoStops, scheduler }: InstanceServices,
  account: SignedIn,
  instance: Instance,
  wish: AutoStopWish | undefined,
  instead?: InstanceAutoStop | "later",
): Promise<"set" | "late" | "changed" | "held" | "partly"> {
  const { id, label } = instance;
  const token = readLaunchToken(label);
  const set = () =>
    autoStops.set(renewAccount(session, account), { id, ...(token === undefined ? {} : { token }) }, wish, instead);
  const isKept = autoStops.listSelfStopsOf(id).length > 0;
  const change = isKept
    ? await withNotification(t("Setting the auto-stop of instance {0}", id), false, set)
    : await set();
  if (change === "set") return change;
  if (typeof change === "object") {
    void tellWarning(describeHeldEnd(change.kind, { instance, ...change }, scheduler.clock.now()));
    return change.kind;
  }
  void tellWarning(
    change === "late"
      ? t(
          "The previous auto-stop was just taking effect on instance {0}. Check whether the instance is still running.",
          id,
        )
      : t("The auto-stop of instance {0} has already changed or taken effect. Nothing was changed.", id),
  );
  return change;
}

export async function tellAutoStopNotice(services: InstanceServices, notice: AutoStopNotice): Promise<void> {
  const { account, instance, end, answered } = notice;
  const now = services.scheduler.clock.now();
  try {
    if (notice.kind === "ended") {
      const { result } = notice;
      const tell = result.outcome === "done" ? tellInfo : tellWarning;
      return void (await tell(describeEnded(instance, end, result, now)));
    }
    const launchPrice = services.instances.find(instance.id)?.launchPrice;
    const text = describeAutoStopNotice(notice.kind, { instance, end, launchPrice }, now);
    if (notice.kind === "itself") return void (await tellInfo(text));
    const [extend, endNow, cancel] = [t("Extend 1 h"), t("End Now…"), t("Cancel Auto-Stop")];
    const answer = await (notice.kind === "soon" ? tellInfo : tellWarning)(text, extend, endNow, cancel);
    if (answer === extend) return await setLaterEnd(services, account, instance, end);
    if (answer === cancel) return void (await changeEnd(services, account, instance, undefined, end));
    if (answer !== endNow) return;
    const rows = toRowArguments(services.session, account, [{ id: instance.id }]);
    await runCommand(end.ending === "stop" ? commands.instanceStop : commands.instanceDestroy, rows[0]);
  } finally {
    answered();
  }
}

export async function tellUnreadable(what: "ends" | "idle-orders", error: unknown): Promise<void> {
  const { code } = error as { code?: unknown };
  await tellError(describeUnreadable(what, typeof code === "string" ? code : asAppError(error).message), t("OK"));
}
