// Jobs: one run on each instance of a group, started and followed together. Each is an ordinary run, so it goes on without this window, and
// its results are downloaded as those of any other.

import type { Afterward } from "../../domain/base/afterward.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { addPrices } from "../../domain/base/money.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { type JobHost, planRank, readVersions } from "../../domain/group/job-plan.ts";
import { launchToken } from "../../domain/instance/instance.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { Engine, OnFailure, RentedForRun, RunMember, RunRecord } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import type { Clock } from "../../lib/clock.ts";
import { label, t } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Following, RunWatch } from "../run/run-watch.ts";
import type { RunsService } from "../run/runs.ts";
import { OutputReader } from "./output-reader.ts";

/** What is to be run on all instances of a group. */
export interface JobOrder {
  readonly group: GroupFacts;
  readonly draft: RunDraft;
  readonly engine: Engine;
  readonly onFailure: OnFailure;
  /** What becomes of each instance once its run is over, as the person agreed. */
  readonly afterward: Afterward;
  /** By rank. */
  readonly hosts: readonly OrderedHost[];
}

/** An instance of a job, and where on it the folder goes. */
export interface OrderedHost extends JobHost {
  readonly machine: MachineLogin;
  readonly remote: string;
}

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
}

/** Who watches a job. */
export interface JobWatch extends Pick<RunWatch, "mayGoOn" | "mayDestroy"> {
  stage(rank: number, stage: RunStage): void;
  line(rank: number, line: string): void;
  /** Its command has ended, or never begins. What follows may be still to come. */
  over(rank: number): void;
  /** The others are ended because of this rank. */
  ending(rank: number, why: string): void;
}

interface Parts {
  readonly runs: RunsService;
  readonly session: SessionService;
  readonly clock: Clock;
}

