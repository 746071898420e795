// The parts around the form: the bar with name, state and buttons, the links to the sections, conflicts and errors.

import { html, nothing } from "lit";
import { toDisplayName } from "../../domain/template/template.ts";
import type { TemplateField } from "../../domain/template/template-form.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Html } from "../kit/controls.ts";
import { type ProblemLine, renderProblems } from "../kit/problem-banner.ts";
import type { Page } from "./controls.ts";
import { isHeld, isNew, isUnsaved, listErrors, listShown, type Model, maySave } from "./model.ts";
import type { Section } from "./sections.ts";

/** Up to this many fields are listed by name; more would no longer read as a status. */
const NAMED = 4;

function names(page: Page, fields: readonly TemplateField[]): string {
  const all = fields.map((field) => page.words[field].label);
  if (all.length <= NAMED) return all.join(", ");
  return t("{0} and {1} more", all.slice(0, NAMED - 1).join(", "), all.length - NAMED + 1);
}

/** One line about the state of the form. */
function describeFormState(page: Page): string {
  const { model } = page;
  if (model.busy === "saving") return t("Saving…");
  const { conflict } = model.state;
  if (conflict)
    return conflict.kind === "deleted"
      ? t("Deleted elsewhere")
      : t("Changed elsewhere. Your unsaved changes: {0}", names(page, model.changed));
  if (isUnsaved(model)) return t("Unsaved changes: {0}", names(page, model.changed));
  if (model.state.hash === undefined) return t("Not created yet");
  return t("Saved · hash {0}", model.state.hash.slice(0, 8));
}

function chooseSaveLabel(model: Model): string {
  if (model.state.conflict?.kind === "deleted") return t("Create Again");
  return isNew(model) ? t("Create") : t("Save");
}

export function renderBar(page: Page): Html {
  const { model } = page;
  const name = isNew(model)
    ? toPlainText(model.form.name, 80) || t("New Template")
    : toDisplayName(model.form.name, 80);
  const unsaved = isUnsaved(model);
  const busy = model.busy === "saving" || model.busy === "settling";
  const disabled = busy || !maySave(model);
  return html`<header class="bar">
    <div class="who">
      <h1>${name}</h1>
      <div class="state ${unsaved ? "unsaved" : ""}" role="status">${
        unsaved ? html`<span aria-hidden="true">● </span>` : nothing
      }${describeFormState(page)}</div>
    </div>
    <div class="buttons">
      ${
        unsaved
          ? html`<vscode-button secondary ?disabled=${busy} @click=${page.revert}>${isNew(model) ? t("Discard") : t("Revert")}</vscode-button>`
          : nothing
      }
      <vscode-button class="launch" secondary ?disabled=${busy || model.state.conflict !== undefined} @click=${page.launch}
        >${maySave(model) ? t("Save and Launch…") : t("Launch…")}</vscode-button
      >
      <vscode-button class="save" ?disabled=${disabled} @click=${page.save}>${chooseSaveLabel(model)}</vscode-button>
    </div>
    ${isHeld(model) ? actions(page) : nothing}
  </header>`;
}

/** What else can be done with the template as it is stored. */
function actions({ act }: Page): Html {
  return html`<div class="line actions">
    <button type="button" class="link" @click=${() => act("saveToFile")}>${t("Save to File…")}</button>
    <button type="button" class="link" @click=${() => act("previewReadme")}>${t("Preview Readme")}</button>
  </div>`;
}

export function renderNotices(page: Page): Html {
  const { model } = page;
  const { notice } = model.state;
  return html`${conflict(page)} ${summary(page)}
  ${notice === undefined ? nothing : html`<p class="banner" role="status">${toPlainText(notice, 300)}</p>`}`;
}

function conflict(page: Page): Html {
  const now = page.model.state.conflict;
  if (now === undefined) return nothing;
  if (now.kind === "deleted")
    return html`<div class="banner warning" role="alert" id="conflict" tabindex="-1">
      <p>${t("This template was deleted. Your changes are kept, and you can create the template again.")}</p>
    </div>`;
  const busy = page.model.busy !== undefined;
  const both =
    now.both.length > 0
      ? t("You also changed: {0}.", names(page, now.both))
      : t("You didn't change any of these fields.");
  return html`<div class="banner warning" role="alert" id="conflict" tabindex="-1">
    <p>${t("This template was changed elsewhere: {0}.", names(page, now.fields))} ${both} ${t("Nothing was overwritten, and your changes are kept. Choose ✓ above the merge result to use it.")}</p>
    <div class="line">
      <vscode-button ?disabled=${busy} @click=${() => page.settle("compare")}>${t("Compare and Merge…")}</vscode-button>
      <vscode-button secondary ?disabled=${busy} @click=${() => page.settle("mine")}>${t("Apply My Changes on Top")}</vscode-button>
      <vscode-button secondary ?disabled=${busy} @click=${() => page.settle("theirs")}>${t("Use Theirs…")}</vscode-button>
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
  const wrong = model.tried && saving ? listErrors(model) : [];
  if (wrong.length === 0 && failure === undefined) return nothing;
  const line = (field: TemplateField | undefined, message: string): ProblemLine => ({
    field: field && { id: field, label: page.words[field].label },
    message,
  });
  const refused = (Object.keys(page.words) as TemplateField[]).find((one) => one === failure?.field);
  const heading = failure === undefined ? t("Not saved yet:") : t("Not saved.");
  return renderProblems(saving ? heading : undefined, [
    ...(failure === undefined ? [] : [line(refused, failure.message)]),
    ...wrong.map((problem) => line(problem.field, problem.message)),
  ]);
}

/** Links to the sections, each with its number of errors and warnings. `current` is the one that is being read. */
export function renderNavigation(page: Page, all: readonly Section[], current: string | undefined): Html {
  return html`<nav aria-label=${t("Sections")}>
    <ul class="ways">
      ${all.map(
        (section) => html`<li>
          <a href="#section-${section.id}" aria-current=${section.id === current ? "location" : nothing}
            >${section.title}${counts(page.model, section)}</a
          >
        </li>`,
      )}
    </ul>
  </nav>`;
}

const errorsText = (count: number): string => (count === 1 ? t("1 error") : t("{0} errors", count));
const warningsText = (count: number): string => (count === 1 ? t("1 warning") : t("{0} warnings", count));

function counts(model: Model, section: Section): Html {
  const mine = listShown(model).filter(({ field }) => section.fields.includes(field));
  const wrong = mine.filter(({ severity }) => severity === "error").length;
  const odd = mine.filter(({ severity }) => severity === "warning").length;
  if (wrong > 0) return html`<span class="count error" aria-label=${errorsText(wrong)}>${wrong}</span>`;
  return odd > 0 ? html`<span class="count" aria-label=${warningsText(odd)}>${odd}</span>` : nothing;
}
