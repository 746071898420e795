// The page for a launch's configuration: draws the form, reports every change to the host, and goes on to the summary.
import { html, nothing, render } from "lit";
import * as z from "zod";
import type { LaunchField, LaunchForm } from "../../domain/launch/launch-form.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { type LaunchPage, launchPage } from "../../protocol/launch-page.ts";
import type { Html, ShownProblem, Words } from "../kit/controls.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { DraftTimer } from "../kit/draft-timer.ts";
import { describeControls, focusField, lookAt } from "../kit/focus.ts";
import { Failure, Host } from "../kit/host.ts";
import { type ProblemLine, renderProblems } from "../kit/problem-banner.ts";
import { Redraw } from "../kit/redraw.ts";
import type { LaunchFormPage } from "./form-page.ts";
import {
  isKnownField,
  type LaunchModel,
  listLaunchErrors,
  listShownLaunchProblems,
  updateLaunchModel,
} from "./model.ts";
import { listLaunchSections } from "./sections.ts";
import { getLaunchWords } from "./words.ts";

class LaunchEditor {
  readonly #redraw = new Redraw(() => {
    if (this.#model && this.#words) this.#drawNow(this.#model, this.#words);
  });
  readonly #host = new Host<LaunchPage, never>(launchPage, z.never(), () => {});
  readonly #typing = new DraftTimer(() => void this.#sendForm());
  readonly #root: HTMLElement;
  #model: LaunchModel | undefined;
  #words: Readonly<Record<LaunchField, Words>> | undefined;
  #sections: ReturnType<typeof listLaunchSections> = [];

  constructor(root: HTMLElement) {
    this.#root = root;
    root.classList.add("launch");
    window.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
  }

  async open(): Promise<void> {
    const { state, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary);
    this.#words = getLaunchWords();
    this.#sections = listLaunchSections(state.context);
    this.#model = updateLaunchModel(undefined, { state, form: state.form });
    this.#redraw.plan();
    await this.#sendForm();
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => focusField(state.focus));
  }

  #change(given: Partial<Parameters<typeof updateLaunchModel>[1]>): void {
    if (!this.#model) return;
    this.#model = updateLaunchModel(this.#model, { state: this.#model.state, form: this.#model.form, ...given });
    this.#redraw.plan();
  }

  #drawNow(model: LaunchModel, words: LaunchFormPage["words"]): void {
    const page: LaunchFormPage = {
      model,
      words,
      textOf: (field) => model.form[field],
      type: (field, text) => this.#set({ [field]: text }),
      set: (changes, newRow) => this.#set(changes, newRow),
      leaveRow: () => this.#leaveRow(),
      touch: (field) => this.#touch(field),
      problemsOf: (field, row) => this.#problemsAt(model, field, row),
      chooseTag: () => void this.#chooseTag(),
      chooseVolume: () => void this.#chooseVolume(),
    };
    const form = this.#sections.map(
      ({ id, title, draw }) => html`<section id="section-${id}" aria-labelledby="title-${id}">
        <h2 id="title-${id}">${title}</h2>
        ${draw(page)}
      </section>`,
    );
    render(
      html`${this.#bar(model)}${summary(page)}${restoredBanner(model)}
        <div class="body">${this.#navigation(model)}<main>${form}</main>${request(model)}</div>`,
      this.#root,
    );
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => describeControls(this.#root));
  }

  #bar(model: LaunchModel): Html {
    const { state, busy, own } = model;
    const where = state.machine === undefined ? t("No machine chosen yet") : toPlainText(state.machine, 80);
    return html`<header class="bar">
      <div class="who">
        <h1>${toPlainText(state.title, 80)}</h1>
        <div class="state" role="status">${busy === "review" ? t("Opening the summary…") : `${where} · ${t("Nothing is rented until you confirm.")}`}</div>
      </div>
      <div class="buttons">
        ${
          own.size > 0
            ? html`<vscode-button secondary ?disabled=${busy !== undefined} @click=${() => this.#set(state.context.base)}
                >${t("Reset All")}</vscode-button
              >`
            : nothing
        }
        <vscode-button class="save-as" secondary ?disabled=${busy !== undefined} @click=${() => void this.#send("saveAs")}
          >${t("Save as Template…")}</vscode-button
        >
        <vscode-button class="review" ?disabled=${busy !== undefined} @click=${() => void this.#send("review")}
          >${t("Review")}</vscode-button
        >
      </div>
    </header>`;
  }

  #navigation(model: LaunchModel): Html {
    const errors = listLaunchErrors(model).filter((one) =>
      listShownLaunchProblems(model, one.field, one.row).includes(one),
    );
    const count = (fields: readonly LaunchField[]) => errors.filter(({ field }) => fields.includes(field)).length;
    return html`<nav aria-label=${t("Sections")}>
      <ul class="ways">
        ${this.#sections.map(({ id, title, fields }) => {
          const wrong = count(fields);
          const mark =
            wrong === 0
              ? nothing
              : html`<span class="count error" aria-label=${wrong === 1 ? t("1 error") : t("{0} errors", wrong)}>${wrong}</span>`;
          return html`<li><a href="#section-${id}">${title}${mark}</a></li>`;
        })}
      </ul>
    </nav>`;
  }

  #problemsAt(model: LaunchModel, field: LaunchField, row: number | undefined): readonly ShownProblem[] {
    const own = listShownLaunchProblems(model, field, row).map(
      ({ severity, message, fix }): ShownProblem => ({
        severity,
        message,
        ...(fix ? { fix: { label: fix.label, apply: () => this.#set(fix.changes) } } : {}),
      }),
    );
    const { failure } = model;
    if (failure?.field !== field || row !== undefined) return own;
    return [...own, { severity: "error", message: failure.message }];
  }

  #set(changes: Partial<LaunchForm>, newRow = this.#model?.newRow): void {
    if (!this.#model) return;
    this.#change({ form: { ...this.#model.form, ...changes }, failure: undefined, newRow });
    this.#typing.start();
  }

  #leaveRow(): void {
    if (this.#model?.newRow) this.#change({ newRow: undefined });
  }

  #touch(field: LaunchField): void {
    if (this.#model && !this.#model.touched.has(field))
      this.#change({ touched: new Set([...this.#model.touched, field]) });
  }

  async #sendForm(): Promise<void> {
    if (!this.#model) return;
    const { form } = this.#model;
    const preview = await this.#host.ask("change", form).catch(() => undefined);
    if (preview && this.#model.form === form) this.#change({ preview });
  }

  async #send(what: "review" | "saveAs"): Promise<void> {
    const model = this.#model;
    if (!model || model.busy !== undefined) return;
    if (listLaunchErrors(model).length > 0) {
      this.#change({ tried: true, failure: undefined });
      return lookAt("summary");
    }
    this.#typing.flush();
    await this.#wait(what, () => this.#host.ask(what, model.form));
  }

  async #chooseTag(): Promise<void> {
    const form = this.#model?.form;
    if (!form) return;
    const image = await this.#wait("tags", () => this.#host.ask("tags", form));
    if (image !== undefined) this.#set({ image });
    focusField("image");
  }

  async #chooseVolume(): Promise<void> {
    const kind = this.#model?.form.volume;
    if (kind === undefined || kind === "none") return;
    this.#typing.flush();
    const chosen = await this.#wait("volume", () => this.#host.ask("volume", kind));
    if (chosen !== undefined) this.#set({ volume_id: String(chosen) });
    focusField("volume_id");
  }

  /** Undefined if the host couldn't do it, which is shown. */
  async #wait<T>(busy: LaunchModel["busy"], work: () => Promise<T>): Promise<T | undefined> {
    this.#change({ busy, failure: undefined });
    try {
      const value = await work();
      this.#change({ busy: undefined });
      return value;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const field = error instanceof Failure ? error.field : undefined;
      this.#change({ busy: undefined, failure: { message, field } });
      lookAt("summary");
      return undefined;
    }
  }

  /** Control or Command and Enter goes on from anywhere. */
  #onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "Enter") return;
    event.preventDefault();
    void this.#send("review");
  }
}

