// What is said of an instance that is rented for a run: in the summary, and where something went wrong.

import type { Globs } from "../../domain/base/glob.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { formatHourlyPrice, formatTotal } from "../../domain/base/money.ts";
import type { WhenDone } from "../../domain/base/when-done.ts";
import { formatLimits, type RunLimits } from "../../domain/run/run-limits.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { formatFileCount, formatSize, formatSome } from "../transfer/transfer-text.ts";
import { describeStillCosts } from "./rental-end-text.ts";
import { describeData, describeResultsEvery, formatGlobs, formatOthers } from "./result-text.ts";
import { describeSecrets } from "./run-secret-text.ts";
import { formatCommand, formatRunName } from "./run-text.ts";

/** Characters of a command that someone is about to pay for. */
const MOST_READ = 1000;

/** What went wrong with a run on the machine that was rented for it. `isGone`: it no longer exists. */
export function describeKeptInstance(
  name: string,
  instance: InstanceId,
  why: string,
  { price, isGone }: { readonly price: number | undefined; readonly isGone: boolean },
): string {
  const rest = isGone ? t("Instance {0} no longer exists.", instance) : describeStillCosts(instance, price);
  return `${t("“{0}”:", toLabel(name, 60))} ${toPlainText(why, 300)} ${rest}`;
}

/** An instance that was rented for a run, whose window was closed before that began. */
export const describeStranded = (run: RunRecord, price: number | undefined): string =>
  `${t("Instance {1} was rented for “{0}”, but the run never started.", formatRunName(run), run.instance)} ${describeStillCosts(run.instance, price)}`;

/** An instance that was rented for a run and is stopped, with what the run left on its disk. `price`: $/h as it is. */
export function describeStopped(run: RunRecord, price: number | undefined): string {
  const { state, instance } = run;
  // Whatever went on after the download may have left more.
  const isOver = state.kind === "ended" && state.exit !== undefined && state.hasLeft !== true;
  if (isOver && state.results?.kind === "fetched" && state.results.isWhole)
    return `${t("Instance {0} is stopped. The results of “{1}” are on this computer.", instance, formatRunName(run))} ${describeStillCosts(instance, price)}`;
  return price === undefined
    ? t(
        "Instance {0} is stopped. The results of “{1}” are still on its disk, which is billed. To download them, start the instance and reattach.",
        run.instance,
        formatRunName(run),
      )
    : t(
        "Instance {0} is stopped. The results of “{1}” are still on its disk, which costs {2}. To download them, start the instance and reattach.",
        run.instance,
        formatRunName(run),
        formatHourlyPrice(price),
      );
}

/** Before a machine is stopped or destroyed after a run that ended while no one followed it. */
export function buildLateEndQuestion(run: RunRecord): Question {
  if (run.rented?.whenDone === "stop")
    return {
      message: t("Stop instance {0} now?", run.instance),
      detail: t(
        "“{0}” finished while no terminal was attached. Stopping the instance ends everything else that runs on it. You keep paying for its disk.",
        formatRunName(run),
      ),
      go: t("Stop"),
      keep: t("Keep Running"),
    };
  const results = run.state.kind === "ended" ? run.state.results : undefined;
  const others = results?.kind === "fetched" ? results.others : undefined;
  return {
    message: t("Destroy instance {0} now?", run.instance),
    detail: [
      t(
        "“{0}” finished while no terminal was attached, and its results are on this computer. Everything else on the instance will be deleted.",
        formatRunName(run),
      ),
      ...(others ? [t("Not downloaded: {0}.", formatOthers(others))] : []),
    ].join("\n\n"),
    go: t("Destroy"),
    keep: t("Keep"),
  };
}

interface RentalFacts {
  readonly command: string;
  /** Names of secrets that it gets. */
  readonly secrets?: readonly string[];
  readonly setup: string;
  readonly list: RunUpload;
  readonly results?: Globs;
  readonly resultsEveryMinutes?: number | undefined;
  readonly limits: RunLimits;
  /** $/h. */
  readonly price: number | undefined;
  /** $/h of its disk while it is stopped. */
  readonly diskPrice: number | undefined;
  /** Paragraphs about other instances that may be rented without a question. */
  readonly agreed: readonly string[];
  readonly whenDone: WhenDone;
  readonly stopsItself: boolean;
}

