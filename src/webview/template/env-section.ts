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
import { plain, t } from "../../lib/text.ts";
import {
  about,
  cell,
  framed,
  type Html,
  isInvalid,
  type Page,
  problemLine,
  problemsOf,
  removeButton,
  typedIn,
} from "./controls.ts";

export function envTable(page: Page): Html {
  const table = parseEnvTable(page.model.form.env);
  const write = (next: EnvTable) => page.set({ env: formatEnvTable(next) });
  const add = (entry: EnvEntry) => {
    write(withNewEntry(table, entry));
    focusRow(table.rows.length);
  };
  const control = html`
    ${table.rows.length === 0 ? nothing : rowsTable(page, table, write)}
    <div class="line">
      <vscode-button secondary @click=${() => add({ kind: "variable", name: "", value: "" })}>${t("Add Variable")}</vscode-button>
      <vscode-button secondary @click=${() => add({ kind: "port", host: "", container: "" })}>${t("Add Port")}</vscode-button>
    </div>
    ${flagString(page)}
  `;
  return framed(page, "env", control);
}

/** Moves the cursor into a row that is about to be drawn. */
function focusRow(at: number): void {
  requestAnimationFrame(() => {
    document
      .querySelectorAll<HTMLElement>("#field-env tbody tr:not(.said)")
      [at]?.querySelector<HTMLElement>("vscode-textfield")
      ?.focus();
  });
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
  const problems = problemsOf(page, "env", at);
  const set = (entry: EnvEntry) => write(withEntry(table, at, entry));
  const remove = removeButton(t("Remove row {0}", at + 1), () => write(withoutRow(table, at)));
  const done = () => page.touch("env");
  const said = problems.map(
    (problem) => html`<tr class="said"><td></td><td colspan="3">${problemLine(page, problem)}</td></tr>`,
  );
  const cells = (kind: string, first: Html, second: Html) =>
    html`<tr><td class="kind">${kind}</td><td>${first}</td><td>${second}</td><td>${remove}</td></tr>${said}`;
  if (row.kind === "raw")
    return html`<tr><td class="kind">${t("Other")}</td><td colspan="2"><code>${plain(row.source, 200)}</code></td><td>${remove}</td></tr>${said}`;
  if (row.kind === "option") {
    const value = cell(
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
  const both = (first: string, second: string) => set(isPort ? port(first, second) : variable(first, second));
  return cells(
    isPort ? t("Port") : t("Variable"),
    cell(
      isPort ? t("Host port of row {0}", at + 1) : t("Name of row {0}", at + 1),
      left,
      (text) => both(text, right),
      done,
      problems,
      {
        placeholder: isPort ? "8080" : t("NAME"),
      },
    ),
    cell(
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

/** `A=b` typed or pasted as a name is split into name and value. */
function variable(name: string, value: string): EnvEntry {
  const at = name.indexOf("=");
  return at < 0
    ? { kind: "variable", name, value }
    : { kind: "variable", name: name.slice(0, at), value: name.slice(at + 1) + value };
}

/** `8080:80` typed or pasted as the host port is split into both ports. */
function port(host: string, container: string): EnvEntry {
  const at = host.indexOf(":");
  return at < 0
    ? { kind: "port", host, container }
    : { kind: "port", host: host.slice(0, at), container: host.slice(at + 1) + container };
}

function flagString(page: Page): Html {
  const problems = problemsOf(page, "env");
  const label = t("As docker flags");
  return html`<details class="flags">
    <summary>${label}</summary>
    <vscode-textarea
      rows="3"
      resize="vertical"
      monospace
      .label=${label}
      .value=${page.model.form.env}
      ?invalid=${isInvalid(problems)}
      data-about=${about({ label, help: t("The same as the table; what is written here and not understood is kept as it is.") }, problems)}
      @input=${(event: Event) => page.set({ env: typedIn(event) })}
      @focusout=${() => page.touch("env")}
    ></vscode-textarea>
    <div class="help">${t("The same as the table; what is written here and not understood is kept as it is.")}</div>
  </details>`;
}
