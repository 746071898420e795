// The host view's texts: rows for actions and rented machines, the review of background jobs, and the question before
// creating them.

import { dollars, knownPrice, perHour } from "../../domain/base/money.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import type { Volume, VolumeOffer } from "../../domain/host/volume.ts";
import { commands } from "../../ids.ts";
import { MASK, maskSecrets } from "../../lib/redact.ts";
import { isSecretName } from "../../lib/secret-name.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { label, plain, t } from "../../lib/text.ts";
import { chooseWord, detailRow, known, type RowView } from "../base/row.ts";
import { clock } from "../base/state.ts";

/** The fields of a draft that the person can choose to change. */
export type JobsField =
  | "machine"
  | "price_gpu"
  | "price_inetu"
  | "price_inetd"
  | "image"
  | "args"
  | "env"
  | "ssh"
  | "onstart";

/** Background jobs being entered. Fields may still be missing. */
export type JobsDraft = Partial<BackgroundJobs>;

/** `$4.80 per GPU and day ($0.20/h)`. */
export function dayPrice(price: number | undefined): string {
  return price === undefined ? t("not set") : t("{0} per GPU and day ({1})", dollars(price), perHour(price / 24));
}

export function trafficPrice(price: number | undefined): string {
  return price === undefined ? t("not set") : t("{0} per GB", dollars(price));
}

/** The variables as they were typed, with apparent secrets masked. */
function variables(env: Readonly<Record<string, string>> | undefined): string {
  const words = Object.entries(env ?? {}).map(
    ([name, value]) => `${name}=${isSecretName(name) ? MASK : quoteWord(maskSecrets(value))}`,
  );
  return words.join(" ");
}

export interface JobsLine {
  readonly field: JobsField;
  readonly name: string;
  readonly value: string;
}

/** Every field of interface 4.1 with the value that will be sent. */
export function jobsLines(jobs: JobsDraft): JobsLine[] {
  const none = t("none");
  const ssh = chooseWord(jobs.use_ssh, t("on"), t("off")) ?? t("left to the service");
  const lines: [JobsField, string, string][] = [
    ["machine", t("Machine"), String(jobs.machine ?? t("not set"))],
    ["image", t("Image"), jobs.image ?? t("not set")],
    ["price_gpu", t("GPU price"), dayPrice(jobs.price_gpu)],
    ["price_inetu", t("Upload price"), trafficPrice(jobs.price_inetu)],
    ["price_inetd", t("Download price"), trafficPrice(jobs.price_inetd)],
    ["args", t("Arguments"), describeArguments(jobs) ?? none],
    ["env", t("Environment"), variables(jobs.env) || none],
    ["ssh", t("SSH"), ssh],
    ["onstart", t("On start"), jobs.onstart === undefined ? none : maskSecrets(jobs.onstart)],
  ];
  return lines.map(([field, name, value]) => ({ field, name, value: label(value, 500) }));
}

function describeArguments({ args, args_str }: JobsDraft): string | undefined {
  if (args !== undefined) return t("a list of {0}: {1}", args.length, maskSecrets(args.map(quoteWord).join(" ")));
  return args_str === undefined ? undefined : t("one string: {0}", maskSecrets(args_str));
}

/** The question before default jobs are replaced. */
export function jobsQuestion(jobs: BackgroundJobs): { message: string; detail: string } {
  return {
    message: t("Replace the background jobs of machine {0}?", jobs.machine),
    detail: [
      t("The default jobs this machine has now are replaced; they cannot be brought back from here."),
      t("New ones run {0} for {1}.", plain(jobs.image, 100), dayPrice(jobs.price_gpu)),
      t("Traffic: {0} up, {1} down.", trafficPrice(jobs.price_inetu), trafficPrice(jobs.price_inetd)),
    ].join("\n"),
  };
}

interface Answer {
  readonly at: number;
  readonly outcome: "done" | "refused" | "unknown";
  readonly text: string;
}

/** The service's last response. Kept until the session ends. */
export function answerRow({ at, outcome, text }: Answer, tag: string): RowView {
  const words = { done: t("done"), refused: t("refused"), unknown: t("not known whether done") }[outcome];
  const icon = { done: "pass", refused: "error", unknown: "warning" }[outcome];
  const color = { done: "charts.green", refused: "list.errorForeground", unknown: "list.warningForeground" }[outcome];
  return {
    ...detailRow(`host ${tag} answer`, t("Last answer"), `${words} · ${clock(at)} · ${label(text, 200)}`),
    icon,
    color,
    context: "answer canShow",
    command: commands.hostShowAnswer,
    tooltip: () => ({ title: t("Last answer, {0}", clock(at)), facts: [[words, plain(text, 500)]] }),
  };
}

/** What a host can do, as rows that run it. */
export function hostActionRows(tag: string): RowView[] {
  return [
    {
      ...detailRow(`host ${tag} jobs`, t("Create Background Jobs…"), t("on a machine of yours")),
      icon: "server",
      command: commands.createBackgroundJobs,
      context: "action",
    },
    {
      ...detailRow(`host ${tag} unlist`, t("Unlist Volume…"), t("take it off the market")),
      icon: "archive",
      command: commands.unlistVolume,
      context: "action",
    },
  ];
}

const gb = (size: number | undefined) => (size === undefined ? undefined : t("{0} GB", Math.round(size)));

export function listingRow(value: VolumeOffer, tag: string, staleSince: number | undefined): RowView {
  const rented = value.rentable === false ? t("rented") : undefined;
  const cost =
    knownPrice(value.storage_cost) === undefined ? undefined : t("{0} per GB and month", dollars(value.storage_cost));
  const words = [gb(value.disk_space), cost, rented].filter(Boolean).join(" · ");
  return {
    ...detailRow(`listing ${tag} ${value.id}`, String(value.id), words),
    icon: "database",
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: "listing canUnlist",
    accessible: t("Volume for rent {0}, {1}", value.id, words),
    tooltip: () => ({
      title: t("Volume for rent {0}", value.id),
      facts: known([
        [t("Machine"), value.machine_id],
        [t("Size"), gb(value.disk_space)],
        [t("Price"), cost],
        [t("State"), rented ?? t("for rent")],
      ]),
    }),
  };
}

export function volumeRow(value: Volume, tag: string, staleSince: number | undefined): RowView {
  const name = label(value.label ?? "", 60) || String(value.id);
  const words = [gb(value.disk_space), value.status && label(value.status, 40)].filter(Boolean).join(" · ");
  return {
    ...detailRow(`volume ${tag} ${value.id}`, name, words),
    icon: "database",
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: "volume",
    accessible: t("{0}, volume {1}, {2}", name, value.id, words),
    tooltip: () => ({
      title: name,
      facts: known([
        [t("Volume"), value.id],
        [t("Size"), gb(value.disk_space)],
        [t("Machine"), value.machine_id ?? t("any")],
        [
          t("Used by"),
          value.instances.length === 0 ? t("no instance") : plain(value.instances.map(String).join(", "), 100),
        ],
      ]),
    }),
  };
}
