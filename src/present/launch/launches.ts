// Texts about an unresolved launch: what is known, what is at risk, what happens next. Never claims more than is known.

import { formatHourlyPrice, formatTotal } from "../../domain/base/money.ts";
import { getLaunchState, getPriceAtRisk, isRefused, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import { formatDateTime, formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { listKnownFacts, type RowView } from "../base/row.ts";

const HOUR = 3_600_000;

function machine({ prepared }: LaunchRecord): string {
  return prepared ? toLabel(prepared.machine, 60) : t("Launch");
}

/** "1× RTX 4090 of 14:02", or as much of that as is known if the file can't be read. */
export function formatLaunchName(record: LaunchRecord): string {
  const { prepared } = record;
  return prepared ? t("{0} of {1}", machine(record), formatTime(prepared.at)) : t("an unreadable launch");
}

/** `$0.41/h`, and what that adds up to since the request was sent. `now` epoch milliseconds. */
export function describeLaunchRisk(record: LaunchRecord, now: number): string {
  const price = getPriceAtRisk(record);
  const at = record.prepared?.at;
  if (price === undefined || at === undefined) return formatHourlyPrice(price);
  return t("{0}, about {1} so far", formatHourlyPrice(price), formatTotal(price, Math.max(0, now - at) / HOUR));
}

export function buildLaunchRow(record: LaunchRecord, tag: string): RowView {
  if (isRefused(record)) return refusedRow(record, tag);
  const doubled = getLaunchState(record) === "doubled";
  const name = machine(record);
  const price = formatHourlyPrice(getPriceAtRisk(record));
  const state = doubled ? t("rented {0} times", record.ids.length) : t("may have been rented");
  const since = record.prepared ? t("sent {0}", formatTime(record.prepared.at)) : undefined;
  // A narrow sidebar cuts off the end, so the cost comes before the time.
  const short = doubled ? [state, t("{0} each", price)] : [t("unresolved"), t("{0} at risk", price)];
  return {
    id: `launch ${tag} ${record.token}`,
    label: name,
    description: [...short, since].filter(Boolean).join(" · "),
    icon: "warning",
    color: "list.warningForeground",
    context: "launch canReview",
    accessible: t("{0}, launch, {1}, {2}", name, state, since ?? ""),
    tooltip: () => ({ title: `${name} — ${state}`, facts: listLaunchFacts(record) }),
  };
}

/** The service refused it: most likely nothing was rented, and the extension is still checking. */
function refusedRow(record: LaunchRecord, tag: string): RowView {
  const name = machine(record);
  const state = t("refused, checking that nothing was rented");
  return {
    id: `launch ${tag} ${record.token}`,
    label: name,
    description: state,
    icon: "sync~spin",
    color: undefined,
    context: "launch canReview",
    accessible: t("{0}, launch, {1}, {2}", name, state, ""),
    tooltip: () => ({ title: `${name} — ${state}`, facts: listLaunchFacts(record) }),
  };
}

/** What is known about it, and what happens next. */
export function listLaunchFacts(record: LaunchRecord): [string, string][] {
  const { prepared, ids, facts } = record;
  return listKnownFacts([
    [t("Sent"), prepared ? formatDateTime(prepared.at) : undefined],
    [t("Price"), formatHourlyPrice(getPriceAtRisk(record))],
    [
      t("Response"),
      facts.has("refused") ? t("the service refused the request") : t("lost, or didn't say what was rented"),
    ],
    [t("Instances"), ids.length > 0 ? ids.join(", ") : undefined],
    [t("Offer"), prepared?.offer],
    [t("Launch ID in its label"), record.token],
    [t("What happens next"), describeNext(record)],
  ]);
}

function describeNext({ prepared, ids }: LaunchRecord): string {
  if (ids.length > 1) return t("destroy the ones you don't need");
  return prepared?.tracked !== false
    ? t("Cloud GPU keeps checking and won't send the request again")
    : t("this service can't list instances. Check its website, then choose what you found");
}

/** The notification about a launch that no one is waiting for. */
export function describeLaunchNotice(kind: "found" | "late" | "doubled" | "absent", record: LaunchRecord): string {
  const name = toPlainText(formatLaunchName(record), 80);
  const price = formatHourlyPrice(getPriceAtRisk(record));
  const ids = record.ids.join(", ");
  switch (kind) {
    case "found":
      return t(
        "The launch whose response was lost ({0}) went through. Instance {1} is rented for {2}.",
        name,
        ids,
        price,
      );
    case "late":
      return t(
        "A launch that seemed to have failed ({0}) went through. Instance {1} is rented for {2}.",
        name,
        ids,
        price,
      );
    case "doubled":
      if (record.late.size > 0)
        return t(
          "More than one machine has the label of a launch ({0}): instances {1}. A network retry may have rented one late. Destroy those you don't need.",
          name,
          ids,
        );
      return t(
        "A network retry rented more than one machine ({0}): instances {1}, {2} each. Destroy the ones you don't need.",
        name,
        ids,
        price,
      );
    case "absent":
      return t(
        "The launch whose response was lost ({0}) doesn't seem to have gone through. You can launch again. Cloud GPU keeps watching for it for seven days.",
        name,
      );
  }
}
