// What the page of an instance, a webhook or a workergroup and its host may exchange: a closed list, validated at both ends.
import * as z from "zod";
import type { Contract } from "./messages.ts";

const Fact = z.strictObject({ name: z.string(), value: z.string(), canCopy: z.boolean() });
const Command = z.strictObject({ command: z.string(), label: z.string() });
const Section = z.strictObject({ title: z.string(), facts: z.array(Fact), commands: z.array(Command) });

/** Everything the page shows. */
export const RecordState = z.strictObject({
  title: z.string(),
  status: z.string(),
  remarks: z.array(z.string()),
  commands: z.array(Command),
  sections: z.array(Section),
});
export type RecordState = z.infer<typeof RecordState>;

/** Sent unsolicited when something changed. */
export const RecordUpdate = z.strictObject({ state: RecordState });
export type RecordUpdate = z.infer<typeof RecordUpdate>;

export const recordPage = {
  /** Always asked first, once. The page shows nothing until it is answered. */
  open: {
    question: z.null(),
    answer: z.strictObject({ state: RecordState, dictionary: z.record(z.string(), z.string()) }),
  },
  /** Everything the service says of it, as JSON. */
  record: { question: z.null(), answer: z.string() },
  /** Runs one of the commands that are shown now, by its name. Everything else is refused. */
  run: { question: z.string(), answer: z.null() },
  /** Copies the text of a fact that is shown now. The page names the fact and sends no text of its own. */
  copy: { question: z.strictObject({ section: z.string(), name: z.string() }), answer: z.null() },
} as const satisfies Contract;
export type RecordContract = typeof recordPage;
