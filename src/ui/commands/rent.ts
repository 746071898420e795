// After the confirmation: send once, say what became of it, wait until it runs, and deal with a machine that died.
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/id.ts";
import { type Instance, phase } from "../../domain/instance.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch-plan.ts";
import { dollars, perHour, total } from "../../domain/money.ts";
import { machineName } from "../../domain/offer.ts";
import type { OfferSearch } from "../../domain/offer-search.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText } from "../../present/instances.ts";
import { placeText } from "../../present/offers.ts";
import { type Intent, mintIntent } from "../../services/intent.ts";
import type { LaunchEnd, Outcome } from "../../services/launch.ts";
import type { Services } from "../services.ts";

export interface Rental {
  readonly plan: LaunchPlan;
  /** What the offer was found with; a replacement is looked for with the same. */
  readonly search: OfferSearch;
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
    const end = await services.launches.settle(id, onStage, abort.signal).catch(() => "left" as const);
    return { outcome, end, id };
  } finally {
    clearInterval(ticking);
  }
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
  if (outcome.kind === "not-rented") return tellNotRented(rental, outcome);
  if (outcome.kind === "unknown") return tellUnknown(outcome.token, outcome.error.message);
  if (outcome.ids.length > 1) await tellDouble(rental, outcome.ids);
  if (id === undefined) return;
  const price = perHour(planPrice(rental.plan));
  if (end === "running") void vscode.window.showInformationMessage(t("Instance {0} is running for {1}.", id, price));
  else if (end === "left")
    void vscode.window.showInformationMessage(
      t("No longer waiting for instance {0}. It is still rented and billed; see Instances.", id),
    );
  else if (end === "gone")
    void vscode.window.showWarningMessage(t("Instance {0} is no longer in your account. Somebody destroyed it.", id));
  else if (end === "dead") await offerReplacement(services, rental, id);
}

async function tellNotRented(rental: Rental, outcome: Outcome & { kind: "not-rented" }): Promise<void> {
  const other = t("Choose Another Offer…");
  const certainty = outcome.proven
    ? t("Nothing was rented.")
    : t("No rental was found; it is likely that nothing was rented.");
  const message = outcome.error.message.includes(certainty)
    ? outcome.error.message
    : `${outcome.error.message} ${certainty}`;
  if ((await vscode.window.showErrorMessage(message, other)) === other) await rental.again();
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
  const price = perHour(planPrice(rental.plan));
  await vscode.window.showErrorMessage(
    t(
      "The network repeated the request: instances {0} were rented, {1} each. Destroy the ones you do not want.",
      ids.join(", "),
      price,
    ),
  );
}

/**
 * A host that died while we waited may still be billed. Says so, and in one confirmation that names the new price
 * destroys it and rents another of the same search, never one that was tried.
 */
async function offerReplacement(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  const status = services.instances.find(id)?.value.actual_status ?? "";
  const replace = t("Destroy and Replace…");
  const destroy = t("Destroy…");
  const said = t("Instance {0} is dead ({1}): it will never run, and it may still be billed.", id, plain(status, 40));
  const answer = await vscode.window.showWarningMessage(said, replace, destroy);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  if (answer !== replace) return;
  const next = await nextLike(services, rental);
  if (!next) {
    await tellNoReplacement(rental, id);
    return;
  }
  if (!(await confirmReplacement(services, rental, next, id))) return;
  if (!(await services.instances.destroy(id))) {
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

/**
 * The next plan of the same search, a machine of the same kind before others. The host that died is not tried again
 * under another offer either. A bid rises to what the next machine asks for at least.
 */
async function nextLike({ offers, launches }: Services, { plan, search }: Rental): Promise<LaunchPlan | undefined> {
  const dead = plan.offer;
  const found = await offers.search({ ...search, diskGb: plan.diskGb });
  const others = found.offers.filter(
    (offer) =>
      !launches.tried.has(offer.id) && (offer.machine_id === undefined || offer.machine_id !== dead.machine_id),
  );
  const offer =
    others.find(({ gpu_name, num_gpus }) => gpu_name === dead.gpu_name && num_gpus === dead.num_gpus) ?? others[0];
  if (!offer) return undefined;
  return { ...plan, offer, bid: plan.bid === undefined ? undefined : Math.max(plan.bid, offer.min_bid ?? 0) };
}

async function tellNoReplacement(rental: Rental, id: InstanceId): Promise<void> {
  const [destroy, choose] = [t("Destroy…"), t("Choose Another Offer…")];
  const said = t("No other offer matches the same search. Instance {0} is still there and may be billed.", id);
  const answer = await vscode.window.showWarningMessage(said, destroy, choose);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  if (answer === choose) await rental.again();
}

async function confirmReplacement(
  services: Services,
  rental: Rental,
  next: LaunchPlan,
  id: InstanceId,
): Promise<boolean> {
  const [before, price] = [planPrice(rental.plan), planPrice(next)];
  const more =
    before !== undefined && price !== undefined && price > before
      ? t(" That is {0}/h more than before.", dollars(price - before))
      : "";
  const go = t("Destroy and Rent");
  const detail = [
    t("Instance {0} and everything on its disk are deleted.", id),
    t(
      "Then {0} is rented, place: {1}, for {2} a day with {3} GB of disk.",
      plain(machineName(next.offer), 60),
      placeText(next.offer),
      total(price, 24),
      next.diskGb,
    ) + more,
    services.session.signedIn().sandbox
      ? t("This is the sandbox: nothing is charged.")
      : t("It is billed from now until you destroy it."),
  ].join("\n");
  const message = t("Destroy instance {0} and rent another for {1}?", id, perHour(price));
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, go)) === go;
}
