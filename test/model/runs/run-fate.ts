// What befalls one run in the model, drawn from a seed: how its launch and its connections fail, what its command does, how its
// machine fares, and when its windows die.
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import type { RunStage } from "../../../src/domain/run/run-stage.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { type Drawing, drawingFrom } from "../fate.ts";

const CREATES: readonly FaultSpec[] = [
  "create-lost",
  "create-502",
  "reset-after@createInstance",
  "truncated@createInstance",
  "success-false-with-id",
  "reset-before@createInstance",
  "503-retry@createInstance",
];
const READS: readonly FaultSpec[] = [
  "lagging-list",
  "500@listInstances",
  "truncated@listInstances",
  "500@getInstance",
  "truncated@getInstance",
  "reset-after@getInstance",
  "status-strange",
];
const DESTROYS: readonly FaultSpec[] = [
  "500@destroyInstance",
  "reset-before@destroyInstance",
  "reset-after@destroyInstance",
  "truncated@destroyInstance",
  "404-html@destroyInstance",
];

const STOPS: readonly FaultSpec[] = [
  "500@updateInstance",
  "reset-before@updateInstance",
  "reset-after@updateInstance",
  "truncated@updateInstance",
];

/** `before`: the machine never gets the command. `after`: its whole answer is lost. `cut`: a part of it is. */
export type Loss = "before" | "after" | "cut";

/** A connection that fails: which command of the story it carries, counted from 1, and how many in a row. */
export interface BadConnection {
  readonly at: number;
  readonly times: number;
  readonly how: Loss;
}

/** How the first window comes to its end, if it does. */
export interface Ending {
  /** `killed`: as by `kill -9`. `closed`: the editor ends it. `left`: the person closes its terminal. */
  readonly kind: "killed" | "closed" | "left";
  /** Where the run is by then, and how many of the window's steps later. */
  readonly stage: RunStage["kind"];
  readonly steps: number;
}

/** Something that changes there after the results were packed, and before they are compared. */
export type Change = "changed" | "added" | "log-grows";
/** What keeps results from coming down. */
export type Obstacle = "unreadable" | "odd-name" | "unlisted" | "no-digests" | "outward-link";

export interface Command {
  readonly exit: number;
  /** Model seconds. */
  readonly lasts: number;
  readonly files: number;
  /** Something that it started outlives it. */
  readonly leaves: boolean;
  /** It ends without an exit code, as when its machine is restarted. */
  readonly vanishes: boolean;
}

/** Times are model seconds. */
export interface RunFate {
  readonly create: FaultSpec | undefined;
  readonly reads: readonly FaultSpec[];
  readonly readsUntil: number;
  readonly destroy: FaultSpec | undefined;
  readonly stop: FaultSpec | undefined;
  readonly whenDone: WhenDone;
  /** What the person answers where a machine may only be destroyed after a question. */
  readonly agrees: boolean;
  readonly command: Command;
  readonly bad: readonly BadConnection[];
  readonly change: Change | undefined;
  readonly obstacle: Obstacle | undefined;
  /** The machine doesn't survive its start, or ends so long after the command began. */
  readonly diesAtStart: boolean;
  readonly diesAfter: number | undefined;
  /** How it ends: the service no longer has it, or lists it as stopped. */
  readonly dies: "destroyed" | "stopped";
  /** Someone gives it another label. */
  readonly relabeled: boolean;
  /** Another computer has a run in progress there. */
  readonly busy: boolean;
  readonly ending: Ending | undefined;
  /** Steps until the window that comes after the first dies. */
  readonly diesAgain: number;
  readonly backAfter: number;
  /** When someone opens a second window beside the first. */
  readonly second: number | undefined;
}

/** In the order in which a run that rents comes to them. */
export const STAGES = [
  "renting",
  "uploading",
  "starting",
  "running",
  "fetching",
  "verifying",
  "destroying",
  "stopping",
] as const satisfies readonly RunStage["kind"][];

export function drawRunFate(seed: number): RunFate {
  // The seeds of launches are small numbers as well, and these fates aren't theirs.
  const drawing = drawingFrom(seed + 1_000_000);
  const { chance, between, whole, one } = drawing;
  return {
    create: chance(0.12) ? one(CREATES) : undefined,
    reads: chance(0.2) ? [one(READS)] : [],
    readsUntil: between(5, 90),
    destroy: chance(0.2) ? one(DESTROYS) : undefined,
    whenDone: drawWhenDone(drawing),
    agrees: chance(0.7),
    command: drawCommand(drawing),
    bad: Array.from({ length: chance(0.6) ? whole(1, 3) : 0 }, () => drawBad(drawing)),
    change: chance(0.15) ? one(["changed", "added", "log-grows"]) : undefined,
    obstacle: chance(0.15) ? one(["unreadable", "odd-name", "unlisted", "no-digests", "outward-link"]) : undefined,
    diesAtStart: chance(0.04),
    diesAfter: chance(0.12) ? between(0, 40) : undefined,
    dies: one(["destroyed", "stopped"]),
    relabeled: chance(0.08),
    busy: chance(0.08),
    ending: chance(0.6) ? drawEnding(drawing) : undefined,
    diesAgain: chance(0.25) ? whole(1, 30) : Number.POSITIVE_INFINITY,
    backAfter: between(0, 90),
    second: chance(0.2) ? between(5, 90) : undefined,
    stop: chance(0.2) ? one(STOPS) : undefined,
  };
}

function drawWhenDone({ random }: Drawing): WhenDone {
  const what = random();
  if (what < 0.65) return "destroy";
  return what < 0.85 ? "stop" : "keep";
}

function drawEnding(drawing: Drawing): Ending {
  const stage = drawing.one(STAGES);
  // A machine is waited for in many steps.
  return { kind: drawEnd(drawing), stage, steps: drawing.whole(1, stage === "renting" ? 40 : 6) };
}

export function drawEnd({ random }: Drawing): Ending["kind"] {
  const kind = random();
  if (kind < 0.6) return "killed";
  return kind < 0.8 ? "closed" : "left";
}

function drawCommand({ chance, between, whole }: Drawing): Command {
  return {
    exit: chance(0.5) ? 0 : whole(1, 255),
    lasts: between(0, 30),
    files: whole(0, 3),
    leaves: chance(0.08),
    vanishes: chance(0.06),
  };
}

function drawBad({ chance, whole, one }: Drawing): BadConnection {
  return { at: whole(1, 12), times: chance(0.7) ? 1 : whole(2, 4), how: one(["before", "after", "cut"]) };
}
