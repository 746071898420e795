// A job that this window follows on all of its instances: what each rank prints, and how one ends the others.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { readVersions } from "../../domain/group/job-plan.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SignedIn } from "../core/session.ts";
import type { Following, RunWatch } from "../run/run-watch.ts";
import type { RunsService } from "../run/runs.ts";
import { OutputReader } from "./output-reader.ts";

/** One of the runs of a job, on its instance. */
export interface JobRun {
  readonly machine: MachineLogin;
  readonly run: RunRecord;
}

/** How a rank ended: `error` if it never began, or isn't followed to its end. */
export interface RankEnd {
  readonly rank: number;
  readonly instance: InstanceId;
  readonly run: RunRecord | undefined;
  readonly error: AppError | undefined;
  /** It began, and no one knows that it ended. */
  readonly mayRun: boolean;
}

/** Who watches a job. */
export interface JobWatch extends Pick<RunWatch, "mayGoOn" | "mayDestroy"> {
  stage(rank: number, stage: RunStage): void;
  line(rank: number, line: string): void;
  /** Its command has ended, or never begins. What follows may be still to come. */
  over(rank: number): void;
  /** The others are ended because of this rank. */
  ending(rank: number, why: string): void;
  /** It was to end, and couldn't be told: it may go on. */
  unstoppable(rank: number, why: string): void;
}

interface Parts {
  readonly runs: RunsService;
  readonly clock: Clock;
}

/** How often a rank is told to end that is just starting, and the milliseconds in between. */
const STOP_TRIES = 20;
const STOP_PAUSE = 3000;

type FollowRank = (one: JobRun, following: Following) => Promise<RunRecord>;

interface Rank extends JobRun {
  readonly rank: number;
  /** Ends what isn't started yet. */
  readonly leave: AbortController;
  isStarted: boolean;
  /** Aborted once its command has ended, or is known to never begin. */
  readonly over: AbortController;
}

const isOver = ({ over }: Rank): boolean => over.signal.aborted;

/** A job that this window follows. */
export class FollowedJob {
  readonly #parts: Parts;
  readonly #follow: FollowRank;
  readonly #ranks: readonly Rank[];
  #isEnding = false;
  #watched: { readonly account: SignedIn; readonly watch: JobWatch } | undefined;
  /** What the first rank said, and which ranks have said theirs: whatever a job prints later is its own. */
  #versions: { readonly rank: number; readonly text: string } | undefined;
  readonly #compared = new Set<number>();

  constructor(parts: Parts, all: readonly JobRun[], follow: FollowRank) {
    this.#parts = parts;
    this.#follow = follow;
    this.#ranks = all.map((one, index) => ({
      ...one,
      ...{ rank: one.run.member?.rank ?? index, isStarted: one.run.state.kind !== "uploading" },
      ...{ leave: new AbortController(), over: new AbortController() },
    }));
  }

  /** Resolves once all of them are over. @throws the signal's reason once no one watches any longer: they go on. */
  async run(account: SignedIn, watch: JobWatch, signal: AbortSignal): Promise<readonly RankEnd[]> {
    this.#watched = { account, watch };
    const ends = await Promise.all(this.#ranks.map((rank) => this.#followRank(account, rank, watch, signal)));
    signal.throwIfAborted();
    return ends;
  }

  async #followRank(account: SignedIn, one: Rank, watch: JobWatch, signal: AbortSignal): Promise<RankEnd> {
    const { rank } = one;
    const instance = one.run.instance;
    try {
      const following = {
        account,
        watch: this.#watchRank(one, watch),
        signal: AbortSignal.any([signal, one.leave.signal]),
      };
      return { rank, instance, run: await this.#follow(one, following), error: undefined, mayRun: false };
    } catch (thrown) {
      const error = asAppError(thrown);
      // Whatever isn't watched any longer goes on.
      if (!signal.aborted) {
        one.over.abort();
        watch.over(rank);
        this.#noteFailure(one.run, watch, error.message);
      }
      return { rank, instance, run: undefined, error, mayRun: one.isStarted && error.kind !== "gone" };
    }
  }

  #watchRank(one: Rank, watch: JobWatch): RunWatch {
    const { rank } = one;
    const decoder = new TextDecoder();
    const lines = new OutputReader((line) => {
      this.#compareVersions(one, line, watch);
      watch.line(rank, line);
    });
    return {
      stage: (stage) => {
        one.isStarted ||= stage.kind !== "uploading";
        watch.stage(rank, stage);
      },
      output: (bytes) => lines.push(decoder.decode(bytes, { stream: true })),
      ended: (run) => {
        lines.end();
        one.over.abort();
        watch.over(rank);
        this.#noteEnd(run, watch);
      },
      mayGoOn: watch.mayGoOn,
      mayDestroy: watch.mayDestroy,
    };
  }

  #noteEnd(run: RunRecord, watch: JobWatch): void {
    const { state, member } = run;
    const { exit, isSetupFailure } = state.kind === "ended" ? state : {};
    // The workers of a cluster only wait for the job to be over.
    if (member?.engine === "ray" && member.rank === 0) this.#endOthers(0);
    else if (exit === undefined) this.#noteFailure(run, watch, t("unknown exit code"));
    else if (isSetupFailure) this.#noteFailure(run, watch, t("setup failed, exit code {0}", exit));
    else if (exit !== 0) this.#noteFailure(run, watch, t("exit code {0}", exit));
    else if (member?.engine === "ray") this.#noteFailure(run, watch, t("before the job finished"));
  }

  #noteFailure({ member }: RunRecord, watch: JobWatch, why: string): void {
    if (this.#isEnding || !member || member.onFailure === "continue") return;
    if (this.#ranks.every(isOver)) return;
    watch.ending(member.rank, why);
    this.#endOthers(member.rank);
  }

  /** Ranks of one cluster must have the same versions. */
  #compareVersions(one: Rank, line: string, watch: JobWatch): void {
    const text = one.run.member?.engine === "ray" ? readVersions(line) : undefined;
    if (text === undefined || this.#compared.has(one.rank)) return;
    this.#compared.add(one.rank);
    this.#versions ??= { rank: one.rank, text };
    const first = this.#versions;
    if (first.text === text || this.#isEnding) return;
    watch.ending(one.rank, t("it has {0}, and [{1}] has {2}. Install the same versions", text, first.rank, first.text));
    this.#endOthers(undefined);
  }

  #endOthers(rank: number | undefined): void {
    this.#isEnding = true;
    void this.stop("TERM", rank);
  }

  /** Ends all but one. Where the connection is lost, that takes until it's there again. */
  async stop(how: "TERM" | "KILL", but?: number): Promise<void> {
    this.#isEnding = true;
    const open = this.#ranks.filter((one) => one.rank !== but && !isOver(one));
    await Promise.all(open.map((one) => this.#stopRank(one, how)));
  }

  async #stopRank(one: Rank, how: "TERM" | "KILL"): Promise<void> {
    if (!one.isStarted || !this.#watched) return one.leave.abort();
    const { account, watch } = this.#watched;
    const until = { account, signal: one.over.signal };
    for (let tries = 1; !isOver(one); tries += 1) {
      const failure = await this.#parts.runs.retryStop(one.machine, one.run, how, until).then(
        () => undefined,
        (error) => asAppError(error),
      );
      if (!failure) return;
      if (tries === STOP_TRIES) return watch.unstoppable(one.rank, failure.message);
      await this.#parts.clock.sleep(STOP_PAUSE);
    }
  }
}
