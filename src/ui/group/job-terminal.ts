// A job in one terminal: each line with the rank that printed it. Closing the terminal doesn't end the job.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { Engine } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import { formatRank } from "../../present/group/group-run-text.ts";
import { describeRankEnd, describeRunningJob, describeUnstoppable, isJobWell } from "../../present/group/job-text.ts";
import { buildLateEndQuestion } from "../../present/run/rental-text.ts";
import { describeStage } from "../../present/run/run-text.ts";
import { buildLargeQuestion } from "../../present/transfer/transfer-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { FollowedJob, JobRun, JobWatch, RankEnd } from "../../services/group/followed-job.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { TextTerminal } from "../kit/text-terminal.ts";

export interface JobInTerminal {
  readonly account: SignedIn;
  readonly id: string;
  readonly name: string;
  readonly job: FollowedJob;
  readonly runs: readonly JobRun[];
  readonly engine: Engine;
  /** It was started before, maybe by another window. */
  readonly isReattached: boolean;
}

export interface JobTerminalParts {
  /** What leads to the job. @throws AppError if nothing is to be run. */
  readonly prepare: () => Promise<JobInTerminal>;
  readonly conclude: (ends: readonly RankEnd[]) => void;
  /** It was closed while the job goes on, or after its commands ended and before the rest was done. */
  readonly detach: (isOver: boolean) => void;
  /** A task ends with its job, and has an exit code. */
  readonly isTask?: boolean;
  readonly now: () => number;
}

export class JobTerminal extends TextTerminal {
  readonly #parts: JobTerminalParts;
  readonly #stages = new Map<number, RunStage["kind"]>();
  /** Ranks whose command has ended, or never begins. */
  readonly #over = new Set<number>();
  #job: JobInTerminal | undefined;
  #saidRunning = false;
  #hasStopped = false;

  constructor(parts: JobTerminalParts) {
    super();
    this.#parts = parts;
  }

  open(): void {
    void this.#run();
  }

  override close(): void {
    if (!this.isOver && this.#isBegun) this.#parts.detach(this.#isAfterCommands);
    // Those that have begun wait for others that never will.
    else if (!this.isOver) void this.#job?.job.stop("TERM");
    super.close();
  }

  /** Whether each of them runs, did, or never will. */
  get #isBegun(): boolean {
    if (!this.#job) return false;
    const { isReattached, runs } = this.#job;
    const isComing = ([rank, stage]: [number, RunStage["kind"]]) => stage === "uploading" && !this.#over.has(rank);
    return isReattached || (this.#stages.size === runs.length && ![...this.#stages].some(isComing));
  }

  get #isAfterCommands(): boolean {
    return this.#job !== undefined && this.#over.size >= this.#job.runs.length;
  }

  protected interrupt(): void {
    void this.#stop();
  }

  async #stop(): Promise<void> {
    if (!this.#job || this.#isAfterCommands) return this.abort();
    const isFirst = !this.#hasStopped;
    this.#hasStopped = true;
    this.lines.say(
      isFirst
        ? t("Stopping the command on all instances… Press Ctrl+C again to kill it.")
        : t("Killing the command on all instances…"),
    );
    await this.#job.job.stop(isFirst ? "TERM" : "KILL");
  }

  async #run(): Promise<void> {
    let isWell = false;
    try {
      this.#job = await this.#parts.prepare();
      const { job, account } = this.#job;
      const ends = await job.run(account, this.#createWatch(this.#job), this.signal);
      for (const end of ends) this.lines.say(describeRankEnd(end));
      isWell = isJobWell(ends);
      this.#parts.conclude(ends);
    } catch (error) {
      const wrong: AppError = asAppError(error);
      if (!this.isOver) this.lines.say(this.signal.aborted ? t("Stopped.") : wrong.message);
    }
    if (this.#parts.isTask) this.endTask(isWell ? 0 : 1);
    else this.end();
  }

  #createWatch(job: JobInTerminal): JobWatch {
    return {
      stage: (rank, stage) => this.#enter(job, rank, stage),
      line: (rank, line) => this.lines.write(`${formatRank(rank)}${line}\n`),
      ending: (rank, why) =>
        this.lines.say(t("{0}failed: {1}. Stopping the others…", formatRank(rank), toPlainText(why, 300))),
      unstoppable: (rank, why) => this.lines.say(describeUnstoppable(rank, why)),
      over: (rank) => void this.#over.add(rank),
      mayGoOn: (bytes) => confirm(buildLargeQuestion(bytes)),
      mayDestroy: (run) => confirm(buildLateEndQuestion(run)),
    };
  }

  /** What all of them do is said once; what only one of them meets, with its rank. */
  #enter({ engine, runs }: JobInTerminal, rank: number, stage: RunStage): void {
    const count = runs.length;
    // It says nothing of where the run is.
    if (stage.kind !== "late") this.#stages.set(rank, stage.kind);
    const kinds = [...this.#stages.values()];
    const countOf = (kind: RunStage["kind"]) => kinds.filter((one) => one === kind).length;
    if (stage.kind === "uploading" || (stage.kind === "starting" && countOf("uploading") > 0))
      this.lines.show(t("Uploading to {0}: {1} done", formatInstanceCount(count), count - countOf("uploading")));
    else if (stage.kind === "running" && countOf("running") === count - this.#over.size && !this.#saidRunning) {
      this.#saidRunning = true;
      this.lines.say(describeRunningJob(engine, count));
    } else if (stage.kind === "fetching")
      this.lines.show(t("Downloading the results of {0}…", formatInstanceCount(countOf("fetching"))));
    else if (stage.kind === "destroying" || stage.kind === "stopping")
      this.lines.say(
        `${formatRank(rank)}${describeStage(stage, runs.find(({ run }) => run.member?.rank === rank)?.run, this.#parts.now())}`,
      );
    else if (stage.kind === "disconnected" || stage.kind === "missing" || stage.kind === "late")
      this.lines.say(`${formatRank(rank)}${describeStage(stage, undefined, this.#parts.now())}`);
  }

  /** Its account was left. */
  leave(): void {
    if (this.isOver) return;
    this.lines.say(
      t("You signed out or switched accounts, so Cloud GPU no longer follows this run. The commands keep running."),
    );
    this.dispose();
  }
}
