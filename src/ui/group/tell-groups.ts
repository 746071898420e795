// Tells what was decided about groups, and does what the person wants about it.
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { findDecision } from "../../domain/group/group-record.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeDecision, describeEndedGroup } from "../../present/group/group-text.ts";
import { describeOrderFailures } from "../../present/instance/orders.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { GroupNotice } from "../../services/group/group-notice.ts";
import { destroyInstances } from "../instance/instance-actions.ts";
import { tellError, tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { assertOwnRows, toRowArguments } from "../list/targets.ts";
import { listGroupRows } from "./group-commands.ts";
import type { GroupServices } from "./group-services.ts";

export async function tellGroupNotice(services: GroupServices, notice: GroupNotice): Promise<void> {
  if (notice.kind === "decided") return await tellDecision(services, notice);
  const { group, ends } = notice;
  const failed = describeOrderFailures(ends, String);
  if (failed !== undefined) void tellError(failed, t("OK")).then(() => services.orders.acknowledge(ends));
  const done = ends.filter(({ outcome }) => outcome === "done").map(({ id }) => id);
  if (done.length > 0) await tellInfo(describeEndedGroup(group.name, done));
}

async function tellDecision(
  services: GroupServices,
  { account, group, isOverdue, why }: GroupNotice & { kind: "decided" },
): Promise<void> {
  const { groups, session } = services;
  const rows = listGroupRows(services, group);
  const { severity, text } = describeDecision(group, rows, isOverdue, why?.message);
  const unwanted = group.record.prepared.rest === "ask" || isOverdue ? findUnwanted(group) : [];
  const [handOver, destroy, keep] = [t("Export Group Files…"), destroyLabel(group, unwanted.length), t("Keep")];
  const buttons = unwanted.length > 0 ? [destroy, keep] : [];
  const isRunning = findDecision(group.record) !== "short";
  const telling = (severity === "info" ? tellInfo : tellWarning)(text, ...(isRunning ? [handOver] : []), ...buttons);
  // It is on the screen now. Whoever closes the window without an answer finds it in its row.
  await groups.noteTold(group);
  const answer = await telling;
  if (answer === handOver) {
    // In another account the group isn't found, which would read as if its instances were gone.
    session.assertStill(renewAccount(session, account));
    await runCommand(commands.groupExport, group.id);
  }
  if (answer === keep) await groups.keep(group);
  if (answer === destroy) await destroyUnwanted(services, account, unwanted);
}

/** What costs money and isn't wanted that way: all that came if they are too few, else those that don't run. */
function findUnwanted(group: GroupFacts): GroupFacts["listed"] {
  if (findDecision(group.record) === "complete") return [];
  if (findDecision(group.record) === "short") return group.listed;
  const running = new Set(group.members.filter(({ state }) => state === "ready").map(({ id }) => id));
  return group.listed.filter((id) => !running.has(id));
}

function destroyLabel(group: GroupFacts, count: number): string {
  if (findDecision(group.record) === "short") return count === 1 ? t("Destroy It…") : t("Destroy All {0}…", count);
  return count === 1 ? t("Destroy the Other Instance…") : t("Destroy the Other {0}…", count);
}

/** By the ordinary question: what was shown may be hours old, and another account may be signed in to by now. */
async function destroyUnwanted(services: GroupServices, account: SignedIn, ids: GroupFacts["listed"]): Promise<void> {
  const rows = toRowArguments(
    services.session,
    account,
    ids.map((id) => ({ id })),
  );
  assertOwnRows(services.session, rows);
  if (rows.length > 0) await destroyInstances(services, [rows[0], rows]);
}
