// What a run is called, where it stands and how it ended, in words.
import type { InstanceId } from "../../domain/base/id.ts";
import { formatPrice } from "../../domain/base/money.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { findFileCommand } from "../../domain/run/run-plan.ts";
import { type EndedRun, type FetchedResults, findCostEnd, type RunRecord } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import { formatDateTime, formatNumber, t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";
import type { Message } from "../base/message.ts";
import { describeLaunchStage, formatElapsed } from "../launch/launch-messages.ts";
import { formatFileCount, formatSize } from "../transfer/transfer-text.ts";
import { formatAttemptsCost } from "./attempt-text.ts";
import { describeEarlierGuard, describeGuard, describeRental, findRentalEnd, isOnlyOnDisk } from "./rental-end-text.ts";
import { describeLate, formatOthers, listResultNotes } from "./result-text.ts";

/** Characters of a command and of a path. */
const MOST_SHOWN = 200;
const HOUR = 3_600_000;
const CENT = 0.01;

/** `2 h 5 min`, `3 min`, `12 s`. */
export function formatSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("{0} min", minutes);
  return t("{0} h {1} min", formatNumber(Math.floor(minutes / 60)), minutes % 60);
}

export const formatRunName = ({ plan }: Pick<RunRecord, "plan">): string => toLabel(plan.name, 60);

/** A command or script in one line, in which line breaks are seen: what follows a comment would seem to be one. */
export const formatCommand = (command: string, most = MOST_SHOWN): string =>
  toPlainText(command.trim().replace(/\r?\n/g, " ⏎ "), most);

/** A line of the terminal for where a run is. `now` is in epoch milliseconds. */
export function describeStage(stage: RunStage, run: RunRecord | undefined, now: number): string {
  switch (stage.kind) {
    case "renting": {
      const text = t("Renting: {0}", `${describeLaunchStage(stage.stage)} · ${formatElapsed(stage.elapsed)}`);
      const cost = stage.stage === "sending" ? undefined : costSoFar(stage.elapsed, stage.price);
      return joined(text, cost && `(${cost})`);
    }
    case "lost":
    case "not-continued":
      return describeNext(stage);
    case "verifying":
      return t("Comparing the results with those on the instance…");
    case "destroying":
      return [
        t("Destroying instance {0}…", run?.instance ?? ""),
        ...(stage.others ? [t("Deleted with the instance, not downloaded: {0}.", formatOthers(stage.others))] : []),
      ].join(" ");
    case "stopping":
      return t("Stopping instance {0}. Its disk and data are kept.", run?.instance ?? "");
    case "uploading":
      return joined(
        t(
          "Uploading to {0} on instance {1}: {2}, {3}",
          toPlainText(run?.plan.remote ?? "", MOST_SHOWN),
          run?.instance ?? "",
          formatFileCount(stage.files),
          formatSize(stage.bytes),
        ),
        run && spentSince(run, now),
      );
    case "starting":
      return t("Starting…");
    case "guarded":
      return stage.isEarlier ? describeEarlierGuard() : describeGuard(stage.guard, run?.rented?.whenDone === "stop");
    case "unguarded":
      return t(
        "The instance no longer stops itself, perhaps because it was restarted. If VS Code is closed when the command ends, the instance keeps running.",
      );
    case "running":
      return describeRunning(run);
    case "disconnected": {
      const [why, pause] = [toPlainText(stage.why, 300), formatSpan(stage.pause)];
      return stage.isOver
        ? t("{0} Trying again in {1}.", why, pause)
        : t("{0} The command keeps running. Trying again in {1}.", why, pause);
    }
    case "missing":
      return t("The service doesn't list the instance now. Cloud GPU checks for a minute whether it's gone.");
    case "late":
      return describeLate(stage.names);
    case "fetching":
      return joined(
        t("Downloading the results: {0}, {1}", formatFileCount(stage.files), formatSize(stage.bytes)),
        run && spentSince(run, now),
      );
  }
}

const describeNext = (stage: Extract<RunStage, { readonly kind: "lost" | "not-continued" }>): string =>
  stage.kind === "lost"
    ? `${describeLoss(stage)} ${t("Press Ctrl+C to rent nothing.")}`
    : t("The run isn't continued automatically. {0}", toPlainText(stage.why, 300));

/** Its instance no longer works on it, and another one is rented. */
export const describeLoss = ({ instance, attempt, most }: Extract<RunStage, { readonly kind: "lost" }>): string =>
  t(
    "Instance {0} seems to be lost. Cloud GPU checks that, then rents another one: attempt {1} of {2}.",
    instance,
    attempt,
    most,
  );

