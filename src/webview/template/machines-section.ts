// A template's machine search: rows of field, comparison and value, and how many machines match right now.
import { html, nothing } from "lit";
import { OPERATORS, SIGNS, toCondition } from "../../domain/offer/filter.ts";
import {
  FILTER_FIELDS,
  type FilterRow,
  KEPT,
  normalizeRow,
  renameField,
  takesList,
} from "../../domain/offer/filter-rows.ts";
import { describeCondition, formatFieldName } from "../../domain/offer/filter-words.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  type Html,
  isInvalid,
  joinMessages,
  renderCell,
  renderFrame,
  renderProblem,
  renderRemoveButton,
  type ShownProblem,
} from "../kit/controls.ts";
import { focusDrawn, focusRow, onLeaving } from "../kit/focus.ts";
import type { Page, PlacedProblem } from "./controls.ts";
import { isCountable, type Model } from "./model.ts";

function operatorText(operator: FilterRow["operator"]): string {
  if (operator === "") return t("(nothing)");
  if (operator === KEPT) return t("(kept as stored)");
  if (operator === "in") return t("one of");
  return operator === "notin" ? t("none of") : SIGNS[operator];
}

/** A field's own name, followed by the common name if there is one. */
function fieldText(field: string): string {
  const said = formatFieldName(field);
  return said === field ? field : `${field} (${said})`;
}

export function renderMachineFilters(page: Page): Html {
  const rows = page.model.form.extra_filters;
  const write = (next: readonly FilterRow[]) => page.set({ extra_filters: [...next] });
  const add = () => {
    const row: FilterRow = { field: "gpu_ram", operator: "gte", value: "" };
    page.set({ extra_filters: [...rows, row] }, { field: "extra_filters", row: rows.length });
    focusRow("extra_filters", rows.length);
  };
  const control = html`
    ${rows.length === 0 ? html`<p class="quiet">${t("No filters. Launches begin with verified machines.")}</p>` : table(page, rows, write)}
    <div class="line">
      <vscode-button secondary @click=${add}>${t("Add Filter")}</vscode-button>
      ${supply(page)}
    </div>
  `;
  return renderFrame(page, "extra_filters", control);
}

function supply({ model }: Page): Html {
  return html`<span class="supply" role="status">${toPlainText(describeSupply(model), 200)}</span>`;
}

function describeSupply(model: Model): string {
  const { supply } = model;
  if (supply === undefined) return isCountable(model) ? t("Counting machines…") : "";
  return "failed" in supply ? supply.failed : supply.text;
}

function table(page: Page, rows: readonly FilterRow[], write: (next: readonly FilterRow[]) => void): Html {
  return html`<table class="rows filters">
    <caption class="hidden">${page.words.extra_filters.label}</caption>
    <thead>
      <tr>
        <th scope="col">${t("Field")}</th>
        <th scope="col">${t("Comparison")}</th>
        <th scope="col">${t("Value")}</th>
        <td></td>
      </tr>
    </thead>
    <tbody>
      ${rows.map((row, at) => filterRow(page, rows, row, at, write))}
    </tbody>
  </table>`;
}

function filterRow(
  page: Page,
  rows: readonly FilterRow[],
  row: FilterRow,
  at: number,
  write: (next: readonly FilterRow[]) => void,
): Html {
  const problems = page.problemsOf("extra_filters", at);
  const set = (change: Partial<FilterRow>) =>
    write(rows.map((old, index) => (index === at ? { ...old, ...change } : old)));
  const done = () => {
    page.touch("extra_filters");
    const tidy = normalizeRow(row);
    if (tidy.value !== row.value) set(tidy);
  };
  const of = (part: PlacedProblem["part"]) => problems.filter((problem) => (problem.part ?? "value") === part);
  const field = FILTER_FIELDS[row.field];
  const remove = renderRemoveButton(page, t("Remove filter {0}", at + 1), () => {
    // The rows below move up.
    page.typeFilter(undefined);
    write(rows.filter((_, index) => index !== at));
  });
  if (row.operator === KEPT)
    return html`<tr>
      <td><code>${toPlainText(row.field, 60)}</code></td>
      <td>${operatorText(KEPT)}</td>
      <td><code>${toPlainText(row.value, 200)}</code></td>
      <td>${remove}</td>
    </tr>`;
  return html`<tr @focusout=${onLeaving(page.leaveRow)}>
      <td id=${`filter-${at}`}>${fieldControl(page, row, at, set, done, of("field"))}</td>
      <td>${operatorSelect(row, at, (operator) => set({ operator }), of("operator"))}</td>
      <td>
        <div class="measure">
          ${valueControl(row, at, (value) => set({ value }), done, of("value"))}
          ${field?.unit === undefined ? nothing : html`<span class="unit">${unitText(field.unit)}</span>`}
        </div>
      </td>
      <td>${remove}</td>
    </tr>
    ${meaning(page, row, problems.length > 0)}
    ${problems.map((problem) => html`<tr class="said"><td colspan="4">${renderProblem(problem)}</td></tr>`)}`;
}

