// What the page for background jobs and its host may exchange: a closed list, validated at both ends.
import * as z from "zod";
import { JobsForm } from "../domain/host/jobs-form.ts";
import type { Contract } from "./messages.ts";

/** A machine of the account, and a few words about it, ready to show. */
export const ChosenMachine = z.strictObject({ id: z.int().positive(), text: z.string() });
export type ChosenMachine = z.infer<typeof ChosenMachine>;

export const jobsPage = {
  /** Always asked first, once. The page shows nothing until it is answered. */
  open: {
    question: z.null(),
    answer: z.strictObject({
      form: JobsForm,
      /** Whether the form holds what was typed before its tab was closed. */
      isRestored: z.boolean(),
      dictionary: z.record(z.string(), z.string()),
    }),
  },
  /** What is typed now, which is kept if the tab closes. */
  change: { question: JobsForm, answer: z.null() },
  /** Lets the person choose among the account's machines. Undefined if none was chosen. */
  machine: { question: z.null(), answer: ChosenMachine.optional() },
  /** Asks the person, then sends one request. `kept`: the person declined, and nothing was sent. */
  create: {
    question: JobsForm,
    answer: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.enum(["created", "kept"]) }),
      z.strictObject({ kind: z.literal("unconfirmed"), message: z.string() }),
    ]),
  },
} as const satisfies Contract;
export type JobsPage = typeof jobsPage;
