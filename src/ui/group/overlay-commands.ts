// Commands on overlay networks: shown with their instances, created, and deleted once their name was typed.
import { AppError } from "../../domain/base/error.ts";
import { findClusters } from "../../domain/group/choose-machines.ts";
import { parseOverlayName } from "../../domain/instance/overlay.ts";
import { anySearch } from "../../domain/offer/offer-search.ts";
import { commands } from "../../ids.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatMachineCount } from "../../present/base/counts.ts";
import {
  buildDeleteOverlayPrompt,
  describeDeletedOverlay,
  describeOverlay,
  formatOverlayTitle,
  formatOverlayWord,
} from "../../present/group/overlay-text.ts";
import { formatOfferPlace } from "../../present/offer/offers.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { OverlayFacts } from "../../services/group/overlays.ts";
import { WHOLE_MARKET } from "../../services/offer/offers.ts";
import { toInstanceChoice } from "../instance/instance-commands.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, tellWarning, withStatusProgress } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import type { GroupServices } from "./group-services.ts";

/** The list first, then one of them: its instances, and what can be done. */
export async function showOverlays(services: GroupServices): Promise<void> {
  const account = services.session.requireSignedIn();
  for (;;) {
    const chosen = await pickOne<OverlayFacts | "create">({
      title: t("Overlay Networks"),
      placeholder: t("In an overlay network, containers of one cluster can reach each other on all ports."),
      choices: async (signal) => [
        ...overlayChoices(await services.overlays.list(account, signal)),
        { label: `$(add) ${t("Create Overlay Network…")}`, value: "create" as const, alwaysShow: true },
      ],
    });
    if (chosen === undefined || chosen === BACK) return;
    if (chosen === "create") return await createOverlay(services, account);
    if ((await showOne(services, account, chosen)) !== BACK) return;
  }
}

function overlayChoices(all: readonly OverlayFacts[]): Choice<OverlayFacts>[] {
  if (all.length === 0) return [{ label: `$(info) ${t("You have no overlay networks.")}` }];
  return all.map((facts) => ({
    label: `$(type-hierarchy-sub) ${toLabel(formatOverlayTitle(facts.overlay), 80)}`,
    description: describeOverlay(facts),
    value: facts,
  }));
}

async function showOne(
  services: GroupServices,
  account: SignedIn,
  facts: OverlayFacts,
): Promise<typeof BACK | undefined> {
  const { overlay, members } = facts;
  const chosen = await pickOne<OverlayFacts["members"][number] | "delete">({
    title: t("Overlay Network {0}", toLabel(formatOverlayTitle(overlay), 60)),
    placeholder: describeOverlay(facts),
    back: true,
    choices: [
      ...(members.length === 0 ? [{ label: `$(info) ${t("No instance is in it.")}` }] : []),
      ...members.map((member) => ({
        ...(member.row ? toInstanceChoice(member.row) : { label: String(member.id) }),
        value: member,
      })),
      createSeparator(""),
      { label: `$(trash) ${t("Delete Overlay Network…")}`, value: "delete" as const, alwaysShow: true },
    ],
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  services.session.assertStill(account);
  if (chosen === "delete") await confirmDelete(services, account, facts);
  else await runCommand(commands.instanceShow, chosen.id);
  return undefined;
}

/** On one of the clusters that are offered now. */
async function createOverlay({ overlays, offers }: GroupServices, account: SignedIn): Promise<void> {
  const title = t("Create Overlay Network");
  const cluster = await pickOne<number>({
    title,
    placeholder: t("Which cluster? Only its machines can join the network."),
    choices: async (signal) => {
      const found = await offers.search({ ...anySearch, type: "ondemand", sort: "price" }, signal, WHOLE_MARKET);
      const clusters = findClusters(found.offers, { isApart: false });
      if (clusters.length === 0) return [{ label: `$(info) ${t("No clusters are available right now.")}` }];
      return clusters.map(({ id, offers: [first, ...others] }) => ({
        label: t("Cluster {0}", id),
        description: [formatMachineCount(others.length + 1), ...(first ? [formatOfferPlace(first)] : [])].join(" · "),
        value: id,
      }));
    },
  });
  if (cluster === undefined || cluster === BACK) return;
  const name = await askText({
    title,
    prompt: t("Name of the overlay network. It costs nothing."),
    value: `cluster-${cluster}`,
    read: parseOverlayName,
  });
  if (typeof name !== "string") return;
  await withStatusProgress(t("Creating overlay network {0}…", name), () => overlays.create(account, { name, cluster }));
  void tellInfo(
    t(
      "Overlay network “{0}” was created. Choose it in the summary of a group whose machines are in cluster {1}.",
      name,
      cluster,
    ),
  );
}

async function confirmDelete({ overlays }: GroupServices, account: SignedIn, facts: OverlayFacts): Promise<void> {
  const { overlay } = facts;
  const word = formatOverlayWord(overlay);
  const sure = await askText<true>({
    title: t("Delete Overlay Network"),
    prompt: buildDeleteOverlayPrompt(facts),
    read: (text) => {
      if (text.trim() === word) return true;
      throw new AppError(
        "rejected",
        t("That doesn't match. Type {0} to confirm, or press Escape to keep the network and its instances.", word),
      );
    },
  });
  if (sure !== true) return;
  const left = await withStatusProgress(t("Deleting overlay network {0}…", formatOverlayTitle(overlay)), () =>
    overlays.delete(account, facts),
  );
  void (left.length > 0 ? tellWarning : tellInfo)(describeDeletedOverlay(facts, left));
}
