// The host view's texts: rows for the last response and volumes, the account's machines, and the question before
// background jobs are created.

import { formatHourlyPrice, formatPrice, toPrice } from "../../domain/base/money.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import type { HostMachine } from "../../domain/host/host-machine.ts";
import type { Volume, VolumeOffer } from "../../domain/instance/volume.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { commands } from "../../ids.ts";
import { cutMasked } from "../../lib/redact.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { buildDetailRow, listKnownFacts, type RowView } from "../base/row.ts";

/** `$4.80 per GPU per day ($0.20/h)`. */
export function formatDayPrice(price: number): string {
  return t("{0} per GPU per day ({1})", formatPrice(price), formatHourlyPrice(price / 24));
}

export function formatTrafficPrice(price: number): string {
  return t("{0} per GB", formatPrice(price));
}

/** The question before default jobs are replaced. */
export function buildJobsQuestion(jobs: BackgroundJobs): { message: string; detail: string } {
  return {
    message: t("Replace the background jobs of machine {0}?", jobs.machine),
    detail: [
      t("This replaces the machine's current default jobs. They can't be restored from here."),
      t("New jobs run {0} for {1}.", toPlainText(jobs.image, 100), formatDayPrice(jobs.price_gpu)),
      t("Traffic: {0} up, {1} down.", formatTrafficPrice(jobs.price_inetu), formatTrafficPrice(jobs.price_inetd)),
      ...jobParts(jobs),
    ].join("\n"),
  };
}

/** Characters of a command in a question. */
const MOST_ASKED = 200;

/** What else the jobs are given. Values of variables may be secrets, so they are only named. */
function jobParts({ args, args_str, env = {}, onstart, use_ssh }: BackgroundJobs): string[] {
  const shown = (text: string) => toPlainText(cutMasked(text, 2 * MOST_ASKED), MOST_ASKED);
  const names = Object.keys(env);
  const given = args_str ?? args?.map(quoteWord).join(" ") ?? "";
  return [
    ...(given === "" ? [] : [t("Arguments: {0}", shown(given))]),
    ...(names.length === 0 ? [] : [t("Variables: {0}", toPlainText(names.join(", "), MOST_ASKED))]),
    ...(onstart === undefined || onstart === "" ? [] : [t("Start command: {0}", shown(onstart))]),
    ...(use_ssh ? [t("SSH access is on.")] : []),
  ];
}

interface Answer {
  readonly at: number;
  readonly outcome: "done" | "refused" | "unknown";
  readonly text: string;
}

/** The service's last response. Kept until the session ends. */
export function buildAnswerRow({ at, outcome, text }: Answer, tag: string): RowView {
  const words = { done: t("done"), refused: t("refused"), unknown: t("unconfirmed") }[outcome];
  const icon = { done: "pass", refused: "error", unknown: "warning" }[outcome];
  const color = { done: "charts.green", refused: "list.errorForeground", unknown: "list.warningForeground" }[outcome];
  return {
    ...buildDetailRow(`host ${tag} answer`, t("Last response"), `${words} · ${formatTime(at)} · ${toLabel(text, 200)}`),
    icon,
    color,
    context: "answer canShow",
    command: commands.hostShowLastResponse,
    tooltip: () => ({ title: t("Last response, {0}", formatTime(at)), facts: [[words, toPlainText(text, 500)]] }),
  };
}

const gb = (size: number | undefined) => (size === undefined ? undefined : t("{0} GB", Math.round(size)));

/** Whether someone rents it right now. It is still on the market, and can be taken off it. */
export function isRentedOut({ rentable }: Pick<VolumeOffer, "rentable">): boolean {
  return rentable === false;
}

export function buildListingRow(value: VolumeOffer, tag: string, staleSince: number | undefined): RowView {
  const rented = isRentedOut(value) ? t("rented") : undefined;
  const title = rented === undefined ? t("Listed volume {0}", value.id) : t("Rented-out volume {0}", value.id);
  const cost =
    toPrice(value.storage_cost) === undefined ? undefined : t("{0} per GB per month", formatPrice(value.storage_cost));
  const words = [gb(value.disk_space), cost, rented].filter(Boolean).join(" · ");
  return {
    ...buildDetailRow(`listing ${tag} ${value.id}`, String(value.id), words),
    icon: "database",
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: "listing canUnlist",
    accessible: [title, words].filter(Boolean).join(", "),
    tooltip: () => ({
      title,
      facts: listKnownFacts([
        [t("Machine"), value.machine_id],
        [t("Size"), gb(value.disk_space)],
        [t("Price"), cost],
        [t("State"), rented ?? t("listed")],
      ]),
    }),
  };
}

export function buildVolumeRow(value: Volume, tag: string, staleSince: number | undefined): RowView {
  const name = toLabel(value.label ?? "", 60) || String(value.id);
  const words = [gb(value.disk_space), value.status && toLabel(value.status, 40)].filter(Boolean).join(" · ");
  return {
    ...buildDetailRow(`volume ${tag} ${value.id}`, name, words),
    icon: "database",
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: "volume canMount",
    accessible: t("{0}, volume {1}, {2}", name, value.id, words),
    tooltip: () => ({
      title: name,
      facts: listKnownFacts([
        [t("Volume"), value.id],
        [t("Size"), gb(value.disk_space)],
        [t("Machine"), value.machine_id ?? t("any")],
        [
          t("Used by"),
          value.instances.length === 0 ? t("no instance") : toPlainText(value.instances.map(String).join(", "), 100),
        ],
      ]),
    }),
  };
}

/** `2× RTX 4090 · rig-7 · Sweden`, or as much of that as is known. */
export function describeOwnMachine(machine: HostMachine | undefined): string {
  if (machine === undefined) return t("Has a listed volume");
  const { hostname, geolocation } = machine;
  const name = machine.gpu_name === undefined ? undefined : formatMachineName(machine);
  return [name, hostname, geolocation].flatMap((text) => (text ? [toLabel(text, 60)] : [])).join(" · ");
}
