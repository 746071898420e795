// What a link from outside the editor, or another extension, leads to: the ordinary prompts, the page of offers, or a row. The person decides there.
import * as vscode from "vscode";
import { buildLaunchLink, type LaunchLink, type Link, withLinkedSearch } from "../../domain/agent/link.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { withTemplate } from "../../domain/launch/launch-draft.ts";
import type { Asker } from "../../domain/launch/launch-plan.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { EXTENSION } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { copyText, tellInfo } from "../kit/messages.ts";
import { launchDraft, withUsualEnd } from "../launch/launch-commands.ts";
import type { LaunchServices } from "../launch/launch-services.ts";
import { findGivenTemplate, findTemplateTarget } from "../template/template-commands.ts";
import type { TemplateServices } from "../template/template-services.ts";

export interface LinkServices extends LaunchServices {
  readonly revealInstance: (id: InstanceId) => Promise<void>;
  /** Opens a new page of offers, with this search. */
  readonly exploreOffers: (asked: (fresh: OfferSearch) => OfferSearch) => void;
}

/** @throws AppError, such as `gone` for a template that doesn't exist. */
export async function openLink(services: LinkServices, link: Link, askedBy: Asker): Promise<void> {
  const account = services.session.requireSignedIn();
  switch (link.kind) {
    case "launch":
      return await launchLinked(services, account, link, askedBy);
    case "explore":
      services.exploreOffers((search) => withLinkedSearch(search, link.search));
      return void tellInfo(
        askedBy === "link" ? t("A link asked for this search.") : t("Another extension asked for this search."),
      );
    case "instance":
      return await services.revealInstance(link.id);
  }
}

async function launchLinked(
  services: LaunchServices,
  account: SignedIn,
  { template: hash, search: asked }: LaunchLink,
  askedBy: Asker,
): Promise<void> {
  const template = (await findGivenTemplate(services, account, hash))?.value;
  services.session.assertStill(account);
  if (!template) return;
  const draft = withTemplate(withUsualEnd(services), template);
  const search = withLinkedSearch(draft.search, asked);
  await launchDraft(services, account, { ...draft, search, diskGb: search.diskGb, askedBy });
}

/** For a chat, a page or a readme: whoever opens it has the template's launch prompts in front of them. */
export async function copyLaunchLink(
  services: Pick<TemplateServices, "session" | "selections" | "templates" | "saves">,
  [given]: readonly unknown[],
): Promise<void> {
  const row = await findTemplateTarget(services, given, t("Copy Launch Link"));
  if (row) await copyText(buildLaunchLink(vscode.env.uriScheme, EXTENSION, row.value.hash_id), t("Copied the link"));
}
