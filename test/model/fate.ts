// What befalls one launch in the model, drawn from a seed: how the create ends, how lists fail, who clicks, who dies, and which machines do.
import type { FaultSpec } from "../../src/sandbox/faults/faults.ts";
import { type Random, seeded } from "../fuzz/answers.ts";
import { type Configured, drawConfigured } from "./configured.ts";

const EXECUTED: readonly FaultSpec[] = [
  "create-lost",
  "create-502",
  "reset-after@createInstance",
  "truncated@createInstance",
  "html-200@createInstance",
  "empty@createInstance",
  "null-body@createInstance",
  "invalid-utf8@createInstance",
  "endless-drip@createInstance",
  "success-true-without-id",
  "success-false-with-id",
  "id-as-string",
  "id-of-other",
  "unsafe-id",
  "wrong-content-type@createInstance",
];
const NOT_EXECUTED: readonly FaultSpec[] = [
  "reset-before@createInstance",
  "silence@createInstance",
  "500@createInstance",
  "502-html@createInstance",
  "503-retry@createInstance",
  "429@createInstance",
  "401@createInstance",
  "403@createInstance",
  "redirect@createInstance",
];
const READS: readonly FaultSpec[] = [
  "lagging-list",
  "500@listInstances",
  "429@listInstances",
  "truncated@listInstances",
  "html-200@listInstances",
  "null-body@listInstances",
  "reset-before@listInstances",
  "invalid-utf8@listInstances",
  "500@getInstance",
  "truncated@getInstance",
  "reset-after@getInstance",
  "status-strange",
];

/** Times are model seconds after the create left. */
export interface Fate {
  readonly create: FaultSpec | undefined;
  /** When the network delivers a request whose answer said that it wasn't carried out. */
  readonly delivered: number | undefined;
  /** When the network delivers it once more. */
  readonly repeated: number | undefined;
  readonly reads: readonly FaultSpec[];
  readonly readsUntil: number;
  readonly doubleClick: boolean;
  /** What someone does in a second window in the meantime: the same launch, or one of their own of the same offer. */
  readonly secondWindow: "same" | "own" | undefined;
  /** Steps until the first window dies. */
  readonly dies: number;
  /** Steps until the window that comes after it dies. */
  readonly diesAgain: number;
  /** Model seconds until someone opens a window again. */
  readonly backAfter: number;
  readonly offer: number;
  /** How many machines die before one runs. Each is replaced without asking, as often as the person allowed. */
  readonly machinesDie: number;
  /** After how many creates of the chain the fault of the create begins. */
  readonly faultAfter: number;
  /** Of a chain, when its person stops the machine that is waited for, in model seconds after its create; what came of it is called exited. */
  readonly stopsAt: number | undefined;
  /** Files until the disk of the first window is full for one. */
  readonly fullAt: number;
  /** What it is configured with beside its image, machine, disk and label. */
  readonly configured: Configured | undefined;
}

export interface Drawing {
  readonly random: Random;
  readonly chance: (share: number) => boolean;
  readonly between: (least: number, most: number) => number;
  readonly whole: (least: number, most: number) => number;
  readonly one: <T>(list: readonly T[]) => T;
}

export function drawingFrom(seed: number): Drawing {
  const random = seeded(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1));
  const one = <T>(list: readonly T[]): T => {
    const item = list[whole(0, list.length - 1)];
    if (item === undefined) throw new RangeError("There is nothing to draw from.");
    return item;
  };
  return { random, chance: (share) => random() < share, between, whole, one };
}

export function drawFate(seed: number): Fate {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (least: number, most: number) => least + random() * (most - least);
  const sameOrOwn = () => (chance(0.6) ? "same" : "own");
  const kind = random();
  const notExecuted = kind >= 0.6;
  const create = kind < 0.2 ? undefined : one(random, notExecuted ? NOT_EXECUTED : EXECUTED);
  return {
    create,
    delivered: notExecuted && chance(0.5) ? delivery(random) : undefined,
    repeated: chance(0.25) ? between(1, 280) : undefined,
    reads: chance(0.5) ? [one(random, READS), ...(chance(0.3) ? [one(random, READS)] : [])] : [],
    readsUntil: between(5, 400),
    doubleClick: chance(0.3),
    secondWindow: chance(0.35) ? sameOrOwn() : undefined,
    dies: chance(0.4) ? Math.ceil(between(0, 45)) : Number.POSITIVE_INFINITY,
    diesAgain: chance(0.3) ? Math.ceil(between(0, 40)) : Number.POSITIVE_INFINITY,
    backAfter: between(0, 120),
    offer: Math.floor(between(0, 20)),
    ...drawChain(random),
    fullAt: chance(0.2) ? Math.ceil(random() * 8) : Number.POSITIVE_INFINITY,
    configured: drawConfigured(seed),
  };
}

/** One story in five is about machines that die. */
function drawChain(random: Random): Pick<Fate, "machinesDie" | "faultAfter" | "stopsAt"> {
  const machinesDie = random() < 0.2 ? 1 + Math.floor(random() * 3) : 0;
  const faultAfter = machinesDie === 0 ? 0 : Math.floor(random() * (machinesDie + 1));
  const stopsAt = machinesDie > 0 && random() < 0.4 ? random() * 90 : undefined;
  return { machinesDie, faultAfter, stopsAt };
}

/** At once, while someone still looks, or long after "not found" was said. */
function delivery(random: Random): number {
  const when = random();
  if (when < 0.4) return 0;
  return when < 0.7 ? random() * 230 : 700 + random() * 500;
}

function one<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new RangeError("There is nothing to draw from.");
  return item;
}
