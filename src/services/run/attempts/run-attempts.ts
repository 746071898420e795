// A run that continues automatically: each time its instance is lost, another one is rented for it, as often as was agreed to at its summary.
import { asAppError } from "../../../domain/base/error.ts";
import type { LaunchMessage } from "../../../domain/launch/launch-messages.ts";
import { calculatePlanPrice } from "../../../domain/launch/launch-plan.ts";
import { findMostPerHour } from "../../../domain/run/run-limits.ts";
import { canContinueAutomatically, countAttempts, type RunRecord } from "../../../domain/run/run-record.ts";
import { createIntent } from "../../launch/intent.ts";
import { isAboutOffer } from "../../launch/recheck-plan.ts";
import type { ConfirmedRental } from "../confirmed-rental.ts";
import type { PreparedRun } from "../prepared-run.ts";
import { type RentingServices, type RentWatch, type RunPerson, rentForRun } from "../rent-for-run.ts";
import type { Following } from "../run-watch.ts";
import type { RunsService } from "../runs.ts";
import type { AgreedTerms } from "./propose-attempt.ts";

/** Offers that are tried for an attempt: someone else may be faster. */
const MOST_OFFERS = 3;

/** What was confirmed, and what that agreed to. */
interface AgreedRental extends ConfirmedRental {
  readonly agreed: AgreedTerms;
}

/**
 * Rents as was confirmed. What is prepared then can go on with other instances, which keep to what was agreed to: the terms of the first one.
 * @throws as `rentForRun` does.
 */
export async function rentForAttempts(
  services: RentingServices,
  person: RunPerson,
  confirmed: ConfirmedRental,
  watching: RentWatch,
  agreed = findAgreedTerms(confirmed),
): Promise<PreparedRun> {
  const prepared = await rentForRun(services, person, confirmed, watching);
  if (!agreed) return prepared;
  return { ...prepared, goOn: (run) => goOn(services, person, { ...confirmed, agreed }, run, watching) };
}

/** Undefined where no one knows the price. */
function findAgreedTerms({ rental: { plan, search }, draft }: ConfirmedRental): AgreedTerms | undefined {
  const most = findMostPerHour(draft.limits ?? {}, calculatePlanPrice(plan));
  return most === undefined ? undefined : { plan, search, most };
}

/**
 * Starts a prepared run and follows it to its end, through all its attempts. `onNext` is told of each instance that takes the place of a lost one.
 * @returns its record then. @throws as `RunsService.start` does.
 */
export async function startAttempts(
  runs: RunsService,
  first: PreparedRun,
  following: Following,
  onNext: (prepared: PreparedRun) => void,
): Promise<RunRecord> {
  for (let now = first; ; ) {
    const { machine, run, list, goOn } = now;
    const start = runs.start(machine, run, list, following);
    const over = goOn && (await findOver(runs, run, start, following));
    const next = over && (await goOn(over));
    if (!next) return await start;
    onNext(next);
    now = next;
  }
}

/** Its record once no one follows it any longer; undefined if no one wants to. */
async function findOver(
  runs: RunsService,
  { id }: RunRecord,
  start: Promise<RunRecord>,
  { account, signal }: Following,
): Promise<RunRecord | undefined> {
  try {
    return await start;
  } catch {
    return signal.aborted ? undefined : (await runs.readAll(account)).find((run) => run.id === id);
  }
}

async function goOn(
  services: RentingServices,
  person: RunPerson,
  confirmed: AgreedRental,
  run: RunRecord,
  watching: RentWatch,
): Promise<PreparedRun | undefined> {
  const { watch, signal } = watching;
  const { continuations } = services;
  const { account } = confirmed.rental;
  if (!canContinueAutomatically(run)) return undefined;
  try {
    signal.throwIfAborted();
    await continuations.assertLost(account, run);
    const attempt = countAttempts(run) + 1;
    const { limits: { maxAttempts = 1 } = {} } = run.plan;
    watch.stage({ kind: "lost", instance: run.instance, attempt, most: attempt + maxAttempts - 2 });
    return await rentNext(services, person, confirmed, run, watching);
  } catch (error) {
    if (!signal.aborted) watch.stage({ kind: "not-continued", why: asAppError(error).message });
    return undefined;
  }
}

/** `offers`: how many are tried. @throws as `RunContinuations.propose` and `rentForRun` do. */
async function rentNext(
  services: RentingServices,
  person: RunPerson,
  confirmed: AgreedRental,
  run: RunRecord,
  watching: RentWatch,
  offers = MOST_OFFERS,
): Promise<PreparedRun> {
  const { agreed } = confirmed;
  const { account, search } = confirmed.rental;
  const { watch, signal } = watching;
  const { next, plan, limits } = await services.continuations.propose(account, run, agreed, signal);
  const chain = { price: calculatePlanPrice(plan), tries: 0 };
  const rental = { ...{ account, plan, search, chain }, withoutTracking: false, intent: createIntent() };
  const draft = { ...next.draft, limits };
  const again = { ...confirmed, rental, draft, next: { ...next, agreed: next.draft.limits } };
  signal.throwIfAborted();
  let isTaken = false;
  const ask: typeof watch.ask = async (message, actions) => {
    // Nothing was sent for it. An instance that is only outbid may have its GPU again by now, so its person decides.
    isTaken = offers > 1 && next.before === "gone" && isOfferLost(message);
    return isTaken ? undefined : await watch.ask(message, actions);
  };
  try {
    return await rentForAttempts(services, withoutAgain(person), again, { signal, watch: { ...watch, ask } }, agreed);
  } catch (error) {
    if (!isTaken || signal.aborted) throw error;
    return await rentNext(services, person, confirmed, run, watching, offers - 1);
  }
}

const isOfferLost = (message: LaunchMessage): boolean =>
  message.kind === "not-rented" && message.proven && isAboutOffer(message.error);

/** No other offer is chosen in place of one that is gone: that would be another run, with all of its limits. Who wants it continues it. */
function withoutAgain(person: RunPerson): RunPerson {
  const { launching } = person;
  const isAgain = (action: string) => action === "choose-again" || action === "reconfigure";
  return {
    ...person,
    launching: {
      ...launching,
      tell: (message, actions) =>
        launching.tell(
          message,
          actions.filter((one) => !isAgain(one)),
        ),
    },
    takeNextStep: async (account, next) => {
      if (!next || !isAgain(next.kind)) await person.takeNextStep(account, next);
    },
  };
}
