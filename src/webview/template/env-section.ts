// Variables and ports as a table over the docker flag string; the string itself stays editable below it.
import { html, nothing } from "lit";
import {
  type EnvEntry,
  type EnvRow,
  type EnvTable,
  formatEnvTable,
  parseEnvTable,
  withEntry,
  withNewEntry,
  withoutRow,
} from "../../domain/template/env-table.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  describeControl,
  type Html,
  isInvalid,
  readTyped,
  renderCell,
  renderFrame,
  renderProblem,
  renderRemoveButton,
  splitAt,
} from "../kit/controls.ts";
import { focusCell, focusRow, onLeaving } from "../kit/focus.ts";
import type { Page } from "./controls.ts";

export function renderEnvTable(page: Page): Html {
  const table = parseEnvTable(page.model.form.env);
  const write = (next: EnvTable) => page.set({ env: formatEnvTable(next) });
  const add = (entry: EnvEntry) => {
    page.set({ env: formatEnvTable(withNewEntry(table, entry)) }, { field: "env", row: table.rows.length });
    focusRow("env", table.rows.length);
  };
  const control = html`
    ${table.rows.length === 0 ? nothing : rowsTable(page, table, write)}
    <div class="line">
      <vscode-button secondary @click=${() => add({ kind: "variable", name: "", value: "" })}>${t("Add Variable")}</vscode-button>
      <vscode-button secondary @click=${() => add({ kind: "port", host: "", container: "" })}>${t("Add Port")}</vscode-button>
    </div>
    ${flagString(page)}
  `;
  return renderFrame(page, "env", control);
}

function rowsTable(page: Page, table: EnvTable, write: (next: EnvTable) => void): Html {
  return html`<table class="rows env">
    <caption class="hidden">${page.words.env.label}</caption>
    <thead>
      <tr>
        <th scope="col">${t("Kind")}</th>
        <th scope="col">${t("Name or Host Port")}</th>
        <th scope="col">${t("Value or Container Port")}</th>
        <td></td>
      </tr>
    </thead>
    <tbody>
      ${table.rows.map((row, at) => tableRow(page, table, row, at, write))}
    </tbody>
  </table>`;
}

function tableRow(page: Page, table: EnvTable, row: EnvRow, at: number, write: (next: EnvTable) => void): Html {
  const problems = page.problemsOf("env", at);
  const set = (entry: EnvEntry) => write(withEntry(table, at, entry));
  const remove = renderRemoveButton(page, t("Remove row {0}", at + 1), () => write(withoutRow(table, at)));
  const done = () => page.touch("env");
  const said = problems.map(
    (problem) => html`<tr class="said"><td></td><td colspan="3">${renderProblem(problem)}</td></tr>`,
  );
  const cells = (kind: string, first: Html, second: Html) =>
    html`<tr @focusout=${onLeaving(page.leaveRow)}><td class="kind">${kind}</td><td>${first}</td><td>${second}</td><td>${remove}</td></tr>${said}`;
  if (row.kind === "raw")
    return html`<tr><td class="kind">${t("Other")}</td><td colspan="2"><code>${toPlainText(row.source, 200)}</code></td><td>${remove}</td></tr>${said}`;
  if (row.kind === "option") {
    const value = renderCell(
      t("Value of row {0}", at + 1),
      row.value,
      (text) => set({ ...row, value: text }),
      done,
      problems,
    );
    return cells(t("Option"), html`<code>${row.flag}</code>`, value);
  }
  const isPort = row.kind === "port";
  const [left, right] = isPort ? [row.host, row.container] : [row.name, row.value];
  const both = (first: string, second: string) =>
    set(isPort ? { kind: "port", host: first, container: second } : { kind: "variable", name: first, value: second });
  // Whoever types the sign goes on with the other half.
  const leftHalf = (text: string) => {
    const split = splitAt(isPort ? ":" : "=", text, right);
    both(...(split ?? ([text, right] as const)));
    if (split) focusCell("env", at, 1);
  };
  return cells(
    isPort ? t("Port") : t("Variable"),
    renderCell(
      isPort ? t("Host port of row {0}", at + 1) : t("Name of row {0}", at + 1),
      left,
      leftHalf,
      done,
      problems,
      {
        placeholder: isPort ? "8080" : t("NAME"),
      },
    ),
    renderCell(
      isPort ? t("Container port of row {0}", at + 1) : t("Value of row {0}", at + 1),
      right,
      (text) => both(left, text),
      done,
      problems,
      {
        placeholder: isPort ? "8080" : t("value"),
      },
    ),
  );
}

function flagString(page: Page): Html {
  const problems = page.problemsOf("env");
  const label = t("As Docker flags");
  return html`<details class="flags">
    <summary>${label}</summary>
    <vscode-textarea
      rows="3"
      resize="vertical"
      monospace
      .label=${label}
      .value=${page.model.form.env}
      ?invalid=${isInvalid(problems)}
      data-about=${describeControl({ label, help: t("The same variables and ports as the table. Text that isn't recognized is kept unchanged.") }, problems)}
      @input=${(event: Event) => page.set({ env: readTyped(event) })}
      @focusout=${() => page.touch("env")}
    ></vscode-textarea>
    <div class="help">${t("The same variables and ports as the table. Text that isn't recognized is kept unchanged.")}</div>
  </details>`;
}
