// What keeps a form from being sent, in one place: after a failed attempt, with a link to each field.
import { html, nothing } from "lit";
import { toPlainText } from "../../lib/text.ts";
import type { Html } from "./controls.ts";
import { focusField, focusRow } from "./focus.ts";

/** `field` is undefined for what isn't about one field; `row` is a row of its table. */
export interface ProblemLine {
  readonly field: { readonly id: string; readonly label: string; readonly row?: number | undefined } | undefined;
  readonly message: string;
}

/** @param heading what wasn't done, if that needs saying. */
export function renderProblems(
  heading: string | undefined,
  lines: readonly ProblemLine[],
  severity: "error" | "warning" = "error",
): Html {
  return html`<div class="banner ${severity}" role="alert" id="summary" tabindex="-1">
    ${heading === undefined ? nothing : html`<p>${heading}</p>`}
    <ul class=${heading === undefined ? "wrong alone" : "wrong"}>
      ${lines.map(({ field, message }) => html`<li>${field ? fieldLink(field) : nothing}${toPlainText(message, 500)}</li>`)}
    </ul>
  </div>`;
}

const fieldLink = ({ id, label, row }: NonNullable<ProblemLine["field"]>): Html => {
  const go = () => (row === undefined ? focusField(id) : focusRow(id, row));
  return html`<button type="button" class="link" @click=${go}>${label}</button>: `;
};
