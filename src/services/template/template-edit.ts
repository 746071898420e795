// One open form of a template: what is stored, what was typed, and what becomes of both when either changes.

import { checkForm } from "../../domain/template/check-form.ts";
import { fillSecretValues, listMissingValues, UNREADABLE } from "../../domain/template/environment/env-secrets.ts";
import { keepWording, listUnsavedFields, mergeChanges } from "../../domain/template/template-changes.ts";
import {
  FIRST_TEMPLATE,
  readForm,
  type TemplateField,
  type TemplateForm,
  toForm,
  type WholeDraft,
} from "../../domain/template/template-form.ts";
import type { EditNotice, FormName } from "../../domain/template/template-messages.ts";
import { formatTemplate, readTemplateText } from "../../domain/template/template-text.ts";
import type { Clock } from "../../lib/clock.ts";
import { Emitter } from "../../lib/event.ts";
import type { SignedIn } from "../core/session.ts";
import { type DraftStore, toDraftOwner } from "./draft-store.ts";
import type { MergingPerson } from "./template-person.ts";
import type { Stored, TemplateSaves } from "./template-saves.ts";

export interface EditServices {
  readonly saves: TemplateSaves;
  readonly drafts: DraftStore;
  readonly clock: Clock;
}

/** An edit's initial state. */
export interface EditStart {
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
  readonly notice: EditNotice | undefined;
}

/**
 * What changed. `title`: at most the name, or whether there are unsaved changes; whoever asked for it has the rest.
 * `state`: something no one asked for, such as a conflict; the form is as it was typed. `form`: the form as well.
 */
export type EditChange = "title" | "state" | "form";

/** Someone else changed or deleted the template. `fields` changed there; `both` changed there and here. */
type EditConflict =
  | { readonly kind: "changed"; readonly fields: TemplateField[]; readonly both: TemplateField[] }
  | { readonly kind: "deleted" };

type Trouble = { readonly kind: "changed"; readonly theirs: Stored } | { readonly kind: "deleted" };

const EMPTY = toForm(FIRST_TEMPLATE);

export class TemplateEdit {
  readonly #services: EditServices;
  /** The account it was opened in. It is never saved in another one. */
  readonly account: SignedIn;
  readonly key: string;
  readonly root: string;
  readonly #changes = new Emitter<EditChange>();
  readonly onDidChange = this.#changes.event;
  readonly #end = new Emitter<void>();
  /** Fires when its account was left, or its template was deleted here: its form closes. */
  readonly onDidEnd = this.#end.event;
  /** Wall clock milliseconds of the last change typed here. */
  #changedAt: number;
  #stored: Stored | undefined;
  #form: TemplateForm;
  #trouble: Trouble | undefined;
  #notice: EditNotice | undefined;
  /** Whether a registry password is typed in the page, which alone has it. */
  #hasPassword = false;
  #withheld: readonly string[];
  #isSaving = false;

  constructor(services: EditServices, account: SignedIn, start: EditStart) {
    this.#services = services;
    this.account = account;
    this.key = start.key;
    this.root = start.root;
    this.#changedAt = start.at ?? services.clock.now();
    this.#withheld = start.withheld ?? [];
    this.#stored = start.stored;
    this.#form = start.form;
    this.#notice = start.notice;
  }

  get stored(): Stored | undefined {
    return this.#stored;
  }

  /** The stored version as a form, which edits are compared with. */
  get base(): TemplateForm {
    return this.#stored ? toForm(this.#stored.draft) : EMPTY;
  }

  get form(): TemplateForm {
    return this.#form;
  }

  get notice(): EditNotice | undefined {
    return this.#notice;
  }

