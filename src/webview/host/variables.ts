// The variables of background jobs as a table.
import { html, nothing } from "lit";
import type { VariableRow } from "../../domain/host/jobs-form.ts";
import { t } from "../../lib/text.ts";
import { type Html, renderCell, renderFrame, renderProblem, renderRemoveButton, splitAt } from "../kit/controls.ts";
import { focusCell, focusRow, onLeaving } from "../kit/focus.ts";
import type { JobsFormPage } from "./form-page.ts";

export function renderVariablesTable(page: JobsFormPage): Html {
  const { env } = page.model.form;
  const add = () => {
    page.set({ env: [...env, { name: "", value: "" }] }, { field: "env", row: env.length });
    focusRow("env", env.length);
  };
  const table = html`<table class="rows variables">
    <caption class="hidden">${page.words.env.label}</caption>
    <thead>
      <tr>
        <th scope="col">${t("Name")}</th>
        <th scope="col">${t("Value")}</th>
        <td></td>
      </tr>
    </thead>
    <tbody>
      ${env.map((row, at) => variableRow(page, row, at))}
    </tbody>
  </table>`;
  return renderFrame(
    page,
    "env",
    html`${env.length === 0 ? nothing : table}
    <vscode-button secondary @click=${add}>${t("Add Variable")}</vscode-button>`,
  );
}

function variableRow(page: JobsFormPage, row: VariableRow, at: number): Html {
  const { env } = page.model.form;
  const problems = page.problemsOf("env", at);
  const of = (part: "name" | "value") => problems.filter((problem) => problem.part === part);
  const set = (next: VariableRow) => page.set({ env: env.map((old, index) => (index === at ? next : old)) });
  const done = () => page.touch("env");
  const remove = () => page.set({ env: env.filter((_, index) => index !== at) });
  // Whoever types the sign goes on with the value.
  const name = (text: string) => {
    const split = splitAt("=", text, row.value);
    set(split ? { name: split[0], value: split[1] } : { name: text, value: row.value });
    if (split) focusCell("env", at, 1);
  };
  return html`<tr @focusout=${onLeaving(page.leaveRow)}>
      <td>${renderCell(t("Name of row {0}", at + 1), row.name, name, done, of("name"), { placeholder: t("NAME") })}</td>
      <td>${renderCell(t("Value of row {0}", at + 1), row.value, (value) => set({ ...row, value }), done, of("value"))}</td>
      <td>${renderRemoveButton(page, t("Remove row {0}", at + 1), remove)}</td>
    </tr>
    ${problems.map((problem) => html`<tr class="said"><td colspan="3">${renderProblem(problem)}</td></tr>`)}`;
}