export class GroupJobs {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes down a run for each rank. Their limit counts what all of them cost. @throws AppError; the disk's error. */
  async prepare(account: SignedIn, order: JobOrder): Promise<JobRun[]> {
    const { group, draft, engine, onFailure, afterward, hosts } = order;
    const { runs, clock } = this.#parts;
    const at = clock.now();
    const job = `job-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    const count = hosts.length;
    const price = addPrices(group.members.map((member) => member.price));
    const { command } = draft;
    if (engine === "ray") await this.#assertNoCluster(account, hosts);
    const prepared: JobRun[] = [];
    try {
      for (const [rank, { machine, remote }] of hosts.entries()) {
        const own = planRank({ engine, command, remote, id: job }, hosts, rank);
        const plan = { ...draft, ...own, remote };
        const member: RunMember = { job, group: group.id, rank, count, engine, onFailure };
        const rented = afterward === "keep" ? {} : { rented: endedAfter(group, machine.id, afterward, at) };
        const about = { ...rented, price, among: { member, at } };
        prepared.push({ machine, run: await runs.prepare(account, machine.id, plan, about) });
      }
    } catch (error) {
      // Nothing of it began.
      for (const { run } of prepared) await runs.forget(run.id).catch(() => undefined);
      throw error;
    }
    return prepared;
  }

  /** Instances have one Ray at a time: stopping this one would stop that one. @throws AppError `rejected`. */
  async #assertNoCluster(account: SignedIn, hosts: readonly OrderedHost[]): Promise<void> {
    const ids = new Set(hosts.map(({ machine }) => machine.id));
    const other = (await this.#parts.runs.all(account)).find(
      ({ member, state, instance }) => member?.engine === "ray" && state.kind !== "ended" && ids.has(instance),
    );
    if (!other) return;
    throw new AppError(
      "rejected",
      t(
        "Ray is already used on instance {0}, by “{1}”. Wait until that ends, or stop it.",
        other.instance,
        label(other.plan.name, 60),
      ),
    );
  }

  /** The runs of a job, by rank. */
  async find(account: SignedIn, job: string): Promise<readonly RunRecord[]> {
    const all = (await this.#parts.runs.all(account)).filter(({ member }) => member?.job === job);
    return all.sort((a, b) => (a.member?.rank ?? 0) - (b.member?.rank ?? 0));
  }

  /** Uploads to all of them at once, and follows each to its end. */
  start(prepared: readonly JobRun[], list: UploadList): FollowedJob {
    return new FollowedJob(this.#parts, prepared, ({ machine, run }, following) =>
      this.#parts.runs.start(machine, run, list, following),
    );
  }

  /** Follows runs that were started before. */
  follow(found: readonly JobRun[]): FollowedJob {
    return new FollowedJob(this.#parts, found, ({ machine, run }, following) =>
      this.#parts.runs.follow(machine, run, following),
    );
  }
}

/** An instance of a group that is to end with its run, as one that was rented for it. */
function endedAfter({ members }: GroupFacts, id: InstanceId, afterward: Afterward, at: number): RentedForRun {
  const member = members.find((one) => one.id === id);
  // Without one it can't be recognized later, so it won't be ended.
  const token = launchToken(member?.instance?.label) ?? "unknown";
  const price = member?.price === undefined ? {} : { price: member.price };
  return { token, at, afterward, stopsItself: true, ...price };
}

/** How often a rank is told to end that is just starting, and the milliseconds in between. */
const STOP_TRIES = 20;
const STOP_PAUSE = 3000;

type Follow = (one: JobRun, following: Following) => Promise<RunRecord>;

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
  readonly #follow: Follow;
  readonly #ranks: readonly Rank[];
  #isEnding = false;
  #account: SignedIn | undefined;
  /** What the first rank said, and which ranks have said theirs: whatever a job prints later is its own. */
  #versions: { readonly rank: number; readonly text: string } | undefined;
  readonly #compared = new Set<number>();

  constructor(parts: Parts, all: readonly JobRun[], follow: Follow) {
    this.#parts = parts;
    this.#follow = follow;
    this.#ranks = all.map((one, index) => ({
      ...one,
      ...{ rank: one.run.member?.rank ?? index, isStarted: false },
      ...{ leave: new AbortController(), over: new AbortController() },
    }));
  }

  /** Resolves once all of them are over. @throws the signal's reason once nobody watches any more: they go on. */
  async run(account: SignedIn, watch: JobWatch, signal: AbortSignal): Promise<readonly RankEnd[]> {
    this.#account = account;
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
      return { rank, instance, run: await this.#follow(one, following), error: undefined };
    } catch (thrown) {
      const error = asAppError(thrown);
      // Whatever isn't watched any more goes on.
      if (!signal.aborted) {
        one.over.abort();
        watch.over(rank);
        this.#noteFailure(one, watch, error.message);
      }
      return { rank, instance, run: undefined, error };
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
        this.#noteEnd(one, run, watch);
      },
      mayGoOn: watch.mayGoOn,
      mayDestroy: watch.mayDestroy,
    };
  }

  #noteEnd(one: Rank, { state, member }: RunRecord, watch: JobWatch): void {
    const exit = state.kind === "ended" ? state.exit : undefined;
    // The workers of a cluster only wait for the job to be over.
    if (member?.engine === "ray" && member.rank === 0) this.#endOthers(one);
    else if (exit !== 0)
      this.#noteFailure(one, watch, exit === undefined ? t("unknown exit code") : t("exit code {0}", exit));
    else if (member?.engine === "ray") this.#noteFailure(one, watch, t("before the job was over"));
  }

  #noteFailure(one: Rank, watch: JobWatch, why: string): void {
    if (this.#isEnding || one.run.member?.onFailure === "go-on") return;
    if (this.#ranks.every(isOver)) return;
    watch.ending(one.rank, why);
    this.#endOthers(one);
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

  #endOthers(one: Rank | undefined): void {
    this.#isEnding = true;
    void this.stop("TERM", one?.rank);
  }

  /** Ends all but one. Where the connection is lost, that takes until it's there again. */
  async stop(how: "TERM" | "KILL", but?: number): Promise<void> {
    this.#isEnding = true;
    const open = this.#ranks.filter((one) => one.rank !== but && !isOver(one));
    await Promise.all(open.map((one) => this.#stopRank(one, how)));
  }

  async #stopRank(one: Rank, how: "TERM" | "KILL"): Promise<void> {
    if (!one.isStarted || !this.#account) return one.leave.abort();
    const until = { account: this.#account, signal: one.over.signal };
    for (let tries = 0; tries < STOP_TRIES && !isOver(one); tries += 1) {
      const isTold = await this.#parts.runs.insistOnStop(one.machine, one.run, how, until).then(
        () => true,
        () => false,
      );
      if (isTold) return;
      await this.#parts.clock.sleep(STOP_PAUSE);
    }
  }
}
