// Runs below the row of their instance.

import { isOpen, type RunRecord } from "../../domain/run/run-record.ts";
import { commands } from "../../ids.ts";
import { formatDateTime, t } from "../../lib/text.ts";
import { listKnownFacts, type RowView } from "../base/row.ts";
import { formatNearTime } from "../base/when.ts";
import { describeAttempt, listAttempt } from "./attempt-text.ts";
import { findRentalEnd } from "./rental-end-text.ts";
import { findEarlyTime } from "./result-text.ts";
import { calculateRunTime, describeState, formatCommand, formatRunName, formatSpan } from "./run-text.ts";

/** `tag` is the account's. `now` is in epoch milliseconds. */
export function buildRunRow(run: RunRecord, tag: string, now: number): RowView {
  const { id, instance, state, at, plan } = run;
  const [icon, color] = iconOf(run);
  const hasOutput = state.kind === "ended" && state.results?.kind === "fetched" && state.results.log !== undefined;
  const early = findEarlyTime(run);
  const can = ["run", isOpen(run) && "isOpen", hasOutput && "hasOutput"].filter(Boolean);
  const when = state.kind === "ended" ? formatSpan(calculateRunTime(state, at)) : formatDateTime(at);
  // The icon tells of a run that goes on.
  const what = [...listEarlyTime(run, now), ...listAttempt(run), describeState(run), when].join(" · ");
  return {
    id: `run ${tag} ${id}`,
    label: formatRunName(run),
    description: what,
    icon,
    color,
    context: can.join(" "),
    accessible: t("Run {0} on instance {1}, {2}", formatRunName(run), instance, what),
    isPassing: true,
    opens: commands.runShow,
    tooltip: () => ({
      title: formatRunName(run),
      facts: listKnownFacts([
        [t("Command"), formatCommand(plan.command)],
        [t("Status"), describeState(run)],
        [t("Started"), formatDateTime(at)],
        [t("Attempt"), run.earlier && describeAttempt({ attempts: run.earlier })],
        [t("Results Downloaded"), early === undefined ? undefined : formatDateTime(early)],
        [t("Duration"), state.kind === "ended" ? formatSpan(calculateRunTime(state, at)) : undefined],
      ]),
    }),
  };
}

function iconOf(run: RunRecord): readonly [icon: string, color: string | undefined] {
  const { state } = run;
  if (state.kind !== "ended") return ["sync", undefined];
  if (state.exit !== 0) return ["error", "charts.red"];
  return isOpen(run) ? ["cloud-download", undefined] : ["check", "charts.green"];
}

/** A row of the list of runs. */
export function buildRunLine(run: RunRecord, now: number): { label: string; description: string; detail: string } {
  const { state, at, instance, plan } = run;
  const isStopped = findRentalEnd(state)?.kind === "stopped";
  return {
    label: `${formatIcon(run)} ${formatRunName(run)}`,
    description: [
      describeState(run),
      formatSpan(state.kind === "ended" ? calculateRunTime(state, at) : now - at),
      formatDateTime(at),
      ...listEarlyTime(run, now),
      ...listAttempt(run),
    ].join(" · "),
    detail: `${isStopped ? t("instance {0}, stopped", instance) : t("instance {0}", instance)} · ${formatCommand(plan.shown ?? plan.command)}`,
  };
}

/** For a row. */
function listEarlyTime(run: RunRecord, now: number): readonly string[] {
  const time = findEarlyTime(run);
  return time === undefined ? [] : [t("results from {0}", formatNearTime(time, now))];
}

function formatIcon({ state }: RunRecord): string {
  if (state.kind !== "ended") return "$(sync)";
  return state.exit === 0 ? "$(check)" : "$(error)";
}
