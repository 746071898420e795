// What befalls the end of one instance in the model, drawn from a seed: who sets it and when, what fails, and which windows die.
import type { AutoStopAction } from "../../../src/domain/instance/auto-stop.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { seeded } from "../../fuzz/answers.ts";
import type { WayFate } from "../way.ts";

const FAULTS: readonly FaultSpec[] = [
  "500@destroyInstance",
  "reset-after@destroyInstance",
  "reset-before@destroyInstance",
  "404-html@destroyInstance",
  "500@updateInstance",
  "reset-after@updateInstance",
  "500@getInstance",
  "truncated@getInstance",
  "500@listInstances",
  "lagging-list",
];

/** An end that someone sets. Times are model seconds from the beginning of the story. */
export interface DrawnEnd {
  readonly at: number;
  /** Undefined takes the end back. */
  readonly until: number | undefined;
  readonly ending: AutoStopAction;
  /** In which of the two windows; the other one if it is dead. */
  readonly window: 0 | 1;
}

/** What befalls an instance that was rented so that it ends itself. Times are model seconds. */
export interface OwnFate extends WayFate {
  /** False if what keeps its end isn't there. */
  readonly works: boolean;
}

export interface AutoStopFate {
  readonly ends: readonly DrawnEnd[];
  readonly faults: readonly FaultSpec[];
  readonly faultsFrom: number;
  readonly faultsUntil: number;
  /** Steps until each window dies, from the first end on. */
  readonly dies: readonly [number, number];
  /** Model seconds at which a window is opened again. */
  readonly backAt: number;
  /** Undefined for an instance whose end windows alone keep. */
  readonly own: OwnFate | undefined;
  /** The first window dies over a file that is named like this. */
  readonly diesOver: RegExp | undefined;
  /** Files from the first end on until the disk of the first window is full for one. */
  readonly fullAt: number;
}

const FATAL = [/\.order$/, /\.order$/, /\.lease/, /\.(done|told|sent)$/, /\.over-/, /-told-/];

export function drawAutoStopFate(seed: number): AutoStopFate {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (least: number, most: number) => least + random() * (most - least);
  const ending = (): AutoStopAction =>
    (["destroy", "destroy", "stop", "remind"] as const)[Math.floor(random() * 4)] ?? "stop";
  const window = () => (chance(0.5) ? 0 : 1);
  const first: DrawnEnd = { at: 0, until: between(70, 300), ending: ending(), window: 0 };
  const ends = [first];
  if (chance(0.6)) {
    // Most of them about when the first one is carried out.
    const at = chance(0.7) ? (first.until ?? 0) + between(-3, 6) : between(1, 300);
    const until = chance(0.3) ? undefined : at + between(65, 400);
    ends.push({ at, until, ending: ending(), window: window() });
  }
  const dies = (share: number) => (chance(share) ? Math.ceil(between(5, 160)) : Number.POSITIVE_INFINITY);
  const faultsFrom = between(0, 300);
  const fate: Omit<AutoStopFate, "own" | "diesOver" | "fullAt"> = {
    ends,
    faults: chance(0.5) ? FAULTS.filter(() => chance(0.25)) : [],
    faultsFrom,
    faultsUntil: faultsFrom + between(30, 400),
    dies: [dies(0.6), dies(0.6)],
    backAt: between(50, 1400),
  };
  // Drawn last, so that everything before is drawn as ever.
  const isLost = chance(0.35);
  const lostFrom = isLost ? between(0, 350) : Number.POSITIVE_INFINITY;
  const own: OwnFate = {
    takes: between(0.5, 12),
    lostFrom,
    lostUntil: lostFrom + between(60, 500),
    losesAnswers: chance(0.1),
    works: chance(0.85),
  };
  const hasOwn = chance(0.6) && first.ending !== "remind";
  const diesOver = chance(0.25) ? FATAL[Math.floor(random() * FATAL.length)] : undefined;
  const fullAt = chance(0.3) ? Math.ceil(random() * 12) : Number.POSITIVE_INFINITY;
  return { ...fate, own: hasOwn ? own : undefined, diesOver, fullAt };
}
