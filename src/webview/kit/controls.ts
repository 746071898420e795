// Controls that every form shares: label, short help, control and problems, tied together for the eye and for screen
// readers.
import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-textarea/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { t, toPlainText } from "../../lib/text.ts";
import { focusField } from "./focus.ts";

export type Html = TemplateResult | typeof nothing;

/** A field's name and purpose. */
export interface Words {
  readonly label: string;
  readonly help: string;
  readonly isRequired?: boolean;
}

/** What is said at a field. An `error` prevents sending, a `warning` doesn't, a `note` only explains. */
export interface ShownProblem {
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly fix?: { readonly label: string; readonly apply: () => void };
}

/** What the controls of a form draw from, and what they tell it. `Text` are the fields that hold one text. */
export interface FormPage<Field extends string, Text extends Field = Field> {
  readonly words: Readonly<Record<Field, Words>>;
  readonly textOf: (field: Text) => string;
  readonly type: (field: Text, text: string) => void;
  /** Marks a field as visited. */
  readonly touch: (field: Field) => void;
  /** With `row`, the problems of that row; otherwise those of the whole field, including the service's own refusal. */
  readonly problemsOf: (field: Field, row?: number) => readonly ShownProblem[];
}

export const readTyped = (event: Event): string => (event.target as HTMLInputElement).value;

const GLYPHS = { error: "✕", warning: "⚠", note: "ℹ" } as const;
const severityWord = (severity: ShownProblem["severity"]): string =>
  ({ error: t("Error"), warning: t("Warning"), note: t("Note") })[severity];

export function renderProblem({ severity, message, fix }: ShownProblem): Html {
  const button = fix ? html`<button type="button" class="link" @click=${fix.apply}>${fix.label}</button>` : nothing;
  return html`<p class="problem ${severity}">
    <span class="glyph" aria-hidden="true">${GLYPHS[severity]}</span
    ><span class="hidden">${severityWord(severity)}: </span><span>${toPlainText(message, 300)} ${button}</span>
  </p>`;
}

/** What a screen reader says after the control's name. The page passes it on into the control itself. */
export const describeControl = (words: Words, problems: readonly ShownProblem[]): string =>
  [words.help, joinMessages(problems)].join(" ").trim();

export const joinMessages = (problems: readonly ShownProblem[]): string =>
  problems.map(({ message }) => toPlainText(message, 300)).join(" ");

export const isInvalid = (problems: readonly ShownProblem[]): boolean =>
  problems.some(({ severity }) => severity === "error");

/** What is drawn around a control. */
type FieldFrame<Field extends string> = Pick<FormPage<Field>, "words" | "problemsOf">;

/** Label, help and problems around one field's control. */
export function renderFrame<F extends string>(
  page: FieldFrame<F>,
  field: F,
  control: Html,
  aside: Html = nothing,
): Html {
  const { label, help } = page.words[field];
  return html`<div class="field" id="field-${field}">
    <div class="label"><span @click=${() => focusField(field)}>${label}</span>${aside}</div>
    <div class="help">${help}</div>
    ${control}${page.problemsOf(field).map(renderProblem)}
  </div>`;
}

interface TextOptions {
  readonly placeholder?: string;
  readonly type?: "password" | "text";
  readonly after?: Html;
  readonly aside?: Html;
  readonly narrow?: boolean;
}

export function renderTextField<F extends string, T extends F>(
  page: FormPage<F, T>,
  field: T,
  options: TextOptions = {},
): Html {
  const problems = page.problemsOf(field);
  const words = page.words[field];
  const control = html`<div class="line">
    <vscode-textfield
      class=${options.narrow ? "narrow" : "wide"}
      .label=${words.label}
      .value=${page.textOf(field)}
      .type=${options.type ?? "text"}
      autocomplete="off"
      placeholder=${options.placeholder ?? ""}
      ?invalid=${isInvalid(problems)}
      ?data-required=${words.isRequired ?? false}
      data-about=${describeControl(words, problems)}
      @input=${(event: Event) => page.type(field, readTyped(event))}
      @focusout=${() => page.touch(field)}
    ></vscode-textfield
    >${options.after ?? nothing}
  </div>`;
  return renderFrame(page, field, control, options.aside);
}

