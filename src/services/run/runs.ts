// Runs of this person: started on a machine, followed through lost connections, and their results fetched. A run goes on there
// whatever becomes of this window; its record leads any later one back to it.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId, RunId } from "../../domain/base/id.ts";
import { findUntil } from "../../domain/run/run-limits.ts";
import { MOST_NAME, type RunPlan } from "../../domain/run/run-plan.ts";
import {
  createRunId,
  findEarlyResults,
  isOpen,
  type RentedForRun,
  type RunMember,
  type RunRecord,
} from "../../domain/run/run-record.ts";
import type { SecretValues } from "../../domain/run/run-secrets.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import { t } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import { Duties, isElsewhere } from "../core/duty.ts";
import type { SignedIn } from "../core/session.ts";
import type { NextAttempt } from "./attempts/next-attempt.ts";
import { findMissing, findRunning } from "./end-rented.ts";
import { type FollowerParts, RunFollower } from "./follow-run.ts";
import { startRun, stopRun, unguardMachine } from "./machine-run.ts";
import { retryOnMachine } from "./retry-on-machine.ts";
import { armGuard, recheckGuard } from "./run-guard.ts";
import type { Following } from "./run-watch.ts";
import { uploadRun } from "./upload-run.ts";

/** What an instance is for a run, apart from its number. `price`: $/h of one that the run didn't rent, or of all that it runs on. */
interface OnInstance {
  readonly rented?: RentedForRun;
  readonly price?: number | undefined;
  /** What it is among the runs of a group, which began together at `at`. */
  readonly among?: { readonly member: RunMember; readonly at: number };
  /** What it goes on with. */
  readonly next?: Pick<NextAttempt, "run" | "attempts" | "early" | "agreed"> | undefined;
}

export class RunsService {
  readonly #services: FollowerParts;
  readonly #follower: RunFollower;
  /** Runs that wait for their instances here. */
  readonly #waiting: Duties<RunId>;

  constructor(services: FollowerParts) {
    this.#services = services;
    this.#waiting = new Duties(services.liveness);
    this.#follower = new RunFollower(services);
  }

  /** The runs of an account, the latest first. */
  readAll(account: SignedIn): Promise<readonly RunRecord[]> {
    return this.#services.journal.readAll(account);
  }

