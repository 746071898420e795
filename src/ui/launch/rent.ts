// After the confirmation: send once, say what became of it, wait until it runs, and deal with a machine that died.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { perHour } from "../../domain/base/money.ts";
import { type Instance, phase, priceNow } from "../../domain/instance/instance.ts";
import { machineName } from "../../domain/offer/offer.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText } from "../../present/instance/instances.ts";
import { priceText } from "../../present/launch/receipt.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { Intent } from "../../services/launch/intent.ts";
import type { Outcome } from "../../services/launch/launch.ts";
import type { Chain, Found } from "../../services/launch/replacement.ts";
import { type LaunchEnd, settle } from "../../services/launch/wait-until-running.ts";
import { carryOut } from "../instance/instance-actions.ts";
import { confirm } from "../kit/confirm.ts";
import { type Report, tellError, tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import type { LaunchServices } from "./launch-services.ts";

export interface Rental extends Found {
  /** The account whose receipt was confirmed: nothing of this ever happens in another one. */
  readonly account: SignedIn;
  /** The machines rented in place of one another so far. */
  readonly chain: Chain;
  /** The person agreed that a lost rental could not be found here. */
  readonly withoutTracking: boolean;
  readonly intent: Intent;
  /** The dead machine that was destroyed for this one. */
  readonly insteadOf?: InstanceId;
  /** What to do where it died before it ran. */
  readonly onDead: (rental: Rental, id: InstanceId) => Promise<void>;
  /** Asks for another offer for the same plan. */
  readonly again: () => Promise<void>;
}

type End = { readonly outcome: Outcome; readonly end?: LaunchEnd | "left"; readonly id?: InstanceId };

export async function rentAndWait(services: LaunchServices, rental: Rental): Promise<void> {
  const name = plain(machineName(rental.plan.offer), 60);
  const result = await withNotification(t("Renting {0}", name), true, (report, cancelled) =>
    rentInStages(services, rental, report, cancelled),
  );
  await tell(services, rental, result);
}

async function rentInStages(
  services: LaunchServices,
  rental: Rental,
  report: Report,
  cancelled: AbortSignal,
): Promise<End> {
  const started = performance.now();
  let stage = t("checking the offer and sending the request");
  const say = () => report(`${stage} · ${elapsed(performance.now() - started)}`);
  const ticking = setInterval(say, 1000);
  try {
    say();
    const { account, plan, intent, withoutTracking, insteadOf } = rental;
    const options = { withoutTracking, insteadOf, signal: cancelled };
    const outcome = await services.launches.rent(account, plan, intent, options);
    if (outcome.kind !== "rented") return { outcome };
    void showView(views.instances, true);
    const [id] = outcome.ids;
    if (id === undefined) return { outcome };
    const onStage = (instance: Instance) => {
      stage = t("instance {0}: {1}{2}", id, phaseText(instance), waitsFor(instance));
      say();
    };
    // Cancelling ends the wait, never the rental: what becomes of that is asked then.
    const end = await settle(services, account, id, onStage, cancelled).catch(leftOnly);
    return { outcome, end, id };
  } finally {
    clearInterval(ticking);
  }
}

/** Cancelling is the one way to leave the wait; anything else is an error of its own. */
function leftOnly(error: unknown): "left" {
  if (error instanceof AppError && error.kind === "cancelled") return "left";
  throw error;
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? t("{0} s", seconds) : t("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
}

function waitsFor(instance: Instance): string {
  const message = plain(instance.status_msg ?? "", 80);
  return phase(instance) === "starting" && message !== "" ? ` (${message})` : "";
}

async function tell(services: LaunchServices, rental: Rental, { outcome, end, id }: End): Promise<void> {
  if (outcome.kind === "not-rented") return await tellNotRented(services, rental, outcome);
  if (outcome.kind === "unknown") return await tellUnknown(services, rental, outcome.token, outcome.error.message);
  if (id === undefined) return;
  if (end === "running") await tellRunning(services, rental, id);
  else if (end === "left") await askAboutLeft(services, rental, { outcome, id });
  else if (end === "gone") void tellWarning(t("Instance {0} is no longer in your account. Somebody destroyed it.", id));
  else if (end === "dead") await rental.onDead(rental, id);
  else if (end === "signed-out") void tellWarning(leftText(rental, id));
}

function leftText({ plan }: Rental, id: InstanceId): string {
  return t(
    "Instance {0} was rented for {1} in the account you just left. It costs money until you destroy it there.",
    id,
    priceText(plan),
  );
}

async function tellRunning(services: LaunchServices, rental: Rental, id: InstanceId): Promise<void> {
  const row = services.instances.find(id);
  const price = row ? perHour(priceNow(row)) : priceText(rental.plan);
  const show = t("Show Instance");
  const chosen = await tellInfo(t("Instance {0} is running for {1}.", id, price), show);
  if (chosen === show) await runCommand(commands.instanceShow, id);
}

/** Whoever cancels may want the machine gone: it is rented and billed by now, so that is asked and never assumed. */
async function askAboutLeft(
  services: LaunchServices,
  rental: Rental,
  { outcome, id }: { readonly outcome: Outcome; readonly id: InstanceId },
): Promise<void> {
  const { instances } = services;
  const row = instances.find(id);
  const price = row ? perHour(priceNow(row)) : priceText(rental.plan);
  const destroy = await confirm({
    message: t("Instance {0} is already rented for {1}. Destroy it?", id, price),
    detail: t(
      "Destroying it deletes its disk. If you keep it, it continues starting, and Cloud GPU notifies you when it's running.",
    ),
    go: t("Destroy"),
    keep: t("Keep in Background"),
  });
  if (destroy) {
    const chosen = instances.find(id) ?? { value: { id } as Instance, raw: {}, launchPrice: undefined };
    return await carryOut(services, rental.account, "destroy", [chosen]);
  }
  const end = await settle(services, rental.account, id, () => {});
  await tell(services, rental, { outcome, end, id });
}

async function tellNotRented(
  services: LaunchServices,
  rental: Rental,
  { error, proven }: Outcome & { kind: "not-rented" },
): Promise<void> {
  if (proven && error.kind === "cancelled") return void tellInfo(t("Cancelled. Nothing was rented."));
  const certainty = proven
    ? t("Nothing was rented.")
    : t(
        "No rental was found, so most likely nothing was rented. Cloud GPU keeps checking and will tell you if that changes.",
      );
  const message = error.message.includes(certainty) ? error.message : `${error.message} ${certainty}`;
  // Another offer does not help an account without credit.
  const ways =
    error.kind === "no-credit" ? [] : [error.kind === "gone" ? t("Choose Another Offer…") : t("Review Again…")];
  const chosen = await tellError(message, ...ways);
  if (chosen === undefined) return;
  services.session.assertStill(rental.account);
  await rental.again();
}

/** It stays as a row under Instances and in the status bar, and its end is told when it is known. */
async function tellUnknown(services: LaunchServices, rental: Rental, token: string, reason: string): Promise<void> {
  const review = t("Review…");
  const said = rental.withoutTracking
    ? t(
        "We couldn't confirm whether this machine was rented. {0} Look on the service's web site for the mark {1}. Cloud GPU won't send the request again.",
        reason,
        token,
      )
    : t(
        "We couldn't confirm whether this machine was rented. {0} Cloud GPU keeps checking and will notify you. It won't send the request again.",
        reason,
      );
  if ((await tellWarning(said, review)) !== review) return;
  services.session.assertStill(rental.account);
  await runCommand(commands.launchReview, token);
}
