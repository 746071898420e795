// Commands on unresolved launches: show what is known, and let the person act or say what happened.
import type { InstanceId } from "../../domain/base/id.ts";
import { getLaunchState, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import {
  describeLaunchNotice,
  describeLaunchRisk,
  formatLaunchName,
  listLaunchFacts,
} from "../../present/launch/launches.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchNotice } from "../../services/launch/outcome/launch-notices.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { parseInstanceId } from "../kit/ask/ask-id.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellError, tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { readNodeValue } from "../list/targets.ts";
import type { LaunchServices } from "./launch-services.ts";

type Way = "look" | "seen" | "not-created" | "keep-all" | { readonly destroy: InstanceId };

/**
 * The launch of a row or message, or none if it is resolved by now. If nothing was given, the person picks an open one.
 */
async function target({ watch, scheduler }: LaunchServices, given: unknown): Promise<LaunchRecord | undefined> {
  await watch.reread();
  const open = [...watch.doubled, ...watch.atRisk];
  const token = readNodeValue<LaunchRecord>(given)?.token ?? given;
  if (token !== undefined) {
    const record = open.find((one) => one.token === token);
    if (!record) void tellInfo(t("This launch is already resolved."));
    return record;
  }
  if (open.length === 1) return open[0];
  if (open.length === 0) {
    void tellInfo(t("There are no unresolved launches."));
    return undefined;
  }
  const chosen = await pickOne<LaunchRecord>({
    title: t("Review Unresolved Launch"),
    placeholder: t("Which launch?"),
    choices: open.map((one) => ({
      label: formatLaunchName(one),
      description: describeLaunchRisk(one, scheduler.clock.now()),
      value: one,
    })),
  });
  return chosen === BACK ? undefined : chosen;
}

export async function reviewUnresolved(services: LaunchServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const record = await target(services, given);
  if (!record) return;
  const way = await pickOne<Way>({
    title: t("Review Unresolved Launch"),
    placeholder: t(
      "{0}: {1}. What do you know about this launch?",
      formatLaunchName(record),
      describeLaunchRisk(record, services.scheduler.clock.now()),
    ),
    choices: [...ways(record), createSeparator<Way>(t("Details")), ...known(record)],
  });
  if (way === undefined || way === BACK) return;
  services.session.assertStill(account);
  if (way === "look") await look(services, account, record);
  else if (way === "seen") await seen(services, account, record);
  else if (way === "not-created") await notCreated(services, account, record);
  else if (way === "keep-all") await services.verdicts.dismiss(account, record);
  else await destroyById(services, account, way.destroy);
}

function ways(record: LaunchRecord): Choice<Way>[] {
  if (getLaunchState(record) === "doubled") {
    return [
      ...record.ids.map(
        (id): Choice<Way> => ({ label: `$(trash) ${t("Destroy instance {0}…", id)}`, value: { destroy: id } }),
      ),
      { label: `$(check-all) ${t("Keep All")}`, description: t("each instance is billed"), value: "keep-all" },
    ];
  }
  return [
    { label: `$(search) ${t("Check Now")}`, value: "look" },
    {
      label: `$(check) ${t("A machine was rented. Enter its ID…")}`,
      description: t("its label must contain the launch ID"),
      value: "seen",
    },
    {
      label: `$(circle-slash) ${t("Nothing was rented…")}`,
      description: t("after you've checked the service's website"),
      value: "not-created",
    },
  ];
}

function known(record: LaunchRecord): Choice<Way>[] {
  return listLaunchFacts(record).map(([label, description]) => ({ label, description }));
}

async function look({ watch }: LaunchServices, account: SignedIn, record: LaunchRecord): Promise<void> {
  const { complete } = await withNotification(t("Checking the launch…"), false, () => watch.list(account));
  const now = watch.records.find(({ token }) => token === record.token);
  if (now && getLaunchState(now) !== "unresolved") return;
  const said = complete
    ? t("The service doesn't list an instance for this launch so far. Cloud GPU keeps checking.")
    : t("The service's list is incomplete right now. Cloud GPU keeps checking.");
  void tellInfo(said);
}

async function seen({ verdicts }: LaunchServices, account: SignedIn, record: LaunchRecord): Promise<void> {
  const done = await askText({
    title: t("Review Unresolved Launch"),
    prompt: t("Instance ID. Its label must contain the launch ID {0}.", record.token),
    read: async (text) => {
      await verdicts.settleAs(account, record, parseInstanceId(text));
      return true;
    },
  });
  if (done === true) void tellInfo(t("Resolved. The instance is listed under Instances."));
}

async function notCreated({ verdicts }: LaunchServices, account: SignedIn, record: LaunchRecord): Promise<void> {
  const sure = await confirm({
    message: t("Mark {0} as not rented?", formatLaunchName(record)),
    detail: t(
      "Do this only after you've checked the service's website. If a rental turns up anyway, Cloud GPU notifies you.",
    ),
    go: t("Mark as Not Rented"),
  });
  if (sure) await verdicts.dismiss(account, record);
}

/** Shown to the person at this window, because no one is waiting for it elsewhere. */
export async function tellNotice(services: LaunchServices, { kind, account, record }: LaunchNotice): Promise<void> {
  const said = describeLaunchNotice(kind, record);
  if (kind === "absent") return void tellInfo(said);
  const [show, review] = [t("Show Instance"), t("Review…")];
  const answer = kind === "doubled" ? await tellError(said, review) : await tellWarning(said, show);
  services.log.info(`Told of a launch: ${kind}.`);
  if (answer === undefined) return;
  // In another account the launch isn't found, which would read as if it were resolved.
  services.session.assertStill(renewAccount(services.session, account));
  if (answer === review) await runCommand(commands.launchReview, record.token);
  if (answer === show) await runCommand(commands.instanceShow, record.ids[0]);
}
