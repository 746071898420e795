// What the page of offers leads to: the ordinary launch, and the machine search of a template.
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import { withOffer } from "../../domain/launch/launch-draft.ts";
import { type Filters, toFilters } from "../../domain/offer/filter.ts";
import { describeFilters } from "../../domain/offer/filter-words.ts";
import { type OfferSearch, withCondition } from "../../domain/offer/offer-search.ts";
import { type Template, toDisplayName } from "../../domain/template/template.ts";
import { commands } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { getLast } from "../../services/core/loaded.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { RecheckedOffer } from "../../services/offer/offer-explorer.ts";
import { saveFilters } from "../../services/template/save-filters.ts";
import { toStored } from "../../services/template/template-saves.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellInfo } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import type { OffersHandlers } from "../offer/offers-panel.ts";
import { watchOffers } from "../offer/watch-price.ts";
import { toTemplateChoice } from "../template/choose-template.ts";
import { createLimitError, readExceeded, readHistories } from "./ask-offer.ts";
import { launchFoundOffer, withUsualEnd } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";

export function createOffersHandlers(services: LaunchServices): OffersHandlers {
  return {
    readObjection: async (account) => {
      const exceeded = await readExceeded(services, account);
      return (offer, search) => exceeded(offer, search)?.message;
    },
    readHistories: (account) => readHistories(services, account),
    readUsual: (account) => services.priceHistory.read(account),
    watch: (account, found) => watchOffers(services, account, searchLike(found)),
    review: async (account, found, job) => {
      const exceeded = (await readExceeded(services, account))(found.offer, found.search);
      services.session.assertStill(account);
      if (exceeded) throw createLimitError(exceeded);
      const draft = withOffer(withUsualEnd(services), found.offer, found.search);
      await launchFoundOffer(services, account, { ...draft, job });
    },
    saveToTemplate: (account, filters) => saveToTemplate(services, account, filters),
  };
}

/** The search for any offer of the same GPUs, which a machine that is rented by then need not be. */
function searchLike({ offer, search }: RecheckedOffer): OfferSearch {
  const { gpu_name: gpu, num_gpus: count } = offer;
  const like = gpu === undefined ? search.filters : withCondition(search.filters, "gpu_name", { eq: gpu });
  return { ...search, filters: count === undefined ? like : withCondition(like, "num_gpus", { eq: count }) };
}

async function saveToTemplate(services: LaunchServices, account: SignedIn, filters: Filters): Promise<void> {
  const { saves, session } = services;
  const row = await askOwnTemplate(services);
  if (!row) return;
  session.assertStill(account);
  const name = toDisplayName(row.value.name, 60);
  const sure = await confirm({
    message: t("Save these filters to “{0}”?", name),
    detail: t("Now: {0}\nThen: {1}", wordsOf(toFilters(toStored(row).draft.extra_filters)), wordsOf(filters)),
    go: t("Save"),
  });
  if (!sure) return;
  const outcome = await saveFilters(saves, account, row, filters);
  if (outcome.kind === "deleted") throw new AppError("gone", t("This template no longer exists."));
  if (outcome.kind === "changed")
    throw new AppError("rejected", t("Someone else changed this template. Nothing was overwritten. Try again."));
  const open = t("Open Template");
  if ((await tellInfo(t("Saved the filters to “{0}”.", name), open)) === open)
    await runCommand(commands.templateEdit, outcome.stored.hash);
}

const wordsOf = (filters: Filters): string => toPlainText(describeFilters(filters) || t("no filters"), 300);

/** Templates of others can't be changed. */
async function askOwnTemplate({ templates }: LaunchServices): Promise<Row<Template> | undefined> {
  const picked = await pickOne<Row<Template>>({
    title: t("Save Filters to Template"),
    placeholder: t("Which template?"),
    choices: async () => {
      await templates.collection.getKnown();
      const { current } = templates.collection.store;
      if (current.state === "failed" && !getLast(current)) throw current.error;
      const own = getLast(current)?.value.own ?? [];
      if (own.length === 0) return [{ label: `$(info) ${t("You have no templates of your own yet.")}` }];
      return own.map((row) => toTemplateChoice(row.value, () => row));
    },
  });
  return picked === BACK ? undefined : picked;
}
