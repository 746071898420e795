// The template editor's page: draws the form, reports every change to the host, and asks it for what only the host can
// do.
import { html, render } from "lit";
import * as z from "zod";
import { changedFields, merge } from "../../domain/template/template-changes.ts";
import type { TemplateField, TemplateForm } from "../../domain/template/template-form.ts";
import { setTranslator, t } from "../../lib/text.ts";
import {
  type PageState,
  PageUpdate,
  type TabState,
  type TemplatePage,
  templatePage,
} from "../../protocol/template-page.ts";
import { Failure, Host } from "../kit/host.ts";
import { describeControls, focusField, type Page } from "./controls.ts";
import { bar, notices, ways } from "./frame.ts";
import { errors, isCountable, type Model, maySave, next } from "./model.ts";
import { type Section, sections } from "./sections.ts";
import { wordsOfFields } from "./words.ts";

// The page's policy forbids making code from text, which zod would otherwise try.
z.config({ jitless: true });

/**
 * Milliseconds: how long typed text may wait before it is stored as a draft, and how long typing must pause before
 * machines are counted again.
 */
const SEND_DRAFT_WITHIN = 300;
const COUNT_AFTER = 700;

class TemplateEditor {
  readonly #host = new Host<TemplatePage, PageUpdate>(templatePage, PageUpdate, (update) => this.#receive(update));
  readonly #root: HTMLElement;
  #model: Model | undefined;
  /** The form as the host last received it. Any difference was typed since. */
  #hostForm: TemplateForm | undefined;
  #words: Page["words"] | undefined;
  #sections: readonly Section[] = [];
  #draftTimer: number | undefined;
  #counting: number | undefined;
  /** The filters and disk that the current count is for, as one text. Undefined while they can't be read. */
  #counted: string | undefined;
  #drawing = false;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
    // A tab is closed by a key that the editor sees after this page does, by a command that took the focus, or by a
    // click, for which the mouse leaves the page first. Once the tab is closing, messages from the page no longer
    // arrive.
    window.addEventListener("blur", () => this.#sendDraft());
    document.documentElement.addEventListener("pointerleave", () => this.#sendDraft());
    document.addEventListener("visibilitychange", () => this.#sendDraft());
    window.addEventListener("pagehide", () => this.#sendDraft());
  }

  async open(): Promise<void> {
    const { state, dictionary } = await this.#host.ask("open", null);
    const known = new Map(Object.entries(dictionary));
    setTranslator((message) => known.get(message) ?? message);
    this.#words = wordsOfFields();
    this.#sections = sections();
    this.#hostForm = state.form;
    this.#become({ state, form: state.form });
  }

  /** Keeps what was typed since the host last received the form, and the password, which it never receives. */
  #receive({ state, replace }: PageUpdate): void {
    const typed = this.#model?.form;
    if (!typed) return;
    if (!replace) {
      this.#become({ state, form: typed });
      return;
    }
    const { merged } = merge(this.#hostForm ?? typed, { ...typed, docker_login_pass: "" }, state.form);
    this.#hostForm = state.form;
    this.#become({ state, form: { ...merged, docker_login_pass: typed.docker_login_pass } });
    if (changedFields(state.form, merged).length > 0) this.#set({});
  }

  #become(given: Parameters<typeof next>[1]): void {
    this.#model = next(this.#model, given);
    this.#host.keep(keptOf(this.#model));
    this.#draw();
    this.#count();
  }

  #change(given: Partial<Parameters<typeof next>[1]>): void {
    if (this.#model) this.#become({ state: this.#model.state, form: this.#model.form, ...given });
  }

  /** Draws a moment later: if drawing moves the focus, an immediate redraw would start in the middle of another. */
  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    queueMicrotask(() => {
      this.#drawing = false;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    if (!this.#model || !this.#words) return;
    const page: Page = {
      model: this.#model,
      words: this.#words,
      set: (changes) => this.#set(changes),
      touch: (field) => this.#touch(field),
      save: () => void this.#save(),
      revert: () => void this.#state("settling", () => this.#host.ask("revert", null)),
      settle: (how) => void this.#state("settling", () => this.#host.ask("settle", how), how === "mine"),
      chooseTag: () => void this.#chooseTag(),
    };
    const form = this.#sections.map(
      (section) => html`<section id="section-${section.id}" aria-labelledby="title-${section.id}">
        <h2 id="title-${section.id}">${section.title}</h2>
        ${section.draw(page)}
      </section>`,
    );
    render(
      html`${bar(page)}${notices(page)}<div class="body">${ways(page, this.#sections)}<main>${form}</main></div>`,
      this.#root,
    );
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => describeControls(this.#root));
  }

  #set(changes: Partial<TemplateForm>): void {
    if (!this.#model) return;
    this.#change({ form: { ...this.#model.form, ...changes }, failure: undefined });
    this.#draftTimer ??= window.setTimeout(() => this.#sendDraft(), SEND_DRAFT_WITHIN);
  }

  #touch(field: TemplateField): void {
    if (this.#model && !this.#model.touched.has(field))
      this.#change({ touched: new Set([...this.#model.touched, field]) });
  }

  /** Sends the typed text to the host, without the password. */
  #sendDraft(): void {
    if (this.#draftTimer === undefined || !this.#model) return;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
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
    this.#sendDraft();
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
    const { merged: form } = merge(before, this.#model.form, { ...state.form, docker_login_pass });
    this.#become({ state, form, busy: undefined, failure: undefined, tried: false, touched: new Set() });
    if (changedFields(state.form, form).length > 0) this.#set({});
    if (state.conflict) this.#lookAt("conflict");
  }

  async #save(): Promise<void> {
    const model = this.#model;
    if (!model || model.busy !== undefined || !maySave(model)) return;
    if (errors(model).length > 0) {
      this.#change({ tried: true, failure: undefined });
      return this.#lookAt("summary");
    }
    await this.#state("saving", () => this.#host.ask("save", model.form));
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
    }
  }

  #fail(of: Model["busy"], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const field = error instanceof Failure ? error.field : undefined;
    this.#change({ busy: undefined, failure: { of, message, field } });
    this.#lookAt("summary");
  }

  /** Scrolls to the part that was just drawn and focuses it. */
  #lookAt(id: "summary" | "conflict"): void {
    queueMicrotask(() => {
      const shown = document.getElementById(id);
      shown?.scrollIntoView({ block: "center" });
      shown?.focus();
    });
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
    if (event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key)) this.#sendDraft();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    void this.#save();
  }
}

function keptOf({ state }: Model): TabState {
  return { ...state.place, ...(state.hash === undefined ? {} : { hash: state.hash }) };
}

const root = document.getElementById("root");
if (root) void new TemplateEditor(root).open();
