// The end of one instance in two windows, under a drawn fate, for which `auto-stop-verdict.ts` says whether every promise was kept.
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { AutoStopAction } from "../../../src/domain/instance/auto-stop.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { destroyInstance, requireInstance, setState } from "../../../src/sandbox/handlers/instance-state.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import type { SelfStopAccess } from "../../../src/services/instance/auto-stops/self-stop-access.ts";
import { lifeOf, openWindow, removeUserData } from "../../journeys/editor-window.ts";
import { rentRunning } from "../../journeys/rent-running.ts";
import { EndStage } from "../end-stage.ts";
import { type Breakage, Life, RATE, worldClock } from "../life.ts";
import { type AutoStopFate, type DrawnEnd, drawAutoStopFate, type OwnFate } from "./auto-stop-fate.ts";
import { ASKED_AFTER, countEnded, isAsked, judge, SLACK } from "./auto-stop-verdict.ts";
import { ModelMachine } from "./model-machine.ts";

/** What a broken keeper of ends puts in the place of a sound part. */
export interface AutoStopBreakage extends Breakage {
  readonly selfStopAccess?: (sound: SelfStopAccess) => SelfStopAccess;
}

/** Model seconds for which a window may show what was true before. */
const LAG = 200;
/** Looks, 40 ms apart, at which that may be so. */
const MOST_WRONG = 25;

export interface SetEnd {
  readonly end: DrawnEnd;
  readonly from: number;
  /** Infinity if its window died over it: no one was told that it holds. */
  until: number;
  /** Whether the end before may have left. */
  wasLate: boolean;
  /** Nothing was set, and the person knows. */
  wasRefused: boolean;
  /** The instance may have taken it all the same, and the person knows. */
  wasUnsure: boolean;
}

interface Opened {
  readonly name: string;
  readonly life: Life;
  /** Model seconds. */
  readonly from: number;
  /** When it died. */
  until: number;
  readonly window: ReturnType<typeof openWindow>;
}

export class AutoStopStage extends EndStage {
  readonly sets: SetEnd[] = [];
  /** What the instance did to itself. */
  readonly own: { readonly at: number; readonly kind: AutoStopAction }[] = [];
  machine: ModelMachine | undefined;
  readonly windows: Opened[] = [];
  readonly fate: AutoStopFate;
  readonly #breakage: AutoStopBreakage;
  /** Since when a window shows what isn't so, in model seconds, and how often that was seen. */
  readonly #wrong = new Map<string, { readonly at: number; readonly times: number }>();

  constructor(fate: AutoStopFate, breakage: AutoStopBreakage) {
    super();
    this.fate = fate;
    this.#breakage = breakage;
  }

