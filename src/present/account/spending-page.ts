// The page of what was spent: a total with what it does and doesn't hold, a chart of it, and a table.
import { sumCharges } from "../../domain/account/charge.ts";
import type { SeenInstance } from "../../domain/account/ledger.ts";
import {
  groupStretches,
  type SpendingChoice,
  type SpendingGroup,
  type Spent,
  type Stretch,
  splitByDay,
  startOfDay,
  sumSpent,
  toSpentRange,
} from "../../domain/account/spending.ts";
import { formatDateTime, formatTime, t, toLabel } from "../../lib/text.ts";
import { formatAmount, formatSpent } from "./spending-text.ts";

/** What `SpendingService` reads. Times are epoch milliseconds. */
export interface SpendingFacts {
  readonly from: number;
  readonly to: number;
  readonly stretches: readonly Stretch[];
  readonly since: number | undefined;
  /** Names of files of the record that couldn't be read. */
  readonly unread: readonly string[];
  readonly charged:
    | { readonly kind: "known"; readonly charges: Parameters<typeof sumOf>[0] }
    | { readonly kind: "unknown"; readonly error: { readonly kind: string; readonly message: string } };
  readonly sandbox: boolean;
}

interface ChargedFacts {
  readonly charges: Parameters<typeof sumCharges>[0];
  readonly isComplete: boolean;
}
const sumOf = ({ charges }: ChargedFacts) => sumCharges(charges);

/** Dollars. What was seen, what follows from it, and what it may have been at the most in addition. */
interface SpendingBar {
  readonly name: string;
  /** A short name, where there is little room. */
  readonly tick: string;
  readonly text: string;
  readonly observed: number;
  readonly inferred: number;
  readonly possible: number;
}

/** Everything the page shows. */
interface SpendingView extends Table {
  readonly choice: SpendingChoice;
  readonly total: string;
  readonly remarks: string[];
  readonly bars: SpendingBar[];
}

interface Table {
  /** The names of the columns. */
  readonly columns: string[];
  readonly rows: string[][];
}

const HOUR = 3_600_000;

const GROUP_NAMES: Readonly<Record<SpendingGroup, () => string>> = {
  day: () => t("Day"),
  instance: () => t("Instance"),
  template: () => t("Template"),
  project: () => t("Project"),
};

/** Local days, in epoch milliseconds. */
export function readPeriod(
  period: SpendingChoice["period"],
  now: number,
): { readonly from: number; readonly to: number } {
  const date = new Date(now);
  const month = (offset: number) => new Date(date.getFullYear(), date.getMonth() + offset, 1).getTime();
  const begins = {
    today: startOfDay(now),
    week: startOfDay(now, -6),
    month: startOfDay(now, -29),
    "this-month": month(0),
    "last-month": month(-1),
  };
  return { from: begins[period], to: period === "last-month" ? month(0) : now };
}

export function buildSpendingView(facts: SpendingFacts, choice: SpendingChoice): SpendingView {
  const { stretches } = facts;
  const { columns, rows } = choice.group === "instance" ? instanceTable(facts) : groupTable(facts, choice);
  return {
    choice,
    total: formatSpent(sumSpent(stretches)),
    remarks: remarksOf(facts),
    bars: barsOf(facts, choice.period === "today"),
    columns,
    rows,
  };
}

/** What a person must know to read the amounts. */
function remarksOf(facts: SpendingFacts): string[] {
  const { stretches, since, from, unread, charged, sandbox } = facts;
  const { inferred } = sumSpent(stretches);
  return [
    ...(since === undefined
      ? [t("Nothing has been recorded yet. Cloud GPU records costs while VS Code is open.")]
      : [t("Based on the hourly prices that the service lists. Volumes and traffic aren't included.")]),
    ...(since !== undefined && since > from ? [t("Recorded since {0}.", formatDateTime(since))] : []),
    ...(inferred.high > 0
      ? [t("Cloud GPU wasn't running the whole time. {0} of this amount is estimated.", inferredText(inferred))]
      : []),
    ...(unread.length > 0 ? [describeUnread(unread)] : []),
    ...chargedRemarks(charged),
    ...(sandbox ? [t("Sandbox: nothing is charged. Time may run faster than real time.")] : []),
  ];
}

const MOST_NAMES = 5;

/** Says which months lack something. */
export function describeUnread(names: readonly string[]): string {
  const shown = [...names].sort().slice(-MOST_NAMES);
  const text = [...(shown.length < names.length ? ["…"] : []), ...shown].join(", ");
  return t("Cloud GPU couldn't read part of its records, so amounts may be too low. The affected files: {0}", text);
}

const inferredText = (inferred: Spent["inferred"]): string => formatSpent({ observed: 0, inferred, isOpen: false });

function chargedRemarks(charged: SpendingFacts["charged"]): string[] {
  if (charged.kind === "known") {
    const { instances, other } = sumOf(charged.charges);
    const sum = [...instances.values()].reduce((all, amount) => all + amount, other);
    const text = charged.charges.isComplete
      ? t("The service charged {0} for this period, including traffic and volumes.", formatAmount(sum))
      : t("The service charged at least {0} for this period. Its list of charges was incomplete.", formatAmount(sum));
    return [text];
  }
  const { kind, message } = charged.error;
  if (kind === "unsupported") return [];
  return kind === "not-allowed"
    ? [t("This API key doesn't have permission to read charges.")]
    : [t("Couldn't read the service's charges: {0}", message)];
}

