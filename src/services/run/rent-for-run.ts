// Rents what was confirmed for a run, and takes it to where the run can begin.

import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getCurrentPrice, readLaunchToken } from "../../domain/instance/instance.ts";
import type { LaunchAction, LaunchMessage } from "../../domain/launch/launch-messages.ts";
import { calculatePlanPrice, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import type { RentedForRun, RunRecord } from "../../domain/run/run-record.ts";
import { hasRunOutgrown } from "../../domain/run/run-upload.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SshMachines } from "../connection/ssh/ssh-machines.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchPerson, NextStep } from "../launch/launch-steps.ts";
import type { LaunchRunner } from "../launch/run-launch.ts";
import { suggestPlace } from "../transfer/suggest-place.ts";
import type { RunContinuations } from "./attempts/continue-run.ts";
import type { ConfirmedRental } from "./confirmed-rental.ts";
import type { UploadingPerson } from "./prepare-run.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { rememberPlace } from "./remember-place.ts";
import type { RunSecrets } from "./run-secrets.ts";
import type { RunWatch } from "./run-watch.ts";
import type { RunsService } from "./runs.ts";

/** The person who has a machine rented for a run. The extension asks with modals and notifications; a test answers on its own. */
export interface RunPerson extends UploadingPerson {
  /** How they are asked and told about the launch. */
  readonly launching: LaunchPerson;
  /** @returns undefined if the person doesn't want to connect. @throws AppError if the machine can't be logged in to. */
  connect(account: SignedIn, id: InstanceId): Promise<MachineLogin | undefined>;
  /** Tells of an instance on which nothing was run, and which is kept. */
  tellKept(account: SignedIn, name: string, id: InstanceId, error: AppError): void;
  /** Does what the person wants after a launch that no run follows. */
  takeNextStep(account: SignedIn, next: NextStep | undefined): Promise<void>;
  tellError(error: unknown): void;
}

/** Who watches a run whose machine is still to be rented. */
export interface RentingWatch extends RunWatch {
  /** Asks where the run is watched, for as long as it takes. @returns undefined if the person wants none of it. */
  ask(message: LaunchMessage, actions: readonly LaunchAction[]): Promise<LaunchAction | undefined>;
}

/** Who watches, and until when. */
export interface RentWatch {
  readonly watch: RentingWatch;
  readonly signal: AbortSignal;
}

/** What renting for a run needs. */
export interface RentingServices {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly runner: LaunchRunner;
  readonly runs: RunsService;
  readonly runSecrets: RunSecrets;
  readonly continuations: RunContinuations;
  readonly sshMachines: SshMachines;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * @throws AppError if nothing was rented, if the person no longer wants to run it, or if the machine can't be logged in to; the
 * instance is kept then, and the person is told.
 */
export async function rentForRun(
  services: RentingServices,
  person: RunPerson,
  confirmed: ConfirmedRental,
  { watch, signal }: RentWatch,
): Promise<PreparedRun> {
  const { runs, runSecrets } = services;
  const { draft, next: attempt } = confirmed;
  const { account, plan } = confirmed.rental;
  if (!readLaunchAccess(plan).hasSsh)
    throw new AppError("rejected", t("The template no longer starts SSH, so nothing was rented."));
  signal.throwIfAborted();
  // One may have been forgotten while the summary was open.
  await runSecrets.require(draft.secrets);
  const { rental } = confirmed;
  if (attempt) await services.continuations.claim(account, attempt, rental.intent.token, signal);
  signal.throwIfAborted();
  const expected = new ExpectedRun(services, person, confirmed);
  const { launching, hasLeft } = accompanyLaunch(services, person, { expected, run: draft.name }, { watch, signal });
  const next = await services.runner.run(launching, rental).catch(async (error) => {
    // The terminal may be closed by now.
    if (signal.aborted) person.tellError(error);
    const run = await expected.run();
    if (run) runs.stopWaiting(run.id);
    throw error;
  });
  const run = await expected.run();
  if (next?.kind !== "connect" || hasLeft()) {
    // What is to be told of the launch was told.
    if (run) await runs.forget(run.id).catch((failure) => services.log.warn("A run could not be forgotten.", failure));
    person.takeNextStep(account, next).catch((error) => person.tellError(error));
    throw new AppError("cancelled", t("Nothing was run."));
  }
  try {
    return await prepareOn(services, person, confirmed, { id: next.id, run, at: expected.at }, signal);
  } catch (thrown) {
    const error = asAppError(thrown);
    person.tellKept(account, draft.name, next.id, error);
    // A disk that fails hides neither that nor why; the next window tells of it once more.
    if (run)
      await runs
        .giveUp(run, error.message)
        .catch((failure) => services.log.warn("A run could not be given up.", failure));
    throw error;
  }
}

/** Writes the run down as soon as its instance is known: a window that is closed while it starts leaves word of it. */
class ExpectedRun {
  readonly #services: RentingServices;
  readonly #person: RunPerson;
  readonly #confirmed: ConfirmedRental;
  readonly at: number;
  #id: InstanceId | undefined;
  #run: Promise<RunRecord | undefined> = Promise.resolve(undefined);

