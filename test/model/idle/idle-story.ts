// One instance with an order for when it's idle, in two windows, under a drawn fate, for which `idle-verdict.ts` says whether every promise
// was kept.
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { destroyInstance, requireInstance, setState } from "../../../src/sandbox/handlers/instance-state.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import type { IdleKeeperAccess } from "../../../src/services/instance/idle/idle-keeper-access.ts";
import { lifeOf, openWindow, removeUserData } from "../../journeys/editor-window.ts";
import { rentRunning } from "../../journeys/rent-running.ts";
import { EndStage } from "../end-stage.ts";
import { type Breakage, Life, worldClock } from "../life.ts";
import { type DrawnOrder, drawIdleFate, type IdleFate, type KeeperFate } from "./idle-fate.ts";
import { checkShown, countEnded, judge, MOST_GAP } from "./idle-verdict.ts";
import { KeeperMachine, type OwnEnd } from "./keeper-machine.ts";

/** What a broken keeper of orders puts in the place of a sound part. */
export interface IdleBreakage extends Breakage {
  readonly idleKeeperAccess?: (sound: IdleKeeperAccess) => IdleKeeperAccess;
}

/** Model seconds within which what was ordered comes, once nothing is in its way. */
const PATIENCE = 3000;
/** The same, however often a busy machine keeps readings back. */
const MOST_PATIENCE = 5 * PATIENCE;
/** Model seconds within which an instance that no window watches ends itself, beside the time in which it must be idle. */
const ENDS_ALONE_WITHIN = 1200;

/** What is so from then on. */
interface Turn {
  readonly at: number;
  readonly isQuiet: boolean;
}

export interface SetOrder {
  readonly order: DrawnOrder;
  readonly from: number;
  /** Infinity if its window died over it: no one was told that it holds. */
  until: number;
  wasLate: boolean;
  /** The instance may follow the order before, and the person was told so. */
  isUnsure: boolean;
}

interface Opened {
  readonly name: string;
  readonly life: Life;
  readonly window: ReturnType<typeof openWindow>;
  readonly refresher: Refresher;
}

export class IdleStage extends EndStage {
  readonly sets: SetOrder[] = [];
  readonly turns: Turn[] = [];
  readonly windows: Opened[] = [];
  /** What the instance did to itself. */
  readonly own: OwnEnd[] = [];
  keeper: KeeperMachine | undefined;
  /** When a window used it. */
  used: { readonly from: number; readonly until: number } | undefined;
  /** When the window that was opened last had its last list, in model seconds. */
  #listedAt = 0;
  readonly fate: IdleFate;
  readonly #breakage: IdleBreakage;

  constructor(fate: IdleFate, breakage: IdleBreakage) {
    super();
    this.fate = fate;
    this.#breakage = breakage;
  }

