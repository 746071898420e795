// Renting an instance for a run: which template, which offer, and a receipt that says what follows.

import type { Afterward } from "../../domain/base/afterward.ts";
import type { Globs } from "../../domain/base/glob.ts";
import { emptyDraft, type LaunchDraft, withSshImage, withTemplate } from "../../domain/launch/launch-draft.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch/launch-plan.ts";
import { diskPrice } from "../../domain/offer/disk.ts";
import { assertKeepable, limitLine, type RunLimits, withUsualTime } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { Template } from "../../domain/template/template.ts";
import { label, plain, t } from "../../lib/text.ts";
import {
  afterwardName,
  guardName,
  type RentalPrices,
  rentalDetail,
  uploadLine,
} from "../../present/run/rental-text.ts";
import { dataText, resultsName } from "../../present/run/result-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { Rental } from "../../services/launch/run-launch.ts";
import type { ConfirmedRental } from "../../services/run/rent-for-run.ts";
import { askOffer } from "../launch/ask-offer.ts";
import { type ConfirmedLaunch, type LaunchStep, reviewLaunch } from "../launch/launch-commands.ts";
import type { RentPurpose } from "../launch/rent-purpose.ts";
import { askAfterward } from "./ask-afterward.ts";
import { askCommand, askLimits } from "./ask-command.ts";
import { askResults } from "./ask-results.ts";
import { askWhatToRent, findUsualTemplate } from "./ask-what-to-rent.ts";
import { listForRun } from "./list-for-run.ts";
import type { RunServices } from "./run-services.ts";

/** What the last run of the same kind had, or a file proposes. */
export interface Wish {
  readonly template?: Template["hash_id"] | undefined;
  /** What it is to be rented with. */
  readonly given?: Template | undefined;
  /** In place of a template. */
  readonly image?: string | undefined;
  readonly afterward?: Afterward | undefined;
  readonly stopsItself?: boolean | undefined;
}

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
  await templates.collection.known();
  session.assertStill(account);
  const title = t("Run {0} on a GPU", label(draft.name, 60));
  const start = startOf(services, wish);
  const terms = createTerms(draft, wish);
  const purpose = createPurpose(title, draft, list, terms);
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
    { ask: (state, place) => askOffer(services, { ...place, title }, state, terms.limits.perHour) },
  ];
  const launch = await reviewLaunch(services, account, { title, start, steps, purpose });
  return launch && { rental: withMost(launch, terms.limits.perHour), list, ...confirmTerms(draft, terms) };
}

function startOf(services: RunServices, { image, given, template }: Wish): LaunchDraft {
  if (image !== undefined) return withSshImage(emptyDraft, image);
  const usual = given ?? findUsualTemplate(services, template);
  return usual ? withTemplate(emptyDraft, usual) : emptyDraft;
}

/** No machine that takes the place of one that died may cost more, either. */
const withMost = ({ rental }: ConfirmedLaunch, mostPerHour: number | undefined): Rental => ({
  ...rental,
  plan: { ...rental.plan, mostPerHour },
});

/** What can be changed on the receipt. */
interface Terms {
  command: string;
  results: Globs;
  limits: RunLimits;
  afterward: Afterward;
  /** Only where it is to be stopped or destroyed: one that is to be kept is to be there. */
  stopsItself: boolean;
}

function createTerms(draft: RunDraft, wish: Wish): Terms {
  const { command, results = [], limits = {} } = draft;
  return {
    command,
    results,
    limits: withUsualTime(limits),
    afterward: wish.afterward ?? "destroy",
    stopsItself: wish.stopsItself ?? true,
  };
}

function confirmTerms(draft: RunDraft, { command, results, limits, afterward, stopsItself }: Terms) {
  const confirmed = { ...draft, command, results: [...results], limits };
  return { draft: confirmed, afterward, stopsItself: afterward !== "keep" && stopsItself };
}

function createPurpose(title: string, { setUp }: RunDraft, list: RunUpload, terms: Terms): RentPurpose {
  const changes = {
    command: async () => {
      terms.command = (await askCommand(title, terms.command)) ?? terms.command;
    },
    results: async () => {
      terms.results = (await askResults(title, terms.results)) ?? terms.results;
    },
    limits: async () => {
      terms.limits = withUsualTime((await askLimits(title, terms.limits)) ?? terms.limits);
    },
    afterward: async (prices: RentalPrices) => {
      terms.afterward = (await askAfterward(title, terms.afterward, prices)) ?? terms.afterward;
    },
    stopsItself: async () => {
      terms.stopsItself = !terms.stopsItself;
    },
  };
  return {
    title: t("Run"),
    lines: (plan) => [
      {
        name: t("Command"),
        value: plain(terms.command, 200),
        // A box for one line would change one that has several.
        ...(terms.command.includes("\n") ? {} : { change: changes.command }),
      },
      ...(setUp === "" ? [] : [{ name: t("Setup"), value: plain(setUp, 200) }]),
      { name: t("Upload"), value: uploadLine(list) },
      ...list.data.map((data) => ({ name: t("Data"), value: dataText(data) })),
      {
        name: t("Results"),
        value: resultsName(terms.results),
        // The box separates them by commas.
        ...(terms.results.some((glob) => glob.includes(",")) ? {} : { change: changes.results }),
      },
      { name: t("Limit"), value: limitLine(terms.limits, planPrice(plan)), change: changes.limits },
      {
        name: t("Afterward"),
        value: afterwardName(terms.afterward, pricesOf(plan)),
        change: () => changes.afterward(pricesOf(plan)),
      },
      ...(terms.afterward !== "keep"
        ? [{ name: t("If No Window Is Open"), value: guardName(terms.stopsItself), change: changes.stopsItself }]
        : []),
    ],
    detail: (plan) => rentalDetail({ ...terms, ...pricesOf(plan), setUp, list }),
    mostPerHour: () => terms.limits.perHour,
    check: (plan) => assertKeepable(terms.limits, planPrice(plan)),
  };
}

const pricesOf = (plan: LaunchPlan): RentalPrices => ({
  price: planPrice(plan),
  diskPrice: diskPrice(plan.offer, plan.diskGb),
});
