// Launching: the questions of each way to launch, the summary, and what follows the confirmation.
import {
  emptyDraft,
  type LaunchDraft,
  toLaunchPlan,
  withoutNeeds,
  withTemplate,
} from "../../domain/launch/launch-draft.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { Template } from "../../domain/template/template.ts";
import type { TemplateLaunch } from "../../domain/template/template-proposals.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { withProposedChoice } from "../../services/launch/configure/launch-edit.ts";
import type { LaunchAgain, Rental } from "../../services/launch/launch-steps.ts";
import type { Reviewed } from "../../services/launch/review-launch.ts";
import { BACK, BackWith, type Step, walkSteps } from "../kit/ask/steps.ts";
import { askOffer } from "./ask-offer.ts";
import { createLaunchPerson, takeNextStep } from "./launch-person.ts";
import type { LaunchServices } from "./launch-services.ts";
import { readUsualEnd } from "./launch-settings.ts";
import { askBase, askBid, askDisk, askLabel, askWhat } from "./plan-steps.ts";
import type { RentPurpose } from "./rent-purpose.ts";
import { createReviewer } from "./review/reviewer.ts";
import { ReadyChoice } from "./review/when-ready.ts";

export interface LaunchStep {
  readonly applies?: (draft: LaunchDraft) => boolean;
  readonly ask: Step<LaunchDraft>;
}

/** What is asked before the summary. */
interface LaunchForm {
  readonly title: string;
  readonly start: LaunchDraft;
  readonly steps: readonly LaunchStep[];
  readonly purpose?: RentPurpose;
  /** What is opened once it's ready, where nothing else follows. */
  readonly ready?: ReadyChoice;
}

/**
 * From a template: at most template, offer and summary. Disk and label have defaults and can be changed in the summary. `proposed`: what its
 * file says to change.
 */
export async function launchFromTemplate(
  services: LaunchServices,
  account: SignedIn,
  template: Template | undefined,
  proposed?: TemplateLaunch,
): Promise<void> {
  const draft = withUsualEnd(services);
  const begun = template ? withTemplate(draft, template) : draft;
  const start =
    template && proposed ? await withProposedChoice(services, account, begun, { proposed, mustRun: false }) : begun;
  await launchDraft(services, account, start);
}

/** From a draft with a template, or one whose template is asked for first. */
export async function launchDraft(services: LaunchServices, account: SignedIn, start: LaunchDraft): Promise<void> {
  const title = t("Launch Instance from Template");
  const steps: LaunchStep[] = [
    {
      applies: () => start.template === undefined,
      ask: (draft, place) => askBase(services.templates, { ...place, title }, draft),
    },
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
    // A template's launch may have another image in its place, which is configured in the summary.
    { applies: ({ template, image }) => !template && image !== undefined, ask: askImagePage(services) },
  ];
  await launchWithSteps(services, account, { title, start, steps });
}

/** From an offer: the machine first, then what runs on it. */
export async function launchFromOffer(services: LaunchServices): Promise<void> {
  const account = services.session.requireSignedIn();
  const title = t("Launch Instance from Offer");
  const steps: LaunchStep[] = [
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
    ...stepsAfterOffer(services, title),
  ];
  await launchWithSteps(services, account, { title, start: withUsualEnd(services), steps });
}

/** From an offer that was chosen elsewhere and just read again: its bid, what runs on it, and the summary. Without one, it is asked for. */
export async function launchFoundOffer(services: LaunchServices, account: SignedIn, start: LaunchDraft): Promise<void> {
  const title = t("Launch Instance from Offer");
  const steps: LaunchStep[] = [
    {
      applies: ({ offer }) => offer === undefined,
      ask: (draft, place) => askOffer(services, { ...place, title }, draft),
    },
    {
      applies: ({ offer, search, bid }) => offer !== undefined && search.type === "bid" && bid === undefined,
      ask: (draft, place) => askBid({ ...place, title }, draft),
    },
    ...(start.template ? [] : stepsAfterOffer(services, title)),
  ];
  await launchWithSteps(services, account, { title, start, steps });
}

