// One instance with an order for when it's idle, in two windows, under a drawn fate, and whether every promise was kept (I1 to I4,
// test/model/README.md).
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import { lifeOf, openWindow, removeUserData } from "../../journeys/editor-window.ts";
import { rentRunning } from "../../journeys/rent-running.ts";
import { EndStage } from "../end-stage.ts";
import { type Breakage, Life, worldClock } from "../life.ts";
import { type DrawnOrder, drawIdleFate, type IdleFate } from "./idle-fate.ts";

/** Model seconds: what is younger than that may not be seen in time by whoever has just asked. */
const JUST = 45;
/** Model seconds between two readings that may hide nothing. */
const MOST_GAP = 150;
/** Model seconds within which what was ordered comes, once nothing is in its way. */
const PATIENCE = 3000;
/** The same, however often a busy machine keeps readings back. */
const MOST_PATIENCE = 5 * PATIENCE;

/** What is so from then on. */
interface Turn {
  readonly at: number;
  readonly isQuiet: boolean;
}

interface SetOrder {
  readonly order: DrawnOrder;
  readonly from: number;
  /** Infinity if its window died over it: no one was told that it holds. */
  until: number;
  wasLate: boolean;
}

interface Opened {
  readonly name: string;
  readonly life: Life;
  readonly window: ReturnType<typeof openWindow>;
  readonly refresher: Refresher;
}

class IdleStage extends EndStage {
  readonly sets: SetOrder[] = [];
  readonly turns: Turn[] = [];
  readonly windows: Opened[] = [];
  /** When the window that was opened last had its last list, in model seconds. */
  #listedAt = 0;
  readonly fate: IdleFate;
  readonly #breakage: Breakage;

  constructor(fate: IdleFate, breakage: Breakage) {
    super();
    this.fate = fate;
    this.#breakage = breakage;
  }