function restoredBanner({ state, failure, tried }: LaunchModel): Html {
  if (!state.isRestored || failure !== undefined || tried) return nothing;
  return html`<p class="banner" role="status">${t("Your earlier entries have been restored.")}</p>`;
}

/** The request as it would be sent. */
function request({ preview, read }: LaunchModel): Html {
  const text = preview?.request;
  return html`<aside class="request" aria-label=${t("Request")}>
    <h3>${t("Will Be Sent")}</h3>
    ${
      text === undefined || read.choice === undefined
        ? html`<p class="quiet">${read.choice === undefined ? t("Shown once the form has no errors.") : "…"}</p>`
        : html`<pre tabindex="0">${text}</pre>`
    }
  </aside>`;
}

/** After a failed attempt: all problems at once, each linked to its field. */
function summary({ model, words }: LaunchFormPage): Html {
  const { failure, tried } = model;
  const line = (field: LaunchField | undefined, message: string, row?: number): ProblemLine => ({
    field: field && { id: field, label: words[field].label, row },
    message,
  });
  if (failure) {
    const field = isKnownField(failure.field) ? failure.field : undefined;
    return renderProblems(undefined, [line(field, failure.message)]);
  }
  const errors = listLaunchErrors(model);
  if (!tried || errors.length === 0) return nothing;
  return renderProblems(
    t("Nothing was sent yet:"),
    errors.map(({ field, message, row }) => line(field, message, row)),
  );
}

export function openLaunchPage(root: HTMLElement): void {
  void new LaunchEditor(root).open();
}
