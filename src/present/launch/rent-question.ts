// The question before money is committed.
import { formatHourlyPrice, formatTotal, toPrice } from "../../domain/base/money.ts";
import { calculateEndTime } from "../../domain/instance/auto-stop.ts";
import {
  calculateBilledPrice,
  calculatePlanPrice,
  isCreatedStopped,
  type LaunchPlan,
  toLaunchRequest,
} from "../../domain/launch/launch-plan.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { mergeConfiguration, withTag } from "../../domain/template/template.ts";
import { maskPublic, redactText } from "../../lib/redact.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { describeAutoStopWish } from "../instance/auto-stop-text.ts";
import { describeIdleTimeout } from "../instance/idle-text.ts";
import { formatOfferPlace } from "../offer/offers.ts";
import { formatSent, isPublicField } from "./masked-request.ts";
import { describeMismatches } from "./mismatches.ts";
import { describeCreator, describeLostLogin, describeStart, formatPlanPrice, listVolumeCosts } from "./summary.ts";

/** Whether confirming costs money. */
export function describeBilling(sandbox: boolean): string {
  return sandbox
    ? t("This is the sandbox: nothing is charged.")
    : t("You pay from now until you destroy the instance.");
}

/** What the person agrees to by renting where a lost rental couldn't be found. */
export function describeUntracked(): string {
  return t(
    "This service can't list instances. If its response gets lost, you can find a rented machine only on its website.",
  );
}

interface RentTerms {
  readonly sandbox: boolean;
  /** The account's name, where there are several. */
  readonly payer?: string | undefined;
  readonly withoutTracking: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** An agent chose what runs: all of it is shown. */
  readonly isForAgent?: boolean;
}

/** The question before money is committed. */
export function buildRentQuestion(
  plan: LaunchPlan,
  { sandbox, payer, withoutTracking, now, isForAgent = false }: RentTerms,
): { message: string; detail: string } {
  const price = calculatePlanPrice(plan);
  const name = toPlainText(formatMachineName(plan.offer), 60);
  const end = describeAutoStopWish(plan.end, now);
  const untilThen = formatCostUntilEnd(plan, now);
  const idle = describeIdleTimeout(plan.idle);
  return {
    message: t("Rent {0} for {1}?", name, formatPlanPrice(plan)),
    detail: [
      t(
        "{0} per day with {1} GB of disk. Location: {2}.",
        formatTotal(price, 24),
        plan.diskGb,
        formatOfferPlace(plan.offer),
      ),
      ...(plan.bid === undefined || plan.type !== "bid" ? [] : [describeOwnBid(plan.bid, plan.offer.min_bid)]),
      ...(isForAgent
        ? [...describeAllThatRuns(plan), ...listCode(plan).map(describeCode)]
        : [t("Runs {0}.", toPlainText(formatWhatRuns(plan), 100))]),
      ...[...describeMismatches(plan.template, plan.offer), ...describeLostLogin(plan)].map((text) => `⚠ ${text}`),
      ...listVolumeCosts(plan).map(({ name, value }) => `${name}: ${value}.`),
      ...describeStart(plan),
      ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
      describeBilling(sandbox),
      ...(end === undefined ? [] : [[end, untilThen].filter(Boolean).join(" ")]),
      ...(idle === undefined ? [] : [idle]),
      ...(withoutTracking ? [describeUntracked()] : []),
    ].join("\n"),
  };
}

const formatWhatRuns = ({ template, image = "" }: LaunchPlan): string =>
  template ? (template.name ?? template.hash_id) : redactText(image);

/** Longer than any image that a registry has. */
const MOST_IMAGE = 1200;

/** What a name could end the quotes with that it is in, in any language. */
const QUOTES = /["“”„«»「」『』]/gu;

/** A template may be called anything: its image is what runs, and whoever made it chose that. */
function describeAllThatRuns(plan: LaunchPlan): readonly string[] {
  const { template } = plan;
  const image = plan.image ?? (template?.image && withTag(template.image, template.tag));
  const whole = image ? toPlainText(maskPublic(image), MOST_IMAGE) : t("no image");
  if (!template) return [t("Runs {0}.", whole)];
  const creator = describeCreator(plan);
  return [
    t("Runs {0}.", whole),
    t("Template: “{0}”", toPlainText(formatWhatRuns(plan), 100).replace(QUOTES, "'")),
    ...(creator.length > 0 ? creator : [t("The creator of its template is unknown.")]),
  ];
}

/** Characters of what runs beside the image that there is room for. */
const MOST_CODE = 600;

interface Code {
  readonly kind: "script" | "arguments" | "variables";
  /** Without its secrets. */
  readonly text: string;
}

/** What a template has run beside its image. The commands that end the instance are our own, and the auto-stop says what they do. */
function listCode(plan: LaunchPlan): readonly Code[] {
  const request = toLaunchRequest({ ...plan, end: undefined }, "", 0);
  const { onstart, args_str: given, env } = mergeConfiguration(plan.template, request);
  const read = (name: string, value: unknown) =>
    typeof value === "string" ? formatSent(name, value, isPublicField(name, plan, request)) : "";
  const names = Object.keys(env as object).map((name) => toPlainText(redactText(name)));
  const all: readonly Code[] = [
    { kind: "script", text: read("onstart", onstart) },
    { kind: "arguments", text: read("args_str", given) },
    { kind: "variables", text: names.join(", ") },
  ];
  return all.filter(({ text }) => text !== "");
}

/** Whether an agent's question has room for all that runs. */
export const isShownWhole = (plan: LaunchPlan): boolean =>
  listCode(plan).reduce((sum, { text }) => sum + text.length, 0) <= MOST_CODE;

function describeCode({ kind, text }: Code): string {
  const shown = toPlainText(text, MOST_CODE);
  if (kind === "script") return t("Start script: {0}", shown);
  return kind === "arguments" ? t("Arguments: {0}", shown) : t("Variables: {0}", shown);
}

const describeOwnBid = (bid: number, least: number | undefined): string =>
  t("Your bid: {0} for the machine (minimum {1}).", formatHourlyPrice(bid), formatHourlyPrice(toPrice(least)));

/** What an instance with an auto-stop costs until then; undefined without one, if it doesn't run until then, or if the price is unknown. */
export function formatCostUntilEnd(plan: LaunchPlan, now: number): string | undefined {
  const price = calculateBilledPrice(plan);
  if (!plan.end || price === undefined || isCreatedStopped(plan)) return undefined;
  const hours = (calculateEndTime(plan.end, now) - now) / 3_600_000;
  if (hours <= 0) return undefined;
  const cost = formatTotal(price, hours);
  return plan.end.stoppedHours === undefined
    ? t("Until then, it costs about {0}.", cost)
    : t("Until it stops, it costs about {0}.", cost);
}
