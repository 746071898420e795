// One run with several attempts, from its first summary to the last look at it, under a drawn fate, and whether every promise was kept.
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { calculatePlanPrice } from "../../../src/domain/launch/launch-plan.ts";
import { isUnresolved } from "../../../src/domain/launch/launch-record.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { RunDraft } from "../../../src/domain/run/run-plan.ts";
import { canContinue, isOpen, type RunRecord } from "../../../src/domain/run/run-record.ts";
import type { RunStage as Where } from "../../../src/domain/run/run-stage.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { Rehearsal } from "../../../src/sandbox/world/rehearsal.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { NextAttempt } from "../../../src/services/run/attempts/next-attempt.ts";
import { rentForAttempts, startAttempts } from "../../../src/services/run/attempts/run-attempts.ts";
import type { ConfirmedRental } from "../../../src/services/run/confirmed-rental.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import type { RentingWatch, RunPerson } from "../../../src/services/run/rent-for-run.ts";
import { newUserData, planFor, removeUserData } from "../../journeys/editor-window.ts";
import { RATE } from "../life.ts";
import { modelSleep } from "../runs/run-person.ts";
import type { Opened } from "../runs/run-stage.ts";
import { watchList } from "../watch-list.ts";
import { drawAttemptFate } from "./attempt-fate.ts";
import { type AttemptBreakage, AttemptStage } from "./attempt-stage.ts";

/** Real milliseconds until a story that never ends is called one. */
const PATIENCE_MS = 120_000;
const NEVER = new AbortController().signal;

/** What came of the runs that were played, so that a model that plays nothing is noticed. */
export const attemptTally = new Map<string, number>();
const count = (what: string) => void attemptTally.set(what, (attemptTally.get(what) ?? 0) + 1);

/** @returns what was violated; nothing for runs that keep their word. */
export async function playAttempts(seed: number, breakage: AttemptBreakage = {}): Promise<readonly string[]> {
  const fate = { ...drawAttemptFate(seed), ...breakage.attempt };
  let stage: AttemptStage | undefined;
  const service = await startSandbox({ seed: 1, speed: RATE * 4, requests: (line) => stage?.hear(line) });
  const { world, faults } = service;
  world.account.credit = 1_000_000;
  for (const { id } of world.offers) world.setFate(id, "runs");
  const userData = newUserData();
  stage = new AttemptStage(service, userData, fate, breakage);
  try {
    await act(stage, breakage);
    faults.clear();
    await end(stage);
    await judge(stage);
    for (const strange of stage.strange()) stage.check(false, "model", strange);
  } finally {
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    stage.endAll();
    await service.stop();
    await removeUserData(userData);
  }
  return stage.violations;
}

async function act(stage: AttemptStage, breakage: AttemptBreakage): Promise<void> {
  const { attempt: fate, service } = stage;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const { offers } = await first.window.offers.search(anySearch);
  const same = offers.filter(({ gpu_name, num_gpus }) => gpu_name === "RTX A5000" && num_gpus === 1);
  const [offer, another = offer] = same;
  if (!offer || !another) throw new Error("The market has none of them.");
  for (const fault of [fate.create, ...fate.reads]) if (fault) service.faults.add(fault);
  // Whether an instance is gone isn't found out as long as no one answers.
  void modelSleep(fate.run.readsUntil).then(() => {
    for (const fault of fate.reads) service.faults.delete(fault);
  });
  const leaving = new AbortController();
  const draft: RunDraft = {
    ...{ name: "a.sh", command: "sh a.sh", setup: "", folder: stage.folder },
    limits: { maxHours: 8, maxPricePerHour: 5, maxAttempts: fate.attempts },
  };
  befall(stage, first);
  const at = endingAt(stage, first, leaving);
  const running = rentAndRun(stage, first, { offer, draft, breakage, at, signal: leaving.signal });
  const isOver = await within(Promise.race([running.catch(() => undefined), first.life.died]));
  stage.check(isOver, "liveness", "the run never came to an end");
  await modelSleep(20);
  await continueInWindows(stage, another, breakage);
  for (const opened of stage.windows) stage.close(opened);
}

/** Each instance in turn loses its way as was drawn, once its command runs. */
function befall(stage: AttemptStage, first: Opened): void {
  let turn = 0;
  stage.onWork = (id) => {
    const loss = stage.attempt.losses[turn];
    turn += 1;
    if (loss) void modelSleep(loss.after).then(() => lose(stage, first, id, loss.how));
  };
}