/** What follows the renting, in the question before it. */
export function describeRentalDetail(facts: RentalFacts): string {
  const { command, secrets = [], setup, list, limits, price } = facts;
  return [
    t("Then Cloud GPU uploads {0} ({1}) and runs:", formatFileCount(list.files.length), formatSize(list.bytes)),
    formatCommand(command, MOST_READ),
    ...(setup === "" ? [] : [t("Setup: {0}", formatCommand(setup, MOST_READ))]),
    ...describeSecrets(secrets),
    ...describeResultsEvery(facts.resultsEveryMinutes),
    ...describeData(list.data),
    t("Cloud GPU stops the command after {0}, counted from renting.", formatLimits(limits, price)),
    ...(limits.maxPricePerHour === undefined
      ? []
      : [t("Only machines up to {0} are rented for this run.", formatHourlyPrice(limits.maxPricePerHour))]),
    ...facts.agreed,
    whenDoneText(facts),
  ].join("\n\n");
}

/** What goes up, and what stays because it looks secret. */
export function describeUpload({ files, bytes, secrets }: UploadList): string {
  const size = `${formatFileCount(files.length)} (${formatSize(bytes)})`;
  return secrets.length === 0 ? size : t("{0}. Not uploaded (possible secrets): {1}", size, formatSome(secrets, 3));
}

/** $/h of the instance, and of its disk alone. */
export type RentalPrices = Pick<RentalFacts, "price" | "diskPrice">;

/** In the summary. */
export function describeWhenDone(whenDone: WhenDone, { diskPrice }: RentalPrices): string {
  switch (whenDone) {
    case "destroy":
      return t("destroy the instance once its results are on this computer");
    case "stop":
      return t("stop the instance after the run, and keep its disk for {0}", formatHourlyPrice(diskPrice));
    case "keep":
      return t("keep the instance running");
  }
}

interface WhenDoneChoice {
  readonly label: string;
  readonly detail: string;
  readonly value: WhenDone;
}

/** What can be chosen, and what each means and costs. */
export const listWhenDoneChoices = ({ price, diskPrice }: RentalPrices): readonly WhenDoneChoice[] => [
  {
    label: t("Destroy It"),
    detail: t("After its results are on this computer. Everything else on it is deleted, and billing stops."),
    value: "destroy",
  },
  { label: t("Stop It"), detail: diskStaysText(diskPrice), value: "stop" },
  {
    label: t("Keep It Running"),
    detail: t("It costs {0} until you stop or destroy it.", formatHourlyPrice(price)),
    value: "keep",
  },
];

const diskStaysText = (diskPrice: number | undefined): string =>
  diskPrice === undefined
    ? t(
        "You keep the disk and its data, and pay for them until you destroy the instance. The offer doesn't state the price.",
      )
    : t(
        "The disk and its data cost {0} ({1} per day) until you destroy the instance.",
        formatHourlyPrice(diskPrice),
        formatTotal(diskPrice, 24),
      );

/** What the machine is to do on its own. Whether it can shows only once it runs. */
export const describeSelfStop = (stopsItself: boolean): string =>
  stopsItself
    ? t("the instance tries to stop itself 1 hour after the command ends")
    : t("the instance keeps running until you open VS Code and reattach");

function stopText({ diskPrice, stopsItself, results = [] }: RentalFacts): string {
  return [
    t("After the command ends, Cloud GPU downloads the results and stops the instance, even if the download fails."),
    ...(results.length === 0
      ? []
      : [t("Only files that match {0} are downloaded. Everything else stays on its disk.", formatGlobs(results))]),
    diskStaysText(diskPrice),
    stopsItself
      ? t(
          "If VS Code is closed by then, the instance tries to stop itself an hour later. The run's terminal shows whether it can stop itself.",
        )
      : t("If VS Code is closed by then, the instance keeps running until you open VS Code and reattach."),
  ].join(" ");
}

function whenDoneText(facts: RentalFacts): string {
  const { whenDone, stopsItself, results = [] } = facts;
  if (whenDone === "stop") return stopText(facts);
  const only = formatGlobs(results);
  if (whenDone === "keep")
    return results.length === 0
      ? t("The instance keeps running until you stop or destroy it.")
      : t("Only files that match {0} are downloaded. The instance keeps running until you stop or destroy it.", only);
  const destroyed =
    results.length === 0
      ? t("After the command ends and its results are downloaded, Cloud GPU destroys the instance.")
      : t(
          "After the command ends and its results are downloaded, Cloud GPU destroys the instance. Only files that match {0} are downloaded; everything else is deleted. If a pattern matches no file, the instance isn't destroyed.",
          only,
        );
  const otherwise = stopsItself
    ? t(
        "If VS Code is closed by then, the instance tries to stop itself an hour later. You then pay only for its disk, until you destroy the instance. The run's terminal shows whether it can stop itself.",
      )
    : t("If VS Code is closed by then, the instance keeps running until you open VS Code and reattach.");
  return `${destroyed} ${otherwise}`;
}
