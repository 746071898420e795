// What there is to say while a launch goes on, in words: messages, the actions out of them, questions and progress.
import { formatHourlyPrice, formatPrice, formatTotal } from "../../domain/base/money.ts";
import { getPhase, type Instance } from "../../domain/instance/instance.ts";
import type {
  LaunchAction,
  LaunchMessage,
  LaunchQuestion,
  LaunchStage,
  ShownInstance,
} from "../../domain/launch/launch-messages.ts";
import { calculatePlanPrice, isLoginLost, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import type { Message } from "../base/message.ts";
import type { Question } from "../base/question.ts";
import { describeAutoStopWish } from "../instance/auto-stop-text.ts";
import { describeIdleTimeout } from "../instance/idle-text.ts";
import { formatPhase } from "../instance/instances.ts";
import { describeOrderFailures } from "../instance/orders.ts";
import { formatOfferPlace } from "../offer/offers.ts";
import { buildRentQuestion, describeBilling, describeUntracked, formatCostUntilEnd } from "./rent-question.ts";
import { formatPlanPrice } from "./summary.ts";

const info = (text: string): Message => ({ severity: "info", text });
const warning = (text: string): Message => ({ severity: "warning", text });

/** Characters of what a service says of a failure, which a message shows in full. */
const LONGEST_REASON = 600;

/** What its row calls it, with its number. */
function titleOf({ id, plan }: { readonly id: number; readonly plan: LaunchPlan }): string {
  return `${toLabel(plan.label, 60) || toLabel(formatMachineName(plan.offer), 60)} (${id})`;
}

export function describeLaunchMessage(message: LaunchMessage): Message {
  switch (message.kind) {
    case "cancelled":
      return info(t("Canceled. Nothing was rented."));
    case "not-rented":
      return { severity: "error", text: notRentedText(message) };
    case "unknown":
      return warning(unknownText(message));
    case "running":
      return info(t("Instance {0} is running at {1}.", titleOf(message), priceNowText(message)));
    case "silent":
      return warning(
        t(
          "Instance {0} is running at {1}, but its SSH server hasn't responded yet.",
          titleOf(message),
          priceNowText(message),
        ),
      );
    case "stopped":
      return message.isMeant
        ? info(t("Instance {0} was created without starting. Its disk is billed until you destroy it.", message.id))
        : info(t("Instance {0} was stopped before it was ready. Its disk still costs money.", message.id));
    case "gone":
      return warning(t("Instance {0} is no longer in your account. Someone destroyed it.", message.id));
    case "left-account":
      return warning(
        t(
          "Instance {0} was rented for {1} in the account you just left. It costs money until you destroy it there.",
          titleOf(message),
          formatPlanPrice(message.plan),
        ),
      );
    case "not-destroyed":
      return { severity: "error", text: describeOrderFailures(message.ends) ?? "" };
    default:
      return deadMessage(message);
  }
}

/** About a machine that died before it ran. */
function deadMessage(
  message: Extract<LaunchMessage, { kind: "dead" | "replacing" | "not-dead" | "no-replacement" }>,
): Message {
  switch (message.kind) {
    case "dead":
      return warning(deadText(message));
    case "replacing":
      return info(
        t(
          "Instance {0} failed before it started. Replacing it with another {1} for {2}, as set in your settings.",
          message.id,
          toPlainText(formatMachineName(message.plan.offer), 60),
          formatPlanPrice(message.plan),
        ),
      );
    case "not-dead":
      return info(t("Instance {0} is now {1}. Nothing was changed.", message.id, formatPhase(message.instance)));
    case "no-replacement": {
      const reason =
        message.why === "no-offer" ? t("No similar offer is available.") : t("Its template no longer exists.");
      return warning(`${reason} ${t("Instance {0} is still there and may be billed.", message.id)}`);
    }
  }
}

const describeImageAtFault = (): string => t("Another machine won't help, as its image or the login is at fault.");

/** What the service says of it in full: the reason is at its end. */
function deadText({ id, status, why, isImage }: Extract<LaunchMessage, { kind: "dead" }>): string {
  const said = toPlainText(why.trim(), LONGEST_REASON) || toPlainText(status, 40);
  const outlook = isImage
    ? `${describeImageAtFault()} ${t("You may still be billed for it.")}`
    : t("It will never run, but you may still be billed for it.");
  return `${t("Instance {0} failed: {1}", id, said.replace(/[.\s]*$/, "."))} ${outlook}`;
}

function notRentedText({ error, proven }: Extract<LaunchMessage, { kind: "not-rented" }>): string {
  const certainty = proven
    ? t("Nothing was rented.")
    : t(
        "No rental was found, so most likely nothing was rented. Cloud GPU keeps checking and will tell you if that changes.",
      );
  return error.message.includes(certainty) ? error.message : `${error.message} ${certainty}`;
}

/** It stays as a row under Instances and in the status bar, and its end is told when it is known. */
function unknownText({ tracked, reason, token }: Extract<LaunchMessage, { kind: "unknown" }>): string {
  return tracked
    ? t(
        "Cloud GPU couldn't confirm whether this machine was rented. {0} It keeps checking, will notify you, and won't send the request again.",
        reason,
      )
    : t(
        "Cloud GPU couldn't confirm whether this machine was rented. {0} Look for launch ID {1} on the service's website. The request won't be sent again.",
        reason,
        token,
      );
}

/** What the list shows is what is true now, even if that is no price; before that, what was confirmed. */
function priceNowText({ row, plan }: { readonly row: ShownInstance | undefined; readonly plan: LaunchPlan }): string {
  return row ? formatHourlyPrice(row.price) : formatPlanPrice(plan);
}

/** The button for a way out of a message. */
export function formatLaunchAction(action: LaunchAction, message: LaunchMessage): string {
  const isTaken = message.kind === "no-replacement" || (message.kind === "not-rented" && message.error.kind === "gone");
  return {
    connect: t("Open Terminal"),
    "open-project": t("Open This Project…"),
    show: t("Show Instance"),
    review: t("Review…"),
    "choose-again": isTaken ? t("Choose Another Offer…") : t("Review Again…"),
    "edit-template": t("Edit Template…"),
    reconfigure: t("Reconfigure…"),
    replace: t("Destroy and Replace…"),
    destroy: t("Destroy…"),
  }[action];
}

export function buildLaunchQuestion(question: LaunchQuestion): Question {
  switch (question.kind) {
    case "rent": {
      const { plan, withoutTracking } = question;
      const go = withoutTracking ? t("Rent without Tracking") : t("Rent");
      return { ...buildRentQuestion(plan, question), go };
    }
    case "destroy-rented":
      return {
        message: t("Instance {0} is already rented for {1}. Destroy it?", question.id, priceNowText(question)),
        detail: t(
          "Destroying the instance deletes its disk. If you keep the instance, it continues starting, and Cloud GPU notifies you when it's running.",
        ),
        go: t("Destroy"),
        keep: t("Keep in Background"),
      };
    case "reconfigure":
      return {
        message: t("Destroy instance {0} and reconfigure its launch?", question.dead),
        detail: [
          t("Instance {0} and everything on its disk will be deleted.", question.dead),
          t("Its configuration then opens for another launch. Nothing is rented until you confirm the summary."),
        ].join("\n"),
        go: t("Destroy and Reconfigure"),
        keep: t("Not Now"),
      };
    case "replace":
      return replaceQuestion(question);
  }
}

const describeLostLoginOf = (dead: number): string =>
  t(
    "The registry login of instance {0} wasn't saved. Without it, the new machine may not be able to download the image. To enter it again, use Launch Similar Instance… instead.",
    dead,
  );

function replaceQuestion(question: Extract<LaunchQuestion, { kind: "replace" }>): Question {
  const { plan, dead } = question;
  const [before, price] = [calculatePlanPrice(question.before), calculatePlanPrice(plan)];
  const isDearer = before !== undefined && price !== undefined && price > before;
  const idle = describeIdleTimeout(plan.idle);
  const end = [describeAutoStopWish(plan.end, question.now), formatCostUntilEnd(plan, question.now)];
  const detail = [
    ...(question.isImageAtFault ? [`⚠ ${describeImageAtFault()}`] : []),
    ...(isLoginLost(plan) ? [`⚠ ${describeLostLoginOf(dead)}`] : []),
    t("Instance {0} and everything on its disk will be deleted.", dead),
    t(
      "Then another machine is rented for {1} per day with {2} GB of disk. Location: {0}.",
      formatOfferPlace(plan.offer),
      formatTotal(price, 24),
      plan.diskGb,
    ),
    ...(question.isNewTemplate
      ? [t("The template has changed since then. The new machine uses the current version.")]
      : []),
    ...(question.run === undefined
      ? []
      : [t("Then {0} runs on it, as you confirmed.", toPlainText(question.run, 100))]),
    ...(isDearer ? [t("That's {0}/h more than before.", formatPrice(price - before))] : []),
    describeBilling(question.sandbox),
    ...(plan.end === undefined ? [] : [end.filter(Boolean).join(" ")]),
    ...(question.isPastEnd
      ? [`⚠ ${t("The time of the auto-stop has passed, so the new machine has none. Set one once it's rented.")}`]
      : []),
    ...(idle === undefined ? [] : [idle]),
    ...(question.withoutTracking ? [describeUntracked()] : []),
  ].join("\n");
  const name = toPlainText(formatMachineName(plan.offer), 60);
  return {
    message: t("Destroy instance {0} and rent another {1} for {2}?", dead, name, formatPlanPrice(plan)),
    detail,
    go: t("Destroy and Rent"),
    keep: t("Not Now"),
  };
}

export function describeLaunchStage(stage: LaunchStage): string {
  if (stage === "sending") return t("checking the offer and sending the request");
  if (!stage.instance) return t("rented, waiting for the service to show it");
  if (stage.ssh === "starting") return t("instance {0} is running, starting SSH", stage.id);
  return t("instance {0}, {1}{2}", stage.id, formatPhase(stage.instance), waitsFor(stage.instance));
}

/** To the second. `ms`: since the launch was confirmed. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? t("{0} s", seconds) : t("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
}

function waitsFor(instance: Instance): string {
  const message = toPlainText(instance.status_msg ?? "", 80);
  return getPhase(instance) === "starting" && message !== "" ? ` (${message})` : "";
}
