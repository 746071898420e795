// What is agreed to when an instance is rented for a run: what it is rented with, what it may cost, and what becomes of it.

import type { Globs } from "../base/glob.ts";
import type { WhenDone } from "../base/when-done.ts";
import { emptyDraft, type LaunchDraft, withSshImage, withTemplate } from "../launch/launch-draft.ts";
import { type LaunchPlan, readLaunchAccess } from "../launch/launch-plan.ts";
import type { Template } from "../template/template.ts";
import { type RunLimits, withUsualTime } from "./run-limits.ts";
import type { RunDraft } from "./run-plan.ts";

/** What can be changed in the summary. */
export interface RunTerms {
  readonly command: string;
  /** Names of secrets that the command gets. */
  readonly secrets: readonly string[];
  readonly results: Globs;
  readonly limits: RunLimits;
  readonly whenDone: WhenDone;
  /** Counts only where it is to be stopped or destroyed: one that is to be kept is to be there. */
  readonly stopsItself: boolean;
}

/** What the summary begins with: a limit always, and an instance that doesn't go on costing unless that is wanted. */
export function createTerms(
  { command, results = [], limits = {}, secrets }: Pick<RunDraft, "command" | "results" | "limits" | "secrets">,
  { whenDone = "destroy", stopsItself = true }: { whenDone?: WhenDone | undefined; stopsItself?: boolean | undefined },
): RunTerms {
  return { command, secrets: secrets?.names ?? [], results, limits: withUsualTime(limits), whenDone, stopsItself };
}

/** With other limits, of which one ends the command. How many attempts may be made is changed apart. */
export const changeLimits = (terms: RunTerms, limits: RunLimits): RunTerms => ({
  ...terms,
  limits: { ...withUsualTime(limits), ...pickAttempts(terms.limits) },
});

/** How many attempts may be made without another question. */
export const changeAttempts = (terms: RunTerms, maxAttempts: number): RunTerms => ({
  ...terms,
  limits: { ...terms.limits, maxAttempts },
});

const pickAttempts = ({ maxAttempts }: RunLimits): Pick<RunLimits, "maxAttempts"> =>
  maxAttempts === undefined ? {} : { maxAttempts };

/** Whether the instance is stopped or destroyed after its run. */
export const endsWhenDone = ({ whenDone }: Pick<RunTerms, "whenDone">): boolean => whenDone !== "keep";

/** The run as it was confirmed. */
export function confirmTerms({ secrets: named, ...draft }: RunDraft, terms: RunTerms, project = draft.folder) {
  const { command, results, limits, whenDone, stopsItself } = terms;
  const names = [...terms.secrets];
  const secrets = names.length === 0 ? {} : { secrets: { project: named?.project ?? project, names } };
  const confirmed: RunDraft = { ...draft, ...secrets, command, results: [...results], limits };
  return { draft: confirmed, whenDone, stopsItself: endsWhenDone(terms) && stopsItself };
}

/** No machine that takes the place of one that died may cost more, either. */
export const withPriceLimit = (plan: LaunchPlan, { maxPricePerHour }: RunLimits): LaunchPlan => ({
  ...plan,
  mostPerHour: maxPricePerHour,
});

/** Whether anything can be run on a machine that is rented with the template. */
export const startsSsh = (template: Template): boolean => readLaunchAccess({ template, runtype: undefined }).hasSsh;

/** The one of the last run, or else one for PyTorch of those that the person trusts. */
export function suggestTemplate(before: Template | undefined, trusted: readonly Template[]): Template | undefined {
  if (before && startsSsh(before)) return before;
  return trusted.find((one) => startsSsh(one) && /pytorch/i.test(`${one.name ?? ""} ${one.image ?? ""}`));
}

/** What is rented: an image goes before a template. Nothing is chosen yet without either. */
export function startRental(image: string | undefined, template: Template | undefined): LaunchDraft {
  if (image !== undefined) return withSshImage(emptyDraft, image);
  return template ? withTemplate(emptyDraft, template) : emptyDraft;
}
