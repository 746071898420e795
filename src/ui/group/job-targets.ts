// Groups as places that a run can go to: from a file, from a task, and again.
import { AppError, asAppError } from "../../domain/base/error.ts";
import { buildAnsibleCommand } from "../../domain/group/ansible.ts";
import { countStates, type GroupFacts } from "../../domain/group/group-facts.ts";
import { findFileCommand } from "../../domain/run/run-plan.ts";
import { isOpen, type RunRecord } from "../../domain/run/run-record.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { describeGroupState } from "../../present/group/group-rows.ts";
import { formatJobName } from "../../present/run/run-text.ts";
import { loginQuietly } from "../../services/connection/quiet-login.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { JobRun } from "../../services/group/followed-job.ts";
import { type JobWay, type PreparedJob, prepareJob } from "../../services/group/prepare-job.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellWarning, withNotification } from "../kit/messages.ts";
import { askCommand } from "../run/ask-command.ts";
import type { FileToRun, RunTargets, TaskToRun } from "../run/run-targets.ts";
import { askMissingSecrets } from "../run/secrets/ask-secrets.ts";
import { askAfterJob, askWay, formatJobTitle } from "./ask-job.ts";
import type { GroupServices } from "./group-services.ts";
import { createJobPerson } from "./job-person.ts";
import type { JobInTerminal } from "./job-terminal.ts";
import type { JobTerminals } from "./job-terminals.ts";
import { runAnsible } from "./run-ansible.ts";

export function createJobTargets(services: GroupServices, terminals: JobTerminals): RunTargets {
  return {
    list: async (account) =>
      (await services.groups.reread(account).catch(() => [])).filter(isReady).map((group) => ({
        label: `$(server-environment) ${toLabel(group.name)}`,
        description: describeGroupState(group),
        start: (file) => startFile(services, terminals, account, group, file),
      })),
    reattach: (account, run) => reattach(services, terminals, account, run),
    createTask: (account, prepare) =>
      terminals.createTask(account, async () => beginTask(services, account, await prepare())),
  };
}

const isReady = (group: GroupFacts): boolean => countStates(group, "ready") === group.members.length;

async function startFile(
  services: GroupServices,
  terminals: JobTerminals,
  ...[account, group, { name, path, setup, folder, ...given }]: [SignedIn, GroupFacts, FileToRun]
): Promise<void> {
  const title = t("Run {0} on a GPU", toLabel(name, 60));
  const way = await askWay(title, group, /\.py$/i.test(path));
  if (!way) return;
  services.session.assertStill(account);
  const command = await askCommand(title, suggestCommand(way, path));
  if (command === undefined) return;
  services.session.assertStill(account);
  if (way === "ansible") return await runAnsible(services, account, group, { name, command, setup, folder });
  const whenDone = await askAfterJob(title, group);
  if (whenDone === undefined) return;
  services.session.assertStill(account);
  // Ray would write them down.
  const secrets = way.engine === "ray" ? {} : given;
  const draft = { name, command, setup, folder, ...secrets };
  const prepared = await prepareJob(services, createJobPerson(services), account, { group, way, whenDone, draft });
  if (prepared) terminals.show(formatJobTitle(name, group), begin(services, account, name, prepared));
}

function suggestCommand(way: JobWay | "ansible", path: string): string {
  const usual = findFileCommand(path) ?? "";
  if (way === "ansible") return buildAnsibleCommand(usual);
  return way.engine === "torchrun" ? quoteWord(path) : usual;
}

function begin(
  { groupJobs }: GroupServices,
  account: SignedIn,
  name: string,
  { runs, list, engine }: PreparedJob,
): JobInTerminal {
  const id = runs[0]?.run.member?.job ?? "";
  return { account, id, name, runs, engine, isReattached: false, job: groupJobs.start(runs, list) };
}