const describeRunning = (run: RunRecord | undefined): string =>
  joined(
    t("Running. Press Ctrl+C to stop the command. The command keeps running if you close this terminal or the window."),
    run?.until === undefined ? undefined : t("The run's limit stops the command at {0}.", formatDateTime(run.until)),
  );

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(" ");

/** Undefined as long as it is next to nothing. */
function costSoFar(milliseconds: number, price: number | undefined): string | undefined {
  const cost = price === undefined ? 0 : (price * milliseconds) / HOUR;
  return cost < CENT ? undefined : t("about {0} so far", formatPrice(cost));
}

/** From the rental, or from the start of the upload to an instance that costs what it costs anyway. */
function spentSince({ rented, at }: RunRecord, now: number): string {
  const elapsed = Math.max(0, now - (rented?.at ?? at));
  return `(${[formatSpan(elapsed), costSoFar(elapsed, rented?.price)].filter(Boolean).join(", ")})`;
}

/** Milliseconds that the command took; until its end was noticed, where the machine doesn't say. */
export const calculateRunTime = ({ seconds, at: end }: EndedRun, at: number): number =>
  seconds === undefined ? end - at : seconds * 1000;

/** Names the script, if the run is called after it: a task or a template file has a name of its own. */
function setupFailureText(run: RunRecord, exit: number): string {
  const { command, shown = command } = run.plan;
  const name = formatJobName(run);
  return findFileCommand(name) !== undefined && shown.includes(name)
    ? t("Setup failed with exit code {0}, so {1} didn't start.", exit, name)
    : t("Setup failed with exit code {0}, so the command didn't start.", exit);
}

/** How a run ended, without a word on its results. */
function endText(run: RunRecord): string {
  const { state, at } = run;
  if (state.kind !== "ended") return t("It's still running.");
  const span = formatSpan(calculateRunTime(state, at));
  if (state.isLimited) return t("Stopped by its limit after {0} (exit code {1}).", span, state.exit ?? "?");
  if (state.exit !== undefined && state.isSetupFailure) return setupFailureText(run, state.exit);
  if (state.exit !== undefined) return t("Ended with exit code {0} after {1}.", state.exit, span);
  return state.why === undefined ? t("Ended after {0}.", span) : toPlainText(state.why, 300);
}

/** A path on this computer, from the folder that was run. */
function placeText(place: string, { folder }: RunRecord["plan"]): string {
  const isBelow = place.startsWith(folder) && /^[/\\]/.test(place.slice(folder.length));
  return toPlainText(isBelow ? place.slice(folder.length + 1) : place, MOST_SHOWN);
}

function resultsText({ state, plan }: RunRecord): string | undefined {
  if (state.kind !== "ended" || state.results?.kind === "none") return undefined;
  if (!state.results) return t("Another window is downloading the results.");
  const { results } = state;
  if (results.kind === "failed" && results.isLost)
    return t("The results couldn't be downloaded: {0}", toPlainText(results.why, 300));
  if (results.kind === "failed")
    return t("The results couldn't be downloaded, and are still on the machine: {0}", toPlainText(results.why, 300));
  const place = placeText(results.place, plan);
  const beside =
    results.beside === undefined
      ? []
      : [
          t(
            "Some files here weren't replaced, for example because you changed them. The instance's versions are in {0}.",
            placeText(results.beside, plan),
          ),
        ];
  return [fetchedText(results, place), ...beside, ...listResultNotes(results)].join(" ");
}

function fetchedText({ files, bytes, isWhole, unmatched, others, until }: FetchedResults, place: string): string {
  const [count, size] = [formatFileCount(files), formatSize(bytes)];
  if (until !== undefined)
    return t(
      "Results as of {0}: {1} ({2}) in {3}. What the command wrote later wasn't downloaded.",
      formatDateTime(until),
      count,
      size,
      place,
    );
  const isNothing = files === 0 && isWhole;
  if (isNothing && (unmatched || others)) return t("No results. The output is in {0}.", place);
  if (isNothing) return t("The run didn't create or change any files. The output is in {0}.", place);
  return isWhole
    ? t("Results: {0} ({1}) in {2}.", count, size, place)
    : t("Results: {0} ({1}) in {2}. Some files couldn't be downloaded.", count, size, place);
}

