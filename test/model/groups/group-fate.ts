// What befalls a group in the model, drawn from a seed: its policy, which machines die or are taken, what fails, and which windows die.
import type { GroupPolicy } from "../../../src/domain/group/group-record.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { type Random, seeded } from "../../fuzz/answers.ts";

const CREATE: readonly FaultSpec[] = [
  "create-lost",
  "create-502",
  "reset-after@createInstance",
  "truncated@createInstance",
  "success-true-without-id",
  "reset-before@createInstance",
  "500@createInstance",
  "502-html@createInstance",
];
const OTHERS: readonly FaultSpec[] = [
  "lagging-list",
  "500@listInstances",
  "truncated@listInstances",
  "404-html@listInstances",
  "500@getInstance",
  "reset-after@getInstance",
  "500@searchOffers",
  "500@destroyInstance",
  "reset-after@destroyInstance",
];

/** Times are model seconds from the first request on. */
export interface GroupFate {
  readonly count: number;
  readonly policy: GroupPolicy;
  readonly create: FaultSpec | undefined;
  /** Of the ranks, the one whose request the fault of the create befalls first, and for how many. */
  readonly createFrom: number;
  readonly createFor: number;
  readonly others: readonly FaultSpec[];
  readonly othersUntil: number;
  /** By rank, whether the machine dies before it runs. */
  readonly dies: readonly boolean[];
  /** By rank, whether someone else took the machine before. */
  readonly taken: readonly boolean[];
  /** Whether machines that die are replaced without a question. */
  readonly replaces: boolean;
  /** Instances that the person allows; undefined for any number. */
  readonly limit: number | undefined;
  /** Steps until each window dies, the one that rents and another one. */
  readonly windowDies: readonly [number, number];
  /** When the other window is opened, and when one is opened at last. */
  readonly otherAt: number;
  readonly backAt: number;
  /** When the person stops waiting; undefined if they don't. */
  readonly leavesAt: number | undefined;
  /** Whether the person stops the first member that runs. */
  readonly stopsFirst: boolean;
  /** Whether the service calls exited what someone stopped. */
  readonly callsExited: boolean;
  /** Files until the disk of the window that rents is full for one. */
  readonly fullAt: number;
}

export function drawGroupFate(seed: number): GroupFate {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (least: number, most: number) => least + random() * (most - least);
  const count = 2 + Math.floor(random() * 3);
  const least = chance(0.5) ? count : 1 + Math.floor(random() * count);
  const policy: GroupPolicy = { least, rest: chance(0.6) ? "destroy" : "ask", minutes: between(2, 20) };
  const ranks = Array.from({ length: count }, (_, rank) => rank);
  const steps = (share: number) => (chance(share) ? Math.ceil(between(2, 160)) : Number.POSITIVE_INFINITY);
  return {
    count,
    policy,
    create: chance(0.4) ? one(random, CREATE) : undefined,
    createFrom: Math.floor(random() * count),
    createFor: 1 + Math.floor(random() * 2),
    others: chance(0.4) ? OTHERS.filter(() => chance(0.25)) : [],
    othersUntil: between(10, 300),
    dies: ranks.map(() => chance(0.12)),
    taken: ranks.map(() => chance(0.1)),
    replaces: chance(0.4),
    limit: chance(0.15) ? Math.ceil(random() * count) : undefined,
    windowDies: [steps(0.4), steps(0.3)],
    otherAt: between(0, 120),
    backAt: chance(0.8) ? between(60, 400) : between(2000, 3000),
    leavesAt: chance(0.1) ? between(0, 60) : undefined,
    // Drawn last, so that everything before is drawn as ever.
    stopsFirst: chance(0.3),
    callsExited: chance(0.5),
    fullAt: chance(0.2) ? Math.ceil(random() * 30) : Number.POSITIVE_INFINITY,
  };
}

function one<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new RangeError("There is nothing to draw from.");
  return item;
}
