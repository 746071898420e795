// Asks for an offer and, if it is interruptible, the bid. Nothing else ever sets either of them.
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { type Answer, BACK, type StepPlace } from "../kit/steps.ts";
import { chooseOffer } from "../offer/choose-offer.ts";
import type { LaunchServices } from "./launch-services.ts";
import { askBid } from "./plan-steps.ts";

export async function askOffer(
  { offers, launches }: LaunchServices,
  place: StepPlace,
  start: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  let draft = start;
  for (;;) {
    const search = { ...draft.search, diskGb: draft.diskGb };
    const choice = await chooseOffer(offers, { search, fresh: draft.fresh }, place, launches.tried, draft.offer);
    if (choice === undefined || choice === BACK) return choice;
    const sameOffer = choice.offer.id === draft.offer?.id && choice.search.type === draft.search.type;
    draft = { ...draft, ...choice, pricedGb: draft.diskGb, bid: sameOffer ? draft.bid : undefined };
    if (draft.search.type !== "bid") return draft;
    const bid = await askBid({ title: place.title, back: true }, draft);
    if (bid !== BACK) return bid;
  }
}
