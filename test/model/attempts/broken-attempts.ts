// Ways to get the attempts at a run wrong. The model must catch each: a test that passes broken runs proves nothing.
import type { AttemptBreakage } from "./attempt-stage.ts";

export const BROKEN_ATTEMPTS: Readonly<Record<string, () => AttemptBreakage>> = {
  "takes one answer for proof that an instance is gone": () => ({ trustsOne: true }),
  "leaves an instance waiting for its GPU": () => ({
    leavesWaiting: true,
    attempt: { isBid: true, attempts: 3, losses: [{ how: "outbid", after: 5 }] },
  }),
  "continues what the person called off": () => ({
    goesOnAnyway: true,
    attempt: {
      attempts: 3,
      losses: [{ how: "destroyed", after: 5 }],
      ending: { kind: "left", stage: "lost", steps: 1 },
    },
  }),
  "takes what the person destroyed for lost": () => ({
    forgetsOrders: true,
    attempt: { attempts: 3, losses: [{ how: "ended", after: 5 }], ending: undefined, continues: 0 },
  }),
};
