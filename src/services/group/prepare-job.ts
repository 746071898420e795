// What comes before a job: all instances of its group are reached, and the person agrees once to what runs on them.

import { AppError } from "../../domain/base/error.ts";
import { addPrices } from "../../domain/base/money.ts";
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import {
  describeNoNetwork,
  type GroupHost,
  type HandOver,
  sharesNetwork,
} from "../../domain/group/hand-over/group-host.ts";
import type { JobFacts } from "../../domain/group/job-facts.ts";
import { needsNetwork, toTorchScript } from "../../domain/group/job-plan.ts";
import { assertKeepable } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { Engine, OnFailure } from "../../domain/run/run-record.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { loginQuietly, type QuietLoginServices } from "../connection/quiet-login.ts";
import type { OwnSshConfig } from "../connection/ssh/own-ssh-config.ts";
import type { SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";
import type { UploadingPerson } from "../run/prepare-run.ts";
import { suggestPlace } from "../transfer/suggest-place.ts";
import type { JobRun } from "./followed-job.ts";
import type { GroupJobs, OrderedHost } from "./group-jobs.ts";
import { readHandOver } from "./read-hand-over.ts";

/** The person who waits while a group is reached. The extension shows it in a notification. */
interface ReachingPerson extends Pick<UploadingPerson, "findPlace"> {
  /** Shows how many members were tried for as long as the work takes, with a way to cancel it. */
  accompany<T>(
    group: GroupFacts,
    work: (onReached: (count: number) => void, cancelled: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/** The person who runs something on a group. The extension asks with modals; a test answers on its own. */
export interface JobPerson extends ReachingPerson, Pick<UploadingPerson, "list"> {
  /** Asks whether it may be run. */
  confirm(facts: JobFacts): Promise<boolean>;
}

/** How the instances are joined. Ansible runs on this computer. */
export interface JobWay {
  readonly engine: Engine;
  readonly onFailure: OnFailure;
}

/** What a person or a task wants to run. */
export interface JobWish {
  readonly group: GroupFacts;
  readonly way: JobWay;
  readonly whenDone: WhenDone;
  readonly draft: RunDraft;
}

export interface PreparedJob extends JobWay {
  readonly runs: readonly JobRun[];
  readonly list: UploadList;
}

interface ReachServices extends QuietLoginServices {
  readonly autoStops: AutoStopsService;
  readonly sshConfig: OwnSshConfig;
  readonly clock: Clock;
}

interface Services extends ReachServices {
  readonly groupJobs: GroupJobs;
}

/** Logs in to all of them, asks once, and writes the runs down. @returns undefined if the person doesn't want it. @throws AppError. */
export async function prepareJob(
  services: Services,
  person: JobPerson,
  account: SignedIn,
  { group, way, whenDone, draft: given }: JobWish,
): Promise<PreparedJob | undefined> {
  const { session, groupJobs } = services;
  const { engine } = way;
  const draft = engine === "torchrun" ? { ...given, command: toTorchScript(given.command) } : given;
  const limits = draft.limits ?? {};
  assertKeepable(limits, addPrices(group.members.map(({ price }) => price)));
  const list = await person.list(draft);
  session.assertStill(account);
  const { hosts } = await reachAll(services, person, account, { group, engine, folder: draft.folder });
  const { command, setup, results = [], resultsEveryMinutes, secrets: { names: secrets } = { names: [] } } = draft;
  const remote = hosts[0]?.remote ?? "";
  const facts: JobFacts = {
    group,
    ...way,
    whenDone,
    list,
    command,
    setup,
    remote,
    results,
    resultsEveryMinutes,
    limits,
    secrets,
  };
  if (!(await person.confirm(facts))) return undefined;
  // A question may have been open for hours.
  session.assertStill(account);
  return { ...way, runs: await groupJobs.prepare(account, { group, draft, ...way, whenDone, hosts }), list };
}

interface ToReach {
  readonly group: GroupFacts;
  readonly engine: Engine;
  readonly folder: string;
}

/** Every instance must take part. @throws AppError `rejected` that names those that don't, and why. */
export async function reachAll(
  services: ReachServices,
  person: ReachingPerson,
  account: SignedIn,
  { group, engine, folder }: ToReach,
): Promise<{ readonly hosts: readonly OrderedHost[]; readonly given: HandOver }> {
  return await person.accompany(group, async (onReached, cancelled) => {
    const { given, left } = await readHandOver(services, account, group, onReached, cancelled);
    if (left.length > 0)
      throw new AppError(
        "rejected",
        t(
          "This can't run on every instance of group “{0}”. {1}",
          group.name,
          toPlainText(left.map(({ rank, why }) => `[${rank}] ${why}`).join(" "), 400),
        ),
      );
    if (needsNetwork(engine) && !sharesNetwork(given)) throw new AppError("rejected", describeNoNetwork());
    const place = async (host: GroupHost): Promise<OrderedHost> => {
      const machine = await loginQuietly(services, account, host.id, cancelled);
      return { ...host, machine, remote: suggestPlace(await person.findPlace(account, machine), folder) };
    };
    const hosts = await Promise.all(given.hosts.map(place));
    services.session.assertStill(account);
    return { hosts, given };
  });
}
