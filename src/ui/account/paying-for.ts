// Show Current Costs: everything of the account that bills in one list, and what is selected is stopped or destroyed.

import type { InstanceId } from "../../domain/base/id.ts";
import { isStoppable } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildBalanceView } from "../../present/account/balance-text.ts";
import { buildPaidView, type PaidRow, type PaidThing } from "../../present/account/paying-rows.ts";
import { sumCurrentPrices } from "../../present/account/status.ts";
import { buildCountPrompt, readCount } from "../../present/instance/instance-questions.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { OrderKind } from "../../services/instance/order-journal.ts";
import { carryOutOrders, confirmOrder } from "../instance/instance-actions.ts";
import { rereadRows } from "../instance/instance-commands.ts";
import { createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../kit/ask/steps.ts";
import { pickTicked, type TickAnswer, type TickChoice } from "../kit/ask/tick-list.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import type { AccountServices } from "./account-services.ts";

type Choice = TickChoice<InstanceId, PaidThing>;
type ListAnswer = TickAnswer<InstanceId, PaidThing, OrderKind>;

/** What is to be ended, before it is confirmed. */
interface Ordered {
  readonly kind: OrderKind;
  readonly ids: readonly InstanceId[];
}

/** The list comes back after each order, and after Back with its ticks, until it is closed. */
export async function showPayingFor(services: AccountServices): Promise<void> {
  const { session, paying } = services;
  const account = session.requireSignedIn();
  let ticked: readonly InstanceId[] = [];
  for (;;) {
    const answer = await openList(services, account, ticked);
    if (answer === undefined) return;
    session.assertStill(account);
    if ("leadsTo" in answer && answer.leadsTo.kind !== "again") return await follow(answer.leadsTo);
    const ordered = await chooseOrder(services, account, answer);
    if (ordered === undefined) return;
    ticked = "ticked" in answer ? answer.ticked : [];
    if (ordered === BACK) continue;
    const rows = await confirmRows(services, account, ordered);
    if (rows === undefined) return;
    if (rows === BACK) continue;
    paying.note(account, await carryOutOrders(services, account, ordered.kind, rows));
    if (!isStill(services, account)) return;
    ticked = [];
  }
}

/** What became of orders is said elsewhere, so a switch of accounts during them just ends the list. */
function isStill({ session }: AccountServices, account: SignedIn): boolean {
  return session.current === account;
}

function openList(
  { session, paying, orders, readings, balances, scheduler, autoStops }: AccountServices,
  account: SignedIn,
  ticked: readonly InstanceId[],
): Promise<ListAnswer> {
  const title = t("Show Current Costs");
  return pickTicked<InstanceId, PaidThing, OrderKind>({
    title,
    placeholder: t("Checking what is billed…"),
    noneTicked: t("Select at least one instance first"),
    readsAgain: ({ kind }) => kind === "reread",
    buttons: [
      { icon: "debug-stop", tooltip: t("Stop Selected…"), action: "stop" },
      { icon: "trash", tooltip: t("Destroy Selected…"), action: "destroy" },
    ],
    closesOn: session.onDidChange,
    read: async (signal) => {
      const facts = await paying.read(account, signal);
      const find = (id: number) => facts.instances.rows.find(({ value }) => value.id === id)?.value.id;
      const orderOf = (id: number) => {
        const own = find(id);
        return own === undefined ? undefined : orders.getStage(own);
      };
      const now = scheduler.clock.now();
      const funds = buildBalanceView(balances.current, sumCurrentPrices(facts.instances.rows), now).lines;
      const ends = new Map(
        facts.instances.rows.flatMap(({ value }) => {
          const end = autoStops.findAutoStop(value);
          return end ? [[value.id, end] as const] : [];
        }),
      );
      const { total, groups } = buildPaidView({ ...facts, ends }, orderOf, now, readings.others, funds);
      const choices = groups.flatMap(({ name, rows }): Choice[] => [
        ...(name === undefined ? [] : [createSeparator<InstanceId>(name)]),
        ...rows.map((row) => choiceOf(row, find, ticked)),
      ]);
      return {
        title: total === undefined ? title : `${title} · ${total}`,
        placeholder: describeList(account, choices),
        choices,
      };
    },
  });
}

function describeList({ sandbox }: SignedIn, choices: readonly Choice[]): string {
  const canTick = choices.some(({ value }) => value !== undefined);
  const parts = [sandbox && t("Sandbox: nothing is charged."), canTick && t("Select what to stop or destroy")];
  return parts.filter(Boolean).join(" ");
}

function choiceOf(
  { thing, icon, label, description, detail }: PaidRow,
  find: (id: number) => InstanceId | undefined,
  ticked: readonly InstanceId[],
): Choice {
  const id = thing.kind === "instance" ? find(thing.id) : undefined;
  const leads = thing.kind !== "instance" && thing.kind !== "none";
  return {
    label: `$(${icon}) ${label}`,
    ...(description === undefined ? {} : { description }),
    ...(detail === undefined ? {} : { detail }),
    ...(id === undefined ? {} : { value: id, picked: ticked.includes(id) }),
    ...(leads ? { leadsTo: thing } : {}),
  };
}

/** Opens what a row that isn't an instance stands for. */
async function follow(thing: PaidThing): Promise<void> {
  if (thing.kind === "launch") await runCommand(commands.launchReview, thing.token);
  if (thing.kind === "account") await runCommand(commands.switchAccount);
  if (thing.kind === "workergroup") await runCommand(commands.workergroupShow, thing.id);
}

/** What is to happen to what. Enter alone says nothing of that, so it is asked. */
async function chooseOrder(
  { paying }: AccountServices,
  account: SignedIn,
  answer: NonNullable<ListAnswer>,
): Promise<Answer<Ordered>> {
  if ("leadsTo" in answer) {
    const kind = answer.leadsTo.kind === "again" ? answer.leadsTo.order : "stop";
    return { kind, ids: paying.readFailedIds(account, kind) };
  }
  const { ticked: ids } = answer;
  if (answer.action) return { kind: answer.action, ids };
  const kind = await pickOne<OrderKind>({
    title: ids.length === 1 ? t("1 instance selected") : t("{0} instances selected", ids.length),
    placeholder: t("Nothing happens yet. You'll be asked to confirm"),
    back: true,
    choices: [
      {
        label: `$(debug-stop) ${t("Stop…")}`,
        description: t("the disks are kept, and still billed"),
        value: "stop",
      },
      { label: `$(trash) ${t("Destroy…")}`, description: t("ends the bill and deletes the disks"), value: "destroy" },
    ],
  });
  return kind === undefined || kind === BACK ? kind : { kind, ids };
}

/** Asks about the rows as the service has them now. Several at once take more than a click. @returns what was confirmed. */
async function confirmRows(
  services: AccountServices,
  account: SignedIn,
  { kind, ids }: Ordered,
): Promise<Answer<readonly InstanceRow[]>> {
  const chosen = ids.flatMap((id) => services.instances.find(id) ?? []);
  const now = await withStatusProgress(t("Checking what is rented…"), () => rereadRows(services, account, chosen));
  const rows = kind === "stop" ? now.filter(({ value }) => isStoppable(value)) : now;
  if (rows.length === 0) {
    void tellInfo(t("The selected instances aren't running. Nothing was changed."));
    return BACK;
  }
  if (rows.length === 1) return (await confirmOrder(kind, rows)) ? rows : undefined;
  const sure = await askText({
    title: kind === "destroy" ? t("Destroy {0} Instances", rows.length) : t("Stop {0} Instances", rows.length),
    prompt: buildCountPrompt(kind, rows, now.length - rows.length),
    placeholder: t("Number of instances"),
    back: true,
    read: (text) => readCount(text, rows.length),
  });
  return sure === true ? rows : sure;
}
