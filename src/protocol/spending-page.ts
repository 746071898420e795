// What the page of what was spent and its host may exchange: a closed list, validated at both ends.
import * as z from "zod";
import { SPENDING_GROUPS, SPENDING_PERIODS } from "../domain/account/spending.ts";
import type { Contract } from "./messages.ts";

const Choice = z.strictObject({
  period: z.enum(SPENDING_PERIODS),
  group: z.enum(SPENDING_GROUPS),
});
/** Heights are dollars: what was seen, what follows from it, and what it may have been at the most in addition. */
const Bar = z.strictObject({
  name: z.string(),
  tick: z.string(),
  text: z.string(),
  observed: z.number(),
  inferred: z.number(),
  possible: z.number(),
});
export type SpendingBar = z.infer<typeof Bar>;

/** Everything the page shows. */
export const SpendingState = z.strictObject({
  choice: Choice,
  total: z.string(),
  remarks: z.array(z.string()),
  bars: z.array(Bar),
  /** The names of the columns. */
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
});
export type SpendingState = z.infer<typeof SpendingState>;

/** Sent unsolicited when more was seen. */
export const SpendingUpdate = z.strictObject({ state: SpendingState });
export type SpendingUpdate = z.infer<typeof SpendingUpdate>;

export const spendingPage = {
  /** Always asked first, once. */
  open: {
    question: z.null(),
    answer: z.strictObject({ state: SpendingState, dictionary: z.record(z.string(), z.string()) }),
  },
  show: { question: Choice, answer: z.strictObject({ state: SpendingState }) },
  /** Asks where to save what is shown, and saves it. */
  exportCsv: { question: z.null(), answer: z.null() },
} as const satisfies Contract;
export type SpendingContract = typeof spendingPage;
