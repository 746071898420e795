// The summary: what it costs, what is unknown, and every field that will be sent.
import { describeConfigured, listConfigured } from "../../../domain/launch/launch-configuration.ts";
import type { LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import { formatMachineName } from "../../../domain/offer/offer.ts";
import { t, toLabel } from "../../../lib/text.ts";
import { formatAutoStopWishes } from "../../../present/instance/idle-text.ts";
import { formatCostUntilEnd } from "../../../present/launch/rent-question.ts";
import {
  buildSummary,
  describeVolumeOf,
  formatPlanPrice,
  type KnownFacts,
  type Summary,
  type SummaryLine,
} from "../../../present/launch/summary.ts";
import type { KeyNotice } from "../../../services/launch/notice-keys.ts";
import type { SummaryAnswer } from "../../../services/launch/review-launch.ts";
import { type Choice, createSeparator, pickOne } from "../../kit/ask/pick.ts";
import type { Answer, StepPlace } from "../../kit/ask/steps.ts";
import type { PurposeLine, RentPurpose } from "../rent-purpose.ts";

interface SummaryFacts {
  readonly plan: LaunchPlan;
  /** The launch token followed by the person's own label. */
  readonly sentLabel: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly known: KnownFacts;
}

/** Shows the summary until the person rents, changes something or leaves. */
export function showSummary(
  { plan, sentLabel, now, known }: SummaryFacts,
  keys: KeyNotice | undefined,
  place: StepPlace,
  { purpose, more }: { readonly purpose: RentPurpose | undefined; readonly more: readonly PurposeLine[] },
): Promise<Answer<SummaryAnswer | PurposeLine>> {
  return pickOne<SummaryAnswer | PurposeLine>({
    ...place,
    placeholder: t("Review your launch. Nothing is rented until you confirm."),
    choices: lines(plan, buildSummary(plan, sentLabel, now, known), keys, [
      ...purposeLines(purpose, plan),
      ...endLines(purpose, plan, now),
      ...more.map(toChoice),
    ]),
    active: (value) => value === "rent",
  });
}

function purposeLines(purpose: RentPurpose | undefined, plan: LaunchPlan): Choice<SummaryAnswer | PurposeLine>[] {
  if (!purpose) return [];
  return [createSeparator(purpose.title), ...purpose.lines(plan).map(toChoice)];
}

function toChoice(line: PurposeLine): Choice<SummaryAnswer | PurposeLine> {
  const description = toLabel(line.value, 500);
  return line.change
    ? { label: `$(edit) ${toLabel(line.name)}…`, description, value: line }
    : { label: toLabel(line.name), description };
}

/** What is rented for a purpose ends with it. */
function endLines(purpose: RentPurpose | undefined, plan: LaunchPlan, now: number): Choice<SummaryAnswer>[] {
  if (purpose) return [];
  const description = [formatAutoStopWishes(plan, now), formatCostUntilEnd(plan, now)].filter(Boolean).join(". ");
  return [{ label: `$(edit) ${t("Auto-Stop…")}`, description, value: "end" }];
}

/** What keeps the person from logging in to what they are about to rent. */
export function buildKeyLines(keys: KeyNotice | undefined): Choice<"add-key">[] {
  if (keys === undefined) return [];
  const description =
    keys === "none"
      ? t("your account has none, so you couldn't log in")
      : t("none of the keys in your account was found on this computer");
  return [{ label: `$(warning) ${t("Add an SSH Key…")}`, description, value: "add-key" }];
}

function lines(
  plan: LaunchPlan,
  { runs, mismatches, costs, bid, disk, machine, sent, notKnown }: Summary,
  keys: KeyNotice | undefined,
  aims: readonly Choice<SummaryAnswer | PurposeLine>[],
): Choice<SummaryAnswer | PurposeLine>[] {
  const info = (line: SummaryLine): Choice<SummaryAnswer> => ({
    label: toLabel(line.name),
    description: [line.value === "" ? undefined : toLabel(line.value, 500), line.from && `(${line.from})`]
      .filter(Boolean)
      .join("  "),
  });
  return [
    {
      label: `$(credit-card) ${t("Rent {0} for {1}…", toLabel(formatMachineName(plan.offer), 60), formatPlanPrice(plan))}`,
      value: "rent",
    },
    info(runs),
    ...mismatches.map((text): Choice<SummaryAnswer> => ({ label: `$(warning) ${toLabel(text, 400)}` })),
    ...buildKeyLines(keys),
    ...aims,
    createSeparator(t("Cost")),
    ...(bid === undefined ? [] : [{ label: `$(edit) ${t("Bid…")}`, description: bid, value: "bid" as const }]),
    ...costs.map(info),
    { label: `$(edit) ${t("Disk…")}`, description: disk, value: "disk" },
    ...(notKnown.length > 0 ? [createSeparator<SummaryAnswer>(t("Extra or unknown costs"))] : []),
    ...notKnown.map((text): Choice<SummaryAnswer> => ({ label: `$(question) ${text}` })),
    createSeparator(t("Change")),
    {
      label: `$(edit) ${t("Configuration…")}`,
      description: toLabel(
        describeConfigured(listConfigured(plan), plan.template ? t("as in the template") : t("defaults")),
        200,
      ),
      value: "configuration",
    },
    { label: `$(edit) ${t("Volume…")}`, description: describeVolumeOf(plan) ?? t("none"), value: "volume" },
    { label: `$(edit) ${t("Label…")}`, description: toLabel(plan.label) || t("none"), value: "label" },
    { label: `$(edit) ${t("Offer…")}`, description: toLabel(formatMachineName(plan.offer), 60), value: "offer" },
    createSeparator(t("Machine")),
    ...machine.map(info),
    createSeparator(t("Will be sent")),
    { label: `$(go-to-file) ${t("Show Full Summary…")}`, description: t("every field, in a document"), value: "full" },
    ...(plan.template
      ? [
          {
            label: `$(diff) ${t("Compare with Template…")}`,
            description: t("what this launch changes, side by side"),
            value: "compare" as const,
          },
        ]
      : []),
    ...sent.map(info),
  ];
}

/** The summary as text, for reading long values in full. */
export function formatSummary({ plan, sentLabel, now, known }: SummaryFacts): string {
  const { runs, mismatches, costs, bid, disk, machine, sent, notKnown } = buildSummary(plan, sentLabel, now, known);
  const part = (title: string, rows: readonly SummaryLine[]) => [title, ...rows.map(line), ""];
  const line = ({ name, value, from }: SummaryLine) =>
    `  ${name}: ${value.replaceAll(" ⏎ ", "\n      ")}${from ? `  (${from})` : ""}`;
  return [
    t("Press Escape or close this tab to return to the summary."),
    "",
    line(runs).trimStart(),
    ...mismatches.map((text) => `⚠ ${text}`),
    "",
    ...part(t("Cost"), [
      ...(bid === undefined ? [] : [{ name: t("Your bid"), value: bid }]),
      ...costs,
      { name: t("Disk"), value: disk },
    ]),
    ...(notKnown.length > 0 ? [t("Extra or unknown costs"), ...notKnown.map((text) => `  ${text}`), ""] : []),
    ...part(t("Machine"), machine),
    ...part(t("Will be sent"), sent),
  ].join("\n");
}