  async open(): Promise<Opened> {
    const name = `window-${this.windows.length}`;
    const life = new Life(this.#breakage);
    const isAlive = async (other: string) => this.windows.some((one) => one.name === other && !one.life.dead);
    const parts = { clock: life.clock, disk: life.disk, connect: life.connect, life: { ...lifeOf(name), isAlive } };
    const window = openWindow(this.userData, { ...parts, idleRule: () => ({ minutes: 0, percent: 10 }) });
    window.idleOrders.onNotice(({ kind }) => void this.told.push({ at: this.now, kind }));
    const { scheduler, session, instances } = window;
    instances.onDidList(() => {
      if (this.windows.at(-1)?.window === window) this.#listedAt = this.now;
    });
    const refresher = new Refresher({
      ...{ id: "instances", scheduler, session, collection: instances.collection },
      attention: { visible: () => false, onDidChange: () => ({ dispose: () => undefined }) },
      unsettled: () => false,
      needsMinutes: () => true,
      rhythm: { fast: () => 5000, slow: () => 60_000 },
    });
    const opened = { name, life, window, refresher };
    this.windows.push(opened);
    await window.session.restore();
    return opened;
  }

  /** Until it is so, or for so many model seconds in which one window's lists came in time: a gap begins any idleness again. */
  async waitPatiently(patience: number, isSo: () => boolean): Promise<void> {
    const last = this.now + MOST_PATIENCE;
    for (let from = this.now; this.now < Math.min(from + patience, last) && !isSo(); await sleep(10))
      if (this.now - this.#listedAt > MOST_GAP) from = this.now;
  }
}

/** @returns what was violated; nothing for windows that keep their word. */
export async function playIdle(seed: number, breakage: Breakage = {}): Promise<readonly string[]> {
  const stage = new IdleStage(drawIdleFate(seed), breakage);
  const service = await startSandbox({ seed: 1, clock: worldClock, requests: (line) => stage.note(line) });
  try {
    await act(stage, service);
  } finally {
    stage.stop();
    for (const { window, life, refresher } of stage.windows) {
      life.kill();
      refresher.dispose();
      window.close();
    }
    await service.stop();
    await removeUserData(stage.userData);
  }
  return stage.violations;
}

async function act(stage: IdleStage, service: Sandbox): Promise<void> {
  const { fate } = stage;
  const { world } = service;
  const id = rentRunning(service);
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const second = await stage.open();
  // Windows hear of each other by their folder, which a fast clock would outrun.
  const wake = setInterval(() => {
    for (const { window } of stage.windows) window.idleOrders.wake();
  }, 40);
  try {
    for (const { window } of stage.windows) await window.instances.collection.refresh();
    const row = first.window.instances.rows[0];
    if (!row) throw new Error("Nothing is listed.");
    const origin = stage.now;
    const working = Promise.all([work(stage, service, { origin, id }), use(stage, origin, row.value.id)]);
    const faulty = blow(stage, service, origin);
    first.life.dieAfter(fate.dies[0]);
    first.life.fillAt(fate.fullAt);
    second.life.dieAfter(fate.dies[1]);
    for (const order of fate.orders) {
      await stage.waitUntil(origin + order.at);
      await give(stage, order, row.value.id);
    }
    await Promise.all([working, stage.waitUntil(origin + fate.calmAt)]);
    // From here on a window is open, and the instance does nothing.
    world.findInstance(id) && world.setGpuLoad(id, 0);
    stage.turns.push({ at: stage.now, isQuiet: true });
    await stage.open();
    await faulty;
    const last = stage.sets.at(-1);
    const isArmed = last !== undefined && Number.isFinite(last.until) && last.order.minutes !== undefined;
    const isEnded = () => !world.listInstances().some((one) => one.id === id && one.intended !== "stopped");
    const patience = isArmed ? PATIENCE : (fate.orders.at(-1)?.minutes ?? 12) * 60 * 2;
    await stage.waitPatiently(patience, isEnded);
    for (let waits = 0; waits < 300 && countEnded(stage) < stage.requests.length; waits += 1) await sleep(10);
    judge(stage, origin, { isArmed, isEnded: isEnded() });
  } finally {
    clearInterval(wake);
  }
}

const countEnded = ({ told }: IdleStage) => told.filter(({ kind }) => kind === "ended").length;

/** What its GPUs do. Noted before it is so, if it is work, and after, if it is rest. */
async function work(
  stage: IdleStage,
  { world }: Sandbox,
  { origin, id }: { readonly origin: number; readonly id: number },
): Promise<void> {
  world.setGpuLoad(id, 0);
  stage.turns.push({ at: stage.now, isQuiet: true });
  for (const { at, load } of stage.fate.loads) {
    await stage.waitUntil(origin + at);
    if (!world.findInstance(id)) return;
    world.setGpuLoad(id, load);
    stage.turns.push({ at: stage.now, isQuiet: load !== null && load >= 0 && load < 10 });
  }
}

async function blow(stage: IdleStage, { faults }: Sandbox, origin: number): Promise<void> {
  const { fate } = stage;
  await stage.waitUntil(origin + fate.faultsFrom);
  for (const fault of fate.faults) faults.add(fault);
  await stage.waitUntil(origin + fate.faultsUntil);
  faults.clear();
}

/** For as long as its window lives. */
async function use(stage: IdleStage, origin: number, id: InstanceId): Promise<void> {
  const drawn = stage.fate.use;
  if (!drawn) return;
  await stage.waitUntil(origin + drawn.from);
  const by = stage.windows[drawn.window];
  if (!by || by.life.dead) return;
  const end = by.window.instanceUses.begin(id);
  const began = stage.now;
  await Promise.race([stage.waitUntil(origin + drawn.until), by.life.died]);
  if (!by.life.dead) end();
  uses.set(stage, { from: began, until: stage.now });
}
const uses = new WeakMap<IdleStage, { readonly from: number; readonly until: number }>();

async function give(stage: IdleStage, order: DrawnOrder, id: InstanceId): Promise<void> {
  const living = stage.windows.filter(({ life }) => !life.dead);
  const by = living[order.window] ?? living[0];
  if (!by) return;
  const set: SetOrder = { order, from: stage.now, until: Number.POSITIVE_INFINITY, wasLate: false };
  stage.sets.push(set);
  const { window, life } = by;
  const wish = order.minutes === undefined ? undefined : { minutes: order.minutes, ending: order.ending };
  const done = window.idleOrders.set(window.me(), id, wish).then(
    (change) => {
      set.until = stage.now;
      set.wasLate = change === "late";
    },
    () => undefined,
  );
  await Promise.race([done, life.died]);
}

/** Seconds before `at` in which it did something or no one knew, but for what no one could see yet. */
function findWork(stage: IdleStage, at: number, minutes: number): string | undefined {
  const begin = at - minutes * 60 + MOST_GAP;
  for (const [index, { at: from, isQuiet }] of stage.turns.entries()) {
    const until = stage.turns[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (!isQuiet && from < at - JUST && until > begin) return `not quiet from ${from} to ${until}`;
  }
  const used = uses.get(stage) ?? { from: Number.POSITIVE_INFINITY, until: 0 };
  if (used.from < at - JUST && used.until > begin) return `used from ${used.from} to ${used.until}`;
  return undefined;
}

function judge(
  stage: IdleStage,
  origin: number,
  { isArmed, isEnded }: { readonly isArmed: boolean; readonly isEnded: boolean },
): void {
  const { sets, requests, told, fate } = stage;
  for (const { at, kind } of requests) {
    // What may have been in force: the last order that was given before, and those that were being given.
    const may = sets.filter((set, index) => {
      const next = sets[index + 1];
      return set.from <= at && (next === undefined || next.until > at || next.wasLate);
    });
    const fitting = may.filter(
      ({ order, from }) => order.ending === kind && order.minutes !== undefined && at >= from + order.minutes * 60 - 5,
    );
    const said = `${kind} at ${Math.round(at - origin)} s, with ${JSON.stringify(sets.map(({ order }) => order))}`;
    stage.check(fitting.length > 0, "I2", said);
    const works = fitting.map(({ order }) => findWork(stage, at, order.minutes ?? 0));
    stage.check(fitting.length === 0 || works.includes(undefined), "I1", `${said}: ${works.join("; ")}`);
    const isWarned = told.some((one) => one.kind === "soon" && one.at < at - 60);
    const died = stage.windows.some(({ life }) => life.dead);
    stage.check(isWarned || died, "I2", `${said}: not warned`);
  }
  const isCalm = fate.faults.length === 0 && stage.windows.every(({ life }) => !life.dead);
  const most = sets.filter(({ order }) => order.minutes !== undefined).length;
  stage.check(!isCalm || requests.length <= most, "I3", `${requests.length} requests though nothing failed`);
  stage.check(!isCalm || requests.length <= 1 || sets.length > 1, "I3", `${requests.length} requests for one order`);
  stage.check(!isCalm || countEnded(stage) === requests.length, "I3", `${countEnded(stage)} messages`);
  stage.check(isEnded || !isArmed, "I4", `forgotten: ${JSON.stringify(sets.map(({ order }) => order))}`);
}
