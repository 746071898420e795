// The list of runs, and what can be done with one: follow it again, stop it, look at what it left.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import { isOpen, isStranded, type RunRecord } from "../../domain/run/run-record.ts";
import { t } from "../../lib/text.ts";
import { findEarlyTime } from "../../present/run/result-text.ts";
import { formatRunName } from "../../present/run/run-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { tellStranded } from "../../services/run/left-runs.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { withNotification } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { continueOn } from "./continue-run.ts";
import { chooseRun, describeNoRuns, findRun, mayContinue, readRunId } from "./find-run.ts";
import { createLeftRunPerson } from "./left-run-person.ts";
import type { RunServices } from "./run-services.ts";
import type { RunTerminals } from "./run-terminals.ts";

type Way = "reattach" | "continue" | "fetch" | "results" | "log" | "forget";

/** What can be done with a run: with the one of a row, or one of all of the account. */
export async function showRuns(
  services: RunServices,
  terminals: RunTerminals,
  [given]: readonly unknown[],
): Promise<void> {
  const account = services.session.requireSignedIn();
  const id = readRunId(given);
  const ofRow = id && (await findRun(services, account, id));
  for (;;) {
    const run =
      ofRow ?? (await chooseRun(services, account, { title: t("Show Runs"), none: describeNoRuns() }, () => true));
    if (!run) return;
    const way = await chooseWay(services, run, ofRow === undefined);
    if (way === BACK) continue;
    if (way !== undefined) await go(services, terminals, account, run, way);
    return;
  }
}

/** The output of the run of a row. */
export async function openOutput(services: RunServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const id = readRunId(given);
  const { state } = (id && (await findRun(services, account, id))) ?? {};
  if (state?.kind === "ended" && state.results?.kind === "fetched") await showOutput(state.results);
}

async function showOutput({
  place,
  log,
}: {
  readonly place: string;
  readonly log?: string | undefined;
}): Promise<void> {
  if (log === undefined) throw new AppError("not-found", t("The output of this run couldn't be downloaded."));
  await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(place), log));
}

/** Follows a run again: the given one, or one of those that aren't over. */
export async function reattachRun(
  services: RunServices,
  terminals: RunTerminals,
  [given]: readonly unknown[],
): Promise<void> {
  const account = services.session.requireSignedIn();
  const id = readRunId(given);
  const run = id
    ? await findRun(services, account, id)
    : await chooseRun(services, account, { title: t("Reattach to Run"), none: describeNoRuns() }, isOpen);
  if (run) await follow(services, terminals, account, run);
}

function chooseWay(services: RunServices, run: RunRecord, back: boolean) {
  const { state } = run;
  const results = state.kind === "ended" ? state.results : undefined;
  const isHere = results?.kind === "fetched";
  const ways: readonly (readonly [isOffered: boolean, label: string, value: Way])[] = [
    [isOpen(run), t("Reattach"), "reattach"],
    [!isOpen(run) && results?.kind === "failed" && !results.isLost, t("Download Results"), "fetch"],
    [mayContinue(services, run), t("Continue on Another Instance…"), "continue"],
    [isHere && results.log !== undefined, t("Open Output"), "log"],
    [isHere || findEarlyTime(run) !== undefined, t("Reveal Results"), "results"],
    [!isOpen(run), t("Remove from List"), "forget"],
  ];
  return pickOne<Way>({
    title: formatRunName(run),
    back,
    placeholder: t("What do you want to do?"),
    choices: ways.filter(([isOffered]) => isOffered).map(([, label, value]) => ({ label, value })),
  });
}

async function go(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  run: RunRecord,
  way: Way,
): Promise<void> {
  const results = run.state.kind === "ended" ? run.state.results : undefined;
  const fetched = results?.kind === "fetched" ? results : undefined;
  if (way === "reattach" || way === "fetch") await follow(services, terminals, account, run);
  else if (way === "continue") await continueOn(services, terminals, account, run);
  else if (way === "forget") await services.runs.remove(run);
  else if (way === "results") await reveal(fetched?.place ?? run.early?.place);
  else if (fetched) await showOutput(fetched);
}

async function reveal(place: string | undefined): Promise<void> {
  if (place !== undefined) await runEditorCommand("revealInExplorer", vscode.Uri.file(place));
}

async function follow(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  run: RunRecord,
): Promise<void> {
  if (run.member) return await services.targets.reattach(account, run);
  if (terminals.show(run.id)) return;
  if (isStranded(run)) return await tellStranded(services, createLeftRunPerson(services), account, run);
  if (run.state.kind === "uploading" || run.state.kind === "waiting")
    throw new AppError(
      "rejected",
      t("Another window is still preparing this run. Reattach when the command has started."),
    );
  const title = t("Connecting to {0}", run.instance);
  const machine = await reachForCommands(services, account, { id: run.instance }, title).catch(async (error) => {
    if (error instanceof AppError && error.kind === "gone") await noteGone(services, account, run, error.message);
    throw error;
  });
  if (!machine) return;
  services.session.assertStill(account);
  terminals.follow(account, machine, run);
}

/** What is noted as gone isn't followed again, and one answer may be behind. */
async function noteGone(
  { instances, runs }: RunServices,
  account: SignedIn,
  run: RunRecord,
  why: string,
): Promise<void> {
  const title = t("Checking whether instance {0} is gone", run.instance);
  await withNotification(title, true, (_, cancelled) =>
    instances.whereabouts.assertGone(account, run.instance, cancelled),
  );
  await runs.noteGone(run, why);
}
