// Sets a price to wait for: the kind of goal, the price and, if that is what counts, the reliability.
import { toPercent } from "../../domain/base/percent.ts";
import { anySearch, type OfferSearch } from "../../domain/offer/offer-search.ts";
import {
  findBest,
  type GoalKind,
  parseGoalPrice,
  parseGoalReliability,
  proposeGoalPrice,
  toWatchSearch,
  type WatchGoal,
} from "../../domain/offer/price-watch.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildGoalPrompt, describeGoal } from "../../present/offer/price-watch.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { createMarketReader, type OffersService } from "../../services/offer/offers.ts";
import type { PriceHistory } from "../../services/offer/price-history.ts";
import type { PriceWatches, WatchWish } from "../../services/offer/price-watches.ts";
import type { SavedSearches } from "../../services/offer/saved-searches.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { askText, BACK, type StepPlace, walkSteps } from "../kit/ask/steps.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { editFilters } from "./edit-filters.ts";
import { readWatchMinutes } from "./watch-settings.ts";

/** What watching prices needs. */
export interface PriceWatchServices {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly searches: SavedSearches;
  readonly priceHistory: PriceHistory;
  readonly priceWatches: PriceWatches;
  readonly scheduler: Scheduler;
}

/** A goal in the making. */
interface Asked {
  readonly kind: GoalKind;
  /** Dollars per hour, or per hour and GPU. */
  readonly most: number | undefined;
  /** 0 to 1. */
  readonly least: number | undefined;
}

/** Asks which offers first. */
export async function watchPrice(services: PriceWatchServices, account: SignedIn): Promise<void> {
  const { searches } = services;
  const start = searches.getLast(undefined, anySearch) ?? anySearch;
  const search = await editWatchedSearch(services, account, start);
  if (search) await watchOffers(services, account, search);
}

/** The filters of a watch. @returns undefined if the person dropped it. */
export async function editWatchedSearch(
  { offers, searches, priceHistory, session }: PriceWatchServices,
  account: SignedIn,
  start: OfferSearch,
): Promise<OfferSearch | undefined> {
  const findUsual = await priceHistory.read(account);
  const edited = await editFilters({
    ...{ start, fresh: anySearch, market: createMarketReader(offers), searches, histories: new Map(), findUsual },
    doneLabel: (count) => t("Watch These: {0}", count),
  });
  session.assertStill(account);
  return edited;
}

/**
 * Watches the price of the offers that a search finds, after it asked for the goal.
 * @param launch what is proposed to be launched on them.
 */
export async function watchOffers(
  services: PriceWatchServices,
  account: SignedIn,
  search: OfferSearch,
  launch: Pick<WatchWish, "template" | "configured"> = {},
): Promise<void> {
  const { priceWatches, session } = services;
  const goal = await askGoal(services, account, search);
  if (!goal) return;
  session.assertStill(account);
  await priceWatches.add(account, { search, goal, ...launch });
  // Not awaited: where the question came from goes on below the message.
  void tellWatching(goal);
}

async function tellWatching(goal: WatchGoal): Promise<void> {
  const list = t("Show Price Watches…");
  const text = t(
    "Watching for offers at {0}, every {1} min while VS Code is open. You'll be notified. Nothing is rented automatically.",
    describeGoal(goal),
    readWatchMinutes(),
  );
  if ((await tellInfo(text, list)) === list) await runCommand(commands.offersWatches);
}

/** @returns undefined if the person dropped it, or went back before the first question. */
export async function askGoal(
  services: PriceWatchServices,
  account: SignedIn,
  search: OfferSearch,
  before?: WatchGoal,
): Promise<WatchGoal | undefined> {
  const title = t("Watch Price");
  const least = before?.kind === "reliability" ? before.least : undefined;
  const start: Asked = { kind: before?.kind ?? "price", most: before?.most, least };
  const asked = await walkSteps<Asked>(start, [
    { ask: (state, place) => askKind({ ...place, title }, state) },
    {
      applies: ({ kind }) => kind === "reliability",
      ask: (state, place) => askReliability({ ...place, title }, state),
    },
    {
      ask: async (state, place) => {
        const cheapest = await findCheapest(services, account, search, state);
        return askPrice({ ...place, title }, state, cheapest, search.diskGb);
      },
    },
  ]);
  return asked?.most === undefined ? undefined : goalOf(asked, asked.most);
}

function goalOf({ kind, least }: Pick<Asked, "kind" | "least">, most: number): WatchGoal {
  return kind === "reliability" ? { kind, most, least: least ?? 0 } : { kind, most };
}

async function askKind(place: StepPlace, asked: Asked) {
  const choices: Choice<GoalKind>[] = [
    {
      label: t("Price per Hour"),
      description: t("$/h"),
      detail: t("The whole machine, including its disk."),
      value: "price",
    },
    {
      label: t("Price per GPU"),
      description: t("$/GPU·h"),
      detail: t("Machines of any size, compared by what one GPU costs."),
      value: "gpuPrice",
    },
    {
      label: t("Reliability at a Price"),
      description: t("reliability and $/h"),
      detail: t("Only hosts with at least the reliability you enter."),
      value: "reliability",
    },
  ];
  const kind = await pickOne<GoalKind>({
    ...place,
    placeholder: t("What should this watch look for?"),
    choices,
    active: (value) => value === asked.kind,
  });
  return kind === undefined || kind === BACK ? kind : { ...asked, kind };
}

async function askReliability(place: StepPlace, asked: Asked) {
  const least = await askText({
    ...place,
    prompt: t("Minimum reliability of the host, in percent"),
    value: String(toPercent(asked.least ?? 0.99)),
    read: parseGoalReliability,
  });
  return typeof least === "number" ? { ...asked, least } : least;
}

async function askPrice(place: StepPlace, asked: Asked, seen: SeenNow | undefined, diskGb: number) {
  const proposed = asked.most ?? (seen?.price === undefined ? undefined : proposeGoalPrice(seen.price));
  const most = await askText({
    ...place,
    prompt: buildGoalPrompt(asked, seen, diskGb),
    value: proposed === undefined ? "" : String(proposed),
    placeholder: "0.30",
    read: parseGoalPrice,
  });
  return typeof most === "number" ? { ...asked, most } : most;
}

interface SeenNow {
  /** In the unit of the goal; undefined if nothing matches. */
  readonly price: number | undefined;
}

/** Undefined if the service can't be asked now. */
async function findCheapest(
  { offers }: PriceWatchServices,
  account: SignedIn,
  search: OfferSearch,
  asked: Asked,
): Promise<SeenNow | undefined> {
  const goal = goalOf(asked, 1);
  const wanted = toWatchSearch({
    search,
    goal: goal.kind === "reliability" ? { ...goal, least: asked.least ?? 1 } : goal,
  });
  const reading = offers.searchIn(account, wanted).catch(() => undefined);
  const found = await withStatusProgress(t("Looking for an offer…"), () => reading);
  return found && { price: findBest(goal, found.offers)?.price };
}
