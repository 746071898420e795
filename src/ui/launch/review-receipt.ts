// The receipt: what it costs, what is unknown, and every field that will be sent.
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { machineName } from "../../domain/offer/offer.ts";
import { label, t } from "../../lib/text.ts";
import { priceText, type Receipt, type ReceiptLine, receipt } from "../../present/launch/receipt.ts";
import type { KeyNotice, ReceiptAnswer } from "../../services/launch/review-launch.ts";
import { type Answer, type Choice, pick, type StepPlace, separator } from "../kit/steps.ts";

/** Shows the receipt until the person rents, changes something or leaves. */
export function showReceipt(
  plan: LaunchPlan,
  sentLabel: string,
  keys: KeyNotice | undefined,
  place: StepPlace,
): Promise<Answer<ReceiptAnswer>> {
  return pick<ReceiptAnswer>({
    ...place,
    placeholder: t("Review. Nothing is rented before you confirm."),
    choices: lines(plan, receipt(plan, sentLabel), keys),
    active: (value) => value === "rent",
  });
}

/** What keeps the person from logging in to what they are about to rent. */
function keyLines(keys: KeyNotice | undefined): Choice<ReceiptAnswer>[] {
  if (keys === undefined) return [];
  const description =
    keys === "none"
      ? t("your account has none, so you couldn't log in")
      : t("none of the keys in your account was found on this computer");
  return [{ label: `$(warning) ${t("Add an SSH Key…")}`, description, value: "add-key" }];
}

function lines(
  plan: LaunchPlan,
  { costs, machine, sent, notKnown }: Receipt,
  keys: KeyNotice | undefined,
): Choice<ReceiptAnswer>[] {
  const info = (line: ReceiptLine): Choice<ReceiptAnswer> => ({
    label: label(line.name),
    description: [line.value === "" ? undefined : label(line.value, 500), line.from && `(${line.from})`]
      .filter(Boolean)
      .join("  "),
  });
  return [
    {
      label: `$(credit-card) ${t("Rent {0} for {1}…", label(machineName(plan.offer), 60), priceText(plan))}`,
      value: "rent",
      alwaysShow: true,
    },
    ...keyLines(keys),
    separator(t("Cost")),
    ...costs.map(info),
    separator(t("On top, or not known")),
    ...notKnown.map((text): Choice<ReceiptAnswer> => ({ label: `$(question) ${text}` })),
    separator(t("Change")),
    { label: `$(edit) ${t("Disk…")}`, description: t("{0} GB", plan.diskGb), value: "disk" },
    { label: `$(edit) ${t("Label…")}`, description: label(plan.label) || t("none"), value: "label" },
    { label: `$(edit) ${t("Offer…")}`, description: label(machineName(plan.offer), 60), value: "offer" },
    separator(t("Machine")),
    ...machine.map(info),
    separator(t("Will be sent")),
    { label: `$(go-to-file) ${t("Show in Full…")}`, description: t("every field, in a document"), value: "full" },
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

/** The receipt as text, for reading long values in full. */
export function receiptText(plan: LaunchPlan, sentLabel: string): string {
  const { costs, machine, sent, notKnown } = receipt(plan, sentLabel);
  const part = (title: string, rows: readonly ReceiptLine[]) => [title, ...rows.map(line), ""];
  const line = ({ name, value, from }: ReceiptLine) =>
    `  ${name}: ${value.replaceAll(" ⏎ ", "\n      ")}${from ? `  (${from})` : ""}`;
  return [
    ...part(t("Cost"), costs),
    t("On top, or not known"),
    ...notKnown.map((text) => `  ${text}`),
    "",
    ...part(t("Machine"), machine),
    ...part(t("Will be sent"), sent),
  ].join("\n");
}
