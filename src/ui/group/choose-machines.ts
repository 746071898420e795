// Choosing the machines of a group: the cheapest of what is offered, of one kind, in one cluster, or one by one; and how many.

import { AppError } from "../../domain/base/error.ts";
import { formatHourlyPrice } from "../../domain/base/money.ts";
import { findClusters, listDistinctMachines } from "../../domain/group/choose-machines.ts";
import { findJoinable, type GroupDraft } from "../../domain/group/group-plan.ts";
import { LEAST_MACHINES, MOST_MACHINES, parseMachineCount } from "../../domain/group/machine-group.ts";
import { formatMachineName, getHourlyPrice, type Offer } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { createLazy } from "../../lib/task.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatMachineCount } from "../../present/base/counts.ts";
import { buildOfferLine } from "../../present/offer/offers.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { searchRentable } from "../../services/group/search-rentable.ts";
import { type Choice, createSeparator, pickMany, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { editFilters } from "../offer/edit-filters.ts";
import { buildFiltersChoice } from "../offer/offer-lines.ts";
import type { GroupServices } from "./group-services.ts";

/** Different machines to take the first so many of. */
interface Machines {
  readonly kind: "machines";
  readonly offers: readonly Offer[];
  /** They were chosen because they stand together. */
  readonly isCluster: boolean;
}
type Line = Machines | { readonly kind: "filters" } | { readonly kind: "one-by-one" };

/** How many the count starts with. */
const USUAL_COUNT = 4;

/** Which machines, and how many. */
export async function askMachines(
  services: GroupServices,
  account: SignedIn,
  place: StepPlace,
  start: GroupDraft,
): Promise<Answer<GroupDraft>> {
  let draft = start;
  for (;;) {
    let found: readonly Offer[] = [];
    const line: Answer<Line> = await pickOne<Line>({
      ...place,
      placeholder: t("Which machines? Prices include {0} GB of disk each.", draft.base.diskGb),
      choices: async (signal) => {
        found = await searchRentable(services, account, draft.base, signal);
        return linesOf(found, draft);
      },
      insteadOfRetry: [filtersLine(draft.base.search)],
      active: (value) => value.kind === "machines",
    });
    if (line === undefined || line === BACK) return line;
    if (line.kind === "filters") {
      const search = await changeFilters(services, account, draft);
      if (search === undefined) return undefined;
      draft = { ...draft, base: { ...draft.base, search } };
      continue;
    }
    const sub = { title: place.title, back: true };
    const chosen =
      line.kind === "one-by-one"
        ? await askOneByOne(services, sub, found, draft)
        : await askCount(sub, line.offers, draft);
    if (chosen === undefined) return undefined;
    if (chosen !== BACK) return await withNetwork(services, account, { ...draft, offers: chosen, spares: found }, line);
  }
}

/** Machines of one cluster are chosen to reach each other, so a network is proposed, if the service has any. */
async function withNetwork(
  { overlays }: GroupServices,
  account: SignedIn,
  draft: GroupDraft,
  line: Line,
): Promise<GroupDraft> {
  const cluster = findJoinable(draft);
  const isKept = draft.overlay !== undefined && draft.overlay.cluster === cluster;
  if (isKept || cluster === undefined || line.kind !== "machines" || !line.isCluster) return draft;
  return { ...draft, overlay: await overlays.suggest(account, cluster, draft.name) };
}

const filtersLine = (search: OfferSearch): Choice<Line> => {
  const { label, description } = buildFiltersChoice({ ...search, type: "ondemand", sort: "price" });
  return { label, ...(description === undefined ? {} : { description }), value: { kind: "filters" } };
};

function linesOf(found: readonly Offer[], draft: GroupDraft): Choice<Line>[] {
  const all = listDistinctMachines(found, draft);
  const filters = filtersLine(draft.base.search);
  if (all.length < LEAST_MACHINES) return [{ label: `$(info) ${noneText(all.length)}` }, filters];
  const kinds = [...Map.groupBy(found, (offer) => formatMachineName(offer)).values()]
    .map((offers) => listDistinctMachines(offers, draft))
    .filter((offers) => offers.length >= LEAST_MACHINES);
  const clusters = findClusters(found, draft);
  return [
    filters,
    createSeparator(t("Same GPU")),
    ...kinds.map((offers) => machinesLine(toLabel(formatMachineName(offers[0] as Offer), 60), offers)),
    ...(clusters.length > 0 ? [createSeparator<Line>(t("In one cluster, where machines can reach each other"))] : []),
    ...clusters.map(({ id, offers }) => machinesLine(t("Cluster {0}", id), offers, true)),
    createSeparator(t("Any GPU")),
    machinesLine(t("Cheapest"), all),
    { label: `$(checklist) ${t("Choose One by One…")}`, value: { kind: "one-by-one" } },
  ];
}

function noneText(count: number): string {
  return count === 0
    ? t("No rentable machines match these filters.")
    : t("Only one rentable machine matches these filters. A group needs at least two.");
}

function machinesLine(name: string, offers: readonly Offer[], isCluster = false): Choice<Line> {
  const prices = offers.map((offer) => getHourlyPrice(offer) ?? 0);
  const [from, to] = [formatHourlyPrice(Math.min(...prices)), formatHourlyPrice(Math.max(...prices))];
  const range = from === to ? from : t("{0} to {1}", from, to);
  return {
    label: `$(server-environment) ${name}`,
    description: `${formatMachineCount(offers.length)} · ${range}`,
    value: { kind: "machines", offers, isCluster },
  };
}

async function changeFilters(
  services: GroupServices,
  account: SignedIn,
  { base }: GroupDraft,
): Promise<OfferSearch | undefined> {
  const { offers, searches, priceHistory } = services;
  const market = createLazy(() => offers.readMarket({ ...base.search, type: "ondemand" }));
  const edited = await editFilters({
    start: { ...base.search, type: "ondemand" },
    fresh: base.fresh,
    market: () => market(),
    searches,
    histories: new Map(),
    findUsual: await priceHistory.read(account),
  });
  return edited && { ...edited, type: "ondemand", diskGb: base.diskGb };
}

async function askCount(
  place: StepPlace,
  offers: readonly Offer[],
  draft: GroupDraft,
): Promise<Answer<readonly Offer[]>> {
  const most = Math.min(MOST_MACHINES, offers.length);
  const usual = Math.min(most, draft.offers.length || USUAL_COUNT);
  const count = await askText({
    ...place,
    prompt: t("How many instances? {0} to {1}, each on its own machine.", LEAST_MACHINES, most),
    value: String(usual),
    read: (text) => readCount(text, offers.length),
  });
  return typeof count === "number" ? offers.slice(0, count) : count;
}

/** @throws AppError `rejected` that says how many there may be. */
function readCount(typed: string, offered: number): number {
  const count = parseMachineCount(typed);
  if (count <= offered) return count;
  throw new AppError(
    "rejected",
    t(
      "Instances: only {0} such machines are available. Enter {0} or fewer, or go back and change the filters.",
      offered,
    ),
  );
}

async function askOneByOne(
  { log }: GroupServices,
  place: StepPlace,
  found: readonly Offer[],
  draft: GroupDraft,
): Promise<Answer<readonly Offer[]>> {
  for (;;) {
    const ticked = await pickMany<Offer>({
      ...place,
      placeholder: t("Select {0} to {1} machines", LEAST_MACHINES, MOST_MACHINES),
      choices: listDistinctMachines(found, draft).map((offer) => ({
        ...buildOfferLine({ offer, count: 1 }),
        picked: draft.offers.some(({ id }) => id === offer.id),
        value: offer,
      })),
    });
    if (ticked === undefined || ticked === BACK) return ticked;
    if (ticked.length >= LEAST_MACHINES && ticked.length <= MOST_MACHINES) return ticked;
    void showError(
      new AppError(
        "rejected",
        t(
          "{0} selected. Select {1} to {2}.",
          toPlainText(formatMachineCount(ticked.length)),
          LEAST_MACHINES,
          MOST_MACHINES,
        ),
      ),
      log,
    );
  }
}
