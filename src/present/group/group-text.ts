// What is asked and said about groups.
import { formatHourlySum } from "../../domain/base/money.ts";
import { countStates, type GroupFacts } from "../../domain/group/group-facts.ts";
import { findDecision } from "../../domain/group/group-record.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";
import type { Message } from "../base/message.ts";
import type { Question } from "../base/question.ts";
import type { InstanceFacts } from "../instance/instance-facts.ts";
import { buildDestroyQuestion, buildStateQuestion } from "../instance/instance-questions.ts";
import { describeGroupState } from "./group-rows.ts";

type Rows = readonly Pick<InstanceFacts, "value" | "launchPrice">[];

const priceOf = (rows: Rows): string => formatHourlySum(rows.map(getCurrentPrice));

export function buildDestroyGroupQuestion(name: string, rows: Rows): Pick<Question, "message" | "detail"> {
  const { detail } = buildDestroyQuestion(rows);
  return {
    message: t("Destroy group “{0}” ({1}, {2})?", name, formatInstanceCount(rows.length), priceOf(rows)),
    detail,
  };
}

export function buildStopGroupQuestion(name: string, rows: Rows): Pick<Question, "message" | "detail"> {
  const { detail } = buildStateQuestion("stop", rows);
  return {
    message: t("Stop group “{0}” ({1}, {2})?", name, formatInstanceCount(rows.length), priceOf(rows)),
    detail,
  };
}

/** What was decided. `rows`: its instances that are listed. `why`: why not all were rented, if that is known. */
export function describeDecision(group: GroupFacts, rows: Rows, isOverdue: boolean, why: string | undefined): Message {
  const { name, members, record } = group;
  const decision = findDecision(record);
  const ready = countStates(group, "ready");
  if (decision === "complete")
    return {
      severity: "info",
      text: t("Group “{0}” is running: {1} at {2}.", name, formatInstanceCount(members.length), priceOf(rows)),
    };
  const isEnough = decision === "enough";
  const told = isEnough
    ? t("Group “{0}” is running with {1} of {2} instances, which meets your minimum.", name, ready, members.length)
    : t(
        "Group “{0}” has too few instances: {1}. You asked for at least {2}.",
        name,
        describeGroupState(group),
        record.prepared.least,
      );
  const parts = [told, why, whatFollows(group, rows, isEnough, isOverdue)];
  const isCalm = isEnough && rows.length === ready && countUnlisted(group) === 0;
  return { severity: isCalm ? "info" : "warning", text: parts.filter(Boolean).join(" ") };
}

/** Those that were rented a moment ago, and those that may have been. */
function countUnlisted({ members, listed }: GroupFacts): number {
  const isListed = (id: number | undefined) => listed.some((one) => one === id);
  return members.filter(({ state, id }) => (state === "coming" || state === "unknown") && !isListed(id)).length;
}

function whatFollows(group: GroupFacts, rows: Rows, isEnough: boolean, isOverdue: boolean): string | undefined {
  const unlisted = countUnlisted(group);
  const ofListed = whatFollowsForListed(group, rows, isEnough, isOverdue);
  if (unlisted === 0) return rows.length === 0 ? t("Nothing in this group is being billed.") : ofListed;
  const mayCost =
    unlisted === 1
      ? t("1 instance isn't in the list yet and may cost money.")
      : t("{0} instances aren't in the list yet and may cost money.", unlisted);
  const isEnding = group.record.prepared.rest === "destroy" && !isOverdue;
  const parts = [
    ofListed,
    mayCost,
    isEnding ? t("Cloud GPU destroys any instance it finds, as you chose.") : undefined,
  ];
  return parts.filter(Boolean).join(" ");
}

function whatFollowsForListed(
  group: GroupFacts,
  rows: Rows,
  isEnough: boolean,
  isOverdue: boolean,
): string | undefined {
  if (rows.length === 0) return undefined;
  const left = isEnough ? rows.length - countStates(group, "ready") : rows.length;
  if (left === 0) return undefined;
  const cost = rows.length === 1 ? t("It costs {0}.", priceOf(rows)) : t("Together, they cost {0}.", priceOf(rows));
  if (isOverdue) return `${cost} ${t("VS Code was closed at the deadline, so nothing was destroyed.")}`;
  if (group.record.prepared.rest === "ask") return cost;
  if (left === 1)
    return isEnough
      ? t("Cloud GPU is destroying the other instance, as you chose.")
      : t("Cloud GPU is destroying it, as you chose.");
  return isEnough
    ? t("Cloud GPU is destroying the others, as you chose.")
    : t("Cloud GPU is destroying them, as you chose.");
}

/** What became of instances that no one wanted that way. */
export function describeEndedGroup(name: string, ids: readonly number[]): string {
  const listed = toPlainText(ids.join(", "), 300);
  return ids.length === 1
    ? t("Destroyed instance {0} of group “{1}”, as you chose.", listed, name)
    : t("Destroyed {0} instances of group “{1}”, as you chose: {2}.", ids.length, name, listed);
}