  /**
   * Runs that no one follows: their window is gone, and something is left to do. Whether a window is gone may show only after a
   * while; until then its runs are `followed`.
   */
  async findLeft(
    account: SignedIn,
  ): Promise<{ readonly left: readonly RunRecord[]; readonly followed: readonly RunRecord[] }> {
    const { liveness, journal } = this.#services;
    const [left, followed]: [RunRecord[], RunRecord[]] = [[], []];
    for (const run of (await this.readAll(account)).filter(isOpen)) {
      if (run.window === liveness.id && !this.#follower.wasLeft(run.id)) continue;
      if (await isElsewhere(liveness, run.window)) {
        followed.push(run);
        continue;
      }
      // Nothing of it is on the machine but files.
      const isEarly = run.state.kind === "waiting" || run.state.kind === "uploading";
      const now = isEarly ? await journal.change(run.id, { state: this.#neverStarted() }) : run;
      if (now && isOpen(now)) left.push(now);
    }
    return { left, followed };
  }

  #neverStarted(): RunRecord["state"] {
    const why = t("The window was closed before the command started.");
    return { kind: "ended", at: this.#services.clock.now(), why, results: { kind: "none" } };
  }

  /**
   * Writes down a run that is about to begin on a machine: one that is rented for it may be on its way.
   * @throws AppError, or the disk's error.
   */
  async prepare(
    account: SignedIn,
    instance: InstanceId,
    plan: RunPlan,
    { rented, price, among, next }: OnInstance = {},
  ): Promise<RunRecord> {
    const { clock, journal, session } = this.#services;
    const at = among?.at ?? clock.now();
    const id = createRunId(plan.name, at, crypto.randomUUID(), among?.member.rank);
    const user = account.user();
    // The instances of a group run before a job begins.
    const waits = rented !== undefined && among === undefined;
    const run: RunRecord = {
      ...{ version: 1, id, base: account.address.base },
      ...(among === undefined ? {} : { member: among.member }),
      ...{ account: account.tag, instance, plan: { ...plan, name: nameOf(plan, among?.member.rank) }, at },
      ...{ window: this.#services.liveness.id, state: { kind: waits ? "waiting" : "uploading" } },
      ...(user === undefined ? {} : { user }),
      ...(rented === undefined ? {} : { rented }),
      ...(next === undefined ? {} : { earlier: [...next.attempts] }),
      ...(next?.agreed === undefined ? {} : { agreed: next.agreed }),
      ...(next?.early === undefined ? {} : { early: next.early }),
      ...findUntil(plan.limits, rented?.at ?? at, price ?? rented?.price),
    };
    session.assertStill(account);
    if (next) await journal.copyFetched(next.run.id, id);
    await this.#put(run);
    // An instance can take many minutes, and no other window may take the run for abandoned.
    if (waits) await this.#waiting.take(run.id);
    await journal.tidyUp(account);
    return run;
  }

  /** The machine is up, and all is decided. @throws AppError if the account was left; the disk's error. */
  async noteReady(account: SignedIn, run: RunRecord, plan: RunPlan, rented: RentedForRun): Promise<RunRecord> {
    this.#services.session.assertStill(account);
    const name = plan.name.slice(0, MOST_NAME);
    const until = findUntil(plan.limits, rented.at, rented.price);
    const now: RunRecord = { ...run, plan: { ...plan, name }, rented, ...until, state: { kind: "uploading" } };
    await this.#put(now);
    return now;
  }

  /** No one here waits for its instance now. If it is still written down as waiting, the next window tells of it. */
  stopWaiting(id: RunId): void {
    this.#waiting.end(id);
  }

  /** Until it has started, it isn't taken for the run of a window that is gone. */
  async #put(run: RunRecord): Promise<void> {
    const { journal, liveness } = this.#services;
    const end = liveness.begin();
    try {
      await journal.put(run);
    } finally {
      end();
    }
  }

  /** It never began on the machine that was rented for it, and the person knows. */
  async giveUp(run: RunRecord, why: string): Promise<void> {
    this.stopWaiting(run.id);
    const { state } = await this.#follower.end(run, { why, results: { kind: "none" } });
    if (state.kind !== "ended" || state.rental !== undefined) return;
    await this.#services.journal.change(run.id, { state: { ...state, rental: { kind: "kept", why } } });
  }

  /** Uploads, starts and follows a run to its end. @throws AppError; the signal's reason once no one watches any longer. */
  async start(machine: MachineLogin, run: RunRecord, list: UploadList, following: Following): Promise<RunRecord> {
    const { watch, signal } = following;
    const { journal, liveness, clock } = this.#services;
    const end = liveness.begin();
    this.stopWaiting(run.id);
    try {
      const secrets = await this.#requireSecrets(run);
      const uploaded = await this.#upload(machine, run, list, following);
      await this.#assertTime(run);
      // From here on, whoever ends it ends it on the machine.
      watch.stage({ kind: "starting" });
      // Before it is sent: whoever finds this asks the machine whether it arrived.
      const state = { kind: "started" } as const;
      await journal.change(run.id, { state });
      const work = (now: MachineLogin) => startRun(now, { ...run, secrets }, clock.now(), signal);
      const started = await retryOnMachine(this.#services, uploaded, following, work);
      const reached = await armGuard(this.#services, started, run, following);
      return await this.#follower.followOn(reached, { ...run, state }, following, false);
    } finally {
      end();
    }
  }

  /** @throws AppError `rejected` if one was forgotten since it was asked for; the storage's error. */
  async #requireSecrets(run: RunRecord): Promise<SecretValues> {
    try {
      return await this.#services.runSecrets.require(run.plan.secrets);
    } catch (error) {
      await this.#neverBegan(run, asAppError(error).message);
      throw error;
    }
  }

  /** @throws AppError `rejected` if its limit has passed before it began. */
  async #assertTime(run: RunRecord): Promise<void> {
    if (run.until === undefined || run.until > this.#services.clock.now()) return;
    const error = new AppError("rejected", t("The run reached its limit before the command started."));
    await this.#neverBegan(run, error.message);
    throw error;
  }

  /** The instance that was rented for it is kept. */
  async #neverBegan(run: RunRecord, why: string): Promise<void> {
    if (run.rented) await this.giveUp(run, why);
    else await this.#follower.end(run, { why, results: { kind: "none" } });
  }

  /** What arrived before the connection was lost isn't sent again. @returns the machine as it was reached then. */
  async #upload(machine: MachineLogin, run: RunRecord, list: UploadList, following: Following): Promise<MachineLogin> {
    const { account, signal } = following;
    try {
      const reached = await uploadRun(this.#services, machine, run, list, following);
      this.#services.session.assertStill(account);
      return reached;
    } catch (error) {
      const why = signal.aborted ? t("Stopped during the upload.") : asAppError(error).message;
      await this.#neverBegan(run, why);
      throw error;
    }
  }

  /**
   * Follows a run from its first line to its end, fetches its results, and ends what it rented. @returns its record then.
   * @throws AppError if the machine doesn't run or refuses the login; the signal's reason.
   */
  async follow(machine: MachineLogin, run: RunRecord, following: Following): Promise<RunRecord> {
    const wasOver = run.state.kind === "ended" || (await this.#follower.isOver(machine, run, following));
    const now = await recheckGuard(this.#services, machine, run, following);
    return await this.#follower.followOn(machine, now, following, wasOver);
  }

  /** Its instance has ended, and nothing of it can be found. */
  async noteGone(run: RunRecord, why: string): Promise<void> {
    const ended = await this.#follower.end(run, { why, results: { kind: "none" } });
    if (ended.state.kind !== "ended") return;
    const { results = findEarlyResults(ended) } = ended.state;
    await this.#services.journal.change(run.id, { state: { ...ended.state, results, rental: { kind: "gone" } } });
  }

  /** Its instance was stopped in the middle. What it left there is on that disk. */
  async noteStoppedEarly(run: RunRecord, price: number | undefined): Promise<void> {
    const why = t("Instance {0} was stopped.", run.instance);
    const rental = {
      kind: "stopped",
      at: this.#services.clock.now(),
      ...(price === undefined ? {} : { price }),
    } as const;
    await this.#follower.end(run, { why, results: { kind: "failed", why }, rental });
  }

  /** Its instance has stopped, as was decided, and its results are here. @returns its record then; undefined if anything is left to do. */
  async noteStopped(run: RunRecord, price: number | undefined): Promise<RunRecord | undefined> {
    if (run.rented?.whenDone !== "stop" || run.state.kind !== "ended") return undefined;
    // What went on after the download may have left more.
    if (findRunning(run) !== undefined || findMissing(run) !== undefined) return undefined;
    const at = this.#services.clock.now();
    const rental = { kind: "stopped", at, ...(price === undefined ? {} : { price }) } as const;
    return await this.#services.journal.change(run.id, { state: { ...run.state, rental } });
  }

  /** Ends what runs there. @throws AppError; the signal's reason. */
  async stop(machine: MachineLogin, run: RunRecord, how: "TERM" | "KILL", signal: AbortSignal): Promise<void> {
    // Before it is sent: a command that was to end doesn't go on elsewhere.
    await this.#services.journal
      .change(run.id, { isStopAsked: true })
      .catch((failure) => this.#services.log.warn("It could not be noted that a run was to stop.", failure));
    await stopRun(machine, run.id, how, signal);
  }

  /** The same, again and again while the connection is lost. @throws AppError once the machine is gone or its account left; the signal's reason. */
  async retryStop(
    machine: MachineLogin,
    run: RunRecord,
    how: "TERM" | "KILL",
    until: Omit<Following, "watch">,
  ): Promise<void> {
    const following = { ...until, watch: { stage: () => undefined } };
    await retryOnMachine(this.#services, machine, following, (now) => stopRun(now, run.id, how, until.signal));
  }

  /** Lets the instance run on that would stop itself after any of its runs. @throws AppError; the signal's reason. */
  async keepRunning(account: SignedIn, machine: MachineLogin, signal: AbortSignal): Promise<void> {
    await unguardMachine(machine, signal);
    for (const { id, instance, guard } of await this.readAll(account))
      if (instance === machine.id && guard?.kind === "armed")
        await this.#services.journal.change(id, { guard: { kind: "off" } });
  }

  /** The person doesn't want it in the list, nor its earlier attempts. */
  remove(run: RunRecord): Promise<void> {
    return this.#services.journal.remove(run);
  }

  forget(id: RunId): Promise<void> {
    this.stopWaiting(id);
    return this.#services.journal.forget(id);
  }
}

/** The name of one of several ends with its rank. */
function nameOf({ name }: RunPlan, rank: number | undefined): string {
  const mark = rank === undefined ? "" : ` [${rank}]`;
  return name.slice(0, MOST_NAME - mark.length) + mark;
}