/** About what a run cost with all of its attempts: of a machine that it rented all of its time. Undefined if it isn't known. */
function costText({ state, at, rented, earlier = [] }: RunRecord, price: number | undefined): string | undefined {
  const perHourThen = rented?.price ?? price;
  if (state.kind !== "ended" || perHourThen === undefined) return undefined;
  const time = rented ? findCostEnd(state) - rented.at : calculateRunTime(state, at);
  const cost = (perHourThen * Math.max(0, time)) / HOUR;
  const all = formatAttemptsCost(earlier, cost);
  if (all === undefined) return undefined;
  return earlier.length === 0
    ? t("Cost: {0}.", all)
    : t("Cost: {0} for {1}.", all, formatInstanceCount(earlier.length + 1));
}

/** How a run ended and where its results are, without a word on its instance. */
export const listOutcomeLines = (run: RunRecord): readonly string[] =>
  [endText(run), resultsText(run)].filter((line) => line !== undefined);

/** The last lines of the terminal. `price` is $/h now, if the machine still runs. */
export function listRunEndLines(
  run: RunRecord,
  price: number | undefined,
  autoStop?: RunFacts["autoStop"],
): readonly string[] {
  const lines = [...listOutcomeLines(run), describeRental(run, price, autoStop), costText(run, price)];
  return lines.filter((line) => line !== undefined);
}

/** The notification when a run is over. */
export function describeRunEnd(run: RunRecord, price: number | undefined): Message {
  const { state } = run;
  const rental = findRentalEnd(state);
  const isWell = state.kind === "ended" && state.exit === 0 && state.results?.kind !== "failed";
  const text = [
    t("“{0}”:", formatRunName(run)),
    endText(run),
    resultsText(run),
    ...(run.rented ? [describeRental(run, price), costText(run, price)] : []),
  ];
  const isAsDecided = rental?.kind !== "kept" && rental?.kind !== "unconfirmed" && !isOnlyOnDisk(run);
  const severity = isWell && isAsDecided ? "info" : "warning";
  return { severity, text: text.filter((part) => part !== undefined).join(" ") };
}

/** The notification for a run whose window is gone. */
export function describeLeftRun(run: RunRecord): string {
  if (run.member) return leftJobText(run, run.member.count);
  if (run.state.kind === "ended" && run.state.results !== undefined)
    return t("“{0}” has finished, but instance {1} still costs money.", formatRunName(run), run.instance);
  return run.state.kind === "ended"
    ? t("The results of “{0}” on instance {1} weren't downloaded.", formatRunName(run), run.instance)
    : t("“{0}” was running on instance {1} when its window was closed.", formatRunName(run), run.instance);
}

/** What a run of a job is called without its rank. */
export const formatJobName = ({ plan }: Pick<RunRecord, "plan">): string =>
  toLabel(plan.name.replace(/ \[\d{1,2}\]$/, ""), 60);

const leftJobText = (run: RunRecord, count: number): string =>
  t("“{0}” was in progress on {1} when its window was closed.", formatJobName(run), formatInstanceCount(count));

/** Its terminal was closed. `isOver`: the command has ended, but not what follows it. */
export function describeDetachedRun(run: RunRecord, isOver: boolean): string {
  const [name, id] = [formatRunName(run), run.instance];
  if (isOver) return t("You closed the terminal before “{0}” finished. Instance {1} keeps running.", name, id);
  if (run.rented?.whenDone === "stop")
    return run.guard?.kind === "armed"
      ? t(
          "“{0}” is still running on instance {1}. Reattach to have Cloud GPU stop the instance; otherwise, it stops itself 1 hour after the command ends.",
          name,
          id,
        )
      : t("“{0}” is still running on instance {1}. Cloud GPU stops the instance only after you reattach.", name, id);
  if (run.guard?.kind === "armed" && run.rented?.whenDone === "destroy")
    return t(
      "“{0}” is still running on instance {1}. Reattach to have Cloud GPU destroy the instance; otherwise, it stops itself 1 hour after the command ends.",
      name,
      id,
    );
  return run.rented?.whenDone === "destroy"
    ? t("“{0}” is still running on instance {1}. Cloud GPU destroys the instance only after you reattach.", name, id)
    : joined(
        t("“{0}” is still running on instance {1}.", name, id),
        run.guard?.kind === "armed" ? describeEarlierGuard() : undefined,
      );
}

export function describeState({ state }: RunRecord): string {
  if (state.kind === "waiting") return t("waiting for its instance");
  if (state.kind === "uploading") return t("uploading");
  if (state.kind === "started") return t("running when last seen");
  if (state.exit === undefined) return t("ended");
  return state.isSetupFailure && !state.isLimited
    ? t("setup failed, exit code {0}", state.exit)
    : t("exit code {0}", state.exit);
}

/** The title of a run's terminal. */
export const formatTerminalTitle = (name: string, id: InstanceId): string => `${toLabel(name, 40)} · ${id}`;
