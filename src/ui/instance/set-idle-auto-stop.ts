// Sets what happens to an instance when it does nothing, and tells of those that do nothing.
import { toPrice } from "../../domain/base/money.ts";
import { type IdleEnding, type IdleWish, parseIdleTime } from "../../domain/instance/idle-order.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatHours } from "../../present/instance/auto-stop-text.ts";
import { describeIdleEnded, describeIdleInstances, describeIdleSoon } from "../../present/instance/idle-messages.ts";
import { describeIdleWish, formatIdle } from "../../present/instance/idle-text.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { IdleNotice } from "../../services/instance/idle/idle-notices.ts";
import type { IdleOrderNotice } from "../../services/instance/idle/idle-orders.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import { describeStillBilled } from "./ask-auto-stop.ts";
import type { InstanceServices } from "./instance-services.ts";

/** Minutes. */
const SPANS = [15, 30, 60, 120] as const;
const EXAMPLES = "5 min, 3 h";

/** The entry that leads here. */
export function buildIdleChoice({ idleOrders, idleWatch }: InstanceServices, instance: Instance): Choice<"idle"> {
  const now = describeIdleWish(idleOrders.getWish(instance)) ?? formatIdle(idleWatch.getState(instance.id));
  return { label: t("When It's Idle…"), description: now ?? t("when its GPUs are idle"), value: "idle" };
}

/** Asks after how long, and what happens then. @returns `BACK` to the question before. */
export async function setIdleEnd(
  services: InstanceServices,
  account: SignedIn,
  instance: Instance,
  place: StepPlace,
): Promise<typeof BACK | undefined> {
  for (;;) {
    const minutes = await askMinutes(services, account, { instance, place });
    if (minutes === BACK || minutes === undefined) return minutes;
    if (minutes === "tell") return void (await services.idleNotices.unsilence(account, instance.id));
    if (minutes === "none") return void (await changeIdleEnd(services, account, instance, undefined));
    const ending = await askEnding(place, instance, minutes);
    if (ending === BACK) continue;
    if (ending) await changeIdleEnd(services, account, instance, { minutes, ending });
    return undefined;
  }
}

async function askMinutes(
  { idleOrders, idleNotices }: InstanceServices,
  account: SignedIn,
  { instance, place }: { readonly instance: Instance; readonly place: StepPlace },
): Promise<Answer<number | "none" | "tell">> {
  const isSilenced = await idleNotices.isSilenced(account, instance.id).catch(() => false);
  const rest: Choice<"none" | "tell">[] = [
    ...(idleOrders.getWish(instance) ? [{ label: t("Remove Idle Timeout"), value: "none" as const }] : []),
    ...(isSilenced ? [{ label: t("Turn Idle Notifications Back On"), value: "tell" as const }] : []),
  ];
  for (;;) {
    const chosen = await pickOne<number | "other" | "none" | "tell">({
      ...place,
      placeholder: t("Auto-stop after how long idle?"),
      choices: [
        ...SPANS.map((minutes) => ({ label: formatHours(minutes / 60), value: minutes })),
        { label: t("Another Time…"), description: EXAMPLES, value: "other" },
        ...(rest.length > 0 ? [createSeparator<"none">(""), ...rest] : []),
      ],
    });
    if (chosen !== "other") return chosen;
    const typed = await askText({
      ...place,
      back: true,
      prompt: t("Auto-stop after how long idle?"),
      placeholder: EXAMPLES,
      read: parseIdleTime,
    });
    if (typed !== BACK) return typed;
  }
}

function askEnding(place: StepPlace, instance: Instance, minutes: number): Promise<Answer<IdleEnding>> {
  const who = t(
    "Works only if VS Code is open and signed in on this computer. Other computers don't know about this auto-stop.",
  );
  const billed = describeStillBilled(toPrice(instance.storage_total_cost));
  const choices: Choice<IdleEnding>[] = [
    { label: t("Stop It"), detail: `${who} ${billed}`, value: "stop" },
    { label: t("Destroy It"), detail: `${who} ${t("Its disk is deleted.")}`, value: "destroy" },
  ];
  const placeholder = t("What should happen after {0} idle? You'll get a warning first.", formatHours(minutes / 60));
  return pickOne({ ...place, back: true, placeholder, choices });
}

/** `instead`: the name of the order that the person was told of. */
export async function changeIdleEnd(
  services: InstanceServices,
  account: SignedIn,
  { id }: Pick<Instance, "id">,
  wish: IdleWish | undefined,
  instead?: string,
): Promise<void> {
  const change = await services.idleOrders.set(renewAccount(services.session, account), id, wish, instead);
  if (change === "set") return;
  await tellWarning(
    change === "late"
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
