// After the confirmation: send once, say what became of it, wait until it runs, and deal with a machine that died.
import * as vscode from "vscode";
import { AppError } from "../../domain/error.ts";
import type { InstanceId } from "../../domain/id.ts";
import { type Instance, phase, priceNow } from "../../domain/instance.ts";
import { perHour } from "../../domain/money.ts";
import { machineName } from "../../domain/offer.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText } from "../../present/instances.ts";
import { priceText } from "../../present/receipt.ts";
import type { Intent } from "../../services/intent.ts";
import type { Outcome } from "../../services/launch.ts";
import type { Chain, Found } from "../../services/replacement.ts";
import type { SignedIn } from "../../services/session.ts";
import { type LaunchEnd, settle } from "../../services/settle.ts";
import type { Services } from "../services.ts";

export interface Rental extends Found {
  /** The machines rented in place of one another so far. */
  readonly chain: Chain;
  /** The person agreed that a lost rental could not be found here. */
  readonly withoutTracking: boolean;
  /** The account this belongs to: whatever is asked later is dropped once another one is signed in. */
  readonly session: SignedIn;
  readonly intent: Intent;
  /** What to do where it died before it ran. */
  readonly onDead: (rental: Rental, id: InstanceId) => Promise<void>;
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
export function sameAccount({ session }: Services, rental: Rental): void {
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
    const outcome = await services.launches.rent(rental.plan, rental.intent, rental);
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
    const end = await settle(services, id, onStage, abort.signal).catch(leftOnly);
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
  if (outcome.kind === "unknown") return tellUnknown(services, rental, outcome.token, outcome.error.message);
  if (id === undefined) return;
  if (end === "running") await tellRunning(services, rental, id);
  else if (end === "left")
    void vscode.window.showInformationMessage(
      t("Still billed: instance {0}. It is no longer waited for; see Instances.", id),
    );
  else if (end === "gone")
    void vscode.window.showWarningMessage(t("Instance {0} is no longer in your account. Somebody destroyed it.", id));
  else if (end === "dead") await rental.onDead(rental, id);
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

/** It stays as a row under Instances and in the status bar, and its end is told when it is known. */
async function tellUnknown(services: Services, rental: Rental, token: string, reason: string): Promise<void> {
  const review = t("Review…");
  const said = rental.withoutTracking
    ? t(
        "It is not known whether a machine was rented. {0} Look on the service's web site for the mark {1}; nothing is sent again.",
        reason,
        token,
      )
    : t(
        "It is not known whether a machine was rented. {0} It is looked for and will be told; nothing is sent again.",
        reason,
      );
  if ((await vscode.window.showWarningMessage(said, review)) !== review) return;
  sameAccount(services, rental);
  await vscode.commands.executeCommand(commands.launchReview, token);
}