function barsOf({ stretches, from, to }: SpendingFacts, byHour: boolean): SpendingBar[] {
  const slots = byHour ? splitByHour(stretches, from, to) : splitByDay(stretches, from, to);
  return [...slots].map(([start, own]) => {
    const spent = sumSpent(own);
    const { low, high } = toSpentRange(spent);
    return {
      name: byHour ? formatTime(start) : dayText(start),
      tick: byHour ? formatTime(start) : shortDay(start),
      text: formatSpent(spent),
      observed: spent.observed,
      inferred: low - spent.observed,
      possible: high - low,
    };
  });
}

function splitByHour(stretches: readonly Stretch[], from: number, to: number): ReadonlyMap<number, readonly Stretch[]> {
  const hours = new Map<number, Stretch[]>();
  for (let hour = from; hour < to; hour += HOUR) hours.set(hour, []);
  for (const [hour, own] of hours)
    for (const stretch of stretches) {
      const [start, end] = [Math.max(stretch.from, hour), Math.min(stretch.to, hour + HOUR)];
      if (start < end) own.push({ ...stretch, from: start, to: end });
    }
  return hours;
}

/** `Nov 24` in the person's language. */
const shortDay = (at: number): string => new Date(at).toLocaleDateString(undefined, { month: "short", day: "numeric" });

/** `Tue, Nov 24` in the person's language. */
const dayText = (at: number): string =>
  new Date(at).toLocaleDateString(undefined, { weekday: "short", month: "short", day: "numeric" });

function groupTable(facts: SpendingFacts, { group }: SpendingChoice): Table {
  const groups = groupOf(facts, group);
  const rows = [...groups].filter(([, own]) => own.length > 0);
  const sorted = group === "day" ? rows.reverse() : rows.sort(byAmount);
  return {
    columns: [GROUP_NAMES[group](), t("Instances"), t("GPU Time"), t("Amount")],
    rows: sorted.map(([name, own]) => [name, String(countInstances(own)), gpuTime(own), formatSpent(sumSpent(own))]),
  };
}

function groupOf(
  { stretches, from, to }: SpendingFacts,
  group: SpendingGroup,
): ReadonlyMap<string, readonly Stretch[]> {
  if (group === "day") return new Map([...splitByDay(stretches, from, to)].map(([day, own]) => [dayText(day), own]));
  const known = lastSeen(stretches);
  return groupStretches(stretches, ({ seen: { id } }) => {
    const seen = known.get(id);
    const name = group === "template" ? seen?.template : seen?.project;
    if (name !== undefined) return toLabel(name, 80);
    return group === "template" ? t("No template") : t("No project known");
  });
}

/** What is known of each instance: names that windows learned at different times. */
function lastSeen(stretches: readonly Stretch[]): ReadonlyMap<number, SeenInstance> {
  const known = new Map<number, SeenInstance>();
  for (const { seen } of stretches) known.set(seen.id, { ...known.get(seen.id), ...seen });
  return known;
}

const byAmount = (
  [, one]: readonly [unknown, readonly Stretch[]],
  [, other]: readonly [unknown, readonly Stretch[]],
): number => toSpentRange(sumSpent(other)).high - toSpentRange(sumSpent(one)).high;

const countInstances = (stretches: readonly Stretch[]): number => new Set(stretches.map(({ seen }) => seen.id)).size;

/** The time that instances weren't held stopped: `2.0 h`, or `2.0–9.5 h` if it isn't known when one was rented or ended. */
function gpuTime(stretches: readonly Stretch[]): string {
  const running = stretches.filter(({ seen }) => seen.isStopped !== true);
  const certain = running.filter(({ certainty, low }) => certainty === "observed" || low > 0);
  const [least, most] = [hoursOf(certain), hoursOf(running)];
  if (most < 1) return t("{0} min", Math.round(most * 60));
  return most - least < 0.1 ? t("{0} h", most.toFixed(1)) : t("{0} h", `${least.toFixed(1)}–${most.toFixed(1)}`);
}

const hoursOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { from, to }) => sum + (to - from) / HOUR, 0);

/** With what the service charged for each, where it says so. */
function instanceTable({ stretches, charged }: SpendingFacts): Table {
  const known = lastSeen(stretches);
  const groups = [...groupStretches(stretches, ({ seen }) => seen.id)].sort(byAmount);
  const charges = charged.kind === "known" ? sumOf(charged.charges).instances : undefined;
  const chargedOf = (id: number) => [...(charges ?? [])].find(([one]) => one === id)?.[1];
  const rows = groups.map(([id, own]) => {
    const amount = chargedOf(id);
    return [
      nameOf(id, known.get(id)),
      gpuTime(own),
      formatSpent(sumSpent(own)),
      ...(charges ? [amount === undefined ? "" : formatAmount(amount)] : []),
    ];
  });
  const unseen = [...(charges ?? [])].filter(([id]) => !known.has(id));
  return {
    columns: [GROUP_NAMES.instance(), t("GPU Time"), t("Amount"), ...(charges ? [t("Charged")] : [])],
    rows: [...rows, ...unseen.map(([id, amount]) => [String(id), "", t("not recorded"), formatAmount(amount)])],
  };
}

function nameOf(id: number, seen: SeenInstance | undefined): string {
  const name = seen?.label ?? seen?.gpu;
  return name === undefined ? String(id) : `${toLabel(name, 60)} (${id})`;
}
