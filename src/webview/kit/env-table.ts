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
} from "../../domain/template/environment/env-table.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  describeControl,
  type FormPage,
  type Html,
  isInvalid,
  readTyped,
  renderCell,
  renderFrame,
  renderProblem,
  renderRemoveButton,
  splitAt,
} from "./controls.ts";
import { focusCell, focusRow, onLeaving } from "./focus.ts";
import type { NewRow } from "./new-row.ts";

/** What the table draws from, and what it can do. */
interface EnvPage extends Pick<FormPage<"env">, "words" | "touch" | "problemsOf"> {
  /** Docker flags. */
  readonly env: string;
  /** `newRow`: added by this change, and about to be filled in. */
  readonly setEnv: (env: string, newRow?: NewRow) => void;
  readonly leaveRow: () => void;
  /** What gives a row back that came with something else, which has it whether or not it's in the table. */
  readonly restoring?: (row: EnvRow) => ((table: EnvTable, at: number) => EnvTable) | "unchanged" | undefined;
}

export function renderEnvTable(page: EnvPage, aside: Html = nothing): Html {
  const table = parseEnvTable(page.env);
  const write = (next: EnvTable) => page.setEnv(formatEnvTable(next));
  const add = (entry: EnvEntry) => {
    page.setEnv(formatEnvTable(withNewEntry(table, entry)), { field: "env", row: table.rows.length });
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
  return renderFrame(page, "env", control, aside);
}

function rowsTable(page: EnvPage, table: EnvTable, write: (next: EnvTable) => void): Html {
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

function tableRow(page: EnvPage, table: EnvTable, row: EnvRow, at: number, write: (next: EnvTable) => void): Html {
  const problems = page.problemsOf("env", at);
  const set = (entry: EnvEntry) => write(withEntry(table, at, entry));
  const remove = renderLastCell(page, table, at, write);
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
        placeholder: isPort ? t("host port") : t("NAME"),
      },
    ),
    renderCell(
      isPort ? t("Container port of row {0}", at + 1) : t("Value of row {0}", at + 1),
      right,
      (text) => both(left, text),
      done,
      problems,
      {
        placeholder: isPort ? t("container port") : t("value"),
      },
    ),
  );
}

/** What came with something else can be given back its value, and not be removed. */
function renderLastCell(page: EnvPage, table: EnvTable, at: number, write: (next: EnvTable) => void): Html {
  const row = table.rows[at];
  const restore = row && page.restoring?.(row);
  if (restore === "unchanged") return nothing;
  if (restore === undefined)
    return renderRemoveButton(page, t("Remove row {0}", at + 1), () => write(withoutRow(table, at)));
  const label = t("Reset row {0}", at + 1);
  return html`<button type="button" class="remove" aria-label=${label} title=${label} @click=${() => write(restore(table, at))}>
    <span aria-hidden="true">↺</span>
  </button>`;
}

function flagString(page: EnvPage): Html {
  const problems = page.problemsOf("env");
  const label = t("As Docker flags");
  return html`<details class="flags">
    <summary>${label}</summary>
    <vscode-textarea
      rows="3"
      resize="vertical"
      monospace
      .label=${label}
      .value=${page.env}
      ?invalid=${isInvalid(problems)}
      data-about=${describeControl({ label, help: t("The same variables and ports as the table. Text that isn't recognized is kept unchanged.") }, problems)}
      @input=${(event: Event) => page.setEnv(readTyped(event))}
      @focusout=${() => page.touch("env")}
    ></vscode-textarea>
    <div class="help">${t("The same variables and ports as the table. Text that isn't recognized is kept unchanged.")}</div>
  </details>`;
}
