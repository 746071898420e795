// Launching: the questions of each way to launch, the receipt, and what follows the confirmation.
import { emptyDraft, type LaunchDraft, toLaunchPlan, withTemplate } from "../../domain/launch/launch-draft.ts";
import { planPrice } from "../../domain/launch/launch-plan.ts";
import type { Template } from "../../domain/template/template.ts";
import { t } from "../../lib/text.ts";
import type { Reviewed } from "../../services/launch/review-launch.ts";
import type { Rental } from "../../services/launch/run-launch.ts";
import { BackWith, type Step, walk } from "../kit/steps.ts";
import { askOffer } from "./ask-offer.ts";
import { createLaunchPerson, takeNextStep } from "./launch-person.ts";
import type { LaunchServices } from "./launch-services.ts";
import { readUsualEnd } from "./launch-settings.ts";
import { askBid, askDisk, askImage, askLabel, askRuntype, askTemplate, askWhat } from "./plan-steps.ts";
import type { RentPurpose } from "./rent-purpose.ts";
import { createReviewer } from "./reviewer.ts";

export interface LaunchStep {
  readonly applies?: (draft: LaunchDraft) => boolean;
  readonly ask: Step<LaunchDraft>;
}

/**
 * From a template: at most template, offer and receipt. Disk and label have defaults and can be changed on the receipt.
 */
export async function launchFromTemplate(services: LaunchServices, template: Template | undefined): Promise<void> {
  const title = t("Launch Instance from Template");
  const draft = withUsualEnd(services);
  await launch(services, title, template ? withTemplate(draft, template) : draft, [
    {
      applies: () => template === undefined,
      ask: (draft, place) => askTemplate(services.templates, { ...place, title }, draft),
    },
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
  ]);
}

/** From an offer: the machine first, then what runs on it. */
export async function launchFromOffer(services: LaunchServices): Promise<void> {
  const title = t("Launch Instance from Offer");
  await launch(services, title, withUsualEnd(services), [
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
    ...stepsAfterOffer(services, title),
  ]);
}

/** From an offer that was chosen elsewhere and just read again: its bid, what runs on it, and the receipt. Without one, it is asked for. */
export async function launchFoundOffer(services: LaunchServices, start: LaunchDraft): Promise<void> {
  const title = t("Launch Instance from Offer");
  await launch(services, title, start, [
    {
      applies: ({ offer }) => offer === undefined,
      ask: (draft, place) => askOffer(services, { ...place, title }, draft),
    },
    {
      applies: ({ offer, search, bid }) => offer !== undefined && search.type === "bid" && bid === undefined,
      ask: (draft, place) => askBid({ ...place, title }, draft),
    },
    ...(start.template ? [] : stepsAfterOffer(services, title)),
  ]);
}

/** What runs on a machine that was chosen first. */
function stepsAfterOffer({ templates }: LaunchServices, title: string): readonly LaunchStep[] {
  const ownImage = (draft: LaunchDraft) => draft.image !== undefined;
  return [
    { ask: (draft, place) => askWhat(templates, { ...place, title }, draft) },
    { applies: ownImage, ask: (draft, place) => askImage({ ...place, title }, draft) },
    { applies: ownImage, ask: (draft, place) => askRuntype({ ...place, title }, draft) },
    { ask: (draft, place) => askDisk({ ...place, title }, draft) },
    { ask: (draft, place) => askLabel({ ...place, title }, draft) },
  ];
}

export const withUsualEnd = ({ scheduler }: LaunchServices): LaunchDraft => ({
  ...emptyDraft,
  end: readUsualEnd(scheduler.clock.now()),
});

/** A launch whose receipt was confirmed. */
export interface ConfirmedLaunch {
  readonly rental: Rental;
  readonly draft: LaunchDraft;
}

/** The steps, then the receipt. @returns undefined if the person dropped it. */
export async function reviewLaunch(
  services: LaunchServices,
  title: string,
  start: LaunchDraft,
  steps: readonly LaunchStep[],
  purpose?: RentPurpose,
): Promise<ConfirmedLaunch | undefined> {
  const account = services.session.signedIn();
  let reviewed: Reviewed | undefined;
  await walk<LaunchDraft>(start, [
    ...steps,
    {
      ask: async (state, place) => {
        const reviewer = createReviewer(services, { ...place, title }, purpose);
        reviewed = await services.review.review(account, reviewer, state);
        return reviewed?.kind === "back" ? new BackWith(reviewed.draft) : reviewed?.draft;
      },
    },
  ]);
  if (reviewed?.kind !== "confirmed") return undefined;
  const { draft, intent, withoutTracking } = reviewed;
  services.searches.remember(draft.template?.id, draft.fresh, draft.search);
  const plan = toLaunchPlan(draft);
  const chain = { price: planPrice(plan), tries: 0 };
  return { draft, rental: { account, plan, search: draft.search, intent, chain, withoutTracking } };
}

/** The steps, the receipt, and what follows its confirmation. */
export async function launch(
  services: LaunchServices,
  title: string,
  start: LaunchDraft,
  steps: readonly LaunchStep[],
): Promise<void> {
  const confirmed = await reviewLaunch(services, title, start, steps);
  if (!confirmed) return;
  const { draft, rental } = confirmed;
  const chooseAgain = () =>
    launch(services, title, { ...draft, offer: undefined }, [
      { ask: (state, place) => askOffer(services, { ...place, title }, state) },
    ]);
  const next = await services.runner.run(createLaunchPerson(services), rental);
  await takeNextStep(services, rental.account, next, chooseAgain);
}
