// Launches whose end is open: what is known of them, and what the person can do or say.
import * as vscode from "vscode";
import { AppError } from "../../domain/error.ts";
import { InstanceId } from "../../domain/id.ts";
import { type LaunchRecord, launchState } from "../../domain/launch-record.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { launchFacts, launchName, noticeText, riskText } from "../../present/launches.ts";
import type { LaunchNotice } from "../../services/launch-news.ts";
import { confirm } from "../prompts/confirm.ts";
import { ask, BACK, type Choice, pick, separator } from "../prompts/steps.ts";
import type { Services } from "../services.ts";

type Way = "look" | "seen" | "not-created" | "keep-all" | { readonly destroy: InstanceId };

/** A row, a token, or whatever the person picks of the launches that are open. */
async function target({ watch, session }: Services, given: unknown): Promise<LaunchRecord | undefined> {
  session.signedIn();
  await watch.reread();
  const open = [...watch.doubled, ...watch.atRisk];
  const token =
    typeof given === "object" && given !== null && "of" in given
      ? (given.of as LaunchRecord | undefined)?.token
      : given;
  const record = open.find((one) => one.token === token);
  if (record || open.length === 1) return record ?? open[0];
  if (open.length === 0) {
    void vscode.window.showInformationMessage(t("No launch is open: what became of each of them is known."));
    return undefined;
  }
  const chosen = await pick<LaunchRecord>({
    title: t("Review Unresolved Launch"),
    placeholder: t("Which one?"),
    choices: open.map((one) => ({ label: launchName(one), description: riskText(one, Date.now()), value: one })),
  });
  return chosen === BACK ? undefined : chosen;
}

export async function review(services: Services, [given]: readonly unknown[]): Promise<void> {
  const record = await target(services, given);
  if (!record) return;
  const way = await pick<Way>({
    title: t("Review Unresolved Launch"),
    placeholder: t("{0}: {1}. What do you know of it?", launchName(record), riskText(record, Date.now())),
    choices: [...ways(record), separator<Way>(t("What is known")), ...known(record)],
  });
  if (way === undefined || way === BACK) return;
  if (way === "look") await look(services, record);
  else if (way === "seen") await seen(services, record);
  else if (way === "not-created") await notCreated(services, record);
  else if (way === "keep-all") await services.launches.dismiss(record);
  else await vscode.commands.executeCommand(commands.instanceDestroy, way.destroy);
}

function ways(record: LaunchRecord): Choice<Way>[] {
  if (launchState(record) === "doubled") {
    return [
      ...record.ids.map(
        (id): Choice<Way> => ({ label: `$(trash) ${t("Destroy instance {0}…", id)}`, value: { destroy: id } }),
      ),
      { label: `$(check-all) ${t("Keep all of them")}`, description: t("each is billed"), value: "keep-all" },
    ];
  }
  return [
    { label: `$(search) ${t("Look Again Now")}`, value: "look" },
    {
      label: `$(check) ${t("It was rented: its id is…")}`,
      description: t("compared with the mark in its label"),
      value: "seen",
    },
    {
      label: `$(circle-slash) ${t("It was not created…")}`,
      description: t("after you looked on the service's web site"),
      value: "not-created",
    },
  ];
}

function known(record: LaunchRecord): Choice<Way>[] {
  return launchFacts(record).map(([label, description]) => ({ label, description }));
}

async function look({ watch }: Services, record: LaunchRecord): Promise<void> {
  const complete = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t("Looking for the launch…") },
    () => watch.look(),
  );
  const now = watch.records.find(({ token }) => token === record.token);
  if (now && launchState(now) !== "unresolved") return;
  const said = complete
    ? t("The service lists no instance with its mark so far. It is looked for again by itself.")
    : t("The service's list has gaps right now and says nothing. It is looked for again by itself.");
  void vscode.window.showInformationMessage(said);
}

async function seen({ launches }: Services, record: LaunchRecord): Promise<void> {
  const done = await ask({
    title: t("Review Unresolved Launch"),
    prompt: t("The instance's id. It is taken only if its label bears the mark {0}.", record.token),
    read: async (text) => {
      await launches.settleAs(record, parseInstanceId(text));
      return true;
    },
  });
  if (done === true) void vscode.window.showInformationMessage(t("Settled: the instance is listed under Instances."));
}

async function notCreated({ launches }: Services, record: LaunchRecord): Promise<void> {
  const sure = await confirm({
    message: t("Was nothing rented by {0}?", launchName(record)),
    detail: t(
      "Say so only after you looked on the service's web site. If a rental turns up all the same, you are told.",
    ),
    go: t("It Was Not Created"),
  });
  if (sure) await launches.dismiss(record);
}

/** @throws AppError `rejected` for what is not a whole number above zero. */
export function parseInstanceId(text: string): InstanceId {
  const id = InstanceId.safeParse(text.trim());
  if (id.success) return id.data;
  throw new AppError(
    "rejected",
    t("Instance id: “{0}” is not one. It is a whole number, such as 31000001.", text.trim()),
    {
      fields: { id: "" },
    },
  );
}

/** Told to whoever is in front of this window, because nobody waits for it elsewhere. */
export async function tellNotice(services: Services, { kind, record }: LaunchNotice): Promise<void> {
  const said = noticeText(kind, record);
  if (kind === "absent") return void vscode.window.showInformationMessage(said);
  const [show, review] = [t("Show Instance"), t("Review…")];
  const answer =
    kind === "doubled"
      ? await vscode.window.showErrorMessage(said, review)
      : await vscode.window.showWarningMessage(said, show);
  if (answer === review) await vscode.commands.executeCommand(commands.launchReview, record.token);
  if (answer === show) await vscode.commands.executeCommand(commands.instanceShow, record.ids[0]);
  services.log.info(`Told of a launch: ${kind}.`);
}
