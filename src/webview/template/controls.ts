// The form's controls: label, short help, control and problems, tied together for the eye and for screen readers.
import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-textarea/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { html, nothing, type TemplateResult } from "lit";
import type { TemplateField, TemplateForm } from "../../domain/template/template-form.ts";
import type { Problem } from "../../domain/template/template-lint.ts";
import { plain, t } from "../../lib/text.ts";
import { type Model, shownAt } from "./model.ts";
import type { Words } from "./words.ts";

export type Html = TemplateResult | typeof nothing;
type FieldsOf<T> = { [K in TemplateField]: TemplateForm[K] extends T ? K : never }[TemplateField];
export type TextControl = Extract<FieldsOf<string>, string>;
export type FlagField = Extract<FieldsOf<boolean>, string>;

/** What a part of the page draws from, and what it can do. */
export interface Page {
  readonly model: Model;
  readonly words: Readonly<Record<TemplateField, Words>>;
  readonly set: (changes: Partial<TemplateForm>) => void;
  /** Marks a field as visited. */
  readonly touch: (field: TemplateField) => void;
  readonly save: () => void;
  readonly revert: () => void;
  readonly settle: (how: "compare" | "mine" | "theirs") => void;
  readonly chooseTag: () => void;
}

export const typedIn = (event: Event): string => (event.target as HTMLInputElement).value;

/**
 * The problems of a field: with `row`, those of that row; otherwise those of the whole field, including the service's
 * own refusal.
 */
export function problemsOf({ model }: Page, field: TemplateField, row?: number): readonly Problem[] {
  const own = shownAt(model, field, row);
  const { failure } = model;
  if (failure?.field !== field || row !== undefined) return own;
  return [...own, { field, severity: "error", message: failure.message }];
}

const GLYPHS = { error: "✕", warning: "⚠", note: "ℹ" } as const;
const severityWord = (severity: Problem["severity"]): string =>
  ({ error: t("Error"), warning: t("Warning"), note: t("Note") })[severity];

export function problemLine(page: Page, { severity, message, fix }: Problem): Html {
  const button = fix
    ? html`<button type="button" class="link" @click=${() => page.set(fix.changes)}>${fix.label}</button>`
    : nothing;
  return html`<p class="problem ${severity}">
    <span class="glyph" aria-hidden="true">${GLYPHS[severity]}</span
    ><span class="hidden">${severityWord(severity)}: </span><span>${plain(message, 300)} ${button}</span>
  </p>`;
}

/** What a screen reader says after the control's name. The page passes it on into the control itself. */
export const about = (words: Words, problems: readonly Problem[]): string =>
  [words.help, messagesOf(problems)].join(" ").trim();

export const messagesOf = (problems: readonly Problem[]): string =>
  problems.map(({ message }) => plain(message, 300)).join(" ");

export const isInvalid = (problems: readonly Problem[]): boolean =>
  problems.some(({ severity }) => severity === "error");

/** Label, help and problems around one field's control. */
export function framed(page: Page, field: TemplateField, control: Html, aside: Html = nothing): Html {
  const { label, help } = page.words[field];
  return html`<div class="field" id="field-${field}">
    <div class="label"><span @click=${() => focusField(field)}>${label}</span>${aside}</div>
    <div class="help">${help}</div>
    ${control}${problemsOf(page, field).map((problem) => problemLine(page, problem))}
  </div>`;
}

interface TextOptions {
  readonly placeholder?: string;
  readonly type?: "password" | "text";
  readonly after?: Html;
  readonly aside?: Html;
  readonly narrow?: boolean;
}

export function textField(page: Page, field: TextControl, options: TextOptions = {}): Html {
  const problems = problemsOf(page, field);
  const words = page.words[field];
  const control = html`<div class="line">
    <vscode-textfield
      class=${options.narrow ? "narrow" : "wide"}
      .label=${words.label}
      .value=${page.model.form[field]}
      .type=${options.type ?? "text"}
      autocomplete="off"
      placeholder=${options.placeholder ?? ""}
      ?invalid=${isInvalid(problems)}
      data-about=${about(words, problems)}
      @input=${(event: Event) => page.set({ [field]: typedIn(event) })}
      @focusout=${() => page.touch(field)}
    ></vscode-textfield
    >${options.after ?? nothing}
  </div>`;
  return framed(page, field, control, options.aside);
}

export function textArea(
  page: Page,
  field: TextControl,
  rows: number,
  options: { readonly code?: boolean; readonly aside?: Html } = {},
): Html {
  const problems = problemsOf(page, field);
  const words = page.words[field];
  const control = html`<vscode-textarea
    rows=${rows}
    resize="vertical"
    .label=${words.label}
    .value=${page.model.form[field]}
    ?monospace=${options.code ?? false}
    ?invalid=${isInvalid(problems)}
    data-about=${about(words, problems)}
    @input=${(event: Event) => page.set({ [field]: typedIn(event) })}
    @focusout=${() => page.touch(field)}
  ></vscode-textarea>`;
  return framed(page, field, control, options.aside);
}

export function flag(page: Page, field: FlagField): Html {
  const words = page.words[field];
  const { label, help } = words;
  const problems = problemsOf(page, field);
  return html`<div class="field flag" id="field-${field}">
    <vscode-checkbox
      .label=${label}
      .checked=${page.model.form[field]}
      ?invalid=${isInvalid(problems)}
      data-about=${about(words, problems)}
      @change=${(event: Event) => page.set({ [field]: (event.target as HTMLInputElement).checked })}
    ></vscode-checkbox>
    <div class="help">${help}</div>
    ${problems.map((problem) => problemLine(page, problem))}
  </div>`;
}

/** A small text box in a table, named for screen readers by its column and row. */
export function cell(
  label: string,
  value: string,
  set: (value: string) => void,
  done: () => void,
  problems: readonly Problem[],
  more: { readonly placeholder?: string } = {},
): Html {
  return html`<vscode-textfield
    .label=${label}
    .value=${value}
    placeholder=${more.placeholder ?? ""}
    autocomplete="off"
    ?invalid=${isInvalid(problems)}
    data-about=${messagesOf(problems)}
    @input=${(event: Event) => set(typedIn(event))}
    @focusout=${done}
  ></vscode-textfield>`;
}

export function removeButton(label: string, remove: () => void): Html {
  return html`<button type="button" class="remove" aria-label=${label} title=${label} @click=${remove}>
    <span aria-hidden="true">✕</span>
  </button>`;
}

/** Focuses the first focusable element of a field. */
export function focusField(field: string): void {
  const frame = document.getElementById(`field-${field}`);
  frame?.scrollIntoView({ block: "center" });
  const first = frame?.querySelector<HTMLElement>(
    "vscode-textfield, vscode-textarea, vscode-checkbox, select, input, button",
  );
  first?.focus();
}

/** Passes each control's description on to the element inside it that takes the focus. */
export function describeControls(root: ParentNode): void {
  for (const control of root.querySelectorAll<HTMLElement>("[data-about]")) {
    const inner = control.shadowRoot?.querySelector("input, textarea");
    inner?.setAttribute("aria-description", control.dataset.about ?? "");
    inner?.setAttribute("aria-invalid", String(control.hasAttribute("invalid")));
  }
}
