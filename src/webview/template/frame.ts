// The parts around the form: the bar with name, state and buttons, the links to the sections, conflicts and errors.

import { html, nothing } from "lit";
import { displayName } from "../../domain/template/template.ts";
import type { TemplateField } from "../../domain/template/template-form.ts";
import { plain, t } from "../../lib/text.ts";
import { focusField, type Html, type Page } from "./controls.ts";
import { errors, isNew, isUnsaved, type Model, maySave, shown } from "./model.ts";
import type { Section } from "./sections.ts";

/** Up to this many fields are listed by name; more would no longer read as a status. */
const NAMED = 4;

function names(page: Page, fields: readonly TemplateField[]): string {
  const all = fields.map((field) => page.words[field].label);
  if (all.length <= NAMED) return all.join(", ");
  return t("{0} and {1} more", all.slice(0, NAMED - 1).join(", "), all.length - NAMED + 1);
}

/** One line about the state of the form. */
export function stateText(page: Page): string {
  const { model } = page;
  if (model.busy === "saving") return t("Saving…");
  const { conflict } = model.state;
  if (conflict)
    return conflict.kind === "deleted"
      ? t("Deleted elsewhere")
      : t("Changed elsewhere, and by you: {0}", names(page, model.changed));
  if (isUnsaved(model)) return t("Unsaved changes: {0}", names(page, model.changed));
  if (model.state.hash === undefined) return t("Not created yet");
  return t("Saved · hash {0}", model.state.hash.slice(0, 8));
}

function chooseSaveLabel(model: Model): string {
  if (model.state.conflict?.kind === "deleted") return t("Create Anew");
  return isNew(model) ? t("Create") : t("Save");
}

export function bar(page: Page): Html {
  const { model } = page;
  const name = isNew(model) ? plain(model.form.name, 80) || t("New Template") : displayName(model.form.name, 80);
  const unsaved = isUnsaved(model);
  const busy = model.busy === "saving" || model.busy === "settling";
  const disabled = busy || !maySave(model);
  return html`<header class="bar">
    <div class="who">
      <h1>${name}</h1>
      <div class="state ${unsaved ? "unsaved" : ""}" role="status">${
        unsaved ? html`<span aria-hidden="true">● </span>` : nothing
      }${stateText(page)}</div>
    </div>
    <div class="buttons">
      ${
        unsaved
          ? html`<vscode-button secondary ?disabled=${busy} @click=${page.revert}>${isNew(model) ? t("Discard") : t("Revert")}</vscode-button>`
          : nothing
      }
      <vscode-button class="save" ?disabled=${disabled} @click=${page.save}>${chooseSaveLabel(model)}</vscode-button>
    </div>
  </header>`;
}

export function notices(page: Page): Html {
  const { model } = page;
  const { notice } = model.state;
  return html`${conflict(page)} ${summary(page)}
  ${notice === undefined ? nothing : html`<p class="banner" role="status">${plain(notice, 300)}</p>`}`;
}

function conflict(page: Page): Html {
  const now = page.model.state.conflict;
  if (now === undefined) return nothing;
  if (now.kind === "deleted")
    return html`<div class="banner warning" role="alert" id="conflict" tabindex="-1">
      <p>${t("This template was deleted elsewhere. What you typed is kept; you can create it anew.")}</p>
    </div>`;
  const busy = page.model.busy !== undefined;
  const both =
    now.both.length > 0
      ? t("Changed by you as well: {0}.", names(page, now.both))
      : t("None of them is one you changed.");
  return html`<div class="banner warning" role="alert" id="conflict" tabindex="-1">
    <p>${t("This template was changed elsewhere: {0}.", names(page, now.fields))} ${both} ${t("Nothing was overwritten, and what you typed is kept. A merge is taken over by the ✓ above it.")}</p>
    <div class="line">
      <vscode-button ?disabled=${busy} @click=${() => page.settle("compare")}>${t("Compare and Merge…")}</vscode-button>
      <vscode-button secondary ?disabled=${busy} @click=${() => page.settle("mine")}>${t("Keep My Changes on Top")}</vscode-button>
      <vscode-button secondary ?disabled=${busy} @click=${() => page.settle("theirs")}>${t("Take Theirs…")}</vscode-button>
    </div>
  </div>`;
}

/**
 * After a failed attempt: the problems, each linked to its field. Says "save failed" only if saving was what failed.
 */
function summary(page: Page): Html {
  const { model } = page;
  const { failure } = model;
  const saving = failure === undefined || failure.of === "saving";
  const wrong = model.tried && saving ? errors(model) : [];
  if (wrong.length === 0 && failure === undefined) return nothing;
  const line = (field: TemplateField, message: string) => html`<li>
    <button type="button" class="link" @click=${() => focusField(field)}>${page.words[field].label}</button>: ${plain(message, 300)}
  </li>`;
  const field = (Object.keys(page.words) as TemplateField[]).find((one) => one === failure?.field);
  const failureLine = (message: string) => (field ? line(field, message) : html`<li>${plain(message, 300)}</li>`);
  return html`<div class="banner error" role="alert" id="summary" tabindex="-1">
    ${saving ? html`<p>${failure === undefined ? t("Not saved yet:") : t("Not saved.")}</p>` : nothing}
    <ul class=${saving ? "wrong" : "wrong alone"}>
      ${failure === undefined ? nothing : failureLine(failure.message)}
      ${wrong.map((problem) => line(problem.field, problem.message))}
    </ul>
  </div>`;
}

/** Links to the sections, each with its number of errors and warnings. */
export function ways(page: Page, all: readonly Section[]): Html {
  return html`<nav aria-label=${t("Sections")}>
    <ul class="ways">
      ${all.map((section) => html`<li><a href="#section-${section.id}">${section.title}${counts(page.model, section)}</a></li>`)}
    </ul>
  </nav>`;
}

function counts(model: Model, section: Section): Html {
  const mine = shown(model).filter(({ field }) => section.fields.includes(field));
  const wrong = mine.filter(({ severity }) => severity === "error").length;
  const odd = mine.filter(({ severity }) => severity === "warning").length;
  if (wrong > 0) return html`<span class="count error" aria-label=${t("{0} errors", wrong)}>${wrong}</span>`;
  return odd > 0 ? html`<span class="count" aria-label=${t("{0} warnings", odd)}>${odd}</span>` : nothing;
}
