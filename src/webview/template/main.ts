// The template editor's page: draws the form, reports every change to the host, and asks it for what only the host can
// do.
import { html, render } from "lit";
import { listChangedFields, mergeChanges } from "../../domain/template/template-changes.ts";
import type { TemplateField, TemplateForm } from "../../domain/template/template-form.ts";
import { t } from "../../lib/text.ts";
import {
  type PageAction,
  type PageState,
  PageUpdate,
  type TabState,
  type TemplatePage,
  templatePage,
} from "../../protocol/template-page.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { DraftTimer } from "../kit/draft-timer.ts";
import { describeControls, focusField, lookAt } from "../kit/focus.ts";
import { Failure, Host } from "../kit/host.ts";
import { Redraw } from "../kit/redraw.ts";
import { listPlacedProblems, type Page } from "./controls.ts";
import { findCurrentSection } from "./current-section.ts";
import { renderBar, renderNavigation, renderNotices } from "./frame.ts";
import { isCountable, isNew, listErrors, type Model, maySave, updateTemplateModel } from "./model.ts";
import { listSections, type Section } from "./sections.ts";
import { getFieldWords } from "./words.ts";

/** Milliseconds that typing must pause before machines are counted again. */
const COUNT_AFTER = 700;

class TemplateEditor {
  readonly #redraw = new Redraw(() => this.#drawNow());
  readonly #host = new Host<TemplatePage, PageUpdate>(templatePage, PageUpdate, (update) => this.#receive(update));
  readonly #root: HTMLElement;
  #model: Model | undefined;
  /** The form as the host last received it. Any difference was typed since. */
  #hostForm: TemplateForm | undefined;
  #words: Page["words"] | undefined;
  #sections: readonly Section[] = [];
  readonly #typing = new DraftTimer(() => this.#sendDraft());
  #counting: number | undefined;
  /** The filters and disk that the current count is for, as one text. Undefined while they can't be read. */
  #counted: string | undefined;
  /** The section that is being read. */
  #current: string | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
    window.addEventListener("scroll", () => this.#followReading(), { passive: true });
  }

  async open(): Promise<void> {
    const { state, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary);
    this.#words = getFieldWords();
    this.#sections = listSections();
    this.#hostForm = state.form;
    this.#become({ state, form: state.form });
    // An empty form waits for its name. The controls draw themselves a moment later.
    if (state.hash === undefined && this.#model?.changed.length === 0) requestAnimationFrame(() => focusField("name"));
  }

  /** Keeps what was typed since the host last received the form, and the password, which it never receives. */
  #receive({ state, replace }: PageUpdate): void {
    const typed = this.#model?.form;
    if (!typed) return;
    if (!replace) {
      this.#become({ state, form: typed });
      return;
    }
    const { merged } = mergeChanges(this.#hostForm ?? typed, { ...typed, docker_login_pass: "" }, state.form);
    this.#hostForm = state.form;
    this.#become({ state, form: { ...merged, docker_login_pass: typed.docker_login_pass } });
    if (listChangedFields(state.form, merged).length > 0) this.#set({});
  }

  #become(given: Parameters<typeof updateTemplateModel>[1]): void {
    this.#model = updateTemplateModel(this.#model, given);
    this.#host.keep(keptOf(this.#model));
    this.#redraw.plan();
    this.#count();
  }

  #change(given: Partial<Parameters<typeof updateTemplateModel>[1]>): void {
    if (this.#model) this.#become({ state: this.#model.state, form: this.#model.form, ...given });
  }

