// What the page for a launch's configuration and its host may exchange: a closed list, validated at both ends.
import * as z from "zod";
import { LaunchForm, LaunchFormContext } from "../domain/launch/launch-form.ts";
import type { Contract } from "./messages.ts";

/** What the page shows that the host decides. */
export const LaunchPageState = z.strictObject({
  context: LaunchFormContext,
  form: LaunchForm,
  /** What is launched, and on which machine if one is chosen. */
  title: z.string(),
  machine: z.string().optional(),
  /** Whether the form holds what was typed before. */
  isRestored: z.boolean(),
  /** What to begin with. */
  focus: z.keyof(LaunchForm),
});
export type LaunchPageState = z.infer<typeof LaunchPageState>;

/** What the host makes of the form. */
export const LaunchPreview = z.strictObject({
  /** The request as it would be sent, as JSON without its secrets; undefined while there are errors. */
  request: z.string().optional(),
  /** What is known of the volume that is named. */
  volume: z.string().optional(),
});
export type LaunchPreview = z.infer<typeof LaunchPreview>;

export const launchPage = {
  /** Always asked first, once. The page shows nothing until it is answered. */
  open: {
    question: z.null(),
    answer: z.strictObject({ state: LaunchPageState, dictionary: z.record(z.string(), z.string()) }),
  },
  /** What is typed now, which is kept. */
  change: { question: LaunchForm, answer: LaunchPreview },
  /** Lets the person choose among the registry's tags. @returns the image with it; undefined if none was chosen. */
  tags: { question: LaunchForm, answer: z.string().optional() },
  /** Lets the person choose a volume to link or an offer of one to create. Its number; undefined if none was chosen. */
  volume: { question: z.enum(["link", "create"]), answer: z.int().positive().optional() },
  /** Goes on to the summary of the launch. */
  review: { question: LaunchForm, answer: z.null() },
  /** Makes a template of it. */
  saveAs: { question: LaunchForm, answer: z.null() },
} as const satisfies Contract;
export type LaunchPage = typeof launchPage;
