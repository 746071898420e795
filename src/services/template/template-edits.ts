// The open forms of this window: which draft each one continues with, what happens as it closes, and what of a change
// elsewhere concerns it.
import { AppError } from "../../domain/base/error.ts";
import type { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { toDraft, toForm, type WholeDraft } from "../../domain/template/template-form.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { createDraftKey, type FoundDraft, isOf, type StoredDraft, toDraftOwner, toTemplateKey } from "./draft-store.ts";
import { toEditStart } from "./edit-start.ts";
import { type EditServices, type EditStart, TemplateEdit } from "./template-edit.ts";
import type { MergingPerson } from "./template-person.ts";
import { type Stored, toStored } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

/** What a person can choose in place of a stored draft. */
export type DraftAlternative = "empty" | "stored" | "open";

/** The person in front of the forms. */
export interface FormPerson extends MergingPerson {
  /** @returns the draft to continue with, or `other`; undefined if nothing was chosen. */
  chooseDraft(drafts: readonly FoundDraft[], other: DraftAlternative): Promise<FoundDraft | "other" | undefined>;
  /** Shows the form of this edit, in front of the others. */
  show(edit: TemplateEdit): void;
}

/** A tab that the editor restored. `show` fills it. */
export interface RestoredTab extends FormPerson {
  /** Shown until the person signs in. */
  awaitSignIn(): void;
  /** Shown if the template can't be read. */
  showFailure(): void;
  close(): void;
  /** Aborts when the person closes the tab. */
  readonly closed: AbortSignal;
}

/** What the editor remembers of a form across a reload. */
export interface EditPlace {
  /** The tag of its account. */
  readonly account: string;
  readonly key: string;
  /** The first key of its draft. */
  readonly root: string;
  /** Undefined for a template that didn't exist yet. */
  readonly hash?: TemplateHash | undefined;
  readonly id?: TemplateId | undefined;
}

interface Services extends EditServices {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly log: Log;
}

export class TemplateEdits implements Disposable {
  readonly #services: Services;
  readonly #open = new Set<TemplateEdit>();
  /** The editor restores a tab while its row is clicked: a draft is found and shown by one of them, and then the other looks. */
  readonly #inTurn = createQueue();
  readonly #bag = new Bag();

  constructor(services: Services) {
    this.#services = services;
    const { session, templates, saves } = services;
    this.#bag.add(session.onDidChange(() => this.#leave()));
    this.#bag.add(templates.collection.store.onDidChange(() => this.#compareWithLists()));
    this.#bag.add(
      saves.onDidSave(({ from, stored }) => {
        for (const edit of this.#open) if (edit.stored?.hash === from) edit.noteStored(stored);
      }),
    );
    this.#bag.add(saves.onDidRemove((gone) => this.#leaveDeleted(gone)));
  }

  /** Opens an empty form, or a draft of a template that was never created or no longer exists. */
  async openNew(person: FormPerson): Promise<void> {
    const { session, templates } = this.#services;
    const account = session.requireSignedIn();
    await templates.collection.getKnown();
    const listed = new Set(templates.all.map(({ value }) => value.id));
    const isOrphan = ({ base }: StoredDraft) => !base || (base.id !== undefined && !listed.has(base.id));
    const drafts = await this.#inTurn(() => this.#findDrafts(account, isOrphan));
    const draft = drafts.length === 0 ? "other" : await person.chooseDraft(drafts, "empty");
    if (draft !== undefined) await this.#openDraft(person, account, draft, undefined);
  }

  /** A new private template with everything the other one has except its registry token, which no service returns. */
  openCopy(person: FormPerson, row: Row<Template>): void {
    const draft = toDraft(row.raw);
    this.openFilled(person, { ...draft, name: t("{0} (copy)", draft.name), private: true });
  }

  /** A new template with this content. Its registry token is to be typed. */
  openFilled(person: FormPerson, draft: WholeDraft): void {
    const notice = draft.docker_login_user === "" ? undefined : ({ kind: "copied-without-token" } as const);
    const key = createDraftKey();
    const form = toForm(draft);
    this.#show(person, this.#services.session.requireSignedIn(), { key, root: key, stored: undefined, form, notice });
  }

  /** Opens the template's form. Another person's template can't be edited, so a copy is offered. */
  async openEditOrCopy(person: FormPerson, row: Row<Template>): Promise<void> {
    if (this.#services.templates.isOwn(row.value.hash_id)) return await this.openEdit(person, row);
    const account = this.#services.session.requireSignedIn();
    const action = await person.tell({ kind: "not-own", name: row.value.name ?? "" }, ["duplicate"]);
    if (action === "duplicate") this.openCopy(person, await this.#readNow(account, row));
  }

  /** The template as it is by now: the offer to copy it may have been open for long. @throws AppError. */
  async #readNow(account: SignedIn, { value }: Row<Template>): Promise<Row<Template>> {
    const { session, templates, saves } = this.#services;
    session.assertStill(account);
    const now = templates.find(value.hash_id) ?? (await saves.find(account, { id: undefined, hash: value.hash_id }));
    if (!now) throw new AppError("gone", t("This template no longer exists."));
    return now;
  }

  /** Opens the template's form, with its stored draft. */
  async openEdit(person: FormPerson, row: Row<Template>): Promise<void> {
    const account = this.#services.session.requireSignedIn();
    const stored = toStored(row);
    const { drafts, open, shown } = await this.#inTurn(async () => {
      // Another window may have left its own drafts.
      const drafts = await this.#findDrafts(account, (draft) => isOf(draft, stored));
      const open = this.#findByTemplate(stored);
      const isNew = drafts.length === 0 && !open;
      return { drafts, open, shown: isNew ? this.#show(person, account, toEditStart(stored, undefined)) : undefined };
    });
    if (shown) return await this.#compare(shown);
    const isClear = drafts.length === 0 || (drafts.length === 1 && !open);
    const draft = isClear ? (drafts[0] ?? "other") : await person.chooseDraft(drafts, open ? "open" : "stored");
    if (draft === undefined) return;
    if (draft === "other" && open) return person.show(open);
    await this.#openDraft(person, account, draft, stored);
  }

  /**
   * The form's tab was closed, which can't be prevented. What was typed stays in the draft store until the person saves
   * or discards it.
   */
  async close(person: FormPerson, edit: TemplateEdit): Promise<void> {
    // If its account was left, its draft is stored and no question is asked.
    if (!this.#open.delete(edit)) return;
    void edit.keepDraft();
    if (!edit.isUnsaved) return;
    const closedAt = this.#services.clock.now();
    const action = await person.tell({ kind: "closed-unsaved", form: edit.title }, ["reopen", "discard"]);
    if (action === "discard") return await edit.discard(closedAt);
    if (action === "reopen") await this.#reopen(person, edit);
  }

  async #reopen(person: FormPerson, edit: TemplateEdit): Promise<void> {
    const { account, key, root, stored } = edit;
    const reopened = await this.#inTurn(async () => {
      const other = this.#findByRoot(root);
      if (other) return void person.show(other);
      // A running save may have ended since then. If so, there is no draft, and the template is shown as it is.
      return this.#show(person, account, toEditStart(stored, await this.#services.drafts.get(account.tag, key)));
    });
    if (reopened) await this.#compare(reopened);
  }

  /** Restores a tab that was open when the window was reloaded or died. It waits for its account. */
  async restore(tab: RestoredTab, place: EditPlace): Promise<void> {
    const { session, log } = this.#services;
    const restore = (account: SignedIn) =>
      this.#restore(tab, place, account).catch((error) => {
        log.warn("A restored template could not be read.", error);
        if (!tab.closed.aborted) tab.showFailure();
      });
    if (session.current.kind === "signed-in") return await restore(session.current);
    tab.awaitSignIn();
    const waiting = session.onDidChange((now) => {
      if (now.kind !== "signed-in") return;
      waiting.dispose();
      void restore(now);
    });
    tab.closed.addEventListener("abort", () => waiting.dispose(), { once: true });
  }

  async #restore(tab: RestoredTab, place: EditPlace, account: SignedIn): Promise<void> {
    const { session, saves } = this.#services;
    if (account.tag !== place.account) return tab.close();
    const edit = await this.#inTurn(() => this.#restoreDraft(tab, place, account));
    if (edit === "elsewhere") return tab.close();
    if (edit) return await this.#compare(edit);
    const { id, hash } = place;
    const stored = hash === undefined ? undefined : await saves.read(account, { id, hash });
    const isGone = hash !== undefined && stored === undefined;
    // Its row may have been clicked in the meantime.
    const isOpen = stored !== undefined && this.#findByTemplate(stored) !== undefined;
    if (session.current !== account || isGone || isOpen) return tab.close();
    await this.#compare(this.#show(tab, account, toEditStart(stored, undefined)));
  }

  /** @returns `elsewhere` if another form of this window has its draft, or its account was left; undefined if it has no draft. */
  async #restoreDraft(
    tab: RestoredTab,
    { account: tag, key, root }: EditPlace,
    account: SignedIn,
  ): Promise<TemplateEdit | "elsewhere" | undefined> {
    const { session, drafts } = this.#services;
    const found = await drafts.get(tag, key);
    if (!found) return this.#findByRoot(root) && "elsewhere";
    // A second window on the same folder restores the same tabs. From now on, each has its own draft.
    const draft = await drafts.takeOver(tag, found);
    return session.current === account ? this.#show(tab, account, toEditStart(undefined, draft)) : "elsewhere";
  }

  #findByRoot(root: string): TemplateEdit | undefined {
    return [...this.#open].find((one) => one.root === root);
  }

  #findByTemplate(stored: Stored): TemplateEdit | undefined {
    return [...this.#open].find((one) => one.stored && toTemplateKey(one.stored) === toTemplateKey(stored));
  }

  /** Stored drafts that this window doesn't have open. */
  async #findDrafts(account: SignedIn, isWanted: (draft: StoredDraft) => boolean): Promise<FoundDraft[]> {
    const drafts = await this.#services.drafts.list(account.tag, toDraftOwner(account));
    return drafts.filter((draft) => isWanted(draft) && ![...this.#open].some(({ key }) => key === draft.key));
  }

  /** Opens a form with the draft, or shows the one that was given it while the person chose. */
  async #openDraft(
    person: FormPerson,
    account: SignedIn,
    draft: FoundDraft | "other",
    stored: Stored | undefined,
  ): Promise<void> {
    const { drafts } = this.#services;
    const edit = await this.#inTurn(async () => {
      if (draft === "other") return this.#show(person, account, toEditStart(stored, undefined));
      const other = this.#findByRoot(draft.root ?? draft.key);
      if (other && !(await drafts.get(draft.folder ?? account.tag, draft.key))) return void person.show(other);
      return this.#show(person, account, toEditStart(stored, await drafts.takeOver(account.tag, draft)));
    });
    if (edit) await this.#compare(edit);
  }

  /** @throws AppError `rejected` if the account was switched while a question was open. */
  #show(person: FormPerson, account: SignedIn, start: EditStart): TemplateEdit {
    this.#services.session.assertStill(account);
    const edit = new TemplateEdit(this.#services, account, start);
    person.show(edit);
    this.#open.add(edit);
    return edit;
  }

  /** Compares a template that was just opened with the service's state: the list it came from may be outdated. */
  async #compare(edit: TemplateEdit): Promise<void> {
    if (edit.stored === undefined) return;
    const now = await this.#services.saves.read(edit.account, edit.stored);
    if (now) edit.noteStored(now);
    else edit.noteDeleted();
  }

  /** Passes the templates in a newly read list to their open forms. */
  #compareWithLists(): void {
    const { templates } = this.#services;
    const { current } = templates.collection.store;
    if (current.state !== "ready" || getLast(current) === undefined) return;
    for (const edit of this.#open) {
      const id = edit.stored?.id;
      const row = templates.all.find(({ value }) => id !== undefined && value.id === id);
      if (row) edit.noteStored(toStored(row));
    }
  }

  /** The person deleted a template in this window: a form without changes has nothing to keep, and closes. */
  #leaveDeleted({ id, hash }: Stored): void {
    for (const edit of this.#open) {
      const { stored } = edit;
      if (id === undefined ? stored?.hash !== hash : stored?.id !== id) continue;
      if (edit.isUnsaved) edit.noteDeleted();
      else if (this.#open.delete(edit)) edit.end();
    }
  }

  /** Closes the forms of an account that was left. Their drafts stay stored. */
  #leave(): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const edit of open) {
      void edit.keepDraft();
      edit.end();
    }
  }

  dispose(): void {
    this.#bag.dispose();
    this.#leave();
  }
}
