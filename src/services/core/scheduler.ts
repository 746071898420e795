// Recurring work: every poll and every ticking file or text is a named job, planned in one place.
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";

export interface Job {
  /** For the log. */
  readonly id: string;
  /** Milliseconds until the next run; undefined while there is no reason to run. */
  wait(): number | undefined;
  /** Runs never overlap: the next one is planned when this one has ended. A failure is logged and changes nothing. */
  run(): unknown;
}

export interface ScheduledJob extends Disposable {
  /** Runs now, or joins the run in progress. Never rejects. */
  runNow(): Promise<void>;
  /** Asks `wait` again, because the reasons to run have changed. */
  plan(): void;
}

/** If a job can't say when to run next, it is asked again after this time. */
const ASK_AGAIN_MS = 60_000;

export class Scheduler implements Disposable {
  readonly clock: Clock;
  readonly #log: Log;
  readonly #jobs = new Set<PlannedJob>();

  constructor(clock: Clock, log: Log) {
    this.clock = clock;
    this.#log = log;
  }

  /** The job runs once it is planned, until it is disposed of. */
  add(job: Job): ScheduledJob {
    const planned = new PlannedJob(job, this.clock, this.#log, () => this.#jobs.delete(planned));
    this.#jobs.add(planned);
    return planned;
  }

  dispose(): void {
    for (const job of [...this.#jobs]) job.dispose();
  }
}

class PlannedJob implements ScheduledJob {
  readonly #job: Job;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onDispose: () => void;
  #timer: AbortController | undefined;
  #running: Promise<void> | undefined;
  #isDisposed = false;

  constructor(job: Job, clock: Clock, log: Log, onDispose: () => void) {
    this.#job = job;
    this.#clock = clock;
    this.#log = log;
    this.#onDispose = onDispose;
  }

  runNow(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    this.#timer?.abort();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.plan();
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#job.run();
    } catch (error) {
      this.#log.warn(`The job ${this.#job.id} failed.`, error);
    }
  }

  plan(): void {
    this.#timer?.abort();
    if (this.#isDisposed || this.#running !== undefined) return;
    const wait = this.#wait();
    if (wait === undefined) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.#clock.sleep(wait, timer.signal).then(
      () => void this.runNow(),
      () => undefined,
    );
  }

  #wait(): number | undefined {
    try {
      return this.#job.wait();
    } catch (error) {
      this.#log.warn(`The job ${this.#job.id} couldn't say when to run next.`, error);
      return ASK_AGAIN_MS;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.abort();
    this.#onDispose();
  }
}
