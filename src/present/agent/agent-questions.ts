// The house's questions, asked for an agent: what is done and what is lost is said as always, and who wants it comes first.
import type { AutoStopWish, InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { describeAutoStop, describeAutoStopWish } from "../instance/auto-stop-text.ts";
import type { InstanceFacts } from "../instance/instance-facts.ts";
import { buildOrderQuestion, describeInstanceLine } from "../instance/instance-questions.ts";
import { describeBilling } from "../launch/rent-question.ts";

type Row = Pick<InstanceFacts, "value" | "launchPrice">;

/** What an agent's question is about, where the question itself doesn't say it. */
interface AskedAbout {
  readonly row: Row;
  readonly sandbox: boolean;
  /** The account's name, where there are several. */
  readonly payer: string | undefined;
}

/** It comes unexpectedly, so a key that was meant for something else says no. */
export const toAgentQuestion = (question: Question, about?: AskedAbout, whyNotPaid?: string): Question => ({
  keep: t("Not Now"),
  ...question,
  detail: [
    t("An agent asked for this."),
    ...(whyNotPaid === undefined ? [] : [t("Your budget for agents doesn't cover it. {0}", whyNotPaid)]),
    ...(about ? describeAbout(about, question.detail) : []),
    question.detail,
  ].join("\n"),
});

/** Whoever didn't expect it may not know which account is in use, nor what the number of the instance stands for. */
function describeAbout({ row, sandbox, payer }: AskedAbout, detail: string): readonly string[] {
  const instance = describeInstanceLine(row);
  return [
    ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
    ...(sandbox ? [describeBilling(true)] : []),
    ...(detail.includes(instance) ? [] : [instance]),
  ];
}

/** Before an auto-stop that comes sooner: the same is lost, later. */
export function buildSoonerQuestion(
  row: Row,
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
