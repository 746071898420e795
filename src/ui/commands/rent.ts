// After the confirmation: send once, say what became of it, wait until it runs, and deal with a machine that died.
import * as vscode from "vscode";
import { AppError } from "../../domain/error.ts";
import type { InstanceId } from "../../domain/id.ts";
import { type Instance, isDead, phase } from "../../domain/instance.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch-plan.ts";
import { dollars, perHour, total } from "../../domain/money.ts";
import { machineName } from "../../domain/offer.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText, priceNow } from "../../present/instances.ts";
import { placeText } from "../../present/offers.ts";
import { billingText, priceText } from "../../present/receipt.ts";
import { type Intent, mintIntent } from "../../services/intent.ts";
import type { Found, LaunchEnd, Outcome } from "../../services/launch.ts";
import type { SignedIn } from "../../services/session.ts";
import type { Services } from "../services.ts";

export interface Rental extends Found {
  /** The account this belongs to: whatever is asked later is dropped once another one is signed in. */
  readonly session: SignedIn;
  readonly intent: Intent;
  /** Asks for another offer for the same plan. */
  readonly again: () => Promise<void>;
}

type End = { readonly outcome: Outcome; readonly end?: LaunchEnd | "left"; readonly id?: InstanceId };

export async function rentAndWait(services: Services, rental: Rental): Promise<void> {
  const name = plain(machineName(rental.plan.offer), 60);
  const result = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t("Renting {0}", name), cancellable: true },
    (progress, cancel) => rentInStages(services, rental, progress, cancel),
  );
  await tell(services, rental, result);
}

/** Stops what a message of an earlier account would do. @throws AppError. */
function sameAccount({ session }: Services, rental: Rental): void {
  if (session.current === rental.session) return;
  throw new AppError("rejected", t("That belonged to an account you have left since. Nothing was done."));
}