async function beginTask(
  services: GroupServices,
  account: SignedIn,
  { task, draft }: TaskToRun,
): Promise<JobInTerminal> {
  const group = await chooseGroup(services, account, task.instances ?? 0, draft.name);
  const { engine = "each", onFailure = "stopAll", whenDone = "keep" } = task;
  const way: JobWay = { engine, onFailure };
  if (!(await askMissingSecrets(services, draft.secrets))) throw new AppError("cancelled", t("Nothing was run."));
  services.session.assertStill(account);
  const prepared =
    group && (await prepareJob(services, createJobPerson(services), account, { group, way, whenDone, draft }));
  if (!prepared) throw new AppError("cancelled", t("Nothing was run."));
  return begin(services, account, draft.name, prepared);
}

/** @throws AppError `rejected` if no group has that many instances that run. */
async function chooseGroup(
  { groups, session }: GroupServices,
  account: SignedIn,
  count: number,
  name: string,
): Promise<GroupFacts | undefined> {
  const fitting = (await groups.reread(account)).filter((group) => isReady(group) && group.members.length === count);
  session.assertStill(account);
  const [first, ...others] = fitting;
  if (!first)
    throw new AppError(
      "rejected",
      t(
        "No group of {0} instances is running. Launch one with Launch Group from Template…, then run the task again.",
        count,
      ),
    );
  if (others.length === 0) return first;
  const chosen = await pickOne<GroupFacts>({
    title: t("Run {0} on a GPU", toLabel(name, 60)),
    placeholder: t("Which group?"),
    choices: fitting.map((group) => ({
      label: toLabel(group.name),
      description: describeGroupState(group),
      value: group,
    })),
  });
  session.assertStill(account);
  return chosen === BACK ? undefined : chosen;
}

async function reattach(
  services: GroupServices,
  terminals: JobTerminals,
  account: SignedIn,
  { plan, member }: RunRecord,
): Promise<void> {
  const { groupJobs, session } = services;
  if (!member || terminals.reveal(member.job)) return;
  const all = await groupJobs.find(account, member.job);
  session.assertStill(account);
  if (all.some(({ state }) => state.kind === "uploading"))
    throw new AppError(
      "rejected",
      t("Another window is still preparing this run. Reattach when the command has started."),
    );
  const name = formatJobName({ plan });
  const runs = await reachAgain(services, account, name, all);
  if (runs.length === 0) return;
  session.assertStill(account);
  const { job: id, engine } = member;
  terminals.show(name, { account, id, name, runs, engine, isReattached: true, job: groupJobs.follow(runs) });
}

/** Those that can be logged in to. Why the others can't is told. One that is gone ends no others: it may have ended well before. */
async function reachAgain(
  services: GroupServices,
  account: SignedIn,
  name: string,
  all: readonly RunRecord[],
): Promise<readonly JobRun[]> {
  const reached: JobRun[] = [];
  const left: string[] = [];
  const gone: Promise<void>[] = [];
  await withNotification(t("Connecting to the instances of “{0}”", name), true, async (_, cancelled) => {
    for (const run of all)
      await loginQuietly(services, account, run.instance, cancelled).then(
        (machine) => reached.push({ machine, run }),
        async (thrown) => {
          cancelled.throwIfAborted();
          const { kind, message } = asAppError(thrown);
          left.push(`${run.instance}: ${message}`);
          if (kind === "gone" && isOpen(run)) gone.push(noteGone(services, account, run, { why: message, cancelled }));
        },
      );
    await Promise.all(gone);
  });
  if (left.length > 0) void tellWarning(t("Some instances can't be reached. {0}", toPlainText(left.join(" "), 400)));
  return reached;
}

/** What is noted as gone isn't followed again, and one answer may be behind: then it is looked for the next time. */
async function noteGone(
  { instances, runs, log }: GroupServices,
  account: SignedIn,
  run: RunRecord,
  { why, cancelled }: { readonly why: string; readonly cancelled: AbortSignal },
): Promise<void> {
  try {
    if (await instances.whereabouts.confirmGone(account, run.instance, cancelled)) await runs.noteGone(run, why);
  } catch (error) {
    log.warn(`Whether instance ${run.instance} is gone couldn't be found out.`, error);
  }
}
