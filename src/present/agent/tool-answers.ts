// What the tools tell an agent, as plain data. Whatever a service, a host or another person wrote may be meant to steer the agent: it is
// cleaned, cut short, and stands under `untrusted_text` alone.
import { type Spent, toSpentRange } from "../../domain/account/spending.ts";
import type { AppError } from "../../domain/base/error.ts";
import type { InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { findRentedAt, getCurrentPrice, getPhase, type Instance } from "../../domain/instance/instance.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { getHourlyPrice, type Offer, toVramGb } from "../../domain/offer/offer.ts";
import type { Relaxation } from "../../domain/offer/offer-search.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { redactText } from "../../lib/redact.ts";
import { findOwnWords, t, toPlainText } from "../../lib/text.ts";
import { isShownWhole } from "../launch/rent-question.ts";
import { buildSummary } from "../launch/summary.ts";

/** Characters of a foreign text, and of a line of a run's output. */
const MOST_FOREIGN = 80;
const MOST_LINE = 300;

type Foreign = Readonly<Record<string, string | undefined>>;

/** Secrets are masked before and after cleaning: invisible characters may hide one. */
export const cleanForeignText = (text: string, most = MOST_FOREIGN): string =>
  redactText(toPlainText(redactText(text.slice(0, 5000)), most));

function untrusted(texts: Foreign): { readonly untrusted_text: Foreign } {
  const entries = Object.entries(texts).flatMap(([name, text]) => (text ? [[name, cleanForeignText(text)]] : []));
  return { untrusted_text: Object.fromEntries(entries) };
}

/** Dollars to a hundredth of a cent. JSON has no unknown number: null. */
export const toDollars = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 10_000) / 10_000;

const at = (milliseconds: number): string => new Date(milliseconds).toISOString();

function offerFacts(offer: Offer) {
  const { id, num_gpus: gpus, reliability, verified, disk_space: disk, duration, cuda_max_good: cuda } = offer;
  return {
    offer: id,
    gpus: gpus ?? null,
    vram_gb_per_gpu: toVramGb(offer.gpu_ram) ?? null,
    reliability: reliability ?? null,
    verified: verified ?? null,
    most_disk_gb: disk === undefined ? null : Math.floor(disk),
    cuda: cuda ?? null,
    available_hours: duration === undefined ? null : Math.floor(duration / 3600),
    ...untrusted({ gpu: offer.gpu_name, location: offer.geolocation, cpu: offer.cpu_name }),
  };
}

interface OffersFound {
  readonly offers: readonly Offer[];
  readonly unreadable: number;
  /** Hours of the job, if the agent said so. */
  readonly hours: number | undefined;
  readonly most: number;
  /** Why the person's own limits forbid an offer. */
  readonly objection: (offer: Offer) => string | undefined;
  /** Of a search that found nothing. */
  readonly loosen: readonly Relaxation[];
}

export function buildOffersAnswer({ offers, unreadable, hours, most, objection, loosen }: OffersFound): object {
  return {
    found: offers.length,
    ...(unreadable > 0 ? { unreadable } : {}),
    offers: offers.slice(0, most).map((offer) => {
      const price = getHourlyPrice(offer);
      const forbidden = objection(offer);
      return {
        ...offerFacts(offer),
        price_per_hour: toDollars(price),
        ...(hours === undefined ? {} : { total: toDollars(price === undefined ? undefined : price * hours) }),
        ...(forbidden === undefined ? {} : { forbidden_by_limit: forbidden }),
      };
    }),
    ...(offers.length > 0
      ? {}
      : {
          would_find: loosen.map(({ field, condition, count }) => ({ field, condition: condition ?? "none", count })),
        }),
  };
}