  constructor(services: RentingServices, person: RunPerson, confirmed: ConfirmedRental) {
    this.#services = services;
    this.#person = person;
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
    const { rental, draft, next } = this.#confirmed;
    const rented = rentedAs(this.#services, id, this.#confirmed, this.at);
    try {
      const remote = suggestPlace(this.#person.usualFolder(), draft.folder);
      const run = await runs.prepare(rental.account, id, { ...draft, remote }, { rented, next });
      if (before) await runs.forget(before.id);
      return run;
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
  { instances }: RentingServices,
  id: InstanceId,
  { rental, whenDone, stopsItself }: ConfirmedRental,
  at: number,
): RentedForRun {
  const row = instances.find(id);
  const { template, image } = rental.plan;
  const price = (row && getCurrentPrice(row)) ?? calculatePlanPrice(rental.plan);
  return {
    // Without one it can't be recognized later, so it won't be destroyed.
    token: readLaunchToken(row?.value.label) ?? "unknown",
    ...{ at, whenDone, stopsItself },
    ...(template ? { template: template.hash_id } : {}),
    ...(image === undefined ? {} : { image }),
    ...(price === undefined ? {} : { price }),
  };
}

/** A person who needn't say that the run may begin once the machine is up, unless they left in between. */
function accompanyLaunch(
  { clock }: RentingServices,
  { launching: usual }: RunPerson,
  { expected, run }: { readonly expected: ExpectedRun; readonly run: string },
  { watch, signal }: RentWatch,
): { readonly launching: LaunchPerson; readonly hasLeft: () => boolean } {
  const leaving = [signal];
  const hasLeft = () => leaving.some(({ aborted }) => aborted);
  const launching: LaunchPerson = {
    ...usual,
    tell: async (message, actions) => {
      if (hasLeft()) return await usual.tell(message, actions);
      if (message.kind === "running" || message.kind === "silent") return "connect";
      // A notification fades, and the run would wait for it unseen.
      const chosen = actions.length > 0 ? await watch.ask(message, actions) : undefined;
      return chosen === undefined && (actions.length === 0 || hasLeft()) ? await usual.tell(message, actions) : chosen;
    },
    confirm: (question) => usual.confirm(question.kind === "replace" && !hasLeft() ? { ...question, run } : question),
    accompany: (plan, work) =>
      usual.accompany(plan, (onStage, cancelled) => {
        // What takes the place of a machine that was left is waited for on its own.
        const isReplacement = leaving.length > 1;
        const until = isReplacement && hasLeft() ? cancelled : AbortSignal.any([cancelled, signal]);
        leaving.push(cancelled);
        const since = clock.elapsed();
        const onBoth: typeof onStage = (stage) => {
          if (typeof stage === "object") expected.note(stage.id);
          watch.stage({ kind: "renting", stage, elapsed: clock.elapsed() - since, price: calculatePlanPrice(plan) });
          onStage(stage);
        };
        return work(onBoth, until);
      }),
  };
  return { launching, hasLeft };
}

interface OnInstance {
  readonly id: InstanceId;
  readonly run: RunRecord | undefined;
  /** Epoch milliseconds at which it was requested. */
  readonly at: number;
}

/** Nothing is asked here that the summary has answered, unless there is much more to upload by now. */
async function prepareOn(
  services: RentingServices,
  person: RunPerson,
  confirmed: ConfirmedRental,
  { id, run, at }: OnInstance,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { session, runs } = services;
  const { rental, draft, list, next } = confirmed;
  const { account } = rental;
  session.assertStill(account);
  const machine = await person.connect(account, id);
  if (!machine) throw new AppError("cancelled", t("Nothing was run."));
  signal.throwIfAborted();
  const remote = suggestPlace(await person.findPlace(account, machine), draft.folder);
  const now = await person.list(draft);
  session.assertStill(account);
  if (hasRunOutgrown(now, list))
    throw new AppError("rejected", t("There is much more to upload than you confirmed, so nothing was uploaded."));
  signal.throwIfAborted();
  await rememberPlace(services, machine, { draft, remote, usual: person.usualFolder() }, now);
  const rented = rentedAs(services, id, confirmed, at);
  const known = run ?? (await runs.prepare(account, id, { ...draft, remote }, { rented, next }));
  return { machine, run: await runs.noteReady(account, known, { ...draft, remote }, rented), list: now };
}
