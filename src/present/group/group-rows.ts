// A group as a row above its members: how many of them are ready, what stands in the way of the others, and what they cost.
import { formatHourlySum } from "../../domain/base/money.ts";
import { countStates, type GroupFacts } from "../../domain/group/group-facts.ts";
import type { MemberState } from "../../domain/group/group-policy.ts";
import { type Decision, findDecision } from "../../domain/group/group-record.ts";
import type { InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { formatTime, t } from "../../lib/text.ts";
import type { Facts, RowView } from "../base/row.ts";
import { formatNearTime } from "../base/when.ts";
import { formatAutoStop } from "../instance/auto-stop-text.ts";

/** What a row of a group says beside the group itself. */
interface GroupRowFacts {
  readonly group: GroupFacts;
  readonly tag: string;
  /** Dollars per hour of each listed instance; undefined for one whose price is unknown. */
  readonly prices: readonly (number | undefined)[];
  /** Of each listed instance. */
  readonly ends: readonly (InstanceAutoStop | undefined)[];
  readonly staleSince: number | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `3 of 4 ready`, and what the others do. */
export function describeGroupState(group: GroupFacts): string {
  const { members } = group;
  const unrented = members.filter(({ state, id }) => state === "coming" && id === undefined).length;
  const starting = countStates(group, "coming") - unrented;
  const others: readonly (readonly [MemberState, (count: number) => string])[] = [
    ["stopped", (count) => t("{0} stopped", count)],
    ["unknown", (count) => t("{0} unresolved", count)],
    ["dead", (count) => t("{0} failed", count)],
    ["gone", (count) => (count === 1 ? t("1 no longer exists") : t("{0} no longer exist", count))],
    ["missing", (count) => t("{0} not rented", count)],
  ];
  const counted = others.flatMap(([state, text]) => {
    const count = countStates(group, state);
    return count === 0 ? [] : [text(count)];
  });
  return [
    t("{0} of {1} ready", countStates(group, "ready"), members.length),
    ...(unrented === 0 ? [] : [t("{0} not rented yet", unrented)]),
    ...(starting === 0 ? [] : [t("{0} starting", starting)]),
    ...counted,
  ].join(", ");
}

const ICONS: Readonly<Record<"moving" | "complete" | "short" | "other", readonly [string, string | undefined]>> = {
  moving: ["sync~spin", undefined],
  complete: ["server-environment", "charts.green"],
  short: ["warning", "list.warningForeground"],
  other: ["server-environment", undefined],
};

function chooseIcon(group: GroupFacts): readonly [string, string | undefined] {
  if (countStates(group, "ready") === group.members.length) return ICONS.complete;
  if (findDecision(group.record) === undefined) return ICONS.moving;
  return countStates(group, "dead", "unknown") > 0 ? ICONS.short : ICONS.other;
}

/** All ends are the same, or the first of them comes first. */
function endsText(ends: GroupRowFacts["ends"], now: number): string | undefined {
  const set = ends.filter((end) => end !== undefined).sort((a, b) => a.until - b.until);
  const [first] = set;
  const words = formatAutoStop(first, now);
  const isSame =
    set.length === ends.length &&
    set.every(
      (end) =>
        end.until === first?.until &&
        end.ending === first.ending &&
        end.stoppedHours === first.stoppedHours &&
        end.second === first.second,
    );
  return words === undefined || isSame ? words : t("first {0}", words);
}

export function buildMachineGroupRow({ group, tag, prices, ends, staleSince, now }: GroupRowFacts): RowView {
  const { id, name } = group;
  const state = describeGroupState(group);
  const price = prices.length > 0 ? formatHourlySum(prices) : undefined;
  const age = staleSince === undefined ? undefined : t("as of {0}", formatTime(staleSince));
  const words = [state, price, age, endsText(ends, now)].filter((word) => word !== undefined);
  const [icon, color] = chooseIcon(group);
  const canStop = group.members.some((member) => member.state === "ready" || member.state === "coming");
  return {
    // The editor remembers by the ID whether a row is unfolded, and one without rows below it never is.
    id: `machineGroup ${tag} ${id}${group.listed.length > 0 ? "" : " empty"}`,
    label: name,
    description: words.join(" · "),
    icon: staleSince === undefined ? icon : icon.replace("~spin", ""),
    color: staleSince === undefined ? color : "disabledForeground",
    context: [
      "machineGroup",
      ...(group.listed.length > 0 ? ["hasMembers"] : []),
      ...(canStop ? ["hasRunning"] : []),
    ].join(" "),
    accessible: [t("Group {0}", name), ...words].join(", "),
    tooltip: () => groupFacts(group, now),
  };
}

function groupFacts(group: GroupFacts, now: number): Facts {
  const { name, record, members } = group;
  const decision = findDecision(record);
  const { deadline, least } = record.prepared;
  const facts: [string, string][] = [
    [t("Ready"), describeGroupState(group)],
    [t("Must run"), least === members.length ? t("all {0}", least) : t("at least {0} of {1}", least, members.length)],
    [
      t("Result"),
      decision === undefined ? t("expected by {0}", formatNearTime(deadline, now)) : decisionText(decision),
    ],
    [t("Instances"), members.map(({ rank, id }) => `${rank}: ${id ?? "–"}`).join(", ")],
  ];
  return { title: t("Group {0}", name), facts };
}

function decisionText(decision: Decision): string {
  return {
    complete: t("all started"),
    enough: t("enough started"),
    short: t("too few started"),
  }[decision];
}