async function lose(stage: AttemptStage, { window }: Opened, id: number, how: string): Promise<void> {
  const { world } = stage.service;
  const stored = world.findInstance(id);
  if (!stored || stage.farOf(id).machine.process === "ended") return;
  if (how === "outbid" && !new Rehearsal(world).outbid(id)) return;
  count(`lost: ${how}`);
  if (how === "ended") {
    // From the moment at which it was ordered.
    const ordered = window.orders.carryOut(window.me(), "destroy", [{ value: { id: id as InstanceId } }]);
    await ordered.catch(() => undefined);
    stage.callOff();
    return;
  }
  stage.noteLoss();
  stage.farOf(id).machine.isDead = true;
  if (how === "destroyed") world.destroy(id);
  if (how === "stopped") world.stop(stored);
}

interface Renting {
  readonly offer: Offer;
  readonly draft: RunDraft;
  readonly next?: NextAttempt;
  readonly breakage: AttemptBreakage;
  readonly at?: (where: Where) => void;
  readonly signal: AbortSignal;
}

async function rentAndRun(stage: AttemptStage, opened: Opened, renting: Renting): Promise<void> {
  const { offer, draft, next, breakage, at = () => {}, signal: given } = renting;
  const { window } = opened;
  const account = window.me();
  const signal = breakage.goesOnAnyway ? NEVER : given;
  const watch: RentingWatch = {
    stage: at,
    output: () => {},
    ask: async () => undefined,
    mayGoOn: async () => true,
    mayDestroy: async () => true,
  };
  mend(opened, breakage);
  const plan = { ...planFor(offer), ...(stage.attempt.isBid ? { type: "bid" as const, bid: 4 } : {}) };
  const confirmed: ConfirmedRental = {
    rental: {
      ...{ account, plan, search: { ...anySearch, type: plan.type }, intent: createIntent() },
      ...{ chain: { price: calculatePlanPrice(plan), tries: 0 }, withoutTracking: false },
    },
    ...{ draft, whenDone: "destroy", stopsItself: false, list: await listRun(draft, NEVER), next },
  };
  const refresher = watchList(window);
  try {
    stage.agree(draft.limits?.maxAttempts ?? 1);
    const watching = { watch, signal };
    const first = await rentForAttempts(window, personOf(stage, opened, signal), confirmed, watching);
    await startAttempts(window.runs, first, { account, ...watching }, () => count("continued automatically"));
  } finally {
    refresher.dispose();
  }
}

/** Puts a broken part in the place of a sound one. */
function mend({ window }: Opened, breakage: AttemptBreakage): void {
  const { whereabouts } = window.instances;
  if (breakage.trustsOne) whereabouts.isGone = async () => true;
  if (breakage.forgetsOrders) window.orderJournal.wasGiven = async () => false;
  if (!breakage.leavesWaiting) return;
  const carryOut = window.orders.carryOut.bind(window.orders);
  window.orders.carryOut = async (account, kind, rows) =>
    kind === "stop"
      ? rows.map(({ value: { id } }) => ({ token: "", id, kind, outcome: "done" as const }))
      : await carryOut(account, kind, rows);
}

function personOf(stage: AttemptStage, { window, life }: Opened, signal: AbortSignal): RunPerson {
  return {
    launching: {
      confirm: async () => false,
      tell: async (message) => {
        if ("id" in message) stage.told.add(message.id);
        return undefined;
      },
      wait: (work) => work(),
      accompany: (_, work) => work(() => undefined, NEVER),
    },
    usualFolder: () => "/workspace",
    connect: async (account, id) => {
      const login = await window.connections.reach(account, id, signal);
      const start = stage.farOf(id).ssh.startFor(life);
      return await window.sharedConnections.open(account, { id, program: "ssh", login, start }, signal);
    },
    findPlace: async () => "/workspace",
    list: (draft) => listRun(draft, NEVER),
    tellKept: (_, _name, id) => void stage.told.add(id),
    takeNextStep: async () => {},
    tellError: () => {},
  };
}

/** Lets the first window come to its end where that was drawn. */
function endingAt(stage: AttemptStage, opened: Opened, leaving: AbortController): (where: Where) => void {
  let isDue = true;
  return ({ kind }) => {
    const { ending } = stage.attempt;
    if (!isDue || !ending || ending.stage !== kind) return;
    // What comes while the first instance is rented is the model of runs.
    if (kind === "renting" && stage.working.length === 0) return;
    isDue = false;
    count(`${ending.kind} while ${kind}`);
    if (ending.kind === "killed") return opened.life.dieAfter(ending.steps);
    void modelSleep(ending.steps).then(() => {
      leaving.abort();
      stage.callOff();
      if (ending.kind === "closed") stage.close(opened);
    });
  };
}

