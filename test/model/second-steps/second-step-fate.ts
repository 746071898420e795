// What befalls an instance that is stopped and destroyed later, drawn from a seed: who starts it in between, what fails, and which windows
// die. Times are model seconds from the beginning of the story.
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { seeded } from "../../fuzz/answers.ts";

const FAULTS: readonly FaultSpec[] = [
  "500@destroyInstance",
  "reset-after@destroyInstance",
  "reset-before@destroyInstance",
  "500@updateInstance",
  "500@getInstance",
  "truncated@getInstance",
  "500@listInstances",
  "lagging-list",
];

/** Stands for the day that a person chooses. */
export const STOPPED_SECONDS = 720;
/** A run that is shorter may not be seen on the service's website, as the product says. */
const SHORTEST_RUN = 200;

interface DrawnRun {
  readonly at: number;
  readonly seconds: number;
  /** Whether a window starts it; else it is started elsewhere. */
  readonly isHere: boolean;
}

export interface SecondStepFate {
  /** When it is stopped. */
  readonly until: number;
  readonly run: DrawnRun | undefined;
  /** When the second step is put off or taken back, and by how much. */
  readonly change: { readonly at: number; readonly later: number | undefined } | undefined;
  readonly faults: readonly FaultSpec[];
  readonly faultsFrom: number;
  readonly faultsUntil: number;
  /** Steps until each window dies. */
  readonly dies: readonly [number, number];
  readonly backAt: number;
  /** The first window dies over a file that is named like this. */
  readonly diesOver: RegExp | undefined;
}

const FATAL = [/\.order$/, /\.lease/, /\.(done|told|sent)$/, /\.over-/, /\.stopped-/];

export function drawSecondStepFate(seed: number): SecondStepFate {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (least: number, most: number) => least + random() * (most - least);
  const until = between(150, 200);
  const second = until + STOPPED_SECONDS;
  const isHere = chance(0.4);
  const seconds = isHere ? between(1, 300) : between(SHORTEST_RUN, 500);
  // Most of them in the middle; some about when it is stopped or destroyed.
  const nearOne = chance(0.5) ? until + between(5, 60) : second + between(-60, 10);
  const at = chance(0.6) ? between(until + 20, second) : nearOne;
  const dies = (share: number) => (chance(share) ? Math.ceil(between(5, 900)) : Number.POSITIVE_INFINITY);
  const faultsFrom = between(0, second);
  return {
    until,
    run: chance(0.5) ? { at, seconds, isHere } : undefined,
    change: chance(0.25)
      ? { at: between(until + 30, second - 30), later: chance(0.5) ? between(60, 300) : undefined }
      : undefined,
    faults: chance(0.4) ? FAULTS.filter(() => chance(0.3)) : [],
    faultsFrom,
    faultsUntil: faultsFrom + between(30, 300),
    dies: [dies(0.5), dies(0.5)],
    backAt: between(100, second + 300),
    diesOver: chance(0.25) ? FATAL[Math.floor(random() * FATAL.length)] : undefined,
  };
}
