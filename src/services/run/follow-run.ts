// Follows one run to its end: its output, its results, and what becomes of the instance that was rented for it.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { RunId } from "../../domain/base/id.ts";
import {
  awaitsRentalEnd,
  canContinue,
  type EndedRun,
  type FetchedResults,
  findEarlyResults,
  hasResultsThere,
  type RentalEnd,
  type Results,
  type RunRecord,
} from "../../domain/run/run-record.ts";
import type { ThereState } from "../../domain/run/run-script.ts";
import type { UploadSize } from "../../domain/transfer/upload-list.ts";
import type { Log } from "../../lib/log.ts";
import { SecretMasker } from "../../lib/secret-masker.ts";
import { createLazy } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import { isElsewhere } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import { endRented } from "./end-rented.ts";
import { followRun, readRunState } from "./machine-run.ts";
import { fetchAgain } from "./results/fetch-again.ts";
import { fetchResults } from "./results/fetch-results.ts";
import { isBusy, verifyResults } from "./results/verify-results.ts";
import { type Reaching, retryOnMachine } from "./retry-on-machine.ts";
import { isInProgress, toRunEnd, withStageAfterCommand } from "./run-end.ts";
import { recheckGuard } from "./run-guard.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunSecrets } from "./run-secrets.ts";
import type { Following } from "./run-watch.ts";

export interface FollowerParts extends Reaching {
  readonly journal: RunJournal;
  readonly runSecrets: RunSecrets;
  readonly liveness: Liveness;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly log: Log;
}

/** Milliseconds within which what was started shows its process. */
const STARTS_WITHIN = 15_000;
const LOOK_AGAIN = 500;

export class RunFollower {
  readonly #services: FollowerParts;
  /** Runs that are followed in this window. */
  readonly #followed = new Set<RunId>();
  /** Those of this window that were left because their account was. */
  readonly #left = new Set<RunId>();

  constructor(services: FollowerParts) {
    this.#services = services;
  }

  /** Whether this window followed it, and its account was left in the meantime. */
  wasLeft(id: RunId): boolean {
    return this.#left.has(id) && !this.#followed.has(id);
  }