  async open(): Promise<Opened> {
    const name = `window-${this.windows.length}`;
    const life = new Life(this.#breakage);
    const isAlive = async (other: string) => this.windows.some((one) => one.name === other && !one.life.dead);
    const sound = this.keeper?.reachedBy(life);
    const idleKeeperAccess = sound && (this.#breakage.idleKeeperAccess?.(sound) ?? sound);
    const window = openWindow(this.userData, {
      ...(idleKeeperAccess ? { idleKeeperAccess } : {}),
      ...{ clock: life.clock, disk: life.disk, connect: life.connect, liveness: { ...lifeOf(name), isAlive } },
      idleRule: () => ({ minutes: 0, percent: 10 }),
    });
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
export async function playIdle(seed: number, breakage: IdleBreakage = {}): Promise<readonly string[]> {
  const stage = new IdleStage(drawIdleFate(seed), breakage);
  const service = await startSandbox({ seed: 1, clock: worldClock, requests: (line) => stage.note(line) });
  try {
    await act(stage, service);
  } finally {
    stage.stop();
    stage.keeper?.kill();
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
  if (fate.keeper) stage.keeper = startKeeper(stage, service, id, fate.keeper);
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const second = await stage.open();
  // Windows hear of each other by their folder, which a fast clock would outrun.
  const wake = setInterval(() => {
    for (const { window } of stage.windows) window.idleOrders.wake();
    checkShown(stage, id as InstanceId);
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
    // From here on the instance does nothing, and a window is open unless one said that it needs none.
    world.findInstance(id) && world.setGpuLoad(id, 0);
    stage.turns.push({ at: stage.now, isQuiet: true });
    const isEnded = () => !world.listInstances().some((one) => one.id === id && one.intended !== "stopped");
    const isAlone = leaveAlone(stage, row.value.id);
    if (!isAlone) await stage.open();
    await faulty;
    const last = stage.sets.at(-1);
    const isArmed = last !== undefined && Number.isFinite(last.until) && last.order.minutes !== undefined;
    const ordered = (fate.orders.at(-1)?.minutes ?? 12) * 60;
    if (isAlone) {
      for (const end = stage.now + ordered + ENDS_ALONE_WITHIN; stage.now < end && !isEnded(); ) await sleep(10);
      stage.check(isEnded(), "I7", `nothing ended it without a window: ${JSON.stringify(last?.order)}`);
    } else await stage.waitPatiently(isArmed ? PATIENCE : ordered * 2, isEnded);
    for (let waits = 0; waits < 300 && !isAlone && countEnded(stage) < stage.requests.length; waits += 1)
      await sleep(10);
    judge(stage, origin, { isArmed: isArmed && !isAlone, isEnded: isEnded() });
  } finally {
    clearInterval(wake);
  }
}

function startKeeper(stage: IdleStage, { world }: Sandbox, id: number, fate: KeeperFate): KeeperMachine {
  const record = () => {
    world.settle();
    const one = world.listInstances().find((other) => other.id === id);
    return one && world.toRecord(one);
  };
  const keeper = new KeeperMachine(fate, {
    now: () => stage.now,
    getLoad: () => {
      const load = record()?.gpu_util;
      return typeof load === "number" && load >= 0 ? load : null;
    },
    isRunning: () => record()?.actual_status === "running",
    end: ({ wish }) => {
      if (!wish) return;
      stage.own.push({ at: stage.now, ...wish });
      if (wish.ending === "destroy") destroyInstance(world, id);
      else setState(world, requireInstance(world, id), "stopped");
    },
  });
  if (Number.isFinite(fate.killedAt)) void stage.waitUntil(fate.killedAt).then(() => keeper.kill());
  return keeper;
}

/** Ends every window, if one of them says that the instance ends itself, and nothing has befallen what does that. */
function leaveAlone(stage: IdleStage, id: InstanceId): boolean {
  const { fate, windows, sets } = stage;
  if (!fate.keeper?.isLeftAlone || Number.isFinite(fate.keeper.killedAt)) return false;
  const { minutes } = sets.at(-1)?.order ?? {};
  const living = windows.filter(({ life }) => !life.dead);
  const wishes = living.map(({ window }) => window.idleOrders.held.getWish(id));
  if (!wishes.some((wish) => wish?.guard?.kind === "armed" && wish.minutes === minutes)) return false;
  for (const { life } of living) life.kill();
  return true;
}

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
  stage.used = { from: began, until: stage.now };
}

async function give(stage: IdleStage, order: DrawnOrder, id: InstanceId): Promise<void> {
  const living = stage.windows.filter(({ life }) => !life.dead);
  const by = living[order.window] ?? living[0];
  if (!by) return;
  const set: SetOrder = { order, from: stage.now, until: Number.POSITIVE_INFINITY, wasLate: false, isUnsure: false };
  stage.sets.push(set);
  const { window, life } = by;
  const wish = order.minutes === undefined ? undefined : { minutes: order.minutes, ending: order.ending };
  const setAndUpdate = async () => {
    set.wasLate = (await window.idleOrders.set(window.me(), id, wish)) === "late";
    const isKept = window.idleOrders.held.mayKeepOther(id);
    const updated = isKept ? await window.idleKeepers.update(window.me(), id) : undefined;
    set.isUnsure = updated === "unreached" || updated === "acted";
    set.until = stage.now;
  };
  await Promise.race([setAndUpdate().catch(() => undefined), life.died]);
}
