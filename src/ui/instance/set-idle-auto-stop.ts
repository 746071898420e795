// Sets what happens to an instance when it does nothing, and tells of those that do nothing.
import { toPrice } from "../../domain/base/money.ts";
import type { IdleWish } from "../../domain/instance/idle-order.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeIdleEnded, describeIdleInstances, describeIdleSoon } from "../../present/instance/idle-messages.ts";
import {
  describeIdleWish,
  describeKeeperOther,
  describeKeeperUnreached,
  formatIdle,
} from "../../present/instance/idle-text.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { IdleNotice } from "../../services/instance/idle/idle-notices.ts";
import type { IdleOrderNotice } from "../../services/instance/idle/idle-orders.ts";
import type { Choice } from "../kit/ask/pick.ts";
import { BACK, type StepPlace } from "../kit/ask/steps.ts";
import { tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import { askIdle, buildIdleEntry } from "./ask-idle-auto-stop.ts";
import type { InstanceServices } from "./instance-services.ts";

/** The entry that leads here. */
export function buildIdleChoice(services: InstanceServices, instance: Instance): Choice<"idle"> {
  const { idleOrders, idleWatch, scheduler } = services;
  const now =
    describeIdleWish(idleOrders.getWish(instance), scheduler.clock.now()) ??
    formatIdle(idleWatch.getState(instance.id));
  return buildIdleEntry(now);
}

/** Asks after how long, and what happens then. @returns `BACK` to the question before. */
export async function setIdleEnd(
  services: InstanceServices,
  account: SignedIn,
  instance: Instance,
  place: StepPlace,
): Promise<typeof BACK | undefined> {
  const { idleOrders, idleNotices } = services;
  const isSilenced = await idleNotices.isSilenced(account, instance.id).catch(() => false);
  const wish = await askIdle(
    place,
    { hasWish: idleOrders.getWish(instance) !== undefined, diskPrice: toPrice(instance.storage_total_cost) },
    isSilenced ? [{ label: t("Turn Idle Notifications Back On"), value: "tell" }] : [],
  );
  if (wish === BACK || wish === undefined) return wish;
  if (wish === "tell") return void (await idleNotices.unsilence(account, instance.id));
  await changeIdleEnd(services, account, instance, wish === "none" ? undefined : wish);
  return undefined;
}

/** `instead`: the name of the order that the person was told of. */
export async function changeIdleEnd(
  services: InstanceServices,
  account: SignedIn,
  { id }: Pick<Instance, "id">,
  wish: IdleWish | undefined,
  instead?: string,
): Promise<void> {
  const { session, idleOrders, idleKeepers } = services;
  const change = await idleOrders.set(renewAccount(session, account), id, wish, instead);
  const update = () => idleKeepers.update(renewAccount(session, account), id);
  const isKept = change !== "changed" && idleOrders.held.mayKeepOther(id);
  // An instance that may keep what was set before is told first, which takes a login.
  const updated = isKept && (await withNotification(t("Setting the auto-stop of instance {0}", id), false, update));
  if (change === "set" && updated === "unreached") return void (await tellWarning(describeKeeperUnreached(id)));
  if (change === "set" && updated === "other") return void (await tellWarning(describeKeeperOther(id)));
  if (change === "set" && updated !== "acted") return;
  await tellWarning(
    change !== "changed"
      ? t(
          "The previous auto-stop was just taking effect on instance {0}. Check whether the instance is still running.",
          id,
        )
      : t("The auto-stop of instance {0} has already changed or taken effect. Nothing was changed.", id),
  );
}

/** That what the person ordered is about to happen, or what became of it. */
export async function tellIdleOrder(services: InstanceServices, notice: IdleOrderNotice): Promise<void> {
  const { account, instance, wish, name } = notice;
  if (notice.kind === "ended") {
    const tell = notice.result.outcome === "done" ? tellInfo : tellWarning;
    return void (await tell(describeIdleEnded(instance, wish, notice.result)));
  }
  const keep = t("Keep It Running");
  const answer = await tellWarning(describeIdleSoon(instance, wish, { left: notice.minutesLeft }), keep);
  // The same order again: what was idle before doesn't count for it.
  if (answer === keep) await changeIdleEnd(services, account, instance, wish, name);
}

/** That instances do nothing and cost. */
export async function tellIdle(services: InstanceServices, { account, idle }: IdleNotice): Promise<void> {
  const { session, instances, idleNotices } = services;
  const facts = idle.map((one) => ({ ...one, launchPrice: instances.find(one.instance.id)?.launchPrice }));
  const [stop, destroy, snooze, never] = [t("Stop…"), t("Destroy…"), t("Snooze 1 h"), t("Never for This Instance")];
  const paying = t("Show Current Costs");
  const buttons = idle.length === 1 ? [stop, destroy, snooze, never] : [paying, snooze];
  const answer = await tellWarning(describeIdleInstances(facts), ...buttons);
  if (answer === paying) {
    session.assertStill(renewAccount(session, account));
    await runCommand(commands.costsShow);
  }
  const ids = idle.map(({ instance }) => instance.id);
  if (answer === snooze) for (const id of ids) await idleNotices.snooze(account, id);
  if (answer === never) for (const id of ids) await idleNotices.silence(account, id);
  const [row] = toRowArguments(
    session,
    account,
    idle.map(({ instance }) => instance),
  );
  if (answer === stop) await runCommand(commands.instanceStop, row);
  if (answer === destroy) await runCommand(commands.instanceDestroy, row);
}