const unitText = (unit: string): string => (unit === "days" ? t("days") : unit);

/** How values of a field look. */
function exampleOf({ field, operator }: FilterRow): string {
  if (field === "gpu_name") return "RTX 4090";
  if (field === "geolocation") return takesList(operator) ? "SE, DE" : "SE";
  return takesList(operator) ? t("a, b, c") : "";
}

/** A select box if there are only two values, otherwise a text box. */
function valueControl(
  row: FilterRow,
  at: number,
  set: (value: string) => void,
  done: () => void,
  problems: readonly ShownProblem[],
): Html {
  const label = t("Value of filter {0}", at + 1);
  const isChoice = FILTER_FIELDS[row.field]?.kind === "yes-no" && ["", "true", "false"].includes(row.value);
  if (!isChoice || takesList(row.operator))
    return renderCell(label, row.value, set, done, problems, { placeholder: exampleOf(row) });
  const options = html`${row.value === "" ? html`<option value="" .selected=${true}></option>` : nothing}
    <option value="true" .selected=${row.value === "true"}>${t("true")}</option>
    <option value="false" .selected=${row.value === "false"}>${t("false")}</option>`;
  return choice(label, options, set, problems);
}

function choice(label: string, options: Html, set: (value: string) => void, problems: readonly ShownProblem[]): Html {
  return html`<select
    aria-label=${label}
    aria-description=${joinMessages(problems)}
    aria-invalid=${isInvalid(problems)}
    @change=${(event: Event) => set((event.target as HTMLSelectElement).value)}
  >
    ${options}
  </select>`;
}

/** The condition in everyday words if those differ: 24,000 MB is 24 GB. */
function meaning({ model }: Page, row: FilterRow, hasProblems: boolean): Html {
  if (row.operator === "" || row.operator === KEPT) return nothing;
  const field = row.field.trim();
  const value = toCondition(field, model.read.draft.extra_filters[field])?.[row.operator];
  const isPlain = FILTER_FIELDS[row.field]?.unit !== "× 100" && !/MB/i.test(row.value);
  if (hasProblems || value === undefined || isPlain) return nothing;
  const text = describeCondition(row.field, { [row.operator]: value });
  return html`<tr class="said"><td colspan="4"><p class="quiet">${toPlainText(text)}</p></td></tr>`;
}

function fieldControl(
  page: Page,
  row: FilterRow,
  at: number,
  set: (change: Partial<FilterRow>) => void,
  done: () => void,
  problems: readonly ShownProblem[],
): Html {
  const label = t("Field of filter {0}", at + 1);
  const isTyped = page.model.typedFilter === at;
  if (isTyped || !Object.hasOwn(FILTER_FIELDS, row.field)) {
    const type = (field: string) => {
      if (!isTyped) page.typeFilter(at);
      set({ field });
    };
    const settle = () => {
      if (isTyped) {
        page.typeFilter(undefined);
        set(renameField(row, row.field));
      }
      done();
    };
    return renderCell(label, row.field, type, settle, problems, { placeholder: t("name of a field") });
  }
  const choose = (name: string) => {
    set(renameField(row, name));
    if (name === "") focusDrawn(() => document.querySelector(`#filter-${at} vscode-textfield`));
  };
  const options = html`${Object.keys(FILTER_FIELDS).map((name) => html`<option value=${name} ?selected=${name === row.field} .selected=${name === row.field}>${fieldText(name)}</option>`)}
    <option value="">${t("another field…")}</option>`;
  return choice(label, options, choose, problems);
}

function operatorSelect(
  row: FilterRow,
  at: number,
  set: (operator: FilterRow["operator"]) => void,
  problems: readonly ShownProblem[],
): Html {
  const all: readonly FilterRow["operator"][] = row.operator === "" ? ["", ...OPERATORS] : OPERATORS;
  const choose = (value: string) => set(all.find((one) => one === value) ?? row.operator);
  const options = html`${all.map((one) => html`<option value=${one} .selected=${one === row.operator}>${operatorText(one)}</option>`)}`;
  return choice(t("Comparison of filter {0}", at + 1), options, choose, problems);
}
