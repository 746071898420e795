// Everything that bills as the rows of one list, with what it costs in all. It never says more than was read.
import type { AccountReading } from "../../domain/account/account-reading.ts";
import type { DiskCost } from "../../domain/account/disk-costs.ts";
import { formatHourlyPrice, toPrice } from "../../domain/base/money.ts";
import type { InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { billsOnlyDisk, getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import type { Volume } from "../../domain/instance/volume.ts";
import { getPriceAtRisk, isRefused, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import { formatTime, t, toLabel } from "../../lib/text.ts";
import { formatAutoStop } from "../instance/auto-stop-text.ts";
import { formatInstanceName, formatInstanceTitle, formatPhase, getInstanceIcon } from "../instance/instances.ts";
import { describeOrderFailures, formatOrder, type OrderState } from "../instance/orders.ts";
import { formatLaunchName } from "../launch/launches.ts";
import { formatEndpointName, formatWorkergroupName, type WorkergroupPlain } from "../serverless/workergroups.ts";
import { describeDiskCost, formatDiskCost } from "./disk-cost-text.ts";
import { describeReading } from "./status.ts";

interface ListFacts<T> {
  readonly rows: readonly T[];
  readonly unreadable: number;
  /** Why it, or its newest state, couldn't be read. */
  readonly error?: { readonly kind: string; readonly message: string } | undefined;
}

interface PaidInstance {
  readonly value: Instance;
  readonly launchPrice: number | undefined;
}

/** What `PayingService` reads. */
export interface PaidFacts {
  readonly instances: ListFacts<PaidInstance> & {
    readonly isWhole: boolean;
    readonly isListed: boolean;
    readonly at: number | undefined;
  };
  readonly launches: ListFacts<LaunchRecord>;
  readonly volumes: ListFacts<{ readonly value: Volume }>;
  readonly workergroups: ListFacts<{ readonly value: WorkergroupPlain }>;
  /** What the disks of stopped instances have cost. `isLeast`: it may be more, and may have begun before. */
  readonly diskCosts: ReadonlyMap<number, DiskCost>;
  /** The auto-stops of instances, by their IDs. */
  readonly ends?: ReadonlyMap<number, InstanceAutoStop>;
  readonly failed: readonly OrderResult[];
}

/** What a row stands for, and so what can be done with it. */
export type PaidThing =
  | { readonly kind: "instance"; readonly id: number }
  | { readonly kind: "launch"; readonly token: string }
  | { readonly kind: "workergroup"; readonly id: number }
  | { readonly kind: "again"; readonly order: OrderResult["kind"] }
  | { readonly kind: "reread" }
  /** Another account on this computer. */
  | { readonly kind: "account" }
  | { readonly kind: "none" };

export interface PaidRow {
  readonly thing: PaidThing;
  /** Codicon name. */
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

interface PaidGroup {
  /** Undefined for lines about the list itself. */
  readonly name: string | undefined;
  readonly rows: readonly PaidRow[];
}

interface PaidView {
  /** Dollars per hour of everything; undefined if nothing is known to bill. */
  readonly total: string | undefined;
  readonly groups: readonly PaidGroup[];
}

/**
 * `orderOf` says what is in progress for an instance. `now` is in epoch milliseconds. `elsewhere`: what other accounts had rented, which is in no total. `funds`: lines
 * about the balance.
 */
export function buildPaidView(
  facts: PaidFacts,
  orderOf: (id: number) => OrderState | undefined,
  now: number,
  elsewhere: readonly AccountReading[] = [],
  funds: readonly string[] = [],
): PaidView {
  const { instances, launches, volumes, workergroups, failed } = facts;
  const ordinary = instances.rows.filter(({ value }) => !failed.some(({ id }) => id === value.id));
  const rowOf = (row: PaidInstance) => instanceLine(row, orderOf(row.value.id));
  const groups: PaidGroup[] = [
    { name: t("Still billed"), rows: failedRows(facts) },
    { name: t("Instances"), rows: ordinary.filter(({ value }) => !billsOnlyDisk(value)).map(rowOf) },
    { name: t("Only the disk is billed"), rows: diskRows(facts, ordinary, orderOf, now) },
    { name: t("Unresolved launches"), rows: launches.rows.map(launchLine) },
    { name: t("Volumes"), rows: volumes.rows.map(volumeLine) },
    { name: t("Workergroups"), rows: workergroups.rows.map(workergroupLine) },
  ];
  const balance = { name: t("Balance"), rows: funds.map((text) => line("credit-card", text)) };
  const others = { name: t("Other accounts"), rows: elsewhere.map(accountLine) };
  const gaps = gapLines(facts);
  const filled = groups.filter(({ rows }) => rows.length > 0);
  const none = gaps.length === 0 && filled.length === 0 ? [line("check", t("No charges found in this account."))] : [];
  const first = [...gaps, ...none];
  return {
    total: totalOf(facts, gaps.length > 0),
    groups: [{ name: undefined, rows: first }, ...filled, balance, others].filter(({ rows }) => rows.length > 0),
  };
}

const accountLine = (reading: AccountReading): PaidRow => ({
  ...line("account", toLabel(describeReading(reading), 200), { kind: "account" }),
  detail: t("Switch Account…"),
});

/** What isn't known is never left out of a sum in silence, and never counted as nothing. */
function totalOf({ instances, launches, volumes, workergroups }: PaidFacts, hasGaps: boolean): string | undefined {
  const prices = [...instances.rows.map(getCurrentPrice), ...volumes.rows.map(({ value }) => volumePrice(value))];
  const known = prices.filter((price) => price !== undefined);
  const mayBeMore =
    hasGaps ||
    known.length < prices.length ||
    workergroups.rows.length > 0 ||
    launches.rows.some((record) => !isRefused(record));
  if (known.length === 0) return mayBeMore ? t("total unknown") : undefined;
  const sum = formatHourlyPrice(known.reduce((all, price) => all + price, 0));
  // An old reading may be too high as well.
  if (instances.error && instances.at !== undefined) return t("{0} as of {1}", sum, formatTime(instances.at));
  return mayBeMore ? t("at least {0}", sum) : sum;
}

function line(icon: string, text: string, thing: PaidThing = { kind: "none" }): PaidRow {
  return { thing, icon, label: text };
}

/** Why this may not be everything. */
function gapLines({ instances, launches, volumes, workergroups }: PaidFacts): PaidRow[] {
  const lines: PaidRow[] = [];
  const { error, at, isWhole, isListed, unreadable } = instances;
  const isOld = error !== undefined && at !== undefined;
  if (error)
    lines.push(
      rereadLine(isOld ? t("The list of instances is from {0}: {1}", formatTime(at), error.message) : error.message),
    );
  else if (!isListed)
    lines.push(line("warning", t("This service can't list instances. You may have more than the ones launched here.")));
  else if (unreadable > 0)
    lines.push(line("warning", t("Instances that couldn't be read and aren't listed: {0}.", unreadable)));
  else if (!isWhole) lines.push(line("warning", t("The list of instances is incomplete. There may be more.")));
  if (launches.error) lines.push(rereadLine(t("Launches couldn't be read: {0}", launches.error.message)));
  return [
    ...lines,
    ...gapOf(volumes, {
      forbidden: t("The API key doesn't have permission to list volumes. Some may be billed."),
      failed: (why) => t("Volumes couldn't be read: {0}", why),
      unreadable: (count) => t("Volumes that couldn't be read and aren't listed: {0}.", count),
    }),
    ...gapOf(workergroups, {
      forbidden: t("The API key doesn't have permission to list workergroups. They may be spending."),
      failed: (why) => t("Workergroups couldn't be read: {0}", why),
      unreadable: (count) => t("Workergroups that couldn't be read and aren't listed: {0}.", count),
    }),
  ];
}

interface GapWords {
  readonly forbidden: string;
  readonly failed: (why: string) => string;
  readonly unreadable: (count: number) => string;
}

function gapOf({ error, unreadable }: ListFacts<unknown>, words: GapWords): PaidRow[] {
  if (error && ["not-allowed", "key-refused"].includes(error.kind)) return [line("lock", words.forbidden)];
  if (error) return [rereadLine(words.failed(error.message))];
  return unreadable > 0 ? [line("warning", words.unreadable(unreadable))] : [];
}

/** The reason is foreign text, and what to do about it must stay in sight. */
function rereadLine(why: string): PaidRow {
  const again = t("Press Enter to try again");
  return { ...line("error", toLabel(why, 300), { kind: "reread" }), description: again };
}

/** First what to try again, then each instance with what became of its order. */
function failedRows({ instances, failed }: PaidFacts): PaidRow[] {
  const rows = failed.flatMap((end) => {
    const row = instances.rows.find(({ value }) => value.id === end.id);
    return row ? [{ end, row }] : [];
  });
  const kinds = new Set(rows.map(({ end }) => end.kind));
  return [
    ...(["destroy", "stop"] as const).filter((kind) => kinds.has(kind)).map((kind) => againLine(kind, rows)),
    ...rows.map(({ end, row }) => ({
      ...instanceLine(row, undefined),
      icon: "error",
      detail: failureText(end, formatInstanceTitle(row.value)),
    })),
  ];
}

/** The row above it names the instance. */
function failureText(end: OrderResult, name: string): string {
  const { kind, outcome, reason = "" } = end;
  if (outcome !== "failed") return describeOrderFailures([end], () => name) ?? "";
  return kind === "destroy"
    ? t("May still exist and cost money. {0}", toLabel(reason, 300))
    : t("May still be running at full price. {0}", toLabel(reason, 300));
}

function againLine(order: OrderResult["kind"], rows: readonly { readonly end: OrderResult }[]): PaidRow {
  const count = rows.filter(({ end }) => end.kind === order).length;
  return {
    ...line("refresh", t("Try Again"), { kind: "again", order }),
    description: order === "destroy" ? destroyText(count) : stopText(count),
  };
}

const destroyText = (count: number) => (count === 1 ? t("destroy 1 instance") : t("destroy {0} instances", count));
const stopText = (count: number) => (count === 1 ? t("stop 1 instance") : t("stop {0} instances", count));

const priceWords = (price: number | undefined) => (price === undefined ? t("price unknown") : formatHourlyPrice(price));

function instanceLine(row: PaidInstance, order: OrderState | undefined): PaidRow {
  const { value } = row;
  const state = order ? formatOrder(order) : formatPhase(value);
  return {
    thing: order ? { kind: "none" } : { kind: "instance", id: value.id },
    icon: order ? "sync" : getInstanceIcon(value),
    label: toLabel(formatInstanceName(value), 60),
    description: [priceWords(getCurrentPrice(row)), toLabel(state, 60), String(value.id)].join(" · "),
  };
}

/** The disk that has cost most comes first, and what isn't known last. */
function diskRows(
  { diskCosts, ends }: PaidFacts,
  rows: readonly PaidInstance[],
  orderOf: (id: number) => OrderState | undefined,
  now: number,
): PaidRow[] {
  const costOf = ({ value }: PaidInstance) => diskCosts.get(value.id)?.amount ?? 0;
  return rows
    .filter(({ value }) => billsOnlyDisk(value))
    .sort((one, other) => costOf(other) - costOf(one))
    .map((row) => {
      const { id } = row.value;
      const line = instanceLine(row, orderOf(id));
      const [cost, end] = [diskCosts.get(id), ends?.get(id)];
      // A stop or a reminder ends no disk.
      const then = end?.ending === "destroy" && formatAutoStop(end, now);
      // There is room for little: what comes next matters more than what it counts from.
      const spent = cost && cost.amount > 0 && (then ? formatDiskCost(cost) : describeDiskCost(cost, now));
      const detail = [spent, then].filter(Boolean).join(" · ");
      return detail === "" ? line : { ...line, detail };
    });
}

function launchLine(record: LaunchRecord): PaidRow {
  const price = getPriceAtRisk(record);
  const state = isRefused(record)
    ? t("refused, checking that nothing was rented")
    : t("may have been rented: {0}", priceWords(price));
  return {
    thing: { kind: "launch", token: record.token },
    icon: isRefused(record) ? "sync" : "warning",
    label: toLabel(formatLaunchName(record), 80),
    description: `${state} · ${t("Review…")}`,
  };
}

const volumePrice = ({ storage_total_cost }: Volume): number | undefined => toPrice(storage_total_cost);

function volumeLine({ value }: { readonly value: Volume }): PaidRow {
  const size = value.disk_space === undefined ? undefined : t("{0} GB", Math.round(value.disk_space));
  const words = [priceWords(volumePrice(value)), size, value.label === undefined ? undefined : String(value.id)];
  return {
    thing: { kind: "none" },
    icon: "database",
    label: toLabel(value.label ?? "", 60) || String(value.id),
    description: words.filter(Boolean).join(" · "),
  };
}

function workergroupLine({ value }: { readonly value: WorkergroupPlain }): PaidRow {
  return {
    thing: { kind: "workergroup", id: value.id },
    icon: "server-process",
    label: formatWorkergroupName(value),
    description: `${t("rents workers automatically")} · ${formatEndpointName(value)} · ${t("Show")}`,
  };
}