  get conflict(): EditConflict | undefined {
    if (this.#trouble?.kind !== "changed") return this.#trouble;
    const { theirs, both } = mergeChanges(this.base, this.#form, toForm(this.#trouble.theirs.draft));
    return { kind: "changed", fields: [...theirs], both: [...both] };
  }

  get isUnsaved(): boolean {
    // A template that was deleted elsewhere exists only here.
    return (
      this.#hasPassword || this.#trouble?.kind === "deleted" || listUnsavedFields(this.base, this.#form).length > 0
    );
  }

  get title(): FormName {
    return { name: this.#form.name, isStored: this.#stored !== undefined };
  }

  /** Whether the service may have a registry password for this template. */
  get mayHavePassword(): boolean {
    return (this.#existing?.draft.docker_login_user ?? "") !== "";
  }

  /** What the service has, as far as is known. */
  get #existing(): Stored | undefined {
    return this.#trouble?.kind === "deleted" ? undefined : this.#stored;
  }

  /** Takes what was typed and stores it as a draft. `hasPassword`: a registry password is typed as well. */
  async change(form: TemplateForm, hasPassword: boolean): Promise<void> {
    this.#take(form);
    this.#hasPassword = hasPassword;
    this.#notice = undefined;
    this.#changedAt = this.#services.clock.now();
    this.#changes.fire("title");
    await this.#storeDraft();
  }

  /**
   * Saves or creates the template. If someone else changed or deleted it, nothing is sent, and `conflict` says so.
   * @throws AppError; the form is unchanged then. `findRefusedField` names the field it is about, if there is one.
   */
  async save(typed: TemplateForm): Promise<void> {
    this.#take({ ...typed, docker_login_pass: "" });
    const existing = this.#existing;
    const draft = checkForm(typed, { base: this.base, isStored: existing !== undefined, withheld: this.#withheld });
    this.#isSaving = true;
    try {
      const { saves } = this.#services;
      const outcome = existing
        ? await saves.edit(this.account, existing, draft)
        : await saves.create(this.account, draft);
      if (outcome.kind === "saved") this.#takeSaved(outcome.stored, outcome.existing, typed);
      else this.#trouble = outcome;
    } finally {
      this.#isSaving = false;
      this.#changes.fire("title");
    }
    await this.#storeDraft();
  }

  /** What was typed during the save stays, on top of what is stored now. */
  #takeSaved(stored: Stored, existed: boolean, typed: TemplateForm): void {
    const sent = { ...typed, docker_login_pass: "" };
    const { merged } = mergeChanges(sent, this.#form, toForm(stored.draft));
    this.#moveTo(stored, merged, existed ? { kind: "existed", id: stored.id } : undefined);
    this.#hasPassword = false;
  }

  /** Returns to the stored version, or to theirs if there is a conflict. @returns false if the person declined. */
  async revert(person: MergingPerson): Promise<boolean> {
    if (!(await person.confirm({ kind: "discard", form: this.title }))) return false;
    await this.discard();
    this.#hasPassword = false;
    const trouble = this.#trouble;
    const now = trouble?.kind === "changed" ? trouble.theirs : this.#stored;
    this.#moveTo(now, now ? toForm(now.draft) : EMPTY, undefined);
    // Of a stored version that was never read, the values are still to come.
    if (!now || trouble?.kind === "changed") this.#withheld = [];
    if (trouble?.kind === "deleted") this.#trouble = trouble;
    this.#changes.fire("title");
    return true;
  }

  /**
   * Resolves a conflict: compares both versions, puts mine on top of theirs, or takes theirs.
   * @returns false if nothing changed yet.
   */
  async settle(person: MergingPerson, how: "compare" | "mine" | "theirs"): Promise<boolean> {
    if (this.#trouble?.kind !== "changed" || !this.#stored) return true;
    const { theirs } = this.#trouble;
    if (how === "theirs") return await this.revert(person);
    if (how === "compare") {
      await this.#compare(person, this.#stored, theirs);
      return false;
    }
    const { merged } = mergeChanges(this.base, this.#form, toForm(theirs.draft));
    this.#moveTo(theirs, merged, { kind: "rebased" });
    await this.#storeDraft();
    this.#changes.fire("title");
    return true;
  }

  async #compare(person: MergingPerson, stored: Stored, theirs: Stored): Promise<void> {
    const mine = readForm(this.#form).draft;
    await person.merge({
      key: this.key,
      name: "template.json",
      base: formatTemplate(stored.draft),
      mine: formatTemplate(mine),
      theirs: formatTemplate(theirs.draft),
      apply: (text) => this.#applyMerge(text, mine, theirs),
    });
  }

  #applyMerge(text: string, mine: WholeDraft, theirs: Stored): void {
    const draft = readTemplateText(text);
    this.#moveTo(theirs, keepWording(this.#form, mine, toForm(draft), draft), { kind: "merged" });
    void this.#storeDraft();
    this.#changes.fire("form");
  }

  /** Handles a template that was just read: a form without changes follows it, a form with changes has a conflict. */
  noteStored(stored: Stored): void {
    if (this.#isSaving || this.#stored === undefined) return;
    if (stored.hash === this.#stored.hash) {
      if (this.#withheld.length > 0) this.#fillSecrets(stored);
      return;
    }
    if (this.isUnsaved) this.#trouble = { kind: "changed", theirs: stored };
    else this.#moveTo(stored, toForm(stored.draft), { kind: "followed" });
    this.#changes.fire(this.#trouble ? "state" : "form");
  }

  /** The service has the secret values that couldn't be kept with the draft. */
  #fillSecrets(stored: Stored): void {
    const isUntouched = this.#form.env === this.base.env;
    this.#stored = stored;
    const env = isUntouched ? this.base.env : fillSecretValues(this.#form.env, stored.draft.env);
    this.#form = { ...this.#form, env };
    this.#withheld = isUntouched ? [] : listMissingValues(env, this.#withheld);
    this.#changes.fire("form");
  }

  /** Once the flags were edited, what of them couldn't be read and was lost is there again or isn't wanted. */
  #take(form: TemplateForm): void {
    if (form.env !== this.#form.env) this.#withheld = this.#withheld.filter((name) => name !== UNREADABLE);
    this.#form = form;
  }

  /** The template was looked up and no longer exists. */
  noteDeleted(): void {
    if (this.#isSaving || this.#stored === undefined) return;
    this.#trouble = { kind: "deleted" };
    this.#changes.fire("state");
  }

  /** Deletes the stored draft and every copy of it, unless it was changed after `at`. What was typed until then is lost. */
  async discard(at = this.#services.clock.now()): Promise<void> {
    const draft = { key: this.key, root: this.root, whose: toDraftOwner(this.account), at };
    await this.#services.drafts.discard(this.account.tag, draft);
  }

  /** Stores unsaved changes as the form closes: another window may have taken over the draft since the last one. */
  async keepDraft(): Promise<void> {
    if (this.isUnsaved) await this.#storeDraft();
  }

  /** Closes its form. */
  end(): void {
    this.#end.fire();
  }

  #moveTo(stored: Stored | undefined, form: TemplateForm, notice: EditNotice | undefined): void {
    this.#stored = stored;
    this.#take(form);
    this.#trouble = undefined;
    this.#notice = notice;
    this.#changedAt = this.#services.clock.now();
  }

  async #storeDraft(): Promise<void> {
    const { drafts } = this.#services;
    if (!this.isUnsaved) return await drafts.remove(this.account.tag, this.key);
    const { id, hash } = this.#stored ?? {};
    const base = hash && { id, hash, form: { ...this.base, docker_login_pass: "" as const } };
    const draft = { key: this.key, root: this.root, whose: toDraftOwner(this.account), at: this.#changedAt };
    const typed = { form: this.#form, withheld: [...this.#withheld] };
    await drafts.put(this.account.tag, { ...draft, ...typed, ...(base ? { base } : {}) });
  }
}
