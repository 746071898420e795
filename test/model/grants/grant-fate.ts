// What befalls a budget of agents in the model, drawn from a seed: what agents ask for in which window, what gets lost, who dies, and when it ends.
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import { drawingFrom } from "../fate.ts";

const CREATES: readonly FaultSpec[] = [
  "create-lost",
  "create-502",
  "reset-after@createInstance",
  "truncated@createInstance",
  "success-true-without-id",
  "success-false-with-id",
  "reset-before@createInstance",
  "500@createInstance",
  "429@createInstance",
  "403@createInstance",
];
const READS: readonly FaultSpec[] = ["lagging-list", "500@listInstances", "truncated@listInstances", "500@getInstance"];

/** One call of an agent. Times are model seconds since the budget was given. */
interface AgentCall {
  readonly at: number;
  readonly window: 0 | 1;
  /** Of its auto-stop. */
  readonly hours: number;
  /** It calls again with the same quote, at once. */
  readonly twice: boolean;
  /** What the price becomes between its quote and its launch, as a share of what it was. */
  readonly priceMoves: number | undefined;
}

export interface GrantFate {
  /** Dollars, as a share of what an hour of the machine costs. */
  readonly amount: number;
  readonly launches: number;
  readonly hours: number;
  readonly calls: readonly AgentCall[];
  readonly create: FaultSpec | undefined;
  readonly read: FaultSpec | undefined;
  readonly faultsUntil: number;
  /** When its person ends it, from the first window. */
  readonly closedAt: number | undefined;
  /** Steps until the second window dies. */
  readonly dies: number;
  /** Files until the disk of the second window is full for one. */
  readonly fullAt: number;
  /** Which instances, by the last digit of their number, show that they end themselves; undefined where no one waits to see it. */
  readonly obeying: readonly number[] | undefined;
}

export function drawGrantFate(seed: number): GrantFate {
  const { chance, between, whole, one } = drawingFrom(seed);
  return {
    amount: between(0.5, 6),
    launches: whole(1, 4),
    hours: between(1, 3),
    calls: Array.from({ length: whole(2, 6) }, () => ({
      at: chance(0.5) ? 0 : between(0, 60),
      window: chance(0.5) ? (0 as const) : (1 as const),
      hours: between(0.3, 2.5),
      twice: chance(0.2),
      priceMoves: chance(0.2) ? one([0.5, 0.9, 1.1, 3]) : undefined,
    })),
    create: chance(0.5) ? one(CREATES) : undefined,
    read: chance(0.3) ? one(READS) : undefined,
    faultsUntil: between(5, 90),
    closedAt: chance(0.4) ? between(0, 60) : undefined,
    dies: chance(0.4) ? whole(1, 60) : Number.POSITIVE_INFINITY,
    fullAt: chance(0.2) ? whole(1, 8) : Number.POSITIVE_INFINITY,
    obeying: chance(0.1) ? Array.from({ length: whole(0, 9) }, () => whole(0, 9)) : undefined,
  };
}
