// Jobs: one run on each instance of a group, started and followed together. Each is an ordinary run, so it goes on without this window, and
// its results are downloaded as those of any other.

import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { addPrices } from "../../domain/base/money.ts";
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { type JobHost, planRank } from "../../domain/group/job-plan.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { Engine, OnFailure, RentedForRun, RunMember, RunRecord } from "../../domain/run/run-record.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SignedIn } from "../core/session.ts";
import type { RunsService } from "../run/runs.ts";
import { FollowedJob, type JobRun } from "./followed-job.ts";

/** What is to be run on all instances of a group. */
interface JobOrder {
  readonly group: GroupFacts;
  readonly draft: RunDraft;
  readonly engine: Engine;
  readonly onFailure: OnFailure;
  /** What becomes of each instance once its run is over, as the person agreed. */
  readonly whenDone: WhenDone;
  /** By rank. */
  readonly hosts: readonly OrderedHost[];
}

/** An instance of a job, and where on it the folder goes. */
export interface OrderedHost extends JobHost {
  readonly machine: MachineLogin;
  readonly remote: string;
}

interface Parts {
  readonly runs: RunsService;
  readonly clock: Clock;
}

export class GroupJobs {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes down a run for each rank. Their limit counts what all of them cost. @throws AppError; the disk's error. */
  async prepare(account: SignedIn, order: JobOrder): Promise<JobRun[]> {
    const { group, draft, engine, onFailure, whenDone, hosts } = order;
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
        const rented = whenDone === "keep" ? {} : { rented: endedAfter(group, machine.id, whenDone, at) };
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
    const other = (await this.#parts.runs.readAll(account)).find(
      ({ member, state, instance }) => member?.engine === "ray" && state.kind !== "ended" && ids.has(instance),
    );
    if (!other) return;
    throw new AppError(
      "rejected",
      t(
        "“{1}” is already using Ray on instance {0}. Wait for it to finish, or stop it.",
        other.instance,
        toLabel(other.plan.name, 60),
      ),
    );
  }

  /** The runs of a job, by rank. */
  async find(account: SignedIn, job: string): Promise<readonly RunRecord[]> {
    const all = (await this.#parts.runs.readAll(account)).filter(({ member }) => member?.job === job);
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
function endedAfter({ members }: GroupFacts, id: InstanceId, whenDone: WhenDone, at: number): RentedForRun {
  const member = members.find((one) => one.id === id);
  // Without one it can't be recognized later, so it won't be ended.
  const token = readLaunchToken(member?.instance?.label) ?? "unknown";
  const price = member?.price === undefined ? {} : { price: member.price };
  return { token, at, whenDone, stopsItself: true, ...price };
}
