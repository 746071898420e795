// A host that died before its instance ran: asked about, or replaced on the leash the person set in the settings.
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/id.ts";
import { isDead } from "../../domain/instance.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch-plan.ts";
import { dollars, total } from "../../domain/money.ts";
import { machineName } from "../../domain/offer.ts";
import { commands } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText } from "../../present/instances.ts";
import { placeText } from "../../present/offers.ts";
import { billingText, priceText } from "../../present/receipt.ts";
import { mintIntent } from "../../services/intent.ts";
import { findReplacement, onLeash } from "../../services/replacement.ts";
import { readLeash } from "../ports.ts";
import { confirm } from "../prompts/confirm.ts";
import type { Services } from "../services.ts";
import { type Rental, rentAndWait, sameAccount } from "./rent.ts";

/**
 * A host that died while we waited may still be billed. Says so, and in one confirmation that names the new price
 * destroys it and rents another of the same search, never one that was tried.
 */
export async function offerReplacement(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  if (await replaceByItself(services, rental, id)) return;
  const status = services.instances.find(id)?.value.actual_status ?? "";
  const [replace, destroy] = [t("Destroy and Replace…"), t("Destroy…")];
  const said = t("Instance {0} is dead ({1}): it will never run, and it may still be billed.", id, plain(status, 40));
  const answer = await vscode.window.showWarningMessage(said, replace, destroy);
  if (answer === undefined) return;
  sameAccount(services, rental);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  else await replaceDead(services, rental, id);
}

/** On the leash: within price and tries, no question is asked. @returns false where the person must be asked. */
async function replaceByItself(services: Services, rental: Rental, id: InstanceId): Promise<boolean> {
  const leash = readLeash();
  if (!leash.automatic || rental.chain.tries >= leash.tries || rental.withoutTracking) return false;
  const now = await services.actions.reread(id);
  if (now && !isDead(now.value)) return false;
  const next = await findReplacement(services.offers, services.launches.tried, rental);
  if (!next || !onLeash(leash, rental.chain, next)) return false;
  // Another content than the one that was confirmed, or one that cannot be seen now, is for the person to judge.
  if ((await withTemplateAsItIs(services, next).catch(() => undefined)) !== next) return false;
  sameAccount(services, rental);
  void vscode.window.showInformationMessage(
    t(
      "Instance {0} died before it ran. It is destroyed and replaced by another {1} for {2}, as your settings say.",
      id,
      plain(machineName(next.offer), 60),
      priceText(next),
    ),
  );
  await destroyAndRent(services, rental, next, now === undefined ? undefined : id);
  return true;
}

async function replaceDead(services: Services, rental: Rental, id: InstanceId): Promise<void> {
  // The message may have stood for hours: what is destroyed is what is dead now.
  const now = await services.actions.reread(id);
  if (now && !isDead(now.value)) {
    const state = phaseText(now.value);
    void vscode.window.showInformationMessage(t("Instance {0} is {1} after all. Nothing was done.", id, state));
    return;
  }
  const next = await findReplacement(services.offers, services.launches.tried, rental);
  if (!next) return await tellNoReplacement(services, rental, id, t("No other offer of the same kind is there."));
  services.launches.guard(next, now ? id : undefined);
  const plan = await withTemplateAsItIs(services, next);
  if (!plan) return await tellNoReplacement(services, rental, id, t("Its template is not there any more."));
  if (!(await confirmReplacement(rental, plan, id, plan !== next))) return;
  sameAccount(services, rental);
  await destroyAndRent(services, rental, plan, now ? id : undefined);
}

/** The dead one goes first, by a call of its own; where that is not confirmed, nothing else is rented. */
async function destroyAndRent(
  services: Services,
  rental: Rental,
  next: LaunchPlan,
  dead: InstanceId | undefined,
): Promise<void> {
  if (dead !== undefined && !(await services.actions.destroy(dead))) {
    void vscode.window.showErrorMessage(
      t(
        "Instance {0} may still exist and be billed: the service does not confirm that it is gone. No other machine was rented.",
        dead,
      ),
    );
    return;
  }
  const chain = { ...rental.chain, tries: rental.chain.tries + 1 };
  await rentAndWait(services, { ...rental, plan: next, intent: mintIntent(), chain });
}

async function tellNoReplacement(services: Services, rental: Rental, id: InstanceId, why: string): Promise<void> {
  const [destroy, choose] = [t("Destroy…"), t("Choose Another Offer…")];
  const said = `${why} ${t("Instance {0} is still there and may be billed.", id)}`;
  const answer = await vscode.window.showWarningMessage(said, destroy, choose);
  if (answer === undefined) return;
  sameAccount(services, rental);
  if (answer === destroy) await vscode.commands.executeCommand(commands.instanceDestroy, id);
  else await rental.again();
}

/**
 * Asked before anything is destroyed for it: the template may have been edited, or deleted, since the first launch.
 * @returns undefined where it is gone. @throws AppError where that cannot be seen: then nothing is done.
 */
async function withTemplateAsItIs({ saves }: Services, plan: LaunchPlan): Promise<LaunchPlan | undefined> {
  const { template } = plan;
  if (!template) return plan;
  const row = await saves.find({ id: template.id, hash: template.hash_id });
  return row && (row.value.hash_id === template.hash_id ? plan : { ...plan, template: row.value });
}

async function confirmReplacement(
  rental: Rental,
  next: LaunchPlan,
  id: InstanceId,
  isNewTemplate: boolean,
): Promise<boolean> {
  const [before, price] = [planPrice(rental.plan), planPrice(next)];
  const more =
    before !== undefined && price !== undefined && price > before
      ? [t("That is {0}/h more than before.", dollars(price - before))]
      : [];
  const detail = [
    t("Instance {0} and everything on its disk are deleted.", id),
    t(
      "Then the other one is rented, place: {0}, for {1} a day with {2} GB of disk.",
      placeText(next.offer),
      total(price, 24),
      next.diskGb,
    ),
    ...(isNewTemplate ? [t("The template was changed since; the other one uses it as it is now.")] : []),
    ...more,
    billingText(rental.session.sandbox),
  ].join("\n");
  const name = plain(machineName(next.offer), 60);
  return confirm({
    message: t("Destroy instance {0} and rent another {1} for {2}?", id, name, priceText(next)),
    detail,
    go: t("Destroy and Rent"),
  });
}