  async open(): Promise<Opened> {
    const name = `window-${this.windows.length}`;
    const life = new Life(this.#breakage);
    const isAlive = async (other: string) => this.windows.some((one) => one.name === other && !one.life.dead);
    const sound = this.machine?.reachedBy(life);
    const selfStopAccess = sound && (this.#breakage.selfStopAccess?.(sound) ?? sound);
    const more = selfStopAccess ? { selfStopAccess } : {};
    const parts = {
      ...more,
      clock: life.clock,
      disk: life.disk,
      connect: life.connect,
      liveness: { ...lifeOf(name), isAlive },
    };
    const window = openWindow(this.userData, parts);
    const opened: Opened = { name, life, window, from: this.now, until: Number.POSITIVE_INFINITY };
    void life.died.then(() => {
      opened.until = this.now;
    });
    this.windows.push(opened);
    window.autoStops.onNotice(({ kind }) => void this.told.push({ at: this.now, kind }));
    await window.session.restore();
    return opened;
  }

  /** What the living windows show of an instance that keeps its end itself. */
  watch(id: InstanceId): void {
    const plan = this.machine?.plan;
    for (const { name, life, window } of this.windows) {
      const end = life.dead ? undefined : window.autoStops.findAutoStop({ id });
      const now = life.clock.now();
      const until = end?.guard?.kind === "unverified" ? Math.min(end.guard.until ?? Number.NaN, end.until) : end?.until;
      const shown = Number.isNaN(until) ? end?.until : until;
      const isSooner = plan !== undefined && plan.until > now && (shown === undefined || plan.until < shown - 90_000);
      const isFalse =
        end?.guard?.kind === "armed" && end.until > now && (!plan || Math.abs(plan.until - end.until) > 90_000);
      const isBaseless = end?.guard?.kind === "armed" && this.fate.own?.works === false;
      if (isBaseless && this.violations.length === 0)
        this.check(false, "E6", `${name} calls an end armed that nothing keeps`);
      const since = this.#wrong.get(name) ?? { at: this.now, times: 0 };
      if (life.dead || !(isSooner || isFalse)) this.#wrong.delete(name);
      else this.#wrong.set(name, { at: since.at, times: since.times + 1 });
      // A busy machine may be slow to read what another window wrote: neither a few looks nor a moment is enough.
      if (since.times !== MOST_WRONG || this.now - since.at < LAG) continue;
      const what = `shows ${JSON.stringify(end)}, and the instance keeps ${JSON.stringify(plan)}`;
      this.check(false, "E6", `${name} ${what} at ${Math.round(this.now)} s (${now})`);
    }
  }
}

/** @returns what was violated; nothing for windows that keep their word. */
export async function playAutoStop(seed: number, breakage: AutoStopBreakage = {}): Promise<readonly string[]> {
  const stage = new AutoStopStage(drawAutoStopFate(seed), breakage);
  const service = await startSandbox({ seed: 1, clock: worldClock, requests: (line) => stage.note(line) });
  try {
    await act(stage, service);
  } finally {
    stage.stop();
    stage.machine?.stop();
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    await service.stop();
    await removeUserData(stage.userData);
  }
  return stage.violations;
}

async function act(stage: AutoStopStage, service: Sandbox): Promise<void> {
  const { fate } = stage;
  const { world } = service;
  const id = rentRunning(service);
  if (fate.own) stage.machine = startMachine(stage, service, id, fate.own);
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const second = await stage.open();
  // Someone looks at the lists, by which it is seen that it runs.
  const look = fate.own ? setInterval(() => refreshAll(stage), 100_000 / RATE) : undefined;
  const watch = fate.own ? setInterval(() => stage.watch(id as InstanceId), 40) : undefined;
  // Windows hear of each other by their folder, which a fast clock would outrun.
  const wake = setInterval(() => {
    for (const { window } of stage.windows) window.autoStops.wake();
  }, 20);
  try {
    await first.window.instances.collection.refresh();
    const row = first.window.instances.rows[0];
    if (!row) throw new Error("Nothing is listed.");
    const origin = stage.now;
    const faults = blow(stage, service, origin);
    first.life.dieAfter(fate.dies[0]);
    first.life.fillAt(fate.fullAt);
    if (fate.diesOver) first.life.dieOver(fate.diesOver);
    second.life.dieAfter(fate.dies[1]);
    const backs = stage.waitUntil(origin + fate.backAt).then(() => stage.open());
    for (const end of fate.ends) {
      await stage.waitUntil(origin + end.at);
      await setEnd(stage, origin, end, row.value.id);
    }
    await Promise.all([faults, backs]);
    const last = Math.max(...fate.ends.map(({ until = 0 }) => until));
    await stage.waitUntil(origin + Math.max(last, fate.faultsUntil, fate.backAt) + SLACK);
    const isEnded = () => !world.listInstances().some((one) => one.id === id && one.intended !== "stopped");
    for (const end = stage.now + ASKED_AFTER + 2 * SLACK; stage.now < end && !isEnded() && !isAsked(stage); )
      await sleep(10);
    // What was carried out is told a moment later, on a busy machine some moments.
    for (let waits = 0; waits < 500 && countEnded(stage) < stage.requests.length; waits += 1) await sleep(10);
    judge(stage, origin, isEnded());
  } finally {
    for (const timer of [wake, look, watch]) clearInterval(timer);
  }
}

function startMachine(stage: AutoStopStage, { world }: Sandbox, id: number, own: OwnFate): ModelMachine {
  const instance = () => world.listInstances().find((one) => one.id === id);
  const isRunning = () => {
    world.settle();
    const one = instance();
    return one !== undefined && world.toRecord(one).actual_status === "running";
  };
  const { clock } = new Life({});
  const end = (kind: AutoStopAction) => {
    stage.own.push({ at: stage.now, kind });
    if (kind === "destroy") destroyInstance(world, id);
    else setState(world, requireInstance(world, id), "stopped");
  };
  return new ModelMachine(own, { now: clock.now, since: () => stage.now, isRunning, end });
}

function refreshAll({ windows }: AutoStopStage): void {
  for (const { life, window } of windows) if (!life.dead) window.instances.collection.refresh().catch(() => undefined);
}

async function blow(stage: AutoStopStage, { faults }: Sandbox, origin: number): Promise<void> {
  const { fate } = stage;
  await stage.waitUntil(origin + fate.faultsFrom);
  for (const fault of fate.faults) faults.add(fault);
  await stage.waitUntil(origin + fate.faultsUntil);
  faults.clear();
}

async function setEnd(stage: AutoStopStage, origin: number, end: DrawnEnd, id: InstanceId): Promise<void> {
  const living = stage.windows.filter(({ life }) => !life.dead);
  const by = living[end.window] ?? living[0];
  if (!by) return;
  const set: SetEnd = {
    end,
    from: stage.now,
    until: Number.POSITIVE_INFINITY,
    wasLate: false,
    wasRefused: false,
    wasUnsure: false,
  };
  stage.sets.push(set);
  const { window, life } = by;
  const at = life.clock.now() + (origin + (end.until ?? 0) - stage.now) * 1000;
  const isFirst = stage.sets.length === 1 && stage.machine !== undefined;
  const byItself = isFirst ? { byItself: "https://gpu.example.com" } : {};
  const wish = end.until === undefined ? undefined : { until: at, ending: end.ending, ...byItself };
  const done = window.autoStops.set(window.me(), { id }, wish).then(
    (change) => {
      set.until = stage.now;
      // A launch is sent once its end is written down.
      if (isFirst && end.ending !== "remind") stage.machine?.begin(at, end.ending);
      set.wasLate = change === "late";
      set.wasRefused = change === "changed" || (typeof change === "object" && change.kind === "held");
      set.wasUnsure = typeof change === "object" && change.isUnsure;
    },
    () => undefined,
  );
  await Promise.race([done, life.died]);
}
