// What is asked and said about a job: a run on each instance of a group.

import { addPrices, formatHourlyPrice } from "../../domain/base/money.ts";
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { JobFacts } from "../../domain/group/job-facts.ts";
import { RAY_DASHBOARD_PORT } from "../../domain/group/job-plan.ts";
import { formatLimits } from "../../domain/run/run-limits.ts";
import type { Engine, RunRecord } from "../../domain/run/run-record.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";
import type { Message } from "../base/message.ts";
import type { Question } from "../base/question.ts";
import { findRentalEnd } from "../run/rental-end-text.ts";
import { describeData, describeResultsEvery, formatGlobs } from "../run/result-text.ts";
import { describeSecrets } from "../run/run-secret-text.ts";
import { formatCommand, listOutcomeLines, listRunEndLines } from "../run/run-text.ts";
import { buildUploadQuestion, formatFileCount, formatSize } from "../transfer/transfer-text.ts";
import { formatRank } from "./group-run-text.ts";

/** As its own documentation writes it. */
export function formatEngineName(engine: Engine): string {
  const names: Readonly<Record<Engine, string>> = { each: "SSH", torchrun: "torchrun", ray: "Ray" };
  return names[engine];
}

/** What an engine that joins them does, and needs. */
export function describeEngine(engine: Exclude<Engine, "each">): string {
  return engine === "ray"
    ? t("A Ray cluster that exists only for this job. Requires the same Ray version on each instance.")
    : t("One process per GPU, connected automatically. Requires torchrun on each instance.");
}

/** Before a command runs on all instances of a group. It costs what they cost anyway. */
export function buildJobQuestion(facts: JobFacts): Question {
  const { group, engine, onFailure, whenDone, list, command, setup, results, limits } = facts;
  const price = addPrices(group.members.map((member) => member.price));
  const limit = formatLimits(limits, price);
  const [files, size] = [formatFileCount(list.files.length), formatSize(list.bytes)];
  return {
    message: t("Run this on {0} of group “{1}”?", formatInstanceCount(group.members.length), group.name),
    detail: [
      formatCommand(command),
      ...(engine === "each" ? [] : [t("Started by {0}.", formatEngineName(engine))]),
      ...(setup === "" ? [] : [t("Setup: {0}", formatCommand(setup))]),
      ...describeSecrets(facts.secrets),
      onFailure === "stopAll"
        ? t("If it fails on one instance, Cloud GPU stops it on all of them.")
        : t("If it fails on one instance, the others continue."),
      ...(limit === ""
        ? []
        : [t("Cloud GPU stops the command after {0}. A dollar limit counts all instances together.", limit)]),
      t("Uploaded to each first: {0} ({1}).", files, size),
      results.length === 0
        ? t("New and changed files are downloaded to .cloud-gpu/runs, in one folder per instance.")
        : t(
            "Only new and changed files that match {0} are downloaded to .cloud-gpu/runs, in one folder per instance.",
            formatGlobs([...results]),
          ),
      ...describeResultsEvery(facts.resultsEveryMinutes),
      ...describeData(list.data),
      ...secretsOf(facts),
      whenDoneText(whenDone, price),
    ].join("\n\n"),
    go: t("Run"),
  };
}

function whenDoneText(whenDone: WhenDone, price: number | undefined): string {
  if (whenDone === "keep")
    return price === undefined
      ? t("The instances keep running and cost money until you stop or destroy them.")
      : t(
          "The instances keep running at {0} in total until you stop or destroy them or they reach their end time.",
          formatHourlyPrice(price),
        );
  const itself = t("If VS Code is closed, each instance tries to stop itself 1 hour after its command ends.");
  return whenDone === "destroy"
    ? `${t("Each instance is destroyed after its results are downloaded. Everything else on it is deleted.")} ${itself}`
    : `${t("Each instance is stopped when its run finishes. You keep its disk and data, and keep paying for them.")} ${itself}`;
}

/** Before a program of this computer runs, once the folder is on each of them. */
export function buildAnsibleQuestion({
  group,
  list,
  command,
  remote,
}: Pick<JobFacts, "group" | "list" | "command" | "remote">): Question {
  const [files, size] = [formatFileCount(list.files.length), formatSize(list.bytes)];
  return {
    message: t("Run Ansible for {0} of group “{1}”?", formatInstanceCount(group.members.length), group.name),
    detail: [
      formatCommand(command),
      t("It runs in a terminal on this computer. ANSIBLE_INVENTORY names the instances."),
      t("Uploaded to each first: {0} ({1}).", files, size),
      ...secretsOf({ group, list, remote }),
    ].join("\n\n"),
    go: t("Run"),
  };
}

