// The budget that lets agents rent without a question, in words.
import { type GrantState, type GrantTerms, isGrantOpen } from "../../domain/agent/grant.ts";
import { formatHourlyPrice, formatPrice, formatTotal } from "../../domain/base/money.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { formatNearTime } from "../base/when.ts";
import { formatHours } from "../instance/auto-stop-text.ts";
import { describeBilling } from "../launch/rent-question.ts";

const MINUTE = 60_000;

interface GrantAsked extends GrantTerms {
  /** Epoch milliseconds. */
  readonly until: number;
}

/** `payer`: the account's name, where there are several. `now` in epoch milliseconds. */
export function buildGrantQuestion(
  { amount, perHour, launches, until }: GrantAsked,
  { sandbox, payer }: { readonly sandbox: boolean; readonly payer: string | undefined },
  now: number,
): Question {
  return {
    message: t("Let agents rent for up to {0} without asking you?", formatPrice(amount)),
    detail: [
      ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
      ...(sandbox ? [describeBilling(true)] : []),
      t(
        "Until {0}, agents can rent {1} instances, on demand, for at most {2} each.",
        formatNearTime(until, now),
        launches,
        formatHourlyPrice(perHour),
      ),
      t(
        "What an instance may cost until its auto-stop comes out of the budget, even if it ends sooner. Network traffic isn't included: the service bills it in addition.",
      ),
      t(
        "Each instance has an auto-stop that destroys it by {0}, even if VS Code is closed. While VS Code is open, it destroys one that doesn't show within 10 minutes that it can do that.",
        formatNearTime(until, now),
      ),
      t(
        "Agents can destroy these instances without asking you, unless you set another auto-stop. Anything else still asks you, and your limits apply.",
      ),
    ].join("\n"),
    go: t("Let Agents Rent"),
  };
}

interface GrantView {
  readonly text: string;
  readonly tooltip: string;
}

/** For the status bar; undefined once it is over. `now` in epoch milliseconds. */
export function buildGrantView(grant: GrantState | undefined, now: number): GrantView | undefined {
  if (!grant || !isGrantOpen(grant, now)) return undefined;
  const { amount, spent, used, launches, perHour, until } = grant;
  const lasts = formatHours(Math.max(1, Math.ceil((until - now) / MINUTE)) / 60);
  const sum = t("{0} of {1}", formatTotal(spent, 1), formatPrice(amount));
  return {
    text: t("Agents: {0} · {1}", sum, lasts),
    tooltip: [
      t("Agents can rent without asking you until {0}.", formatNearTime(until, now)),
      t("Committed until the auto-stops: {0}", sum),
      t("Instances: {0} of {1}, for at most {2} each", used, launches, formatHourlyPrice(perHour)),
      t("Click to end this."),
    ].join("\n"),
  };
}

/** What the person is told once agents can no longer rent. `running`: how many of the instances are still rented. */
export const describeGrantEnd = (running: number): string =>
  running === 0
    ? t("Agents can no longer rent without asking you.")
    : t(
        "Agents can no longer rent without asking you. What they rented keeps running until its auto-stop: {0} of your instances.",
        running,
      );

/** An instance that didn't show that it ends itself. */
export const describeUnproven = ({ id, outcome, reason }: OrderResult): string =>
  outcome === "done"
    ? t("An agent rented instance {0}. It didn't show that it can destroy itself, so Cloud GPU destroyed it.", id)
    : t(
        "An agent rented instance {0}. It didn't show that it can destroy itself, and destroying it isn't confirmed: {1}",
        id,
        toPlainText(reason ?? t("The service hasn't confirmed it."), 200),
      );

/** For an agent that asks for a quote: what is left, in dollars, and why it doesn't pay for that one. */
export const buildBudgetFacts = (grant: GrantState, why: string | undefined): object => ({
  budget: {
    left: Math.max(0, Math.round((grant.amount - grant.spent) * 100) / 100),
    instances_left: Math.max(0, grant.launches - grant.used),
    until: new Date(grant.until).toISOString(),
    pays_for_this: why === undefined,
    ...(why === undefined ? {} : { why_not: why }),
  },
});
