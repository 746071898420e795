// One run from its rental to the last look at it, under a drawn fate, and whether every promise was kept.
import { isUnresolved } from "../../../src/domain/launch/launch-record.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { newUserData, removeUserData } from "../../journeys/editor-window.ts";
import { RATE } from "../life.ts";
import { judgeRun } from "./judge-run.ts";
import { drawRunFate, type Ending } from "./run-fate.ts";
import { comeBack, modelSleep, rentAndRun } from "./run-person.ts";
import { type Opened, type RunBreakage, RunStage } from "./run-stage.ts";

/** Real milliseconds until a story that never ends is called one. */
const PATIENCE_MS = 120_000;

/** What came of the runs that were played, so that a model that plays nothing is noticed. */
export const tally = new Map<string, number>();
const count = (what: string) => void tally.set(what, (tally.get(what) ?? 0) + 1);

/** @returns what was violated; nothing for runs that keep their word. */
export async function playRun(seed: number, breakage: RunBreakage = {}): Promise<readonly string[]> {
  const fate = { ...drawRunFate(seed), ...breakage.fate };
  let stage: RunStage | undefined;
  // Machines start faster than the clock runs: their start is the model of launches.
  const service = await startSandbox({ seed: 1, speed: RATE * 4, requests: (line) => stage?.hear(line) });
  const { world, faults } = service;
  world.account.credit = 1_000_000;
  for (const { id } of world.offers) world.setFate(id, fate.diesAtStart ? "exited" : "runs");
  const userData = newUserData();
  stage = new RunStage(service, userData, fate, breakage);
  try {
    const [other] = world.offers;
    if (other) createInstance(world, other.id, { image: "a/b", runtype: "ssh_direct", label: "somebody's own" });
    await act(stage);
    faults.clear();
    await end(stage);
    for (const what of await judgeRun(stage)) count(what);
    for (const strange of stage.ssh.strange) stage.check(false, "model", strange);
  } finally {
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    stage.machine.isDead = true;
    await service.stop();
    await removeUserData(userData);
  }
  return stage.violations;
}

/** The market of every story is the same. */
let market: Promise<readonly Offer[]> | undefined;

async function act(stage: RunStage): Promise<void> {
  const { fate, service } = stage;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  market ??= first.window.offers.search(anySearch).then(({ offers }) => offers);
  const [, offer] = await market;
  if (!offer) throw new Error("The market is empty.");
  for (const fault of [fate.create, fate.destroy, fate.stop, ...fate.reads]) if (fault) service.faults.add(fault);
  void modelSleep(fate.readsUntil).then(() => {
    for (const fault of fate.reads) service.faults.delete(fault);
  });
  stage.machine.onBegun = () => befall(stage);
  const leaving = new AbortController();
  const at = endingAt(stage, first, leaving);
  const running = rentAndRun(stage, first, offer, { at, signal: leaving.signal }).catch(() => undefined);
  const second = fate.second === undefined ? undefined : lookBeside(stage, fate.second);
  stage.check(await within(Promise.race([running, first.life.died])), "liveness", "the run never came to an end");
  await within(Promise.resolve(second));
  await modelSleep(fate.backAfter);
  if (fate.ending) {
    const back = await stage.open(fate.diesAgain);
    await within(Promise.race([comeBack(stage, back).catch(() => undefined), back.life.died]));
  }
  for (const opened of stage.windows) stage.close(opened);
}

/** What befalls the machine once the command runs on it. */
function befall(stage: RunStage): void {
  const { fate, service, rentals } = stage;
  const [id] = rentals;
  const stored = id === undefined ? undefined : service.world.findInstance(id);
  if (!stored) return;
  if (fate.relabeled) stored.label = "renamed by hand";
  if (fate.diesAfter !== undefined) void modelSleep(fate.diesAfter).then(() => stage.endMachine(stored.id));
}

/** Steps. */
const BEFORE_HANDED = 20;

/** Lets the first window come to its end where that was drawn. */
function endingAt(
  stage: RunStage,
  opened: Opened,
  leaving: AbortController,
): (where: { readonly kind: string }) => void {
  let isDue = true;
  return ({ kind }) => {
    const { ending } = stage.fate;
    if (!isDue || ending?.stage !== kind) return;
    // Half of the ends while renting come once the run knows its machine.
    const isLater = kind === "renting" && ending.steps > BEFORE_HANDED;
    if (isLater && stage.handed.size === 0) return;
    isDue = false;
    const steps = isLater ? ending.steps - BEFORE_HANDED : ending.steps;
    void comeToEnd(stage, opened, leaving, { ...ending, steps });
  };
}

async function comeToEnd(stage: RunStage, opened: Opened, leaving: AbortController, { kind, steps }: Ending) {
  if (kind === "killed") return opened.life.dieAfter(steps);
  await modelSleep(steps);
  leaving.abort();
  if (kind === "closed") stage.close(opened);
}

/** A second window is offered what no one follows, and takes that up. */
async function lookBeside(stage: RunStage, after: number): Promise<void> {
  await modelSleep(after);
  const second = await stage.open();
  await comeBack(stage, second, 2).catch(() => undefined);
}

/** The faults are over, and a window is opened that nothing befalls: from then on everything must come right. */
async function end(stage: RunStage): Promise<void> {
  stage.ssh.heal();
  const last = await stage.open();
  const settled = within(
    (async () => {
      while ((await last.window.journal.read()).some(isUnresolved)) await sleep(20);
      await comeBack(stage, last);
      await untilTold(stage, last);
    })(),
  );
  stage.check(await settled, "liveness", "a run or its launch never came to an end");
}

/** Model seconds. A window waits for the one that rented to tell of it, and then does so itself. */
const TOLD_WITHIN = 150;

/** A rental without a run is told of as any other that was left. */
async function untilTold({ rentals, told }: RunStage, { window }: Opened): Promise<void> {
  await window.instances.collection.refresh();
  const hasRun = (await window.runs.readAll(window.me())).length > 0;
  const open = async () => (await window.journal.read()).some(({ ids, facts }) => ids.length > 0 && !facts.has("told"));
  const isTold = hasRun || [...rentals].every((id) => told.has(id));
  for (let waited = 0; !isTold && waited < TOLD_WITHIN && (await open()); waited += 5) await modelSleep(5);
}

async function within(work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = sleep(PATIENCE_MS, ended.signal).then(
    () => false,
    () => true,
  );
  return await Promise.race([work.then(() => true), late]).finally(() => ended.abort());
}