  /** Whether it ended while no one followed it. */
  async isOver(machine: MachineLogin, { id }: RunRecord, following: Following): Promise<boolean> {
    let state: ThereState = { kind: "starting" };
    try {
      await retryOnMachine(this.#services, machine, following, async (now) => {
        state = await readRunState(now, id, following.signal);
      });
    } catch (error) {
      if (!isGone(error)) throw error;
      return true;
    }
    return !isInProgress(state);
  }

  /** `wasOver`: no one knows what has been done on the machine since it ended. */
  async followOn(machine: MachineLogin, run: RunRecord, following: Following, wasOver: boolean): Promise<RunRecord> {
    const { journal, liveness, session } = this.#services;
    const end = liveness.begin();
    this.#followed.add(run.id);
    this.#left.delete(run.id);
    try {
      await journal.change(run.id, { window: liveness.id });
      const over = run.state.kind === "ended" ? run : await this.#followToEnd(machine, run, following);
      following.watch.ended?.(over);
      const after = withStageAfterCommand(following);
      // A machine that was restarted in the meantime is no longer what it was.
      const isUnclear =
        over.state.kind === "ended" && over.state.exit === undefined && over.state.results === undefined;
      const ended = isUnclear ? await recheckGuard(this.#services, machine, over, after) : over;
      const now = await journal.find(run.id);
      // Whoever followed it last does the rest.
      if (now && (await isElsewhere(liveness, now.window))) return now;
      return await this.#endRented(machine, await this.#fetch(machine, ended, after), after, wasOver);
    } finally {
      this.#followed.delete(run.id);
      if (session.current !== following.account) this.#left.add(run.id);
      end();
    }
  }

  /** Stops or destroys the instance that the run rented, if that was decided and nothing is lost by it. */
  async #endRented(machine: MachineLogin, run: RunRecord, following: Following, wasOver: boolean): Promise<RunRecord> {
    const { journal } = this.#services;
    const { account, watch, signal } = following;
    const { state } = run;
    if (!awaitsRentalEnd(run) || state.kind !== "ended") return run;
    watch.stage({ kind: "verifying" });
    const agree = createLazy(async () => !wasOver || (await watch.mayDestroy(run)));
    let rental: RentalEnd = { kind: "gone" };
    try {
      await retryOnMachine(this.#services, machine, following, async (reached) => {
        rental = await endRented(this.#services, account, run, {
          agree,
          signal,
          onEnd: () =>
            watch.stage(
              run.rented?.whenDone === "stop"
                ? { kind: "stopping" }
                : { kind: "destroying", others: othersOf(state.results) },
            ),
          findOthers: async () => await this.#findOthers(account, run),
          isBusy: () => isBusy(reached, run, signal),
          verify: async () => (await verifyResults(reached, run, signal)) || (await this.#noteDifferent(run)),
        });
      });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    // Another window may have ended it while this one compared.
    const before = await journal.find(run.id);
    const other = before?.state.kind === "ended" ? before.state.rental : undefined;
    if (before && (other?.kind === "destroyed" || other?.kind === "stopped" || other?.kind === "gone")) return before;
    const now = { ...run, state: { ...state, rental } };
    // What was done is told, even if it can't be written down.
    return (await journal.change(run.id, { state: now.state }).catch(() => undefined)) ?? now;
  }

  /** Should this window be killed once the instance was told to stop, the next one must not take all of its results for downloaded. */
  async #noteDifferent({ id, state }: RunRecord): Promise<false> {
    if (state.kind === "ended" && state.results?.kind === "fetched") {
      const results = { ...state.results, isWhole: false };
      await this.#services.journal.change(id, { state: { ...state, results } });
    }
    return false;
  }

  /** Other runs on the instance that aren't over, or whose results are only there. */
  async #findOthers(account: SignedIn, { id, instance }: RunRecord): Promise<readonly RunRecord[]> {
    const all = await this.#services.journal.readAll(account);
    return all.filter((other) => other.id !== id && other.instance === instance && hasResultsThere(other));
  }

  /** Its results come while it runs, if they are to. */
  async #followToEnd(machine: MachineLogin, run: RunRecord, following: Following): Promise<RunRecord> {
    const over = new AbortController();
    const signal = AbortSignal.any([following.signal, over.signal]);
    const way = { machine };
    const tellLate = (names: readonly string[]) => following.watch.stage({ kind: "late", names });
    const fetching = fetchAgain(this.#services, following.account, run, { reach: () => way.machine, tellLate }, signal);
    const stopFetching = async () => {
      over.abort();
      await fetching;
    };
    try {
      return await this.#followCommand(way, run, following, stopFetching);
    } finally {
      await stopFetching();
    }
  }

  /** `way` is told how the machine is reached. What came while it ran is written down before its end is. */
  async #followCommand(
    way: { machine: MachineLogin },
    run: RunRecord,
    following: Following,
    stopFetching: () => Promise<void>,
  ): Promise<RunRecord> {
    const { clock } = this.#services;
    const { watch, signal } = following;
    const since = clock.elapsed();
    let at = 0;
    let state: ThereState = { kind: "starting" };
    watch.stage({ kind: "running" });
    const { values, missing } = await this.#services.runSecrets.listMasked(run.plan.secrets);
    const masker = new SecretMasker(values);
    if (missing.length > 0) watch.output(Buffer.from(`${describeUnmasked(missing)}\n`));
    const look = async (now: MachineLogin) => {
      way.machine = now;
      await followRun(now, run.id, at, signal, (bytes) => {
        at += bytes.length;
        watch.output(masker.push(bytes));
      });
      state = await readRunState(now, run.id, signal);
    };
    while (isInProgress(state)) {
      try {
        way.machine = await retryOnMachine(this.#services, way.machine, following, look);
      } catch (error) {
        if (!isGone(error)) throw error;
        await stopFetching();
        return await this.end(run, { why: error.message, results: { kind: "none" }, rental: { kind: "gone" } });
      }
      if (state.kind !== "running" && clock.elapsed() - since > STARTS_WITHIN) break;
      if (isInProgress(state)) await clock.sleep(LOOK_AGAIN, signal);
    }
    watch.output(masker.end());
    await stopFetching();
    return await this.end(run, toRunEnd(state));
  }

  /**
   * Unless another window noticed it first: that one may have fetched the results already. Who knows the exit code is right against
   * whoever doesn't.
   */
  async end(run: RunRecord, how: Omit<EndedRun, "kind" | "at">): Promise<RunRecord> {
    const { clock, journal } = this.#services;
    const before = await journal.find(run.id);
    if (before?.state.kind === "ended" && (before.state.exit !== undefined || how.exit === undefined)) return before;
    // What was downloaded while it ran is all that there is of a machine that is gone. Where it never began, that is an earlier attempt's.
    const { state: stage } = before ?? run;
    const isLost = how.results?.kind === "none" && stage.kind === "started";
    const left = isLost ? { results: findEarlyResults(before ?? run) } : {};
    const state = { kind: "ended", at: clock.now(), ...how, ...left } as const;
    return (await journal.change(run.id, { state })) ?? { ...run, state };
  }

  /** Fetches the results of a run that is over, unless they are here already. A failure is written down with it. */
  async #fetch(machine: MachineLogin, run: RunRecord, following: Following): Promise<RunRecord> {
    const { watch, signal } = following;
    const { journal } = this.#services;
    const { state } = run;
    if (state.kind !== "ended" || (state.results && state.results.kind !== "failed")) return run;
    watch.stage({ kind: "fetching", files: 0, bytes: 0 });
    let results: Results = { kind: "none" };
    const report = ({ files, bytes }: UploadSize) => watch.stage({ kind: "fetching", files, bytes });
    try {
      await retryOnMachine(this.#services, machine, following, async (now) => {
        const { values } = await this.#services.runSecrets.listMasked(run.plan.secrets);
        const fetched = await journal.readFetched(run.id).catch(() => new Map());
        const note = canContinue(run) ? (lines: string) => journal.noteFetched(run.id, lines) : undefined;
        const known = { secrets: values, fetched, note };
        results = await fetchResults(now, run, signal, { report, mayGoOn: (bytes) => watch.mayGoOn(bytes) }, known);
      });
    } catch (error) {
      signal.throwIfAborted();
      const failed = { kind: "failed", why: asAppError(error).message } as const;
      results = isGone(error) ? withEarly({ ...failed, isLost: true }, run) : failed;
    }
    // Another window may have fetched them, and destroyed the machine.
    const before = await journal.find(run.id);
    if (before?.state.kind === "ended" && before.state.results?.kind === "fetched") return before;
    // An instance that was kept for its results, or started again for them, may go now if the person agrees.
    const { rental, ...rest } = state;
    const now = {
      ...rest,
      results,
      ...(rental === undefined || rental.kind === "kept" || rental.kind === "stopped" ? {} : { rental }),
    };
    return (await journal.change(run.id, { state: now })) ?? { ...run, state: now };
  }
}

/** What came while the command ran, if anything did. */
function withEarly(lost: Results, run: RunRecord): Results {
  const early = findEarlyResults(run);
  return early.kind === "none" ? lost : early;
}

const describeUnmasked = (names: readonly string[]): string =>
  t("The value of {0} isn't kept here, so it isn't masked in the output of this run.", names.join(", "));

const othersOf = (results: Results | undefined): FetchedResults["others"] =>
  results?.kind === "fetched" ? results.others : undefined;

const isGone = (error: unknown): error is AppError => error instanceof AppError && error.kind === "gone";
