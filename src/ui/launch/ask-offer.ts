// Asks for an offer and, if it is interruptible, the bid. Nothing else ever sets either of them.
import { AppError } from "../../domain/base/error.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { type Exceeded, type Terms, toLimitSetting } from "../../domain/launch/limits.ts";
import { addUpHistories, type MachineHistories } from "../../domain/offer/machine-history.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { keepChoice } from "../../services/launch/configure/launch-edit.ts";
import { type Answer, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { chooseOffer } from "../offer/choose-offer.ts";
import { watchOffers } from "../offer/watch-price.ts";
import type { LaunchServices } from "./launch-services.ts";
import { askBid } from "./plan-steps.ts";

/** `mostPerHour`: $/h beside the person's own limits. */
export async function askOffer(
  services: LaunchServices,
  place: StepPlace,
  start: LaunchDraft,
  mostPerHour?: number,
): Promise<Answer<LaunchDraft>> {
  const { searches } = services;
  let draft = start;
  if (isFirstLook(draft))
    draft = { ...draft, search: searches.getLast(draft.template?.id, draft.fresh) ?? draft.search };
  for (;;) {
    const choice = await chooseWithinLimits(services, place, draft, mostPerHour);
    if (choice === undefined || choice === BACK) return choice;
    const sameOffer = choice.offer.id === draft.offer?.id && choice.search.type === draft.search.type;
    draft = { ...draft, ...choice, pricedGb: choice.search.diskGb, bid: sameOffer ? draft.bid : undefined };
    if (draft.search.type !== "bid") return draft;
    const bid = await askBid({ title: place.title, back: true }, draft);
    if (bid !== BACK) return bid;
  }
}

/** Whatever was chosen in this launch counts more than the last one. */
function isFirstLook({ offer, search, fresh }: LaunchDraft): boolean {
  return offer === undefined && search === fresh;
}

type FindExceededBy = (offer: Offer, search: OfferSearch) => Exceeded | undefined;

/** Which of the person's limits an offer exceeds, compared with what is rented now. `mostPerHour`: $/h beside them. */
export async function readExceeded(
  { offerLimits }: Pick<LaunchServices, "offerLimits">,
  account: SignedIn,
  mostPerHour?: number,
): Promise<FindExceededBy> {
  const find = await offerLimits.read(account);
  return (offer, search) => {
    const found = find({ ...termsOf(offer, search), mostPerHour });
    // Whoever bids says the price.
    const isPrice = found && (found.limit === undefined || found.limit === "pricePerHour");
    return isPrice && search.type === "bid" && offer.min_bid === undefined ? undefined : found;
  };
}

/** Why an offer that exceeds a limit can't be chosen. */
export function createLimitError(found: Exceeded): AppError {
  return new AppError(
    "rejected",
    `${found.message} ${t("Choose another offer, or change the limit.")}`,
    toLimitSetting(found),
  );
}

function chooseWithinLimits(
  services: LaunchServices,
  place: StepPlace,
  draft: LaunchDraft,
  mostPerHour: number | undefined,
) {
  const { offers, searches, priceHistory, launches, session, log } = services;
  const account = session.requireSignedIn();
  let exceeded: FindExceededBy = () => undefined;
  return chooseOffer(
    {
      offers,
      searches,
      search: { ...draft.search, diskGb: draft.diskGb },
      fresh: draft.fresh,
      tried: launches.tried,
      chosen: draft.offer,
      readHistories: () => readHistories(services, account),
      // The list comes back below the message.
      watch: (search) => watchForLaunch(services, account, search, draft).catch((error) => void showError(error, log)),
      readUsual: () => priceHistory.read(account),
      readObjection: async () => {
        exceeded = await readExceeded(services, account, mostPerHour);
        return (offer, search) => exceeded(offer, search)?.message;
      },
      refuse: (offer, search) => {
        const found = exceeded(offer, search);
        if (found) void showError(createLimitError(found), log);
      },
    },
    place,
  );
}

/** A watched price leads to this launch, with what was configured of it. */
async function watchForLaunch(
  services: LaunchServices,
  account: SignedIn,
  search: OfferSearch,
  draft: LaunchDraft,
): Promise<void> {
  const configured = await keepChoice(services, account, draft);
  await watchOffers(services, account, search, { template: draft.template?.hash_id, configured });
}

/** How machines served the person before; nothing if that can't be read. */
export async function readHistories(
  { machineMemory }: Pick<LaunchServices, "machineMemory">,
  account: SignedIn,
): Promise<MachineHistories> {
  return addUpHistories(await machineMemory.read(account).catch(() => []));
}

/** What renting an offer costs at least: an interruptible one, its lowest bid. */
function termsOf(offer: Offer, { type, diskGb }: OfferSearch): Terms {
  return { offer, type, diskGb, bid: type === "bid" ? offer.min_bid : undefined };
}