/** The person continues it in one window, or in two that know nothing of each other. */
async function continueInWindows(stage: AttemptStage, offer: Offer, breakage: AttemptBreakage): Promise<void> {
  const { continues } = stage.attempt;
  const windows = await Promise.all(Array.from({ length: continues }, () => stage.open()));
  const ends = windows.map(async (opened) => {
    await takeUpLeft(stage, opened, 3);
    const run = await findLast(opened);
    if (!run || !canContinue(run)) return;
    const next = await opened.window.continuations.prepare(opened.window.me(), run, NEVER);
    count("continued by the person");
    await rentAndRun(stage, opened, { offer, draft: next.draft, next, breakage, signal: NEVER });
  });
  const isOver = await within(Promise.all(ends.map((one) => one.catch(() => undefined))));
  stage.check(isOver, "liveness", "what was continued never came to an end");
}

const findLast = async ({ window }: Opened): Promise<RunRecord | undefined> =>
  (await window.runs.readAll(window.me()))[0];

/** As a window offers what no one follows. */
async function takeUpLeft(stage: AttemptStage, opened: Opened, looks: number): Promise<void> {
  const { window } = opened;
  const { runs, actions } = window;
  for (let look = 0; look < looks; look += 1) {
    const { left, followed } = await runs.findLeft(window.me());
    if (left.length + followed.length === 0) return;
    for (const run of left) await takeUp(run).catch(() => undefined);
    await modelSleep(15);
  }
  async function takeUp(run: RunRecord): Promise<void> {
    if (!(await actions.reread(window.me(), run.instance))) return await runs.noteGone(run, "It no longer exists.");
    stage.told.add(run.instance);
    if (run.state.kind === "ended" && run.state.results?.kind === "none")
      return await runs.giveUp(run, "Never started.");
    const machine = await personOf(stage, opened, NEVER).connect(window.me(), run.instance);
    const watch = { stage: () => {}, output: () => {}, mayGoOn: async () => true, mayDestroy: async () => true };
    if (machine) await runs.follow(machine, run, { account: window.me(), signal: NEVER, watch });
  }
}

/** The faults are over, and a window is opened that nothing befalls: from then on everything must come right. */
async function end(stage: AttemptStage): Promise<void> {
  const last = await stage.open();
  const settled = within(
    (async () => {
      while ((await last.window.journal.read()).some(isUnresolved)) await sleep(20);
      await takeUpLeft(stage, last, 30);
      await last.window.instances.collection.refresh();
    })(),
  );
  stage.check(await settled, "liveness", "a run or its launch never came to an end");
}

async function judge(stage: AttemptStage): Promise<void> {
  const { rentals, agreed, orders, told, working } = stage;
  const { window } = stage.windows.at(-1) ?? {};
  if (!window) return;
  const all = await window.runs.readAll(window.me());
  stage.check(orders <= agreed, "A2", `${orders} instances were ordered, and ${agreed} were agreed to`);
  const launched = new Set<number>((await window.journal.read()).flatMap(({ ids }) => ids));
  const known = new Set<number>(
    all.flatMap((run) => [run.instance, ...(run.earlier ?? []).map((one) => one.instance)]),
  );
  for (const id of rentals)
    if (stage.exists(id))
      stage.check(known.has(id) || told.has(id) || launched.has(id), "A4", `${id} is there, and no one knows of it`);
  const latest = all.filter((run) => !all.some(({ earlier }) => earlier?.some((one) => one.run === run.id)));
  stage.check(latest.length <= 1, "A5", `there are ${latest.length} rows for one run`);
  for (const run of latest) {
    // What was stopped elsewhere, or waits for its GPU, keeps its row: its results are there.
    const waits = stage.exists(run.instance) && stage.farOf(run.instance).machine.isDead;
    stage.check(waits || !isOpen(run), "A6", `it is still open: ${JSON.stringify(run.state)}`);
    if (run.state.kind === "ended") count(`in the end: ${run.state.rental?.kind ?? "no rental"}`);
  }
  count(`${working.length} instances worked on it`);
}

async function within(work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = sleep(PATIENCE_MS, ended.signal).then(
    () => false,
    () => true,
  );
  return await Promise.race([work.then(() => true), late]).finally(() => ended.abort());
}
