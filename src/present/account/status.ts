// The status bar's text: what is rented, what it costs per hour, and what may be rented without anyone knowing.
import type { AccountReading } from "../../domain/account/account-reading.ts";
import type { Balance } from "../../domain/account/balance.ts";
import { type Spent, toSpentRange } from "../../domain/account/spending.ts";
import { addPrices, formatHourlyPrice, formatHourlySum } from "../../domain/base/money.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { getCurrentPrice, getPhase, isDead } from "../../domain/instance/instance.ts";
import { getPriceAtRisk, isRefused, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import { formatDateTime, formatTime, t, toPlainText } from "../../lib/text.ts";
import { formatInstanceTitle, formatTotalPrice } from "../instance/instances.ts";
import { formatLaunchName } from "../launch/launches.ts";
import { buildBalanceView } from "./balance-text.ts";
import { formatAmount, formatSpent, isWorthTelling } from "./spending-text.ts";

export interface StatusView {
  /** Codicon name. */
  readonly icon: string;
  readonly text: string;
  readonly tooltip: string;
  readonly accessible: string;
  /** Launches that someone must look at. */
  readonly warning: boolean;
  /** The balance is almost used up, an end has passed, or an instance has failed. */
  readonly isUrgent: boolean;
  /** Whether something is rented in this account for certain. */
  readonly bills: boolean;
}

interface StatusFacts {
  readonly rows: readonly {
    readonly value: Instance;
    readonly launchPrice: number | undefined;
    readonly gone?: boolean;
  }[];
  /** Launches whose outcome isn't proven. */
  readonly atRisk: readonly LaunchRecord[];
  readonly doubled: readonly LaunchRecord[];
  readonly sandbox: boolean;
  /** Wall clock milliseconds of the reading. */
  readonly at: number | undefined;
  /** True if the service couldn't be reached since. */
  readonly stale: boolean;
  /** False if the list is incomplete or was never read. Then a missing row doesn't mean that there is no instance. */
  readonly isWhole: boolean;
  /** The last readings of the other signed-in accounts that had rentals. */
  readonly others: readonly AccountReading[];
  /** What the account has left, if the service says it. */
  readonly balance: Balance | undefined;
  /** What instances cost since midnight, as far as it was seen. */
  readonly today: Spent | undefined;
  /** Instances that should have ended by now. */
  readonly passed: readonly Instance[];
  /** How many prices are watched. */
  readonly watchedPrices: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Undefined if nothing is rented, and nothing may be, in any account. */
export function buildStatusView(facts: StatusFacts): StatusView | undefined {
  const {
    rows: all,
    atRisk: unproven,
    doubled,
    sandbox,
    at,
    stale,
    isWhole,
    others,
    balance,
    today,
    passed,
    watchedPrices,
    now,
  } = facts;
  const rows = all.filter((row) => !row.gone);
  const failed = rows.filter(({ value }) => isDead(value)).map(({ value }) => value);
  if (rows.length === 0 && unproven.length === 0 && others.length === 0) return undefined;
  const refused = unproven.filter(isRefused);
  const atRisk = unproven.filter((record) => !isRefused(record));
  const running = rows.filter((row) => getPhase(row.value) === "running").length;
  const burn = formatTotalPrice(rows);
  const funds = buildBalanceView(rows.length > 0 ? balance : undefined, sumCurrentPrices(rows), now);
  const rented =
    rows.length > 0
      ? [rows.length, burn, todayText(today), funds.left].filter((part) => part !== undefined).join(" · ")
      : undefined;
  const open =
    atRisk.length > 0
      ? t("{0} unresolved, {1} at risk", atRisk.length, formatHourlySum(atRisk.map(getPriceAtRisk)))
      : undefined;
  const checking = rented === undefined && refused.length > 0 ? t("checking a refused launch") : undefined;
  const age = at === undefined ? undefined : describeAge(at, stale);
  const elsewhere = rented === undefined && open === undefined && refused.length === 0;
  const lines = [
    rows.length > 0 ? t("{0} rented, {1} running: {2}", rows.length, running, burn) : describeNoRows(isWhole && !stale),
    ...doubtLines({ ...facts, atRisk, refused, failed }),
    ...(today && isWorthTelling(today)
      ? [t("Instances today: {0}, excluding traffic and volumes.", formatSpent(today))]
      : []),
    ...funds.lines,
    ...(watchedPrices > 0 ? [watchedText(watchedPrices)] : []),
    ...(sandbox ? [t("Sandbox: nothing is charged.")] : []),
    ...(age === undefined ? [] : [age]),
    ...others.map(describeReading),
  ];
  const warning = atRisk.length > 0 || doubled.length > 0;
  return {
    icon: iconOf(warning, elsewhere),
    text: elsewhere
      ? elsewhereText(others)
      : [rented, open ?? checking, stale ? "?" : undefined].filter(Boolean).join(" · "),
    tooltip: lines.join("\n"),
    accessible: lines.join(" "),
    warning,
    isUrgent: funds.isLow || passed.length > 0 || failed.length > 0,
    bills: rows.length > 0,
  };
}

interface Doubts extends Pick<StatusFacts, "atRisk" | "doubled" | "passed"> {
  readonly refused: readonly LaunchRecord[];
  readonly failed: readonly Instance[];
}

/** What may be rented, is rented twice, should have ended, or never ran. */
function doubtLines({ atRisk, refused, doubled, passed, failed }: Doubts): string[] {
  return [
    ...atRisk.map((record) =>
      t("May have been rented: {0}, {1} at risk", formatLaunchName(record), formatHourlyPrice(getPriceAtRisk(record))),
    ),
    ...refused.map((record) => t("Refused. Checking that nothing was rented: {0}", formatLaunchName(record))),
    ...doubled.map((record) => t("Rented more than once: {0}", formatLaunchName(record))),
    ...passed.map((instance) => t("Should have ended by now: {0}", nameOf(instance))),
    ...failed.map((instance) => t("Failed, but may still be billed: {0}", nameOf(instance))),
  ];
}

const nameOf = (instance: Instance): string => toPlainText(formatInstanceTitle(instance), 100);

const watchedText = (count: number): string =>
  count === 1 ? t("1 price is being watched.") : t("{0} prices are being watched.", count);

/** Room for one amount only: where it isn't known exactly, the tooltip says so. */
function todayText(today: Spent | undefined): string | undefined {
  if (!today || today.isOpen || !isWorthTelling(today)) return undefined;
  const { low, high } = toSpentRange(today);
  return high - low > high * 0.02 ? undefined : t("{0} today", formatAmount(high));
}

/** Dollars per hour of all rows together; undefined if a price isn't known. */
export function sumCurrentPrices(rows: StatusFacts["rows"]): number | undefined {
  return addPrices(rows.map(getCurrentPrice));
}

/** While no one is signed in: what the accounts had rented when they were last read. Undefined if they had nothing. */
export function buildSignedOutView(others: readonly AccountReading[]): StatusView | undefined {
  if (others.length === 0) return undefined;
  const lines = [
    others.every(({ isLeft }) => isLeft)
      ? t("You're signed out. Sign in to see what the account rents now, or to end it.")
      : t("You're signed out. Switch to an account to see what it rents now."),
    ...others.map(describeReading),
  ];
  return {
    icon: iconOf(false, true),
    text: elsewhereText(others, true),
    tooltip: lines.join("\n"),
    accessible: lines.join(" "),
    warning: false,
    isUrgent: false,
    bills: false,
  };
}

function describeAge(at: number, stale: boolean): string {
  return stale ? t("as of {0}; the service is unreachable", formatTime(at)) : t("as of {0}", formatTime(at));
}

function describeNoRows(isCertain: boolean): string {
  return isCertain
    ? t("Nothing is rented in this account.")
    : t("Cloud GPU couldn't check what is rented in this account.");
}

function iconOf(warning: boolean, elsewhere: boolean): string {
  if (warning) return "warning";
  return elsewhere ? "vm-outline" : "vm-running";
}

/** The status bar has room for the total only. */
function elsewhereText(others: readonly AccountReading[], isSignedOut = false): string {
  const count = others.reduce((sum, one) => sum + one.count, 0);
  const price = formatHourlySum(others.map((one) => one.price));
  return isSignedOut
    ? t("signed out with {0} rented · {1}", count, price)
    : t("other accounts: {0} rented · {1}", count, price);
}

/** What an account had rented when it was last read. */
export function describeReading(reading: AccountReading): string {
  const { name, host } = namesOf(reading);
  const known = name === host ? host : t("{0} at {1}", name, host);
  const who = reading.isLeft ? t("{0} (signed out, needs its API key)", known) : known;
  return t("{0}: {1}", who, describeRentals(reading));
}

/** The same beside the account's name. */
export function describeNamedReading(reading: AccountReading): string {
  const { name, host } = namesOf(reading);
  const place = [...(name === host ? [] : [host]), ...(reading.isLeft ? [t("signed out, needs its API key")] : [])];
  return [...place, describeRentals(reading)].join(" · ");
}

/** Who wanted back to an account entered the key of another one. */
export function buildOtherAccountWarning(entered: string, left: AccountReading): string {
  const { name } = namesOf(left);
  const other = toPlainText(entered, 60);
  return left.count === 1
    ? t("This key belongs to {0}. {1} still has 1 instance.", other, name)
    : t("This key belongs to {0}. {1} still has {2} instances.", other, name, left.count);
}

const namesOf = ({ name, base }: AccountReading) => ({
  name: toPlainText(name, 60),
  host: toPlainText(new URL(base).host, 60),
});

function describeRentals({ count, price, at }: AccountReading): string {
  return count === 1
    ? t("1 instance at {0} (as of {1})", formatHourlyPrice(price), formatDateTime(at))
    : t("{0} instances at {1} (as of {2})", count, formatHourlyPrice(price), formatDateTime(at));
}
