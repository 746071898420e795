// Renting an instance for a run: which template, which offer, and a summary that says what follows.

import type { WhenDone } from "../../domain/base/when-done.ts";
import { emptyDraft, type LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../domain/offer/disk.ts";
import { assertKeepable, describeLimits } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import {
  changeAttempts,
  changeLimits,
  confirmTerms,
  createTerms,
  endsWhenDone,
  type RunTerms,
  startRental,
  withPriceLimit,
} from "../../domain/run/run-terms.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { Template } from "../../domain/template/template.ts";
import type { TemplateLaunch } from "../../domain/template/template-proposals.ts";
import { t, toLabel } from "../../lib/text.ts";
import {
  describeAgreedAttempts,
  describeAttempt,
  describeEarlierResults,
  listAgreedLines,
  listAttemptLines,
} from "../../present/run/attempt-text.ts";
import {
  describeRentalDetail,
  describeSelfStop,
  describeUpload,
  describeWhenDone,
  type RentalPrices,
} from "../../present/run/rental-text.ts";
import { describeResults, formatData } from "../../present/run/result-text.ts";
import { formatSecrets } from "../../present/run/run-secret-text.ts";
import { formatCommand } from "../../present/run/run-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { withProposedChoice } from "../../services/launch/configure/launch-edit.ts";
import type { LaunchAgain, Rental } from "../../services/launch/launch-steps.ts";
import { toLaunchDraft } from "../../services/launch/rent-again.ts";
import type { NextAttempt } from "../../services/run/attempts/next-attempt.ts";
import type { ConfirmedRental } from "../../services/run/confirmed-rental.ts";
import { askOffer } from "../launch/ask-offer.ts";
import { askImagePage, type LaunchStep, reviewLaunch } from "../launch/launch-commands.ts";
import type { RentPurpose } from "../launch/rent-purpose.ts";
import { askAttempts, askWhenDone } from "./ask-afterward.ts";
import { askCommand, askLimits, askResults } from "./ask-command.ts";
import { askWhatToRent, findUsualTemplate } from "./ask-what-to-rent.ts";
import { listForRun } from "./list-for-run.ts";
import type { RunServices } from "./run-services.ts";
import { askMissingSecrets, askSecrets } from "./secrets/ask-secrets.ts";

/** What the last run of the same kind had, or a file proposes. */
export interface Wish {
  readonly template?: Template["hash_id"] | undefined;
  /** What it is to be rented with. */
  readonly given?: Template | undefined;
  /** What its file says to change of it. */
  readonly launch?: TemplateLaunch | undefined;
  /** In place of a template. */
  readonly image?: string | undefined;
  /** What was rented before, and is to be corrected. */
  readonly wrong?: LaunchDraft | undefined;
  /** What a run goes on with that began on another instance, and what is to be rented for it. */
  readonly next?: NextAttempt | undefined;
  readonly start?: LaunchDraft | undefined;
  readonly whenDone?: WhenDone | undefined;
  readonly stopsItself?: boolean | undefined;
  /** The folder whose secrets it can get, if that isn't the one that is uploaded. */
  readonly project?: string | undefined;
}

export const withWrong = ({ start, ...wish }: Wish, rental: Rental, how: LaunchAgain): Wish => {
  if (how === "reconfigure") return { ...wish, wrong: toLaunchDraft(rental) };
  return start ? { ...wish, start: { ...start, offer: undefined } } : wish;
};

/** Asks for what is missing, and for the one confirmation. @returns undefined if the person doesn't want it. @throws AppError. */
export async function reviewRental(
  services: RunServices,
  account: SignedIn,
  draft: RunDraft,
  wish: Wish = {},
): Promise<ConfirmedRental | undefined> {
  const { templates, session } = services;
  const list = await listForRun(draft);
  session.assertStill(account);
  const { next } = wish;
  const name = toLabel(draft.name, 60);
  const title = next ? t("Continue {0} on Another Instance", name) : t("Run {0} on a GPU", name);
  if (!(await askMissingSecrets(services, draft.secrets))) return undefined;
  session.assertStill(account);
  await templates.collection.getKnown();
  session.assertStill(account);
  const start = await startOf(services, account, wish);
  const shown: Shown = { terms: createTerms(draft, wish) };
  const purpose = createPurpose(
    createChanges(services, title, draft.secrets?.project ?? wish.project ?? draft.folder, shown),
    draft,
    { list, next },
    shown,
  );
  // What is likely is chosen already. Back leads to the question.
  let isChosen = start !== emptyDraft;
  const steps: LaunchStep[] = [
    {
      ask: async (state, place) => {
        if (!isChosen) return await askWhatToRent(services, { ...place, title }, state);
        isChosen = false;
        return state;
      },
    },
    ...(wish.wrong ? [{ ask: askImagePage(services, true) }] : []),
    {
      // The cheapest of the same kind is proposed.
      applies: ({ offer }) => offer === undefined || next === undefined,
      ask: (state, place) => askOffer(services, { ...place, title }, state, shown.terms.limits.maxPricePerHour),
    },
  ];
  const launch = await reviewLaunch(services, account, { title, start, steps, purpose });
  if (!launch) return undefined;
  const { terms } = shown;
  const rental = { ...launch.rental, plan: withPriceLimit(launch.rental.plan, terms.limits) };
  return { rental, list, ...confirmTerms(draft, terms, wish.project), next };
}

async function startOf(
  services: RunServices,
  account: SignedIn,
  { image, given, template, wrong, launch: proposed, start: known }: Wish,
): Promise<LaunchDraft> {
  const begun = wrong ?? known;
  if (begun) return begun;
  const start = startRental(image, given ?? findUsualTemplate(services, template));
  return proposed ? await withProposedChoice(services, account, start, { proposed, mustRun: true }) : start;
}

/** They change in the summary. */
interface Shown {
  terms: RunTerms;
}

/** What the person changes on the summary. */
function createChanges(services: RunServices, title: string, project: string, shown: Shown) {
  const change = (now: Partial<RunTerms>) => {
    shown.terms = { ...shown.terms, ...now };
  };
  return {
    command: async () => {
      change({ command: (await askCommand(title, shown.terms.command)) ?? shown.terms.command });
    },
    secrets: async () => {
      const names = shown.terms.secrets;
      change({ secrets: (await askSecrets(services, title, { project, names })) ?? names });
    },
    results: async () => {
      change({ results: (await askResults(title, shown.terms.results)) ?? shown.terms.results });
    },
    limits: async () => {
      shown.terms = changeLimits(shown.terms, (await askLimits(title, shown.terms.limits)) ?? shown.terms.limits);
    },
    attempts: async (price: number | undefined) => {
      const { limits } = shown.terms;
      shown.terms = changeAttempts(shown.terms, (await askAttempts(title, limits, price)) ?? limits.maxAttempts ?? 1);
    },
    whenDone: async (prices: RentalPrices) => {
      change({ whenDone: (await askWhenDone(title, shown.terms.whenDone, prices)) ?? shown.terms.whenDone });
    },
    stopsItself: async () => {
      change({ stopsItself: !shown.terms.stopsItself });
    },
  };
}

function createPurpose(
  changes: ReturnType<typeof createChanges>,
  { setup, resultsEveryMinutes: every }: RunDraft,
  { list, next }: { readonly list: RunUpload; readonly next: NextAttempt | undefined },
  shown: Shown,
): RentPurpose {
  const listLines = (terms: RunTerms, plan: LaunchPlan): ReturnType<RentPurpose["lines"]> => [
    ...(next ? [{ name: t("Attempt"), value: describeAttempt(next) }] : []),
    {
      name: t("Command"),
      value: formatCommand(terms.command),
      // A box for one line would change one that has several.
      ...(terms.command.includes("\n") ? {} : { change: changes.command }),
    },
    ...(setup === "" ? [] : [{ name: t("Setup"), value: formatCommand(setup) }]),
    { name: t("Secrets"), value: formatSecrets(terms.secrets), change: changes.secrets },
    { name: t("Upload"), value: describeUpload(list) },
    ...(next ? [{ name: t("Results So Far"), value: describeEarlierResults(next) }] : []),
    ...list.data.map((data) => ({ name: t("Data"), value: formatData(data) })),
    {
      name: t("Results"),
      value: describeResults(terms.results, every),
      // The box separates them by commas.
      ...(terms.results.some((glob) => glob.includes(",")) ? {} : { change: changes.results }),
    },
    { name: t("Limit"), value: describeLimits(terms.limits, calculatePlanPrice(plan)), change: changes.limits },
    {
      name: t("If the Instance Is Lost"),
      value: describeAgreedAttempts({ limits: terms.limits, price: calculatePlanPrice(plan) }),
      change: () => changes.attempts(calculatePlanPrice(plan)),
    },
    {
      name: t("When It Finishes"),
      value: describeWhenDone(terms.whenDone, pricesOf(plan)),
      change: () => changes.whenDone(pricesOf(plan)),
    },
    ...(endsWhenDone(terms)
      ? [{ name: t("If VS Code Is Closed"), value: describeSelfStop(terms.stopsItself), change: changes.stopsItself }]
      : []),
  ];
  return {
    title: t("Run"),
    lines: (plan) => listLines(shown.terms, plan),
    detail: (plan) => {
      const facts = { ...shown.terms, ...pricesOf(plan), resultsEveryMinutes: every, setup, list };
      const agreed = listAgreedLines({ ...facts, isBid: plan.bid !== undefined });
      return [describeRentalDetail({ ...facts, agreed }), ...(next ? listAttemptLines(next) : [])].join("\n\n");
    },
    mostPerHour: () => shown.terms.limits.maxPricePerHour,
    check: (plan) => assertKeepable(shown.terms.limits, calculatePlanPrice(plan)),
  };
}

const pricesOf = (plan: LaunchPlan): RentalPrices => ({
  price: calculatePlanPrice(plan),
  diskPrice: calculateDiskPrice(plan.offer, plan.diskGb),
});
