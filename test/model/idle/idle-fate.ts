// What befalls one instance with an order for when it's idle, drawn from a seed: when it works, who uses it, what is ordered, what fails, and
// which windows die.
import type { IdleEnding } from "../../../src/domain/instance/idle-order.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { seeded } from "../../fuzz/answers.ts";
import type { WayFate } from "../way.ts";

const FAULTS: readonly FaultSpec[] = [
  "500@destroyInstance",
  "reset-after@destroyInstance",
  "404-html@destroyInstance",
  "500@updateInstance",
  "reset-after@updateInstance",
  "500@getInstance",
  "truncated@getInstance",
  "500@listInstances",
];

/** From then on, in model seconds. Null if the service can't say. */
export interface DrawnLoad {
  readonly at: number;
  readonly load: number | null;
}

/** Times are model seconds from the beginning of the story. */
export interface DrawnOrder {
  readonly at: number;
  /** Undefined takes the order back. */
  readonly minutes: number | undefined;
  readonly ending: IdleEnding;
  /** In which of the two windows; the other one if it is dead. */
  readonly window: 0 | 1;
}

export interface DrawnUse {
  readonly from: number;
  readonly until: number;
  readonly window: 0 | 1;
}

/** What befalls an instance that can keep its order itself. Times are model seconds. */
export interface KeeperFate extends WayFate {
  /** When what looks there is killed. */
  readonly killedAt: number;
  /** Whether the service accepts the instance's own key. */
  readonly isAccepted: boolean;
  /** Whether no window is open at the end. */
  readonly isLeftAlone: boolean;
}

export interface IdleFate {
  readonly loads: readonly DrawnLoad[];
  readonly orders: readonly DrawnOrder[];
  readonly use: DrawnUse | undefined;
  readonly faults: readonly FaultSpec[];
  readonly faultsFrom: number;
  readonly faultsUntil: number;
  /** Steps until each window dies, from the first order on. */
  readonly dies: readonly [number, number];
  /** When a window is opened again, and all that is drawn is over but for the faults. */
  readonly calmAt: number;
  /** Files from the first order on until the disk of the first window is full for one. */
  readonly fullAt: number;
  /** Undefined if only windows keep the order. */
  readonly keeper: KeeperFate | undefined;
}

/** Seconds that work or silence lasts at least: what is shorter may fall between two readings. */
const LEAST = 200;

export function drawIdleFate(seed: number): IdleFate {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (least: number, most: number) => least + random() * (most - least);
  const window = () => (chance(0.5) ? 0 : 1);
  const ending = (): IdleEnding => (chance(0.7) ? "destroy" : "stop");
  const loads: DrawnLoad[] = [];
  for (let at = between(0, 400); at < 1500; at += between(LEAST, 700)) {
    const isQuiet = chance(0.6);
    const load = isQuiet ? between(0, 1) : ([between(15, 100), null, -1] as const)[Math.floor(random() * 3)];
    loads.push({ at, load: load ?? null });
  }
  const orders: DrawnOrder[] = [{ at: 0, minutes: between(5, 12), ending: ending(), window: 0 }];
  if (chance(0.5)) {
    const minutes = chance(0.4) ? undefined : between(5, 12);
    orders.push({ at: between(60, 1400), minutes, ending: ending(), window: window() });
  }
  const from = between(0, 1000);
  const dies = (share: number) => (chance(share) ? Math.ceil(between(40, 400)) : Number.POSITIVE_INFINITY);
  const faultsFrom = between(0, 1500);
  const fate: Omit<IdleFate, "keeper"> = {
    loads,
    orders,
    use: chance(0.7) ? { from, until: from + between(LEAST, 700), window: window() } : undefined,
    faults: chance(0.5) ? FAULTS.filter(() => chance(0.3)) : [],
    faultsFrom,
    faultsUntil: faultsFrom + between(200, 1500),
    dies: [dies(0.4), dies(0.4)],
    calmAt: 1600,
    fullAt: chance(0.3) ? Math.ceil(random() * 12) : Number.POSITIVE_INFINITY,
  };
  // Drawn last, so that everything before is drawn as ever.
  const lostFrom = chance(0.4) ? between(0, 1500) : Number.POSITIVE_INFINITY;
  const keeper: KeeperFate = {
    takes: between(1, 20),
    lostFrom,
    lostUntil: lostFrom + between(60, 900),
    losesAnswers: chance(0.1),
    killedAt: chance(0.25) ? between(60, 1600) : Number.POSITIVE_INFINITY,
    isAccepted: chance(0.9),
    isLeftAlone: chance(0.4),
  };
  return { ...fate, keeper: chance(0.6) ? keeper : undefined };
}
