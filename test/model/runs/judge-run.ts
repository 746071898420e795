// Whether a run kept its promises, by what the service and the machine know in the end.
import { type EndedRun, isOpen, type RunRecord } from "../../../src/domain/run/run-record.ts";
import type { RunStage, RunWindow } from "./run-stage.ts";

/** @returns words for what came of it. */
export async function judgeRun(stage: RunStage): Promise<readonly string[]> {
  const { machine, rentals } = stage;
  const last = stage.windows.at(-1);
  if (!last) return [];
  const { window } = last;
  const records = await window.runs.readAll(window.me());
  stage.check(rentals.size <= 1 && stage.orders <= 1, "R1", `${stage.orders} requests rented ${[...rentals]}`);
  stage.check(machine.begun.length <= 1, "R2", `it began ${machine.begun.length} times`);
  stage.check(records.length <= 1, "R2", `there are ${records.length} records of it`);
  const launched = await findLaunched(stage, window);
  for (const id of rentals) {
    const record = records.find(({ instance }) => instance === id);
    if (!stage.exists(id)) continue;
    const isKnown = stage.told.has(id) || (record ? isSettled(record) : launched.has(id));
    stage.check(isKnown, "R3", `${id} is there, and nobody was told: ${JSON.stringify(record?.state)}`);
  }
  const [record] = records;
  if (record) judgeRecord(stage, record);
  return wordsFor(stage, record);
}

/** Machines that launches know: those of which a later window told, and those that are listed and hadn't come to their run yet. */
async function findLaunched({ windows, handed }: RunStage, window: RunWindow): Promise<ReadonlySet<number>> {
  const told = windows.flatMap((one) => one.window.notices).flatMap(({ record }) => record.ids);
  const written = (await window.journal.read()).flatMap(({ ids }) => ids);
  const listed = written.filter((id) => !handed.has(id) && window.instances.find(id) !== undefined);
  return new Set([...told, ...listed]);
}

/** Whether its record says what became of the machine, or that it was to be kept. */
function isSettled({ state, rented }: RunRecord): boolean {
  if (state.kind !== "ended") return false;
  return rented?.whenDone === "keep" || ["kept", "stopped", "unconfirmed"].includes(state.rental?.kind ?? "");
}

function judgeRecord(stage: RunStage, record: RunRecord): void {
  const { machine, fate } = stage;
  const { state } = record;
  // A machine that stopped may be started again.
  const isAway = machine.isDead && fate.dies === "stopped";
  if (!isAway) stage.check(!isOpen(record), "R4", `it is still open: ${JSON.stringify(state)}`);
  if (state.kind !== "ended") return;
  const { exit, results, rental } = state;
  if (exit !== undefined) stage.check(exit === machine.exit, "R5", `it says ${exit}, and ended with ${machine.exit}`);
  judgeWord(stage, record, rental);
  if ((machine.isDead && rental?.kind !== "stopped") || machine.begun.length === 0) return;
  stage.check(exit === machine.exit, "R5", `it ended with ${machine.exit}, and nobody knows`);
  const isPlain = fate.obstacle === undefined && fate.change === undefined;
  if (results?.kind === "fetched" && results.isWhole && isPlain && !machine.isLeft)
    stage.check(stage.isHere(), "R7", "its results were said to be here");
  if (isPlain && machine.process === "ended")
    stage.check(stage.isHere(), "R7", `its results never came: ${JSON.stringify(results)}`);
  if (fate.whenDone === "stop") judgeStopped(stage, record, rental);
  const speaksAgainst = !isPlain || machine.isLeft || fate.busy || fate.relabeled || machine.process !== "ended";
  if (speaksAgainst || fate.whenDone !== "destroy" || !fate.agrees || fate.destroy) return;
  stage.check(!stage.exists(record.instance), "R8", `it should be gone: ${JSON.stringify(rental)}`);
}

/** What was said of the machine is true. */
function judgeWord(stage: RunStage, { instance }: RunRecord, rental: EndedRun["rental"]): void {
  if (rental?.kind === "destroyed")
    stage.check(!stage.exists(instance), "R6", "it was said to be destroyed, and is there");
  if (rental?.kind === "stopped") stage.check(stage.isStopped(instance), "R6", "it was said to be stopped, and isn't");
}

/** It stands still even if its results couldn't be downloaded, unless something may still run there. */
function judgeStopped(stage: RunStage, { instance }: RunRecord, rental: EndedRun["rental"]): void {
  const { machine, fate } = stage;
  stage.check(stage.exists(instance) || fate.dies === "destroyed", "R8", "it was to stay, and is gone");
  const mayRun = machine.isLeft || fate.busy || machine.process !== "ended";
  if (mayRun || fate.relabeled || !fate.agrees || fate.stop) return;
  stage.check(stage.isStopped(instance), "R8", `it should be stopped: ${JSON.stringify(rental)}`);
}

function wordsFor({ fate, machine, rentals, destroys, stops, windows }: RunStage, record: RunRecord | undefined) {
  const state = record?.state;
  const end = state?.kind === "ended" ? (state.rental?.kind ?? "no end of a rental") : (state?.kind ?? "no record");
  const died = windows.filter(({ life }) => life.dead).length > 0 && fate.ending?.kind === "killed";
  return [
    "runs",
    ...(rentals.size > 0 ? ["rented"] : []),
    ...(machine.begun.length > 0 ? ["begun"] : []),
    ...(destroys > 0 ? ["asked to destroy"] : []),
    ...(stops > 0 ? ["asked to stop"] : []),
    ...(died ? [`killed while ${fate.ending?.stage}`] : []),
    end,
  ];
}
