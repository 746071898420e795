// What comes before a job: its engine, its instances, and the one question.

import type { Afterward } from "../../domain/base/afterward.ts";
import { AppError } from "../../domain/base/error.ts";
import { addPrices, perHour } from "../../domain/base/money.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { type GroupHost, type HandOver, noNetworkText, shareNetwork } from "../../domain/group/hand-over/group-host.ts";
import { needsNetwork, toTorchScript } from "../../domain/group/job-plan.ts";
import { findOverlay } from "../../domain/instance/overlay.ts";
import { assertKeepable } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { Engine, OnFailure } from "../../domain/run/run-record.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import { label, plain, t } from "../../lib/text.ts";
import { engineDetail, engineName, jobQuestion } from "../../present/group/job-text.ts";
import { loginQuietly } from "../../services/connection/quiet-login.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { JobRun } from "../../services/group/followed-job.ts";
import type { OrderedHost } from "../../services/group/group-jobs.ts";
import { readHandOver } from "../../services/group/read-hand-over.ts";
import { suggestPlace } from "../../services/transfer/suggest-place.ts";
import { confirm } from "../kit/confirm.ts";
import { withNotification } from "../kit/messages.ts";
import { type Choice, pick } from "../kit/pick.ts";
import { BACK } from "../kit/steps.ts";
import { listForRun } from "../run/list-for-run.ts";
import { remotePlaceFor } from "../transfer/transfer-place.ts";
import type { GroupServices } from "./group-services.ts";

/** How the instances are joined. Ansible runs on this computer. */
export interface JobWay {
  readonly engine: Engine;
  readonly onFailure: OnFailure;
}

/** @returns undefined if the person doesn't want to run anything. Engines that can't work are shown with the reason. */
export async function askWay(
  title: string,
  group: GroupFacts,
  isScript: boolean,
): Promise<JobWay | "ansible" | undefined> {
  const why = findObstacle(group);
  const engine = (name: Exclude<Engine, "ssh">): Choice<JobWay> => ({
    label: `${why === undefined ? "$(type-hierarchy-sub)" : "$(circle-slash)"} ${engineName(name)}`,
    detail: why ?? engineDetail(name),
    ...(why === undefined ? { value: { engine: name, onFailure: "end-all" } } : {}),
  });
  // It doesn't run on Windows.
  const ansible: Choice<"ansible"> = {
    label: "$(list-tree) Ansible",
    detail: t("Your program on this computer, with an inventory. The folder is uploaded first."),
    value: "ansible",
  };
  const way = await pick<JobWay | "ansible">({
    title,
    placeholder: t("How do the instances of “{0}” work together?", group.name),
    choices: [
      {
        label: `$(list-unordered) ${t("The Same Command on Each")}`,
        detail: t("The first that fails ends it on all of them."),
        value: { engine: "ssh", onFailure: "end-all" },
      },
      {
        label: `$(list-unordered) ${t("The Same Command on Each, Whatever Fails")}`,
        detail: t("One that fails doesn't end the others."),
        value: { engine: "ssh", onFailure: "go-on" },
      },
      ...(isScript ? [engine("torchrun"), engine("ray")] : []),
      ...(process.platform === "win32" ? [] : [ansible]),
    ],
  });
  return way === BACK ? undefined : way;
}

/** What becomes of the instances. @returns undefined if the person doesn't want to run anything. */
export async function askAfterJob(title: string, { members }: GroupFacts): Promise<Afterward | undefined> {
  const price = perHour(addPrices(members.map((member) => member.price)));
  const afterward = await pick<Afterward>({
    title,
    placeholder: t("What happens to the instances afterward?"),
    choices: [
      {
        label: t("Keep Them Running"),
        detail: t("They cost {0} until you stop or destroy them, or their end comes.", price),
        value: "keep",
      },
      {
        label: t("Stop Each"),
        detail: t("Once its run is over. Its disk and data stay, and are billed."),
        value: "stop",
      },
      {
        label: t("Destroy Each"),
        detail: t("Once its results are on this computer. Everything else on it is deleted."),
        value: "destroy",
      },
    ],
  });
  return afterward === BACK ? undefined : afterward;
}

/** Why engines whose ranks talk to each other can't be used, as far as the list of instances tells. */
function findObstacle({ members }: GroupFacts): string | undefined {
  const [first, ...others] = new Set(members.map(({ instance }) => findOverlay(instance?.extra_env)));
  return first !== undefined && others.length === 0 ? undefined : noNetworkText();
}

/** What a person or a task wants to run. */
export interface JobWish {
  readonly group: GroupFacts;
  readonly way: JobWay;
  readonly afterward: Afterward;
  readonly draft: RunDraft;
}

export interface PreparedJob extends JobWay {
  readonly runs: readonly JobRun[];
  readonly list: UploadList;
}

/** Logs in to all of them, asks once, and writes the runs down. @returns undefined if the person doesn't want it. @throws AppError. */
export async function prepareJob(
  services: GroupServices,
  account: SignedIn,
  { group, way, afterward, draft: given }: JobWish,
): Promise<PreparedJob | undefined> {
  const { session, groupJobs } = services;
  const { engine } = way;
  const draft = engine === "torchrun" ? { ...given, command: toTorchScript(given.command) } : given;
  const limits = draft.limits ?? {};
  assertKeepable(limits, addPrices(group.members.map(({ price }) => price)));
  const list = await listForRun(draft);
  session.assertStill(account);
  const { hosts } = await reachAll(services, account, { group, engine, folder: draft.folder });
  const { command, setUp, results = [] } = draft;
  const remote = hosts[0]?.remote ?? "";
  const facts = { group, ...way, afterward, list, command, setUp, remote, results, limits };
  if (!(await confirm(jobQuestion(facts)))) return undefined;
  // A question may have been open for hours.
  session.assertStill(account);
  return { ...way, runs: await groupJobs.prepare(account, { group, draft, ...way, afterward, hosts }), list };
}

/** Every instance must take part. @throws AppError `rejected` that names those that don't, and why. */
export async function reachAll(
  services: GroupServices,
  account: SignedIn,
  { group, engine, folder }: { readonly group: GroupFacts; readonly engine: Engine; readonly folder: string },
): Promise<{ readonly hosts: readonly OrderedHost[]; readonly given: HandOver }> {
  const title = t("Connecting to group “{0}”", group.name);
  return await withNotification(title, true, async (show, cancelled) => {
    const say = (count: number) => show(t("{0} of {1}…", count, group.members.length));
    const { given, left } = await readHandOver(services, account, group, say, cancelled);
    if (left.length > 0)
      throw new AppError(
        "rejected",
        t(
          "It can't be run on all instances of group “{0}”. {1}",
          group.name,
          plain(left.map(({ rank, why }) => `[${rank}] ${why}`).join(" "), 400),
        ),
      );
    if (needsNetwork(engine) && !shareNetwork(given)) throw new AppError("rejected", noNetworkText());
    const place = async (host: GroupHost): Promise<OrderedHost> => {
      const machine = await loginQuietly(services, account, host.id, cancelled);
      return { ...host, machine, remote: suggestPlace(await remotePlaceFor(services, account, machine), folder) };
    };
    const hosts = await Promise.all(given.hosts.map(place));
    services.session.assertStill(account);
    return { hosts, given };
  });
}

export const jobTitle = (name: string, group: GroupFacts): string => `${label(name, 40)} · ${group.name}`;