async function rentInStages(
  services: Services,
  rental: Rental,
  progress: vscode.Progress<{ message?: string }>,
  cancel: vscode.CancellationToken,
): Promise<End> {
  const started = performance.now();
  let stage = t("checking the offer and sending the request");
  const report = () => progress.report({ message: `${stage} · ${elapsed(performance.now() - started)}` });
  const ticking = setInterval(report, 1000);
  try {
    report();
    const outcome = await services.launches.rent(rental.plan, rental.intent);
    if (outcome.kind !== "rented") return { outcome };
    void vscode.commands.executeCommand(`${views.instances}.focus`, { preserveFocus: true });
    const [id] = outcome.ids;
    if (id === undefined) return { outcome };
    // Cancelling ends the wait, never the rental: that is what the end then says.
    const abort = new AbortController();
    cancel.onCancellationRequested(() => abort.abort());
    if (cancel.isCancellationRequested) abort.abort();
    const onStage = (instance: Instance) => {
      stage = t("instance {0}: {1}{2}", id, phaseText(instance), waitsFor(instance));
      report();
    };
    const end = await services.launches.settle(id, onStage, abort.signal).catch(leftOnly);
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

async function tell(services: Services, rental: Rental, { outcome, end, id }: End): Promise<void> {
  if (outcome.kind === "not-rented") return tellNotRented(services, rental, outcome);
  if (outcome.kind === "unknown") return tellUnknown(outcome.token, outcome.error.message);
  if (outcome.ids.length > 1) await tellDouble(rental, outcome.ids);
  if (id === undefined) return;
  if (end === "running") await tellRunning(services, rental, id);
  else if (end === "left")
    void vscode.window.showInformationMessage(
      t("Still billed: instance {0}. It is no longer waited for; see Instances.", id),
    );
  else if (end === "gone")
    void vscode.window.showWarningMessage(t("Instance {0} is no longer in your account. Somebody destroyed it.", id));
  else if (end === "dead") await offerReplacement(services, rental, id);
}

async function tellRunning(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  const row = services.instances.find(id);
  const price = row ? perHour(priceNow(row)) : priceText(rental.plan);
  const show = t("Show Instance");
  const chosen = await vscode.window.showInformationMessage(t("Instance {0} is running for {1}.", id, price), show);
  if (chosen === show) await vscode.commands.executeCommand(commands.instanceShow, id);
}

async function tellNotRented(
  services: Services,
  rental: Rental,
  { error, proven }: Outcome & { kind: "not-rented" },
): Promise<void> {
  const certainty = proven ? t("Nothing was rented.") : t("No rental was found; it is likely that nothing was rented.");
  const message = error.message.includes(certainty) ? error.message : `${error.message} ${certainty}`;
  // Another offer does not help an account without credit.
  const ways =
    error.kind === "no-credit" ? [] : [error.kind === "gone" ? t("Choose Another Offer…") : t("Review Again…")];
  const chosen = await vscode.window.showErrorMessage(message, ...ways);
  if (chosen === undefined) return;
  sameAccount(services, rental);
  await rental.again();
}

async function tellUnknown(token: string, reason: string): Promise<void> {
  const look = t("Refresh Instances");
  const message = t(
    "It is not known whether a machine was rented. {0} If one was, it will show under Instances with the mark {1}. Nothing is sent again.",
    reason,
    token,
  );
  if ((await vscode.window.showWarningMessage(message, look)) === look)
    await vscode.commands.executeCommand(commands.refresh);
}

async function tellDouble(rental: Rental, ids: readonly InstanceId[]): Promise<void> {
  await vscode.window.showErrorMessage(
    t(
      "The network repeated the request: instances {0} were rented, {1} each. Destroy the ones you do not want.",
      ids.join(", "),
      priceText(rental.plan),
    ),
  );
}

/**
 * A host that died while we waited may still be billed. Says so, and in one confirmation that names the new price
 * destroys it and rents another of the same search, never one that was tried.
 */
async function offerReplacement(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  const status = services.instances.find(id)?.value.actual_status ?? "";
  const [replace, destroy] = [t("Destroy and Replace…"), t("Destroy…")];
  const said = t("Instance {0} is dead ({1}): it will never run, and it may still be billed.", id, plain(status, 40));
  const answer = await vscode.window.showWarningMessage(said, replace, destroy);
  if (answer === undefined) return;
  sameAccount(services, rental);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  else await replaceDead(services, rental, id);
}

async function replaceDead(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  // The message may have stood for hours: what is destroyed is what is dead now.
  const now = await services.instances.reread(id);
  if (now && !isDead(now.value)) {
    const state = phaseText(now.value);
    void vscode.window.showInformationMessage(t("Instance {0} is {1} after all. Nothing was done.", id, state));
    return;
  }
  const next = await services.launches.replacement(rental);
  if (!next) {
    await tellNoReplacement(services, rental, id);
    return;
  }
  if (!(await confirmReplacement(rental, next, id))) return;
  sameAccount(services, rental);
  if (now && !(await services.instances.destroy(id))) {
    void vscode.window.showErrorMessage(
      t(
        "Instance {0} may still exist and be billed: the service does not confirm that it is gone. No other machine was rented.",
        id,
      ),
    );
    return;
  }
  await rentAndWait(services, { ...rental, plan: next, intent: mintIntent() });
}

async function tellNoReplacement(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  const [destroy, choose] = [t("Destroy…"), t("Choose Another Offer…")];
  const said = t("No other offer of the same kind is there. Instance {0} is still there and may be billed.", id);
  const answer = await vscode.window.showWarningMessage(said, destroy, choose);
  if (answer === undefined) return;
  sameAccount(services, rental);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  else await rental.again();
}

async function confirmReplacement(rental: Rental, next: LaunchPlan, id: InstanceId): Promise<boolean> {
  const [before, price] = [planPrice(rental.plan), planPrice(next)];
  const more =
    before !== undefined && price !== undefined && price > before
      ? [t("That is {0}/h more than before.", dollars(price - before))]
      : [];
  const go = t("Destroy and Rent");
  const detail = [
    t("Instance {0} and everything on its disk are deleted.", id),
    t(
      "Then the other one is rented, place: {0}, for {1} a day with {2} GB of disk.",
      placeText(next.offer),
      total(price, 24),
      next.diskGb,
    ),
    ...more,
    billingText(rental.session.sandbox),
  ].join("\n");
  const name = plain(machineName(next.offer), 60);
  const message = t("Destroy instance {0} and rent another {1} for {2}?", id, name, priceText(next));
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, go)) === go;
}