  #drawNow(): void {
    const model = this.#model;
    if (!model || !this.#words) return;
    const page: Page = {
      model,
      words: this.#words,
      set: (changes, newRow) => this.#set(changes, newRow),
      leaveRow: () => this.#leaveRow(),
      typeFilter: (typedFilter) => this.#change({ typedFilter }),
      touch: (field) => this.#touch(field),
      textOf: (field) => model.form[field],
      type: (field, text) => this.#set({ [field]: text }),
      problemsOf: (field, row) => listPlacedProblems(model, (changes) => this.#set(changes), field, row),
      save: () => void this.#save(),
      revert: () => void this.#state("settling", () => this.#host.ask("revert", null)),
      settle: (how) => void this.#state("settling", () => this.#host.ask("settle", how), how === "mine"),
      chooseTag: () => void this.#chooseTag(),
      launch: () => void this.#launch(),
      act: (action) => void this.#act(action),
    };
    const form = this.#sections.map(
      (section) => html`<section id="section-${section.id}" aria-labelledby="title-${section.id}">
        <h2 id="title-${section.id}">${section.title}</h2>
        ${section.draw(page)}
      </section>`,
    );
    render(
      html`${renderBar(page)}${renderNotices(page)}<div class="body">${renderNavigation(page, this.#sections, this.#current)}<main>${form}</main></div>`,
      this.#root,
    );
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => describeControls(this.#root));
    this.#followReading();
  }

  #followReading(): void {
    const current = findCurrentSection(this.#sections.map(({ id }) => id));
    if (current === this.#current) return;
    this.#current = current;
    this.#redraw.plan();
  }

  #set(changes: Partial<TemplateForm>, newRow = this.#model?.newRow): void {
    if (!this.#model) return;
    this.#change({ form: { ...this.#model.form, ...changes }, failure: undefined, newRow });
    this.#typing.start();
  }

  #leaveRow(): void {
    if (this.#model?.newRow) this.#change({ newRow: undefined });
  }

  #touch(field: TemplateField): void {
    // The name has the focus of an empty form: leaving it is no mistake, and what is said at it would move whatever is
    // being clicked.
    if (this.#model && isNew(this.#model) && this.#model.changed.length === 0) return;
    if (this.#model && !this.#model.touched.has(field))
      this.#change({ touched: new Set([...this.#model.touched, field]) });
  }

  /** Sends the typed text to the host, without the password. */
  #sendDraft(): void {
    if (!this.#model) return;
    const { form } = this.#model;
    const secret = form.docker_login_pass !== "";
    const told = { ...form, docker_login_pass: "" as const };
    const noteSent = () => {
      this.#hostForm = told;
    };
    void this.#host.ask("change", { form: told, secret }).then(noteSent, () => {});
  }

  /** Runs a request that returns a new state from the host, or none. */
  async #state(busy: Model["busy"], ask: () => Promise<PageState | undefined>, keepsPassword = false): Promise<void> {
    this.#typing.flush();
    this.#change({ busy, failure: undefined });
    const before = this.#model?.form;
    try {
      const state = await ask();
      if (state && before) this.#take(state, before, keepsPassword || state.conflict !== undefined);
      else this.#change({ busy: undefined });
    } catch (error) {
      this.#fail(busy, error);
    }
  }

  /** Applies a response to the form as it was `before`. Text typed while the request was running stays. */
  #take(state: PageState, before: TemplateForm, keepsPassword: boolean): void {
    if (!this.#model) return;
    this.#hostForm = state.form;
    // After a save or a revert, the typed password is no longer needed.
    const docker_login_pass = keepsPassword ? before.docker_login_pass : "";
    const { merged: form } = mergeChanges(before, this.#model.form, { ...state.form, docker_login_pass });
    this.#become({
      state,
      form,
      busy: undefined,
      failure: undefined,
      tried: false,
      typedFilter: undefined,
      touched: new Set(),
    });
    if (listChangedFields(state.form, form).length > 0) this.#set({});
    if (state.conflict) lookAt("conflict");
  }

  async #save(): Promise<void> {
    const model = this.#model;
    if (!model || model.busy !== undefined || !maySave(model)) return;
    if (listErrors(model).length > 0) {
      this.#change({ tried: true, failure: undefined });
      return lookAt("summary");
    }
    await this.#state("saving", () => this.#host.ask("save", model.form));
  }

  /** Launches the template as it is stored, which asks everything. What couldn't be saved isn't launched. */
  async #launch(): Promise<void> {
    await this.#save();
    const model = this.#model;
    const isSaved = model && !maySave(model) && model.state.conflict === undefined && model.failure === undefined;
    if (isSaved && model.busy === undefined) await this.#act("launch");
  }

  async #act(action: PageAction): Promise<void> {
    this.#typing.flush();
    try {
      await this.#host.ask("act", action);
    } catch (error) {
      this.#fail("settling", error);
    }
  }

  async #chooseTag(): Promise<void> {
    const model = this.#model;
    if (!model) return;
    const { image, tag, docker_login_repo, docker_login_user, docker_login_pass } = model.form;
    this.#change({ busy: "tags", failure: undefined });
    try {
      const chosen = await this.#host.ask("tags", {
        image,
        tag,
        docker_login_repo,
        docker_login_user,
        docker_login_pass,
      });
      this.#change({ busy: undefined });
      if (chosen !== undefined) this.#set({ tag: chosen });
      focusField("tag");
    } catch (error) {
      this.#fail("tags", error);
      const field = error instanceof Failure ? error.field : undefined;
      if (field?.startsWith("docker_login")) requestAnimationFrame(() => focusField(field));
    }
  }

  #fail(of: Model["busy"], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const field = error instanceof Failure ? error.field : undefined;
    this.#change({ busy: undefined, failure: { of, message, field } });
    lookAt("summary");
  }

  /** Counts machines again if filters or disk differ from the last count. */
  #count(): void {
    const model = this.#model;
    if (!model) return;
    const { extra_filters: filters, recommended_disk_space: diskGb } = model.read.draft;
    const question = isCountable(model) ? JSON.stringify([filters, diskGb]) : undefined;
    if (question === this.#counted) return;
    this.#counted = question;
    clearTimeout(this.#counting);
    if (model.supply !== undefined) this.#change({ supply: undefined });
    if (question === undefined) return;
    this.#counting = window.setTimeout(async () => {
      const latest = () => this.#counted === question;
      try {
        const supply = await this.#host.ask("supply", { filters, diskGb });
        if (latest()) this.#change({ supply });
      } catch (error) {
        if (latest()) this.#change({ supply: { failed: error instanceof Error ? error.message : t("Unknown.") } });
      }
    }, COUNT_AFTER);
  }

  #onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    void this.#save();
  }
}

function keptOf({ state }: Model): TabState {
  return { ...state.place, ...(state.hash === undefined ? {} : { hash: state.hash }) };
}

export function openTemplatePage(root: HTMLElement): void {
  void new TemplateEditor(root).open();
}