/** What an upload says of secrets and of what is left out is the same for each. */
function secretsOf({ group, list, remote }: Pick<JobFacts, "group" | "list" | "remote">): readonly string[] {
  const id = group.members[0]?.id;
  if (id === undefined) return [];
  const { detail } = buildUploadQuestion({ id, list, remote });
  return detail === undefined || detail === "" ? [] : [detail];
}

interface RankEnded {
  readonly rank: number;
  readonly run: RunRecord | undefined;
  readonly error: Error | undefined;
  readonly mayRun: boolean;
}

/** A line for the end of a rank. */
export function describeRankEnd({ rank, run, error, mayRun }: RankEnded): string {
  // What those cost that keep running is said once for all of them; why one was kept that was to end, here.
  const lines = run?.rented ? listRunEndLines(run, undefined) : run && listOutcomeLines(run);
  const said = lines?.join(" ") ?? toPlainText(error?.message ?? "", 300);
  return `${formatRank(rank)}${said}${mayRun ? ` ${t("It may still be running.")}` : ""}`;
}

/** It was to end with the others, and wasn't reached. */
export function describeUnstoppable(rank: number, why: string): string {
  return t(
    "{0}Cloud GPU couldn't stop the command: {1} It may still be running. Press Ctrl+C to try again, or stop the instance.",
    formatRank(rank),
    toPlainText(why, 300),
  );
}

/** Whether all is well: of a Ray cluster, the job that rank 0 submitted. */
export function isJobWell(ends: readonly { readonly rank: number; readonly run: RunRecord | undefined }[]): boolean {
  return ends.every(({ run, rank }) => {
    if (run?.state.kind !== "ended" || run.state.results?.kind === "failed") return false;
    // A worker of Ray is told to end.
    return run.state.exit === 0 || (run.member?.engine === "ray" && rank > 0);
  });
}

/** The notification when a job is over. */
export function describeJobEnd(name: string, ends: Parameters<typeof isJobWell>[0]): Message {
  const good = ends.filter((end) => isJobWell([end])).length;
  const count = formatInstanceCount(ends.length);
  const told =
    good === ends.length
      ? t("“{0}” succeeded on {1}.", toLabel(name, 60), count)
      : t("“{0}” succeeded on {1} of {2}.", toLabel(name, 60), good, count);
  const { text, isAsAgreed } = endedText(ends);
  return { severity: isJobWell(ends) && isAsAgreed ? "info" : "warning", text: `${told} ${text}` };
}

/** What became of the instances. */
function endedText(ends: Parameters<typeof isJobWell>[0]): { readonly text: string; readonly isAsAgreed: boolean } {
  const rentals = ends.map(({ run }) => (run ? findRentalEnd(run.state)?.kind : undefined));
  const countOf = (...kinds: readonly unknown[]) => rentals.filter((kind) => kinds.includes(kind)).length;
  const [gone, stopped] = [countOf("destroyed", "gone"), countOf("stopped")];
  const isAgreed = ends.some(({ run }) => run?.rented !== undefined);
  if (gone === ends.length) return { text: t("The instances were destroyed."), isAsAgreed: true };
  if (stopped === ends.length)
    return { text: t("The instances are stopped. Their disks are billed."), isAsAgreed: true };
  if (!isAgreed) return { text: t("They're still running and costing money."), isAsAgreed: true };
  return {
    text: t("{0} may still be running and costing money.", formatInstanceCount(ends.length - gone - stopped)),
    isAsAgreed: false,
  };
}

export function describeRunningJob(engine: Engine, count: number): string {
  const running = t(
    "Running on {0}. Press Ctrl+C to stop the command on all of them. The command keeps running if you close this terminal or the window.",
    formatInstanceCount(count),
  );
  return engine === "ray"
    ? `${running} ${t("To see the Ray dashboard, forward port {0} of the first instance.", RAY_DASHBOARD_PORT)}`
    : running;
}

/** Its terminal was closed. `isOver`: the commands have ended, but not what follows them. */
export function describeDetachedJob(name: string, count: number, isOver: boolean): string {
  if (isOver)
    return t("You closed the terminal before “{0}” finished on {1}.", toLabel(name, 60), formatInstanceCount(count));
  return t("“{0}” is still running on {1}.", toLabel(name, 60), formatInstanceCount(count));
}
