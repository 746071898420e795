// What the template form adds to the shared controls: its page, its problems with their fixes, and switches.
import type { TemplateField, TemplateForm } from "../../domain/template/template-form.ts";
import type { Problem } from "../../domain/template/template-lint.ts";
import type { PageAction } from "../../protocol/template-page.ts";
import { type FormPage, type Html, renderSwitch, type ShownProblem } from "../kit/controls.ts";
import type { NewRow } from "../kit/new-row.ts";
import { listShownAt, type Model } from "./model.ts";

type FieldsOf<T> = { [K in TemplateField]: TemplateForm[K] extends T ? K : never }[TemplateField];
type TextControl = Extract<FieldsOf<string>, string>;
export type FlagField = Extract<FieldsOf<boolean>, string>;

/** A problem with the row, and the part of the row, that it is about. */
export type PlacedProblem = ShownProblem & Pick<Problem, "row" | "part">;

/** What a part of the page draws from, and what it can do. */
export interface Page extends FormPage<TemplateField, TextControl> {
  readonly model: Model;
  /** `newRow`: added by these changes, and about to be filled in. */
  readonly set: (changes: Partial<TemplateForm>, newRow?: NewRow) => void;
  readonly leaveRow: () => void;
  readonly typeFilter: (row: number | undefined) => void;
  readonly problemsOf: (field: TemplateField, row?: number) => readonly PlacedProblem[];
  readonly save: () => void;
  readonly revert: () => void;
  readonly settle: (how: "compare" | "mine" | "theirs") => void;
  readonly chooseTag: () => void;
  /** Saves first if there is something to save. */
  readonly launch: () => void;
  readonly act: (action: Exclude<PageAction, "launch">) => void;
}

/** The problems to show at a field or a row, each with its fix. */
export function listPlacedProblems(
  model: Model,
  set: Page["set"],
  field: TemplateField,
  row?: number,
): readonly PlacedProblem[] {
  const own = listShownAt(model, field, row).map(({ fix, ...problem }) =>
    fix ? { ...problem, fix: { label: fix.label, apply: () => set(fix.changes) } } : problem,
  );
  const { failure } = model;
  if (failure?.field !== field || row !== undefined) return own;
  return [...own, { severity: "error", message: failure.message }];
}

export const renderFlag = (page: Page, field: FlagField): Html =>
  renderSwitch(page, field, page.model.form[field], (isOn) => page.set({ [field]: isOn }));
