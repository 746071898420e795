// Commands on groups: each asks once for all members, and does for each what its own row would.

import { AppError, asAppError } from "../../domain/base/error.ts";
import { addPrices, toPrice } from "../../domain/base/money.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { formatMemberLabel } from "../../domain/group/group-plan.ts";
import { findDecision } from "../../domain/group/group-record.ts";
import { parseGroupName } from "../../domain/group/machine-group.ts";
import { getCurrentPrice, isStoppable, withoutLaunchToken } from "../../domain/instance/instance.ts";
import { views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import { formatNearTime } from "../../present/base/when.ts";
import { describeGroupState } from "../../present/group/group-rows.ts";
import { buildDestroyGroupQuestion, buildStopGroupQuestion } from "../../present/group/group-text.ts";
import { formatInstanceTitle } from "../../present/instance/instances.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import { askEnd } from "../instance/ask-auto-stop.ts";
import { carryOutOrders } from "../instance/instance-actions.ts";
import { rereadRows } from "../instance/instance-commands.ts";
import { changeEnd, setLaterEnd } from "../instance/set-auto-stop.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellError, tellInfo, tellWarning, withViewProgress } from "../kit/messages.ts";
import { filterOwnRows, readNodeValue } from "../list/targets.ts";
import type { GroupRowTarget } from "./group-rows.ts";
import type { GroupServices } from "./group-services.ts";

/**
 * The group a command was given, or the one that is selected, or one that the person picks. An only one isn't asked for: whatever a command
 * asks next, and each of them asks before it does anything, names the group.
 */
export async function findGroupTarget(
  services: GroupServices,
  [given]: readonly unknown[],
  title: string,
): Promise<GroupFacts | undefined> {
  const { groups, session, selections } = services;
  const account = session.requireSignedIn();
  const idOf = (one: unknown) => readNodeValue<GroupRowTarget>(one)?.group ?? one;
  const all = (await groups.reread(account)).filter(({ listed }) => listed.length > 0);
  const find = (id: unknown) => all.find((group) => group.id === id);
  if (given !== undefined) {
    const found = find(idOf(given));
    if (found) return found;
    throw new AppError("not-found", t("That group no longer has instances in the list. Nothing was changed."));
  }
  const [selected, ...others] = filterOwnRows(account, selections.listFor(views.instances)).flatMap(
    (one) => find(idOf(one)) ?? [],
  );
  if (selected && others.length === 0) return selected;
  const [only, ...more] = all;
  if (more.length === 0 && only) return only;
  if (!only) {
    void tellInfo(t("There are no groups. Launch Group from Template… rents several instances as one."));
    return undefined;
  }
  const chosen = await pickOne<GroupFacts>({
    title,
    placeholder: t("Which group?"),
    choices: all.map((group) => ({ label: group.name, description: describeGroupState(group), value: group })),
  });
  return chosen === BACK ? undefined : chosen;
}

/** The listed instances of a group, in the order of their ranks. */
export function listGroupRows(
  { instances }: Pick<GroupServices, "instances">,
  { listed }: GroupFacts,
): readonly InstanceRow[] {
  return listed.flatMap((id) => instances.find(id) ?? []);
}

export async function destroyGroup(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Destroy Group"));
  if (!group) return;
  const rows = await rereadRows(services, account, listGroupRows(services, group));
  const question = { ...buildDestroyGroupQuestion(group.name, rows), go: t("Destroy"), keep: t("Keep") };
  if (!(await confirm(question))) return;
  services.session.assertStill(account);
  // First: what is rented from now on wasn't in the question.
  if (findDecision(group.record) === undefined)
    await services.groupJournal
      .note(group.id, "ended")
      .catch((error) => services.log.warn("A group's note failed.", error));
  await carryOutOrders(services, account, "destroy", rows);
  // Once the account was left, nothing is found here any longer.
  const shown = new Set(rows.map(({ value }) => value.id));
  const more = services.groups.find(group.id)?.listed.filter((id) => !shown.has(id)) ?? [];
  if (more.length > 0)
    void tellWarning(
      t(
        "Group “{0}” now has {1} that you haven't confirmed. Run Destroy Group again to destroy the rest.",
        group.name,
        formatInstanceCount(more.length),
      ),
    );
}

export async function stopGroup(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Stop Group"));
  if (!group) return;
  const all = await rereadRows(services, account, listGroupRows(services, group));
  const rows = all.filter(({ value }) => isStoppable(value));
  if (rows.length === 0) throw new AppError("rejected", t("No instance of group “{0}” is running.", group.name));
  if (!(await confirm({ ...buildStopGroupQuestion(group.name, rows), go: t("Stop") }))) return;
  await carryOutOrders(services, account, "stop", rows);
  warnOfMore(services, group);
}

/** What a command did for the instances of a group isn't done for those that are still being rented. */
function warnOfMore({ groups }: Pick<GroupServices, "groups">, { id }: GroupFacts): void {
  // Once the account was left, nothing is found here any longer.
  const group = groups.find(id);
  if (group === undefined || findDecision(group.record) !== undefined) return;
  if (group.listed.length === group.members.length) return;
  void tellWarning(
    t(
      "Group “{0}” is still being rented. The command doesn't apply to instances added later. Repeat it when the group is complete.",
      group.name,
    ),
  );
}

const EXTENSION = 3_600_000;

/** One end for all of them, or an hour more for each. */
export async function setGroupEnd(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const { autoStops, scheduler, session } = services;
  const account = session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Set Auto-Stop"));
  if (!group) return;
  const rows = listGroupRows(services, group);
  const now = scheduler.clock.now();
  const ends = rows.flatMap(({ value }) => autoStops.findAutoStop(value) ?? []);
  const first = ends.toSorted((a, b) => a.until - b.until)[0];
  const extend = first && {
    label: t("Extend Each by 1 h"),
    description: t("the first until {0}", formatNearTime(Math.max(now, first.until) + EXTENSION, now)),
    value: "extend" as const,
  };
  const wish = await askEnd<"extend">(
    { title: t("Set Auto-Stop of Group {0}", group.name) },
    {
      now,
      price: addPrices(rows.map(getCurrentPrice)),
      diskPrice: addPrices(rows.map(({ value }) => toPrice(value.storage_total_cost))),
    },
    [],
    extend ? [extend] : [],
  );
  if (wish === undefined || wish === BACK) return;
  session.assertStill(renewAccount(session, account));
  await forEach(rows, async (row) => {
    const end = autoStops.findAutoStop(row.value);
    if (wish !== "extend")
      return void (await changeEnd(services, account, row.value, wish === "none" ? undefined : wish));
    if (!end) return;
    await setLaterEnd(services, account, row.value, end);
  });
  warnOfMore(services, group);
}

/** The name, and the labels of the instances that still bear the old one. */
export async function renameGroup(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const { session, groupJournal, actions } = services;
  const account = session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Rename Group"));
  if (!group) return;
  const name = await askText({
    title: t("Rename Group"),
    prompt: t("New name of group {0}. Its instances are renamed, too.", group.name),
    value: group.name,
    read: parseGroupName,
  });
  if (typeof name !== "string" || name === group.name) return;
  session.assertStill(account);
  await groupJournal.rename(group.record, name);
  const rows = group.members.flatMap(({ rank, instance }) =>
    instance && withoutLaunchToken(instance.label) === formatMemberLabel(group.name, rank) ? [{ rank, instance }] : [],
  );
  await forEach(
    rows.map(({ rank, instance }) => ({ value: instance, rank })),
    async ({ value, rank }) => void (await actions.rename(account, value.id, formatMemberLabel(name, rank))),
  );
}

/** One after the other. A failure is told and ends none of the others; a change of account does. */
async function forEach<R extends Pick<InstanceRow, "value">>(
  rows: readonly R[],
  act: (row: R) => Promise<void>,
): Promise<void> {
  const said: string[] = [];
  await withViewProgress(views.instances, async () => {
    for (const row of rows)
      await act(row).catch(
        (error) => void said.push(t("Instance {0}: {1}", formatInstanceTitle(row.value), asAppError(error).message)),
      );
  });
  if (said.length > 0) void tellError(said.join(" "));
}
