// One open template: what is stored, what was typed, and what the page asks of the services.
import * as vscode from "vscode";
import { fillSecretValues, missingValues } from "../../../domain/template/env-secrets.ts";
import { keepWording, merge, unsavedFields } from "../../../domain/template/template-changes.ts";
import { formOf, NEW_TEMPLATE, readForm, type TemplateForm } from "../../../domain/template/template-form.ts";
import { readTemplateText, templateText } from "../../../domain/template/template-text.ts";
import { Bag } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { plain, t } from "../../../lib/text.ts";
import { type PageState, templatePage } from "../../../protocol/template-page.ts";
import type { SessionService, SignedIn } from "../../../services/core/session.ts";
import type { OffersService } from "../../../services/offer/offers.ts";
import { type DraftStore, whoseOf } from "../../../services/template/draft-store.ts";
import { refusedField, type Stored, type TemplateSaves } from "../../../services/template/template-saves.ts";
import { confirm } from "../../kit/confirm.ts";
import { answerPage } from "../../kit/page-line.ts";
import { chooseFormTag, type TagQuestion } from "../choose-tag.ts";
import { checkForm } from "./check-form.ts";
import { conflictOf, type Trouble } from "./conflict.ts";
import type { MergeView } from "./merge-view.ts";
import { supply, type Wanted } from "./supply.ts";

export interface PanelServices {
  readonly session: SessionService;
  readonly saves: TemplateSaves;
  readonly drafts: DraftStore;
  readonly offers: OffersService;
  readonly merges: MergeView;
  readonly log: Log;
}

/** A panel's initial state. */
export interface Start {
  /** Identifies the stored draft; no other form has it. */
  readonly key: string;
  /** The draft's first key. */
  readonly root: string;
  /** Undefined for a template that doesn't exist yet. */
  readonly stored: Stored | undefined;
  readonly form: TemplateForm;
  /** Wall clock milliseconds of the last change; undefined if nothing was typed yet. */
  readonly at?: number | undefined;
  /** Secret variables with values that couldn't be kept. */
  readonly withheld?: readonly string[] | undefined;
  readonly notice: string | undefined;
}

const EMPTY = formOf(NEW_TEMPLATE);

export class TemplatePanel {
  readonly panel: vscode.WebviewPanel;
  readonly #services: PanelServices;
  readonly account: SignedIn;
  readonly #bag = new Bag();
  readonly #closed = new Emitter<void>();
  readonly onDidClose = this.#closed.event;
  readonly key: string;
  readonly #root: string;
  /** Wall clock milliseconds of the last change typed here. */
  #changedAt: number;
  #stored: Stored | undefined;
  #form: TemplateForm;
  #trouble: Trouble | undefined;
  #notice: string | undefined;
  #secret = false;
  #withheld: readonly string[];
  #saving = false;