interface Quote {
  readonly plan: LaunchPlan;
  readonly hours: number;
  /** Why the person's own limits forbid it. */
  readonly objection: string | undefined;
  /** Leads the person to the launch. */
  readonly link: string | undefined;
  /** For the tool that launches. `validUntil` in epoch milliseconds. */
  readonly quote: { readonly id: string; readonly validUntil: number } | undefined;
  /** What agents may spend without a question; undefined if nothing. */
  readonly budget: object | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

const describeTooLong = (): string =>
  t(
    "This template's start script, arguments, and variables are too long to show in a question. Give the person the link, so that they can review the launch and rent there.",
  );

export function buildQuoteAnswer({ plan, hours, objection, link, quote, budget, now }: Quote): object {
  const { notKnown, mismatches } = buildSummary(plan, "", now);
  const price = calculatePlanPrice(plan);
  return {
    ...offerFacts(plan.offer),
    disk_gb: plan.diskGb,
    price_per_hour: toDollars(price),
    hours,
    cost_until_auto_stop: toDollars(price === undefined ? undefined : price * hours),
    ...(plan.end ? { auto_stop: { does: plan.end.ending, by_itself: plan.end.byItself !== undefined } } : {}),
    not_included_or_unknown: notKnown,
    // They quote what the template and the machine say: the person reads them in the summary.
    template_mismatches: mismatches.length,
    ...(objection === undefined ? {} : { forbidden_by_limit: objection }),
    ...(isShownWhole(plan) ? {} : { no_quote: describeTooLong() }),
    ...(link === undefined ? {} : { link_for_the_person: link }),
    ...(quote ? { quote: quote.id, quote_valid_until: at(quote.validUntil) } : {}),
    ...budget,
    reserved: false,
  };
}

/** What is known of one instance. */
export interface ToldInstance {
  readonly value: Instance;
  readonly launchPrice: number | undefined;
  readonly end: InstanceAutoStop | undefined;
  /** Since it was rented, as far as it was seen. */
  readonly spent?: Spent | undefined;
}

export function buildInstancesAnswer(rows: readonly ToldInstance[], isComplete: boolean): object {
  return {
    complete: isComplete,
    instances: rows.map((row) => {
      const { id, num_gpus: gpus, label, gpu_name: gpu, geolocation, status_msg } = row.value;
      const rented = findRentedAt(row.value);
      return {
        instance: id,
        state: getPhase(row.value),
        gpus: gpus ?? null,
        price_per_hour: toDollars(getCurrentPrice(row)),
        ...(row.spent ? { spent: describeSpentFacts(row.spent) } : {}),
        ...(rented === undefined ? {} : { rented_at: at(rented) }),
        auto_stop: row.end ? describeEndFacts(row.end) : null,
        ...untrusted({ label, gpu, location: geolocation, status: status_msg }),
      };
    }),
  };
}

/** At the most, unless a part of it isn't known. */
function describeSpentFacts(spent: Spent) {
  const { low, high } = toSpentRange(spent);
  const most = spent.isOpen ? undefined : high;
  return { at_least: toDollars(low), at_most: toDollars(most), without: ["traffic", "volumes"] };
}

/** `holds_without_vscode`: the instance has shown that it ends itself. */
function describeEndFacts({ until, ending, guard, isDoubted, isLeft, stoppedHours, second }: InstanceAutoStop) {
  return {
    at: at(until),
    does: ending,
    holds_without_vscode: guard?.kind === "armed",
    ...(second ? { only_if_still_stopped: true, asks_first: second === "unsure" } : {}),
    ...(stoppedHours === undefined || second ? {} : { then_destroys_after_hours_stopped: stoppedHours }),
    ...(isDoubted || isLeft ? { is_uncertain: true } : {}),
  };
}

export function buildRunsAnswer(runs: readonly RunRecord[]): object {
  return { runs: runs.map(runFacts) };
}

/** `output`: the last lines of its own output, where secrets were masked when it was downloaded. */
export function buildRunAnswer(run: RunRecord, output: readonly string[] | undefined): object {
  const { untrusted_text: said, ...facts } = runFacts(run);
  const lines = output?.map((line) => cleanForeignText(line, MOST_LINE));
  return { ...facts, untrusted_text: { ...said, ...(lines ? { output_end: lines } : {}) } };
}

function runFacts({ id, instance, state, at: began, rented, plan }: RunRecord) {
  const ended = state.kind === "ended" ? state : undefined;
  const { results, rental } = ended ?? {};
  return {
    run: id,
    instance,
    began_at: at(began),
    state: state.kind,
    ...(ended
      ? { exit_code: ended.exit ?? null, seconds: ended.seconds ?? null, stopped_by_limit: ended.isLimited === true }
      : {}),
    ...(results?.kind === "fetched"
      ? {
          results: {
            folder: cleanForeignText(results.place, MOST_LINE),
            files: results.files,
            bytes: results.bytes,
            complete: results.isWhole,
          },
        }
      : { results: results?.kind ?? "unknown" }),
    rented_for_run: rented !== undefined,
    ...(rental ? { instance_after_run: rental.kind } : {}),
    ...untrusted({ name: plan.name }),
  };
}

/** What a service refused, or couldn't be asked. Its own words are foreign, too. */
export function buildFailureAnswer({ kind, message, facts }: AppError): object {
  const isServices = facts.operation !== undefined || facts.status !== undefined;
  const own = isServices ? "" : keepOwnPhrases(message);
  return {
    failed: kind,
    ...(own === "" ? {} : { message: own }),
    ...(own === message ? {} : untrusted({ message })),
  };
}

/** Our own sentences, and of what stands between their words nothing but numbers. Empty if it has no sentence of ours. */
function keepOwnPhrases(text: string): string {
  // A single word is in anyone's sentences, but one of ours begins with it.
  const own = findOwnWords(text).filter(({ from, isPhrase }) => isPhrase || from === 0);
  if (!own.some(({ isPhrase }) => isPhrase)) return "";
  let [said, end] = ["", 0];
  for (const { from, to } of own.toSorted((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    said += keepNumbers(text.slice(end, Math.max(from, end))) + text.slice(Math.max(from, end), to);
    end = to;
  }
  return said + keepNumbers(text.slice(end));
}

/** Whatever has two letters in a row may be someone's word. */
const keepNumbers = (text: string): string =>
  text
    .split(/(\s+)/)
    .map((part) => (/\p{L}{2}/u.test(part) ? "…" : part))
    .join("")
    .replace(/…(?: …)+/g, "…");
