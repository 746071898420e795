// What is said of a run that goes on with another instance: which attempt it is, what it begins with, and what those before cost.

import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import { type Attempt, calculateAttemptsCost } from "../../domain/run/attempt.ts";
import { RUN_ATTEMPT } from "../../domain/run/run-folder.ts";
import { findMostPerHour, type RunLimits } from "../../domain/run/run-limits.ts";
import { countAttempts, type RunRecord } from "../../domain/run/run-record.ts";
import { formatDateTime, t } from "../../lib/text.ts";
import { formatFileCount, formatSize, formatSome } from "../transfer/transfer-text.ts";

/** `diskPrice`: $/h of the disk of the instance before. */
interface AttemptFacts {
  readonly run: Pick<RunRecord, "instance">;
  readonly attempts: readonly Attempt[];
  readonly before: "gone" | "stopped" | "queued";
  readonly diskPrice: number | undefined;
  readonly early: { readonly at: number } | undefined;
  readonly upload:
    | { readonly files: readonly unknown[]; readonly bytes: number; readonly secrets: readonly string[] }
    | undefined;
}

const CENT = 0.01;

/** `about $0.42`, `at least $0.42`; undefined if nothing of it is known. */
export function formatAttemptsCost(attempts: readonly Attempt[], more = 0): string | undefined {
  const { cost, isWhole } = calculateAttemptsCost(attempts);
  const sum = cost + more;
  if (sum === 0 && !isWhole) return undefined;
  if (!isWhole) return t("at least {0}", formatPrice(sum));
  return sum < CENT ? t("less than {0}", formatPrice(CENT)) : t("about {0}", formatPrice(sum));
}

const formatUpload = ({ files, bytes }: NonNullable<AttemptFacts["upload"]>): string =>
  `${formatFileCount(files.length)} (${formatSize(bytes)})`;

/** For a row. */
export const listAttempt = (run: Pick<RunRecord, "earlier">): readonly string[] =>
  run.earlier === undefined ? [] : [t("attempt {0}", countAttempts(run))];

/** Which attempt it is, in the summary. */
export function describeAttempt({ attempts }: Pick<AttemptFacts, "attempts">): string {
  const cost = formatAttemptsCost(attempts);
  const number = String(attempts.length + 1);
  return cost === undefined ? number : t("{0}, earlier ones cost {1}", number, cost);
}

/** What the command finds of its own, in the summary. */
export function describeEarlierResults({ early, upload }: Pick<AttemptFacts, "early" | "upload">): string {
  if (!early) return t("none, so the command starts over");
  if (!upload) return t("not recorded, so the command starts over");
  const found = t("{0}, downloaded {1}", formatUpload(upload), formatDateTime(early.at));
  return upload.secrets.length === 0
    ? found
    : t("{0}. Not uploaded (possible secrets): {1}", found, formatSome(upload.secrets, 3));
}

/** Paragraphs of the question before an instance is rented. */
export function listAttemptLines(facts: AttemptFacts): readonly string[] {
  const { attempts, early, upload, before, diskPrice, run } = facts;
  const number = attempts.length + 1;
  const results =
    upload && early
      ? t(
          "This is attempt {0}. The results so far, {1} from {2}, are uploaded to the same places. The command sees {3}={0}.",
          number,
          formatUpload(upload),
          formatDateTime(early.at),
          RUN_ATTEMPT,
        )
      : t("This is attempt {0}. {2} It sees {1}={0}.", number, RUN_ATTEMPT, describeStartOver(early !== undefined));
  const cost = formatAttemptsCost(attempts);
  return [
    results,
    ...(cost === undefined ? [] : [t("Earlier attempts cost {0}. The limits apply to this attempt.", cost)]),
    ...(before === "gone" ? [] : [describeBefore(run.instance, before === "queued", diskPrice)]),
  ];
}

const describeStartOver = (hasResults: boolean): string =>
  hasResults
    ? t("Cloud GPU didn't record which results are on this computer, so the command starts over.")
    : t("No results are on this computer, so the command starts over.");

function describeBefore(instance: number, isQueued: boolean, price: number | undefined): string {
  const costs =
    price === undefined
      ? t("Its disk is kept and billed until you destroy it.")
      : t("Its disk is kept and costs {0} until you destroy it.", formatHourlyPrice(price));
  return isQueued
    ? `${t("Instance {0} waits for its GPU, so Cloud GPU stops it before renting.", instance)} ${costs}`
    : `${t("Instance {0} stays stopped.", instance)} ${costs}`;
}

/** What is agreed to for the case that the instance is lost. `price`: $/h of the first one. */
interface AgreedFacts {
  readonly limits: RunLimits;
  readonly price: number | undefined;
  readonly resultsEveryMinutes?: number | undefined;
  readonly isBid: boolean;
}

const formatMost = ({ limits, price }: Pick<AgreedFacts, "limits" | "price">): string =>
  formatHourlyPrice(findMostPerHour(limits, price));

/** In the summary. */
export const describeAgreedAttempts = (facts: Pick<AgreedFacts, "limits" | "price">): string =>
  (facts.limits.maxAttempts ?? 1) < 2
    ? t("tell me, and rent nothing")
    : t("rent another one, {0} attempts in all, each at most {1}", facts.limits.maxAttempts ?? 1, formatMost(facts));

/** A paragraph of the question before the first instance is rented; none if nothing is rented without another question. */
export function listAgreedLines(facts: AgreedFacts): readonly string[] {
  const { limits, resultsEveryMinutes, isBid } = facts;
  const { maxAttempts = 1 } = limits;
  if (maxAttempts < 2) return [];
  return [
    [
      t(
        "If the instance is lost while the run's terminal is open, Cloud GPU rents another one of the same kind without asking, and uploads the folder again: {0} attempts in all, each at most {1}, and all of them within the run's limit. An instance that you destroy outside VS Code counts as lost.",
        maxAttempts,
        formatMost(facts),
      ),
      resultsEveryMinutes === undefined
        ? t("The command starts over, since no results are downloaded while it runs.")
        : t("The command goes on with the results downloaded by then."),
      ...(isBid ? [t("One that was outbid is stopped, and its disk is billed until you destroy it.")] : []),
    ].join(" "),
  ];
}

interface AttemptsChoice {
  readonly label: string;
  readonly detail: string;
  readonly value: number;
}

const CHOICES = [2, 3, 5, 10];

/** How many attempts can be agreed to: a few, and what is agreed to now. */
export const listAttemptsChoices = (
  now: number,
  facts: Pick<AgreedFacts, "limits" | "price">,
): readonly AttemptsChoice[] => [
  {
    label: t("Tell Me, and Rent Nothing"),
    detail: t("Then you decide whether the run goes on with another instance."),
    value: 1,
  },
  ...[...new Set([...CHOICES, ...(now > 1 ? [now] : [])])]
    .sort((a, b) => a - b)
    .map((count) => ({
      label: t("Up to {0} Attempts", count),
      detail: t("Rents another instance of the same kind without asking, each at most {0}.", formatMost(facts)),
      value: count,
    })),
];
