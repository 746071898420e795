// The house's questions, asked for an agent: what is done and what is lost is said as always, and who wants it comes first.
import type { AutoStopWish, InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { describeAutoStop, describeAutoStopWish } from "../instance/auto-stop-text.ts";
import type { InstanceFacts } from "../instance/instance-facts.ts";
import { buildOrderQuestion } from "../instance/instance-questions.ts";

/** It comes unexpectedly, so a key that was meant for something else says no. */
export const toAgentQuestion = (question: Question): Question => ({
  keep: t("Not Now"),
  ...question,
  detail: [t("An agent asked for this."), question.detail].join("\n"),
});

/** Before an auto-stop that comes sooner: the same is lost, later. */
export function buildSoonerQuestion(
  row: Pick<InstanceFacts, "value" | "launchPrice">,
  { wish, present }: { readonly wish: AutoStopWish; readonly present: InstanceAutoStop | undefined },
  now: number,
): Question {
  const kind = wish.ending === "destroy" ? "destroy" : "stop";
  const before = describeAutoStop(present, now);
  return {
    message: t("Set an auto-stop for instance {0}?", row.value.id),
    detail: [
      describeAutoStopWish(wish, now) ?? "",
      ...(before === undefined ? [] : [t("Until now: {0}", before)]),
      buildOrderQuestion(kind, [row]).detail,
    ].join("\n"),
    go: t("Set Auto-Stop"),
  };
}
