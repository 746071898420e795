// A template as text for the editor's diff and merge views: JSON, with long texts as lists of lines, so that they
// compare line by line.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { TemplateDraft } from "./template-draft.ts";
import { NEW_TEMPLATE, type WholeDraft } from "./template-form.ts";

const LINES = ["readme", "onstart"] as const;

/** Excludes the password. Comparing two such texts compares the templates line by line. */
export function formatTemplate(draft: WholeDraft): string {
  const { docker_login_pass: _, ...shown } = draft;
  const parted = Object.fromEntries(
    Object.entries(shown).map(([field, value]) => [
      field,
      (LINES as readonly string[]).includes(field) && typeof value === "string" ? value.split("\n") : value,
    ]),
  );
  return `${JSON.stringify(parted, null, 2)}\n`;
}

export const Lines = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join("\n"))]);
const TemplateText = TemplateDraft.omit({ docker_login_pass: true })
  .partial()
  .extend({ readme: Lines.optional(), onstart: Lines.optional() });

/** @throws AppError `rejected` with the reason: invalid JSON, an unknown field, or a value of the wrong type. */
export function readTemplateText(text: string): WholeDraft {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError("rejected", t("Invalid JSON: check brackets, quotes, and commas."));
  }
  const read = TemplateText.safeParse(value);
  if (!read.success) {
    const issue = read.error.issues[0];
    throw new AppError("rejected", t("{0}: {1}", issue?.path.join(".") || t("The template"), issue?.message ?? ""));
  }
  const given = Object.fromEntries(Object.entries(read.data).filter(([, item]) => item !== undefined));
  return { ...NEW_TEMPLATE, ...(given as Partial<WholeDraft>), docker_login_pass: "" };
}

/** The base of an edit, and the two versions made from it. */
export interface ThreeTexts {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Each line once, without its line ending. */
function linesOf(text: string): Set<string> {
  const lines = new Set<string>();
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end < 0 ? text.length : end);
    lines.add(line.endsWith("\r") && end >= 0 ? line.slice(0, -1) : line);
    if (end < 0) break;
    from = end + 1;
  }
  return lines;
}

/** Of a text that is a JSON object, each field as text. */
function readFields(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value).map(([name, field]) => [name, JSON.stringify(field)]));
  } catch {
    return undefined;
  }
}

/** Whether a field that the sides changed differently is neither side's. A list may keep the lines that one side left as they were. */
function keepsOldField({ base, mine, theirs }: ThreeTexts, merged: string): boolean {
  const [before, here, there, now] = [base, mine, theirs, merged].map(readFields);
  if (!before || !here || !there || !now) return false;
  return [...new Set([...here.keys(), ...there.keys()])].some((name) => {
    const [was, ours, others] = [before.get(name), here.get(name), there.get(name)];
    return ours !== was && others !== was && ours !== others && now.get(name) === was;
  });
}

const MARKER = /^(?:<{7}|>{7})(?: |$)/m;

/**
 * Whether a merged text may have lost a change, as far as fields and lines can tell: it has conflict markers, a field as it was before both
 * sides changed it, a line that both sides removed, or none of the lines that either side added.
 */
export function isUndecided(versions: ThreeTexts, merged: string): boolean {
  const { base, mine, theirs } = versions;
  const [before, here, there, now] = [linesOf(base), linesOf(mine), linesOf(theirs), linesOf(merged)];
  if (MARKER.test(merged) || keepsOldField(versions, merged)) return true;
  if ([...before].some((line) => now.has(line) && !here.has(line) && !there.has(line))) return true;
  const lost = (lines: Set<string>) => {
    const added = [...lines].filter((line) => !before.has(line));
    return added.length > 0 && !added.some((line) => now.has(line));
  };
  return lost(here) && lost(there);
}