/** An image of one's own is configured on a page, with its disk and its name. */
export const askImagePage =
  (services: LaunchServices, mustRun = false): Step<LaunchDraft> =>
  async (draft, { back }) => {
    const answer = await services.launchPages.ask(services, draft, { focus: "image", mustRun });
    // Whoever closes the page where it comes first leaves the launch.
    return answer === BACK && !back ? undefined : answer;
  };

/** What runs on a machine that was chosen first. */
function stepsAfterOffer(services: LaunchServices, title: string): readonly LaunchStep[] {
  const { templates } = services;
  const fromTemplate = ({ template }: LaunchDraft) => template !== undefined;
  return [
    { ask: (draft, place) => askWhat(templates, { ...place, title }, draft) },
    { applies: ({ template }) => template === undefined, ask: askImagePage(services) },
    { applies: fromTemplate, ask: (draft, place) => askDisk({ ...place, title }, draft) },
    { applies: fromTemplate, ask: (draft, place) => askLabel({ ...place, title }, draft) },
  ];
}

export const withUsualEnd = ({ scheduler }: LaunchServices): LaunchDraft => ({
  ...emptyDraft,
  end: readUsualEnd(scheduler.clock.now()),
});

/** A launch whose summary was confirmed. */
interface ConfirmedLaunch {
  readonly rental: Rental;
  readonly draft: LaunchDraft;
}

/** The steps, then the summary. @returns undefined if the person dropped it. */
export async function reviewLaunch(
  services: LaunchServices,
  account: SignedIn,
  { title, start, steps, purpose, ready }: LaunchForm,
): Promise<ConfirmedLaunch | undefined> {
  let reviewed: Reviewed | undefined;
  const inAccount = (step: LaunchStep): LaunchStep => ({
    ...step,
    ask: async (state, place) => {
      services.session.assertStill(account);
      return await step.ask(state, place);
    },
  });
  await walkSteps<LaunchDraft>(start, [
    ...steps.map(inAccount),
    {
      ask: async (state, place) => {
        const listMore = (plan: LaunchPlan) => ready?.listLines(plan, title) ?? [];
        const reviewer = createReviewer(services, { ...place, title }, { purpose, listMore });
        reviewed = await services.review.review(account, reviewer, state);
        return reviewed?.kind === "back" ? new BackWith(reviewed.draft) : reviewed?.draft;
      },
    },
  ]);
  if (reviewed?.kind !== "confirmed") return undefined;
  const { draft, intent, withoutTracking } = reviewed;
  services.searches.remember(draft.template?.id, draft.fresh, withoutNeeds(draft));
  const plan = toLaunchPlan(draft);
  const chain = { price: calculatePlanPrice(plan), tries: 0 };
  return { draft, rental: { account, plan, search: draft.search, intent, chain, withoutTracking } };
}

/** The steps, the summary, and what follows its confirmation. */
export async function launchWithSteps(services: LaunchServices, account: SignedIn, form: LaunchForm): Promise<void> {
  const { title } = form;
  const ready = new ReadyChoice(services.workspaceNotes);
  const confirmed = await reviewLaunch(services, account, { ...form, ready });
  if (!confirmed) return;
  const { draft, rental } = confirmed;
  ready.keep(rental.plan);
  const next = await services.runner.run(createLaunchPerson(services, ready.find(rental.plan)), rental);
  await takeNextStep(services, rental.account, next, (how) => launchAgain(services, account, { title, draft }, how));
}

/** Without the offer that it was rented from. */
export async function launchAgain(
  services: LaunchServices,
  account: SignedIn,
  { title, draft }: { readonly title: string; readonly draft: LaunchDraft },
  how: LaunchAgain,
): Promise<void> {
  const steps: LaunchStep[] = [
    ...(how === "reconfigure" ? [{ ask: askImagePage(services) }] : []),
    { ask: (state, place) => askOffer(services, { ...place, title }, state) },
  ];
  await launchWithSteps(services, account, { title, start: { ...draft, offer: undefined }, steps });
}
