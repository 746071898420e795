// An instance that is stopped, and destroyed later if it was stopped all along, in two windows under a drawn fate (E7 to E10,
// test/model/README.md).
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { requireInstance, setState } from "../../../src/sandbox/handlers/instance-state.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { lifeOf, openWindow, removeUserData } from "../../journeys/editor-window.ts";
import { rentRunning } from "../../journeys/rent-running.ts";
import { SLACK } from "../auto-stops/auto-stop-verdict.ts";
import { EndStage } from "../end-stage.ts";
import { type Breakage, Life, worldClock } from "../life.ts";
import { drawSecondStepFate, type SecondStepFate, STOPPED_SECONDS } from "./second-step-fate.ts";

/** Looks, 10 ms apart, for what is left to be done or asked. */
const MOST_WAITS = 3000;

interface Opened {
  readonly life: Life;
  readonly window: ReturnType<typeof openWindow>;
}

class SecondStepStage extends EndStage {
  readonly windows: Opened[] = [];
  readonly fate: SecondStepFate;
  readonly #breakage: Breakage;
  /** When it was really stopped last, in model seconds. */
  stoppedAt: number | undefined;
  /** When it began to run in between. */
  ranAt: number | undefined;
  /** Whether someone took it back, or set out to start the instance. */
  isTakenBack = false;
  isRemoved = false;

  constructor(fate: SecondStepFate, breakage: Breakage) {
    super();
    this.fate = fate;
    this.#breakage = breakage;
  }

  get living(): Opened | undefined {
    return this.windows.find(({ life }) => !life.dead);
  }

