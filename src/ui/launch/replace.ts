// A host that died before its instance ran: asked about, or replaced on the leash the person set in the settings.
import type { InstanceId, TemplateHash } from "../../domain/base/id.ts";
import { dollars, total } from "../../domain/base/money.ts";
import { priceNow } from "../../domain/instance/instance.ts";
import { planPrice } from "../../domain/launch/launch-plan.ts";
import { machineName } from "../../domain/offer/offer.ts";
import { commands } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { phaseText } from "../../present/instance/instances.ts";
import { billingText, priceText, untrackedText } from "../../present/launch/receipt.ts";
import { placeText } from "../../present/offer/offers.ts";
import { mintIntent } from "../../services/launch/intent.ts";
import { findOut } from "../../services/launch/rebuild-plan.ts";
import type { Proposal, Proposed } from "../../services/launch/replacement.ts";
import { destroyById, targets } from "../instance/instance-commands.ts";
import { confirm } from "../kit/confirm.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import type { LaunchServices } from "./launch-services.ts";
import { readLeash } from "./launch-settings.ts";
import { type Rental, rentAndWait } from "./rent.ts";

/**
 * A host that died while we waited may still be billed. Says so, and in one confirmation that names the new price
 * destroys it and rents another of the same search, never one that was tried.
 */
export async function offerReplacement(services: LaunchServices, rental: Rental, id: InstanceId): Promise<void> {
  if (await replaceByItself(services, rental, id)) return;
  const status = services.instances.find(id)?.value.actual_status ?? "";
  const [replace, destroy] = [t("Destroy and Replace…"), t("Destroy…")];
  const said = t("Instance {0} is dead ({1}): it will never run, and it may still be billed.", id, plain(status, 40));
  const answer = await tellWarning(said, replace, destroy);
  if (answer === destroy) await destroyById(services, rental.account, id);
  if (answer === replace) await replaceDead(services, rental, id);
}

/** On the leash: within price, limits and tries, no question is asked. @returns false where the person must be asked. */
async function replaceByItself(services: LaunchServices, rental: Rental, id: InstanceId): Promise<boolean> {
  const proposal = await services.replacements.proposeByItself(rental.account, rental, id, readLeash());
  if (!proposal) return false;
  void tellInfo(
    t(
      "Instance {0} failed before it started. Replacing it with another {1} for {2}, as set in your settings.",
      id,
      plain(machineName(proposal.plan.offer), 60),
      priceText(proposal.plan),
    ),
  );
  await carryOut(services, rental, proposal);
  return true;
}

/** The message, or the row, may have stood for hours: what is destroyed is what is dead now. */
export async function replaceDead(services: LaunchServices, rental: Rental, id: InstanceId): Promise<void> {
  const proposed = await services.replacements.propose(rental.account, rental, id);
  if (proposed.kind === "alive") {
    const state = phaseText(proposed.instance);
    return void tellInfo(t("Instance {0} is now {1}. Nothing was changed.", id, state));
  }
  if (proposed.kind === "none") return await tellNoReplacement(services, rental, id, proposed);
  if (await confirmReplacement(rental, proposed)) await carryOut(services, rental, proposed);
}

/** The dead one goes first; where that is not confirmed, nothing else is rented, and the error says so. */
async function carryOut(
  services: LaunchServices,
  rental: Rental,
  { plan, dead, withoutTracking }: Proposal,
): Promise<void> {
  await services.replacements.destroyDead(rental.account, dead);
  const chain = { ...rental.chain, tries: rental.chain.tries + 1 };
  await rentAndWait(services, { ...rental, plan, intent: mintIntent(), chain, withoutTracking, insteadOf: dead });
}

/** A dead machine's row: its plan is read from what the service says of it. */
export async function replaceInstance(services: LaunchServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.signedIn();
  const [row] = await targets(services, args, t("Replace Instance"));
  if (!row) return;
  const found = await findOut(services.saves, row);
  const rental: Rental = {
    ...found,
    account,
    intent: mintIntent(),
    chain: { price: priceNow(row), tries: 0 },
    withoutTracking: false,
    onDead: (next, id) => offerReplacement(services, next, id),
    again: () => launchAgain(found.plan.template?.hash_id),
  };
  await replaceDead(services, rental, row.value.id);
}

async function launchAgain(hash: TemplateHash | undefined): Promise<void> {
  if (hash === undefined) await runCommand(commands.launchFromOffer);
  else await runCommand(commands.launchFromTemplate, hash);
}

async function tellNoReplacement(
  services: LaunchServices,
  rental: Rental,
  id: InstanceId,
  { why }: Proposed & { readonly kind: "none" },
): Promise<void> {
  const [destroy, choose] = [t("Destroy…"), t("Choose Another Offer…")];
  const reason =
    why === "no-offer" ? t("No other offer of the same kind is there.") : t("Its template is not there any more.");
  const answer = await tellWarning(
    `${reason} ${t("Instance {0} is still there and may be billed.", id)}`,
    destroy,
    choose,
  );
  if (answer === destroy) await destroyById(services, rental.account, id);
  if (answer === choose) {
    services.session.assertStill(rental.account);
    await rental.again();
  }
}

async function confirmReplacement(
  rental: Rental,
  { plan, dead, isNewTemplate, withoutTracking }: Proposal,
): Promise<boolean> {
  const [before, price] = [planPrice(rental.plan), planPrice(plan)];
  const more =
    before !== undefined && price !== undefined && price > before
      ? [t("That is {0}/h more than before.", dollars(price - before))]
      : [];
  const detail = [
    t("Instance {0} and everything on its disk are deleted.", dead),
    t(
      "Then the other one is rented, place: {0}, for {1} a day with {2} GB of disk.",
      placeText(plan.offer),
      total(price, 24),
      plan.diskGb,
    ),
    ...(isNewTemplate ? [t("The template was changed since; the other one uses it as it is now.")] : []),
    ...more,
    billingText(rental.account.sandbox),
    ...(withoutTracking ? [untrackedText()] : []),
  ].join("\n");
  const name = plain(machineName(plan.offer), 60);
  return confirm({
    message: t("Destroy instance {0} and rent another {1} for {2}?", dead, name, priceText(plan)),
    detail,
    go: t("Destroy and Rent"),
    keep: t("Not Now"),
  });
}
