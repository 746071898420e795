// Rents what was confirmed for a run, and takes it to where the run can begin.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { launchToken, priceNow } from "../../domain/instance/instance.ts";
import { planPrice, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import type { RentedForRun, RunRecord } from "../../domain/run/run-record.ts";
import { hasRunOutgrown } from "../../domain/run/run-upload.ts";
import { t } from "../../lib/text.ts";
import type { LaunchPerson } from "../../services/launch/run-launch.ts";
import type { RunWatch } from "../../services/run/run-watch.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { showError } from "../kit/errors.ts";
import { createLaunchPerson, takeNextStep } from "../launch/launch-person.ts";
import { remotePlaceFor, usualFolder } from "../transfer/transfer-place.ts";
import { suggestPlace } from "../transfer/upload-consent.ts";
import { listForRun, rememberPlace } from "./prepare-run.ts";
import type { ConfirmedRental } from "./review-rental.ts";
import type { RunServices } from "./run-services.ts";
import type { PreparedRun } from "./run-terminals.ts";
import { tellKept } from "./tell-kept.ts";

export interface RentWatch {
  readonly watch: RunWatch;
  readonly signal: AbortSignal;
  /** Lets the person choose another offer for the same run. */
  readonly again: () => Promise<void>;
}

/**
 * @throws AppError if nothing was rented, if the person no longer wants to run it, or if the machine can't be logged in to; the
 * instance is kept then, and the person is told.
 */
export async function rentForRun(
  services: RunServices,
  confirmed: ConfirmedRental,
  { watch, signal, again }: RentWatch,
): Promise<PreparedRun> {
  const { runs, log } = services;
  const { launch, draft } = confirmed;
  const { account, plan } = launch.rental;
  if (!readLaunchAccess(plan).hasSsh)
    throw new AppError("rejected", t("The template no longer starts SSH, so nothing was rented."));
  const expected = new ExpectedRun(services, confirmed);
  const { person, hasLeft } = createPersonOfRun(services, expected, watch, signal);
  const next = await services.runner.run(person, launch.rental).catch(async (error) => {
    // The terminal may be closed by now.
    if (signal.aborted) void showError(error, log);
    const run = await expected.run();
    if (run) runs.stopWaiting(run.id);
    throw error;
  });
  const run = await expected.run();
  if (next?.kind !== "connect" || hasLeft()) {
    // What is to be told of the launch was told.
    if (run) await runs.forget(run.id);
    takeNextStep(services, account, next, again).catch((error) => showError(error, log));
    throw new AppError("cancelled", t("Nothing was run."));
  }
  try {
    return await prepareOn(services, confirmed, { id: next.id, run, at: expected.at }, signal);
  } catch (thrown) {
    const error = asAppError(thrown);
    if (run) await runs.giveUp(run, error.message);
    tellKept(services, account, draft.name, next.id, error);
    throw error;
  }
}

/** Writes the run down as soon as its instance is known: a window that is closed while it starts leaves word of it. */
class ExpectedRun {
  readonly #services: RunServices;
  readonly #confirmed: ConfirmedRental;
  readonly at: number;
  #id: InstanceId | undefined;
  #run: Promise<RunRecord | undefined> = Promise.resolve(undefined);

  constructor(services: RunServices, confirmed: ConfirmedRental) {
    this.#services = services;
    this.#confirmed = confirmed;
    this.at = services.clock.now();
  }

  /** Another instance takes the place of one that died. */
  note(id: InstanceId): void {
    if (this.#id === id) return;
    this.#id = id;
    this.#run = this.#run.then((before) => this.#write(before, id));
  }

  async #write(before: RunRecord | undefined, id: InstanceId): Promise<RunRecord | undefined> {
    const { runs, log } = this.#services;
    const { launch, draft } = this.#confirmed;
    const rented = rentedAs(this.#services, id, this.#confirmed, this.at);
    try {
      if (before) await runs.forget(before.id);
      const remote = suggestPlace(usualFolder(), draft.folder);
      return await runs.prepare(launch.rental.account, id, { ...draft, remote }, { rented });
    } catch (error) {
      log.warn("A run could not be written down.", error);
      return undefined;
    }
  }

  run(): Promise<RunRecord | undefined> {
    return this.#run;
  }
}

/** What is known of an instance that was rented for a run. */
function rentedAs(
  { instances }: RunServices,
  id: InstanceId,
  { launch, afterward, stopsItself }: ConfirmedRental,
  at: number,
): RentedForRun {
  const row = instances.find(id);
  const { template, image } = launch.rental.plan;
  const price = (row && priceNow(row)) ?? planPrice(launch.rental.plan);
  return {
    // Without one it can't be recognized later, so it won't be destroyed.
    token: launchToken(row?.value.label) ?? "unknown",
    ...{ at, afterward, stopsItself },
    ...(template ? { template: template.hash_id } : {}),
    ...(image === undefined ? {} : { image }),
    ...(price === undefined ? {} : { price }),
  };
}

/** The person at this window, who needn't say that the run may begin once the machine is up, unless they left in between. */
function createPersonOfRun(services: RunServices, expected: ExpectedRun, watch: RunWatch, signal: AbortSignal) {
  const launching = createLaunchPerson(services);
  const { clock } = services;
  const leaving = [signal];
  const hasLeft = () => leaving.some(({ aborted }) => aborted);
  const person: LaunchPerson = {
    ...launching,
    tell: async (message, actions) => {
      const isUp = message.kind === "running" || message.kind === "silent";
      return isUp && !hasLeft() ? "connect" : await launching.tell(message, actions);
    },
    accompany: (plan, work) =>
      launching.accompany(plan, (onStage, cancelled) => {
        leaving.push(cancelled);
        const since = clock.elapsed();
        const onBoth: typeof onStage = (stage) => {
          if (typeof stage === "object") expected.note(stage.id);
          watch.stage({ kind: "renting", stage, elapsed: clock.elapsed() - since, price: planPrice(plan) });
          onStage(stage);
        };
        return work(onBoth, AbortSignal.any([cancelled, signal]));
      }),
  };
  return { person, hasLeft };
}

interface OnInstance {
  readonly id: InstanceId;
  readonly run: RunRecord | undefined;
  /** Epoch milliseconds at which it was requested. */
  readonly at: number;
}

/** Nothing is asked here that the receipt has answered, unless there is much more to upload by now. */
async function prepareOn(
  services: RunServices,
  confirmed: ConfirmedRental,
  { id, run, at }: OnInstance,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { session, runs } = services;
  const { launch, draft, list } = confirmed;
  const { account } = launch.rental;
  session.assertStill(account);
  const machine = await reachForCommands(services, account, { id }, t("Connecting to {0}", id));
  if (!machine) throw new AppError("cancelled", t("Nothing was run."));
  signal.throwIfAborted();
  const remote = suggestPlace(await remotePlaceFor(services, account, machine), draft.folder);
  const now = await listForRun(draft);
  session.assertStill(account);
  if (hasRunOutgrown(now, list))
    throw new AppError("rejected", t("There is much more to upload than you confirmed, so nothing was uploaded."));
  signal.throwIfAborted();
  await rememberPlace(services, machine, draft.folder, remote, now);
  const rented = rentedAs(services, id, confirmed, at);
  const known = run ?? (await runs.prepare(account, id, { ...draft, remote }, { rented }));
  return { machine, run: await runs.ready(account, known, { ...draft, remote }, rented), list: now };
}