export function renderTextArea<F extends string, T extends F>(
  page: FormPage<F, T>,
  field: T,
  rows: number,
  options: { readonly code?: boolean; readonly aside?: Html } = {},
): Html {
  const problems = page.problemsOf(field);
  const words = page.words[field];
  const control = html`<vscode-textarea
    rows=${rows}
    resize="vertical"
    .label=${words.label}
    .value=${page.textOf(field)}
    ?monospace=${options.code ?? false}
    ?invalid=${isInvalid(problems)}
    ?data-required=${words.isRequired ?? false}
    data-about=${describeControl(words, problems)}
    @input=${(event: Event) => page.type(field, readTyped(event))}
    @focusout=${() => page.touch(field)}
  ></vscode-textarea>`;
  return renderFrame(page, field, control, options.aside);
}

/** A switch, with what it does. */
export function renderSwitch<F extends string>(
  page: FieldFrame<F>,
  field: F,
  isOn: boolean,
  set: (isOn: boolean) => void,
  aside: Html = nothing,
): Html {
  const words = page.words[field];
  const { label, help } = words;
  const problems = page.problemsOf(field);
  return html`<div class="field flag" id="field-${field}">
    <div class="line between">
      <vscode-checkbox
        .label=${label}
        .checked=${isOn}
        ?invalid=${isInvalid(problems)}
        data-about=${describeControl(words, problems)}
        @change=${(event: Event) => set((event.target as HTMLInputElement).checked)}
      ></vscode-checkbox
      >${aside}
    </div>
    <div class="help">${help}</div>
    ${problems.map(renderProblem)}
  </div>`;
}

interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly name: string;
  readonly help: string;
}

/** One of a few values, each with its meaning. */
export function renderRadioGroup<F extends string, Value extends string>(
  page: FieldFrame<F>,
  field: F,
  options: readonly RadioOption<Value>[],
  chosen: Value,
  choose: (value: Value) => void,
): Html {
  const words = page.words[field];
  return html`<div class="modes" role="radiogroup" aria-label=${words.label} aria-description=${describeControl(words, page.problemsOf(field))}>
      ${options.map(
        ({ value, name, help }) => html`<label class="mode">
          <input type="radio" name=${field} value=${value} .checked=${chosen === value} @change=${() => choose(value)} />
          <span><span class="mode-name">${name}</span><span class="help">${help}</span></span>
        </label>`,
      )}
    </div>`;
}

/** A small text box in a table, named for screen readers by its column and row. */
export function renderCell(
  label: string,
  value: string,
  set: (value: string) => void,
  done: () => void,
  problems: readonly ShownProblem[],
  more: { readonly placeholder?: string } = {},
): Html {
  return html`<vscode-textfield
    .label=${label}
    .value=${live(value)}
    placeholder=${more.placeholder ?? ""}
    autocomplete="off"
    ?invalid=${isInvalid(problems)}
    data-about=${joinMessages(problems)}
    @input=${(event: Event) => set(readTyped(event))}
    @focusout=${done}
  ></vscode-textfield>`;
}

/** `A=b`, typed or pasted into the first of two cells, as what belongs into each; undefined without the sign. */
export function splitAt(sign: string, text: string, rest: string): readonly [string, string] | undefined {
  const at = text.indexOf(sign);
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + sign.length) + rest];
}

/** A row that is removed is left, although no focus tells so. */
export function renderRemoveButton({ leaveRow }: { leaveRow: () => void }, label: string, remove: () => void): Html {
  const press = () => {
    leaveRow();
    remove();
  };
  return html`<button type="button" class="remove" aria-label=${label} title=${label} @click=${press}>
    <span aria-hidden="true">✕</span>
  </button>`;
}