  async open(): Promise<Opened> {
    const name = `window-${this.windows.length}`;
    const life = new Life(this.#breakage);
    const isAlive = async (other: string) =>
      this.windows.some(({ life }, at) => `window-${at}` === other && !life.dead);
    const { clock, disk, connect } = life;
    const window = openWindow(this.userData, { clock, disk, connect, liveness: { ...lifeOf(name), isAlive } });
    const opened = { life, window };
    this.windows.push(opened);
    window.autoStops.onNotice(({ kind }) => void this.told.push({ at: this.now, kind }));
    await window.session.restore();
    return opened;
  }
}

/** @returns what was violated; nothing for windows that keep their word. */
export async function playSecondStep(seed: number, breakage: Breakage = {}): Promise<readonly string[]> {
  const stage = new SecondStepStage(drawSecondStepFate(seed), breakage);
  const service = await startSandbox({ seed: 1, clock: worldClock, requests: (line) => stage.note(line) });
  try {
    await act(stage, service);
  } finally {
    stage.stop();
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    await service.stop();
    await removeUserData(stage.userData);
  }
  return stage.violations;
}

async function act(stage: SecondStepStage, service: Sandbox): Promise<void> {
  const { fate } = stage;
  const { world } = service;
  const id = rentRunning(service) as InstanceId;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const second = await stage.open();
  // Windows hear of each other by their folder, which a fast clock would outrun.
  const wake = setInterval(() => {
    for (const { window } of stage.windows) window.autoStops.wake();
    const isStopped = world.listInstances().some((one) => one.id === id && one.intended === "stopped");
    if (isStopped && stage.stoppedAt === undefined) stage.stoppedAt = stage.now;
  }, 20);
  try {
    await first.window.instances.collection.refresh();
    const origin = stage.now;
    await first.window.autoStops.set(
      first.window.me(),
      { id },
      { hours: fate.until / 3600, ending: "stop", stoppedHours: STOPPED_SECONDS / 3600 },
    );
    first.life.dieAfter(fate.dies[0]);
    second.life.dieAfter(fate.dies[1]);
    if (fate.diesOver) first.life.dieOver(fate.diesOver);
    const events = [
      blow(stage, service, origin),
      stage.waitUntil(origin + fate.backAt).then(() => stage.open()),
      run(stage, service, origin, id),
      change(stage, origin, id),
    ];
    await Promise.all(events);
    const last = origin + fate.until + STOPPED_SECONDS + (fate.change?.later ?? 0);
    await stage.waitUntil(last + SLACK);
    const isOver = () =>
      !world.listInstances().some((one) => one.id === id) || stage.told.some(({ kind }) => kind === "overdue");
    // A busy machine may be late for what is asked ten minutes after its time.
    for (let waits = 0; waits < MOST_WAITS && !isOver() && mustEnd(stage); waits += 1) await sleep(10);
    judge(stage, origin, isOver());
  } finally {
    clearInterval(wake);
  }
}

/** Whether something is left to be done or asked. */
const mustEnd = ({ isTakenBack, ranAt }: SecondStepStage): boolean => !isTakenBack && ranAt === undefined;

async function blow(stage: SecondStepStage, { faults }: Sandbox, origin: number): Promise<void> {
  const { fate } = stage;
  await stage.waitUntil(origin + fate.faultsFrom);
  for (const fault of fate.faults) faults.add(fault);
  await stage.waitUntil(origin + fate.faultsUntil);
  faults.clear();
}

/** Someone starts what was stopped, and stops it again. */
async function run(stage: SecondStepStage, { world }: Sandbox, origin: number, id: InstanceId): Promise<void> {
  const { run: drawn } = stage.fate;
  if (!drawn) return;
  await stage.waitUntil(origin + drawn.at);
  const find = () => world.listInstances().find((one) => one.id === id);
  if (find()?.intended !== "stopped") return;
  const by = drawn.isHere ? stage.living : undefined;
  if (by) {
    const started = by.window.actions.start(by.window.me(), id).catch(() => undefined);
    await Promise.race([started, by.life.died]);
    stage.isTakenBack = true;
  } else {
    if (drawn.seconds < 200) return;
    setState(world, requireInstance(world, id), "running");
  }
  if (find()?.intended !== "running") return;
  stage.ranAt = stage.now;
  await stage.waitUntil(stage.now + drawn.seconds);
  if (find()) setState(world, requireInstance(world, id), "stopped");
}

/** Someone puts the second step off, or takes it back. */
async function change(stage: SecondStepStage, origin: number, id: InstanceId): Promise<void> {
  const { change: drawn } = stage.fate;
  if (!drawn) return;
  await stage.waitUntil(origin + drawn.at);
  const by = stage.living;
  const end = by?.window.autoStops.findAutoStop({ id });
  if (!by || !end?.second) return;
  const { until, ending, stoppedHours } = end;
  const wish =
    drawn.later === undefined
      ? undefined
      : { until: until + drawn.later * 1000, ending, stoppedHours, isSecond: true as const };
  const set = by.window.autoStops.set(by.window.me(), { id }, wish, end).then(
    (change) => {
      if (wish === undefined && change === "set") stage.isTakenBack = stage.isRemoved = true;
    },
    () => undefined,
  );
  await Promise.race([set, by.life.died]);
}

function judge(stage: SecondStepStage, origin: number, isOver: boolean): void {
  const { fate, stoppedAt, ranAt } = stage;
  const destroyed = stage.requests.filter(({ kind }) => kind === "destroy");
  const described = JSON.stringify(fate);
  const [first] = destroyed;
  if (first) {
    const at = `destroyed at ${Math.round(first.at - origin)} s`;
    stage.check(
      ranAt === undefined || ranAt >= first.at,
      "E7",
      `${at}, ran at ${Math.round((ranAt ?? 0) - origin)} s: ${described}`,
    );
    const early = stoppedAt === undefined ? Number.POSITIVE_INFINITY : stoppedAt + STOPPED_SECONDS - first.at;
    stage.check(early < 2, "E8", `${at}, ${Math.round(early)} s too early: ${described}`);
  }
  const isCalm = fate.faults.length === 0 && stage.windows.every(({ life }) => !life.dead);
  stage.check(
    !isCalm || destroyed.length <= 1,
    "E9",
    `${destroyed.length} requests though nothing failed: ${described}`,
  );
  stage.check(!stage.isRemoved || destroyed.length === 0, "E9", `destroyed though it was taken back: ${described}`);
  const isWatched = isCalm && mustEnd(stage) && stage.stalled(stage.now, 2000) < SLACK;
  stage.check(!isWatched || destroyed.length === 1, "E10", `not destroyed though two windows were open: ${described}`);
  const isStopped = stage.requests.some(({ kind }) => kind === "stop");
  stage.check(isOver || !isStopped || !mustEnd(stage), "E10", `neither destroyed nor asked about: ${described}`);
}
