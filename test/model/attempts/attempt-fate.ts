// What befalls a run with several attempts in the model, drawn from a seed: how it loses its instances, what the service says then, when its
// windows die, and what the person does.
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { type Drawing, drawingFrom } from "../fate.ts";
import { type BadConnection, drawEnd, drawRunFate, type Ending, type RunFate } from "../runs/run-fate.ts";

const CREATES: readonly FaultSpec[] = [
  "create-lost",
  "create-502",
  "reset-after@createInstance",
  "success-false-with-id",
  "503-retry@createInstance",
];
const READS: readonly FaultSpec[] = ["lagging-list", "500@listInstances", "500@getInstance", "truncated@getInstance"];

/**
 * How an instance stops working on it. `destroyed`: the service no longer has it. `outbid`: it waits for its GPU. `stopped`: someone stopped it
 * elsewhere. `ended`: the person destroys it here, so they want no other.
 */
export type Loss = "destroyed" | "outbid" | "stopped" | "ended";

/** Times are model seconds. */
export interface AttemptFate {
  readonly run: RunFate;
  /** Attempts that the person agrees to. */
  readonly attempts: number;
  readonly isBid: boolean;
  /** Of each instance in turn, once its command runs; one that has none comes to its end. */
  readonly losses: readonly { readonly how: Loss; readonly after: number }[];
  readonly create: FaultSpec | undefined;
  readonly reads: readonly FaultSpec[];
  /** Answers about an instance, counted from its loss, that lack it although it is there. */
  readonly blinks: readonly number[];
  /** How the first window ends. */
  readonly ending: Ending | undefined;
  /** In how many windows at once the person continues it afterward. */
  readonly continues: number;
}

const STAGES: readonly Ending["stage"][] = ["running", "lost", "renting", "uploading"];

export function drawAttemptFate(seed: number): AttemptFate {
  const drawing = drawingFrom(seed + 3_000_000);
  const { chance, between, whole, one } = drawing;
  const isBid = chance(0.5);
  const attempts = whole(1, 3);
  const count = chance(0.75) ? whole(1, 3) : 0;
  const losses = Array.from({ length: count }, () => ({
    how: drawLoss(drawing.random(), isBid),
    after: between(0, 30),
  }));
  const usual = drawRunFate(seed);
  const lasts = count > 0 ? 60 : between(0, 30);
  return {
    run: {
      ...usual,
      ...{ change: undefined, obstacle: undefined, diesAtStart: false, diesAfter: undefined },
      ...{ relabeled: false, busy: false, whenDone: "destroy", agrees: true, bad: [] },
      command: { exit: chance(0.7) ? 0 : 1, lasts, files: 1, leaves: false, vanishes: false },
    },
    ...{ attempts, isBid, losses },
    create: chance(0.2) ? one(CREATES) : undefined,
    reads: chance(0.2) ? [one(READS)] : [],
    blinks: chance(0.3) ? Array.from({ length: whole(1, 3) }, () => whole(1, 8)) : [],
    ending: chance(0.5) ? drawEnding(drawing) : undefined,
    continues: chance(0.5) ? whole(1, 2) : 0,
  };
}

function drawLoss(drawn: number, isBid: boolean): Loss {
  if (isBid && drawn < 0.4) return "outbid";
  if (drawn < 0.75) return "destroyed";
  return drawn < 0.88 ? "stopped" : "ended";
}

function drawEnding(drawing: Drawing): Ending {
  const stage = drawing.one(STAGES);
  return { kind: drawEnd(drawing), stage, steps: drawing.whole(1, stage === "renting" || stage === "lost" ? 20 : 6) };
}

/** Of the machines of a story, none of which fails but as was drawn. */
export const NO_LOSS: readonly BadConnection[] = [];