  constructor(panel: vscode.WebviewPanel, html: string, account: SignedIn, start: Start, services: PanelServices) {
    this.panel = panel;
    this.#services = services;
    this.account = account;
    this.key = start.key;
    this.#root = start.root;
    this.#changedAt = start.at ?? Date.now();
    this.#withheld = start.withheld ?? [];
    this.#stored = start.stored;
    this.#form = start.form;
    this.#notice = start.notice;
    const [{ webview }, { log }, answers] = [panel, services, this.#answers()];
    this.#bag.add(answerPage({ webview, contract: templatePage, answers, fieldOf: refusedField, log }));
    this.#bag.add(services.saves.onDidSave(({ from, stored }) => from === this.#stored?.hash && this.seen(stored)));
    panel.onDidDispose(() => {
      this.#bag.dispose();
      // Another window may have taken over the draft since the last change.
      if (this.unsaved) void this.#storeDraft();
      void services.merges.forget(this.key);
      this.#closed.fire();
    });
    this.#nameTab();
    panel.webview.html = html;
  }

  get stored(): Stored | undefined {
    return this.#stored;
  }

  get unsaved(): boolean {
    // A template that was deleted elsewhere exists only here.
    return this.#secret || this.#trouble?.kind === "deleted" || unsavedFields(this.#base, this.#form).length > 0;
  }

  get name(): string {
    return plain(this.#form.name, 40) || (this.#stored ? t("Unnamed template") : t("New Template"));
  }

  /** Handles a template that was just read: a form without changes follows it, a form with changes is notified. */
  seen(stored: Stored): void {
    if (this.#saving || this.#stored === undefined) return;
    if (stored.hash === this.#stored.hash) {
      if (this.#withheld.length > 0) this.#fillFrom(stored);
      return;
    }
    if (this.unsaved) this.#trouble = { kind: "changed", theirs: stored };
    else
      this.#settleOn(stored, formOf(stored.draft), t("This template was changed elsewhere. It is shown as it is now."));
    this.#tell(!this.#trouble);
  }

  /** The service has the secret values that couldn't be kept with the draft. */
  #fillFrom(stored: Stored): void {
    this.#stored = stored;
    this.#form = { ...this.#form, env: fillSecretValues(this.#form.env, stored.draft.env) };
    this.#withheld = missingValues(this.#form.env, this.#withheld);
    this.#tell(true);
  }

  /** The template was looked up and no longer exists. */
  gone(): void {
    if (this.#saving || this.#stored === undefined) return;
    this.#trouble = { kind: "deleted" };
    this.#tell(false);
  }

  /** Deletes the stored draft and every copy of it. What was typed is lost. */
  async discard(): Promise<void> {
    const draft = { key: this.key, root: this.#root, whose: whoseOf(this.account), at: Date.now() };
    await this.#services.drafts.discard(this.account.tag, draft);
  }

  /** What the service has, as far as is known. */
  get #held(): Stored | undefined {
    return this.#trouble?.kind === "deleted" ? undefined : this.#stored;
  }

  get #base(): TemplateForm {
    return this.#stored ? formOf(this.#stored.draft) : EMPTY;
  }

  #answers() {
    return {
      open: async () => ({ state: this.#state(), dictionary: vscode.l10n.bundle ?? {} }),
      change: async ({ form, secret }: { form: TemplateForm; secret: boolean }) => {
        this.#form = form;
        this.#secret = secret;
        this.#notice = undefined;
        this.#changedAt = Date.now();
        this.#nameTab();
        await this.#storeDraft();
        return null;
      },
      save: (form: TemplateForm) => this.#save(form),
      revert: () => this.#revert(),
      settle: (how: "compare" | "mine" | "theirs") => this.#settle(how),
      tags: (asked: TagQuestion) => chooseFormTag(this.#services.session, this.account, asked),
      supply: (asked: Wanted) => supply(this.#services.offers, asked),
    };
  }

  #stateNow(): PageState {
    this.#nameTab();
    return this.#state();
  }

  #state(): PageState {
    return {
      ...(this.#stored ? { hash: this.#stored.hash } : {}),
      place: {
        account: this.account.tag,
        key: this.key,
        root: this.#root,
        ...(this.#stored?.id === undefined ? {} : { id: this.#stored.id }),
      },
      base: { ...this.#base, docker_login_pass: "" },
      form: { ...this.#form, docker_login_pass: "" },
      mayHoldPassword: (this.#held?.draft.docker_login_user ?? "") !== "",
      ...(this.#trouble ? { conflict: conflictOf(this.#base, this.#form, this.#trouble) } : {}),
      ...(this.#notice === undefined ? {} : { notice: this.#notice }),
    };
  }

  /** Sends the page a state that it didn't ask for. */
  #tell(replace: boolean): void {
    this.#nameTab();
    void this.panel.webview.postMessage({ news: { state: this.#state(), replace } });
  }

  #nameTab(): void {
    this.panel.title = `${this.unsaved ? "● " : ""}${this.name}`;
  }

  #settleOn(stored: Stored, form: TemplateForm, notice?: string): void {
    this.#stored = stored;
    this.#form = form;
    this.#trouble = undefined;
    this.#notice = notice;
    this.#changedAt = Date.now();
  }

  async #storeDraft(): Promise<void> {
    const { drafts } = this.#services;
    if (!this.unsaved) return await drafts.remove(this.account.tag, this.key);
    const { id, hash } = this.#stored ?? {};
    const base = hash && { id, hash, form: { ...this.#base, docker_login_pass: "" as const } };
    const draft = { key: this.key, root: this.#root, whose: whoseOf(this.account), at: this.#changedAt };
    await drafts.put(this.account.tag, { ...draft, form: this.#form, ...(base ? { base } : {}) });
  }

  async #save(typed: TemplateForm): Promise<PageState> {
    this.#form = { ...typed, docker_login_pass: "" };
    const draft = checkForm(typed, { base: this.#base, isHeld: this.#held !== undefined, withheld: this.#withheld });
    this.#saving = true;
    try {
      const [{ saves }, held] = [this.#services, this.#held];
      const outcome = held ? await saves.edit(this.account, held, draft) : await saves.create(this.account, draft);
      if (outcome.kind === "saved") this.#saved(outcome.stored, outcome.existing, typed);
      else this.#trouble = outcome;
    } finally {
      this.#saving = false;
      this.#nameTab();
    }
    await this.#storeDraft();
    return this.#state();
  }

  /** What was typed during the save stays, on top of what is stored now. */
  #saved(stored: Stored, existing: boolean, typed: TemplateForm): void {
    const known = t(
      "A template with exactly this content existed already, number {0}. Nothing was added; this is it.",
      stored.id ?? "?",
    );
    const sent = { ...typed, docker_login_pass: "" };
    this.#settleOn(stored, merge(sent, this.#form, formOf(stored.draft)).merged, existing ? known : undefined);
    this.#secret = false;
  }

  async #revert(): Promise<PageState | undefined> {
    const sure = await confirm({
      message: t("Discard the unsaved changes to “{0}”?", this.name),
      detail: t("This can't be undone."),
      go: t("Discard Changes"),
    });
    if (!sure) return undefined;
    await this.discard();
    this.#secret = false;
    const trouble = this.#trouble;
    const now = trouble?.kind === "changed" ? trouble.theirs : this.#stored;
    if (now) this.#settleOn(now, formOf(now.draft));
    else [this.#form, this.#notice] = [EMPTY, undefined];
    if (trouble?.kind === "deleted") this.#trouble = trouble;
    return this.#stateNow();
  }

  async #settle(how: "compare" | "mine" | "theirs"): Promise<PageState | undefined> {
    if (this.#trouble?.kind !== "changed" || !this.#stored) return this.#state();
    const { theirs } = this.#trouble;
    if (how === "theirs") return await this.#revert();
    if (how === "compare") {
      await this.#compare(this.#stored, theirs);
      return undefined;
    }
    const { merged } = merge(this.#base, this.#form, formOf(theirs.draft));
    this.#settleOn(theirs, merged, t("Your changes stand on top of theirs now. Look through them, then save."));
    await this.#storeDraft();
    return this.#stateNow();
  }

  async #compare(stored: Stored, theirs: Stored): Promise<void> {
    const mine = readForm(this.#form).draft;
    await this.#services.merges.show({
      key: this.key,
      name: "template.json",
      base: templateText(stored.draft),
      mine: templateText(mine),
      theirs: templateText(theirs.draft),
      merged: (text) => {
        const draft = readTemplateText(text);
        const form = keepWording(this.#form, mine, formOf(draft), draft);
        this.#settleOn(theirs, form, t("The merged version is in the form. Look through it, then save."));
        void this.#storeDraft();
        this.#tell(true);
        this.panel.reveal();
      },
    });
  }
}
