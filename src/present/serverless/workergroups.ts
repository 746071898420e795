// A serverless workergroup as a row: its load settings, what it runs and where. Never its key.

import { describeFilters } from "../../domain/offer/filter-words.ts";
import { toVramGb } from "../../domain/offer/offer.ts";
import type { Workergroup } from "../../domain/serverless/workergroup.ts";
import type { Template } from "../../domain/template/template.ts";
import { commands } from "../../ids.ts";
import { maskSecrets } from "../../lib/redact.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { buildDetailRow, listKnownFacts, type RowView } from "../base/row.ts";
import { formatDate } from "../base/when.ts";
import { formatTemplateName } from "../template/templates.ts";

/** Without its key: code that displays a workergroup can't show the key. */
export type WorkergroupPlain = Omit<Workergroup, "api_key">;

/** Its template as it is now. `unknown` if it couldn't be read, `gone` if the service no longer has it. */
type TemplateNow = Template | "gone" | "unknown";

export interface WorkergroupFacts {
  readonly value: WorkergroupPlain;
  readonly template: TemplateNow;
  readonly hasKey: boolean;
}

export interface Drawn {
  readonly tag: string;
  readonly staleSince: number | undefined;
}

export function formatWorkergroupName({ id }: WorkergroupPlain): string {
  return t("Workergroup {0}", id);
}

export function formatEndpointName({ endpoint_name, endpoint_id }: WorkergroupPlain): string {
  const own = toLabel(endpoint_name ?? "", 60);
  if (own !== "") return own;
  return endpoint_id === undefined ? t("No endpoint") : t("Endpoint {0}", endpoint_id);
}

/** Whether the template was edited after the group was set up: the hash changes at every edit (interface 2.3). */
export function runsOlderTemplate({ value, template }: WorkergroupFacts): boolean {
  return typeof template === "object" && value.template_hash !== undefined && value.template_hash !== template.hash_id;
}

export function formatRunningTemplate(facts: WorkergroupFacts): string {
  const { value, template } = facts;
  if (typeof template === "object") {
    const name = formatTemplateName(template);
    return runsOlderTemplate(facts) ? t("{0}, outdated (edited since then)", name) : name;
  }
  const named =
    toPlainText(value.template_hash ?? "", 12) || (value.template_id === undefined ? "" : String(value.template_id));
  if (named === "") return t("none");
  return template === "gone" ? t("{0} (no longer on the service)", named) : named;
}

const percent = (fraction: number | undefined) =>
  fraction === undefined ? undefined : `${+(fraction * 100).toFixed(1)}%`;
const cold = (count: number | undefined) => (count === undefined ? undefined : t("{0} cold", count));

/** Its machine search in words. If it can't be read, the text says so; the document shows the original. */
export function describeMachineSearch({ search_query }: WorkergroupPlain): string {
  if (search_query === undefined) return t("unreadable; see the document");
  const words = toPlainText(describeFilters(search_query), 300);
  return words === "" ? t("any machine") : words;
}

export function buildWorkergroupRow(facts: WorkergroupFacts, { tag, staleSince }: Drawn): RowView {
  const { value, template, hasKey } = facts;
  const older = runsOlderTemplate(facts);
  const name = formatWorkergroupName(value);
  const stale = staleSince === undefined ? undefined : t("as of {0}", formatTime(staleSince));
  const runs = typeof template === "object" ? formatTemplateName(template) : undefined;
  const words = [
    stale,
    value.min_load === undefined ? undefined : t("load ≥ {0}", value.min_load),
    percent(value.target_util),
    cold(value.cold_workers),
    older ? t("outdated template") : undefined,
    runs,
  ];
  const description = words.filter(Boolean).join(" · ");
  return {
    id: `workergroup ${tag} ${value.id}`,
    label: name,
    description,
    icon: older ? "warning" : "server-process",
    color: chooseColor(staleSince !== undefined, older),
    context: ["workergroup", hasKey && "canCopyKey", hasTemplate(facts) && "canOpenTemplate"].filter(Boolean).join(" "),
    accessible: `${name}, ${formatEndpointName(value)}, ${description}`,
    opens: commands.workergroupShow,
    tooltip: () => ({ title: name, facts: listWorkergroupFacts(facts) }),
    folded: true,
  };
}

function chooseColor(stale: boolean, older: boolean): string | undefined {
  if (stale) return "disabledForeground";
  return older ? "list.warningForeground" : undefined;
}

export function hasTemplate({ value: { template_hash, template_id } }: WorkergroupFacts): boolean {
  return template_hash !== undefined || template_id !== undefined;
}

export function listLoadFacts(value: WorkergroupPlain): [string, string][] {
  return listKnownFacts([
    [t("Minimum load"), value.min_load],
    [t("Target utilization"), percent(value.target_util)],
    [t("Cold workers"), value.cold_workers],
    [t("Cold multiplier"), value.cold_mult],
  ]);
}

export function listWorkergroupFacts(facts: WorkergroupFacts): [string, string][] {
  const { value } = facts;
  const gb = toVramGb(value.gpu_ram);
  return listKnownFacts([
    [
      t("Endpoint"),
      value.endpoint_id === undefined
        ? formatEndpointName(value)
        : `${formatEndpointName(value)} (${value.endpoint_id})`,
    ],
    ...listLoadFacts(value),
    [t("Template"), formatRunningTemplate(facts)],
    [t("Machines"), describeMachineSearch(value)],
    [t("VRAM"), gb === undefined ? undefined : `${gb} GB`],
    [t("Launch arguments"), formatLaunchArguments(value)],
    [t("Created"), formatDate(value.created_at)],
  ]);
}

/** People put tokens into the arguments. Apparent ones are masked. */
export function formatLaunchArguments({ launch_args }: WorkergroupPlain): string | undefined {
  return launch_args === undefined ? undefined : toPlainText(maskSecrets(launch_args), 500);
}

/** The rows below it. */
export function buildWorkergroupDetails(facts: WorkergroupFacts, tag: string): RowView[] {
  return listWorkergroupFacts(facts)
    .slice(1)
    .map(([name, value]) => buildDetailRow(`workergroup ${tag} ${facts.value.id} ${name}`, name, toLabel(value, 500)));
}
