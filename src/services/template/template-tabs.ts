// A template's start script and readme as texts in tabs of their own: what each is an edit of, what a save of it sends,
// and how it follows what others change. Saving one saves the template.
import { AppError } from "../../domain/base/error.ts";
import { readScript, unpackScript } from "../../domain/template/packed-script.ts";
import { TEXT_FILES, type TemplatePath, type TextField } from "../../domain/template/template-path.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { toTemplateKey } from "./draft-store.ts";
import { SaveConsent } from "./save-consent.ts";
import type { TabMemory } from "./tab-memory.ts";
import type { MergingPerson } from "./template-person.ts";
import { type Stored, type TemplateSaves, toStored } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

/** What a tab shows. */
export interface TabAddress extends Pick<TemplatePath, "id" | "hash"> {
  /** The session's tag: a text of one account is never shown to another. */
  readonly tag: string;
  readonly field: TextField;
}

/** A tab of the editor. */
export interface TemplateTab {
  /** Identifies the tab, also after a reload. */
  readonly key: string;
  readonly address: TabAddress;
  /** Whether it holds unsaved text. */
  isDirty(): boolean;
  /** Whether the editor saves it on its own. */
  isAutosaved(): boolean;
  /** Replaces the text without saving it. @returns false if the editor didn't take it. */
  replaceText(text: string): Promise<boolean>;
  reveal(): Promise<void>;
}

/** What is known about the text of a tab. */
export interface TabText {
  /** The text as the editor has it: unpacked. */
  readonly text: string;
  /** Wall clock milliseconds, later at every change: the editor uses it to tell versions apart. */
  readonly changedAt: number;
  /** The template's name. */
  readonly name: string;
  /** Whether it may be stored packed: it already was, or the person asked for it. */
  readonly mayPack: boolean;
  /** Only a template's creator can change it. */
  readonly isOwn: boolean;
}

interface OpenTab {
  readonly tab: TemplateTab;
  readonly field: TextField;
  /** The template that this text is an edit of. */
  base: Stored;
  text: string;
  changedAt: number;
  mayPack: boolean;
  isSaving: boolean;
}

interface Services {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly memory: TabMemory;
  readonly clock: Clock;
}

export class TemplateTabs implements Disposable {
  readonly #services: Services;
  readonly #open = new Map<string, Promise<OpenTab>>();
  readonly #bag = new Bag();
  readonly #changed = this.#bag.add(new Emitter<TemplateTab>());
  /** Fires if the stored text of a tab without unsaved text changed. */
  readonly onDidChange = this.#changed.event;
  readonly #packing = this.#bag.add(new Emitter<void>());
  readonly onDidAllowPacking = this.#packing.event;
  readonly #consent: SaveConsent;

  constructor(services: Services) {
    this.#services = services;
    const { session, saves, templates } = services;
    this.#consent = new SaveConsent(session);
    this.#bag.add(
      saves.onDidSave(
        ({ from, stored }) =>
          // A save may give a template a new ID if others use the previous version.
          void this.#follow(({ id, hash }) =>
            from === hash || (id !== undefined && stored.id === id) ? stored : undefined,
          ),
      ),
    );
    this.#bag.add(session.onDidChange(() => this.#open.clear()));
    this.#bag.add(
      templates.collection.store.onDidChange(({ state }) => {
        if (state !== "ready") return;
        void this.#follow(({ id }) => {
          const row = id === undefined ? undefined : templates.all.find(({ value }) => value.id === id);
          return row && toStored(row);
        });
      }),
    );
  }

  /** @throws AppError; `gone` if the template no longer exists. */
  async read(tab: TemplateTab): Promise<TabText> {
    const { text, changedAt, base, mayPack } = await this.#find(tab);
    return { text, changedAt, mayPack, name: base.draft.name, isOwn: this.#isOwn(base) };
  }

  /**
   * Saves the text as part of its template. If others changed the same part, nothing is sent, and the person merges.
   * @throws AppError; the text then stays unsaved in its tab.
   */
  async write(person: MergingPerson, tab: TemplateTab, typed: string): Promise<void> {
    const account = this.#accountOf(tab);
    const open = await this.#find(tab);
    const { base, field } = open;
    const text = typed.replace(/\r\n?/g, "\n");
    // Checked on every save: the lists may be read long after the tab was opened.
    if (!this.#isOwn(base)) throw new AppError("not-allowed", t("Only the creator can change this template."));
    const value = await toStorable(open, text);
    this.#services.session.assertStill(account);
    if (value === open.base.draft[field]) return this.#settle(open, open.base, text);
    const { name } = open.base.draft;
    await this.#consent.ask(person, account, { kind: "save-text", field, name, isAutomatic: tab.isAutosaved() });
    open.isSaving = true;
    try {
      await this.#save(person, account, open, value, text);
    } finally {
      open.isSaving = false;
    }
  }

  async #save(person: MergingPerson, account: SignedIn, open: OpenTab, value: string, text: string): Promise<void> {
    const { base, field } = open;
    const outcome = await this.#services.saves.edit(account, base, { ...base.draft, [field]: value });
    if (outcome.kind === "saved") return this.#settle(open, outcome.stored, text);
    if (outcome.kind === "deleted")
      throw new AppError("gone", t("This template was deleted. Copy your text before you close the tab."));
    const { theirs } = outcome;
    if (theirs.draft[field] === base.draft[field] || theirs.draft[field] === value) {
      // Others changed different parts, so this change is applied on top of theirs.
      this.#rebase(open, theirs);
      return await this.#save(person, account, open, value, text);
    }
    await this.#compare(person, open, theirs, text);
    throw new AppError(
      "rejected",
      t("This template was changed elsewhere. Nothing was overwritten. Merge the two versions, then save again."),
    );
  }

  /** Lets the person merge the three versions of this part, with packed scripts unpacked. */
  async #compare(person: MergingPerson, open: OpenTab, theirs: Stored, text: string): Promise<void> {
    const { field } = open;
    const [before, there] = await Promise.all([toShown(open.base, field), toShown(theirs, field)]);
    await person.merge({
      key: `${toTemplateKey(theirs)}-${field}`,
      name: TEXT_FILES[field],
      base: before,
      mine: text,
      theirs: there,
      apply: (merged) => this.#applyMerge(open, theirs, merged),
    });
  }

  async #applyMerge(open: OpenTab, theirs: Stored, merged: string): Promise<void> {
    if (!(await open.tab.replaceText(merged)))
      throw new AppError("rejected", t("Couldn't put the merged text into the tab. Nothing is lost. Try again."));
    this.#rebase(open, theirs);
    await open.tab.reveal();
  }

  /**
   * From now on, this script is stored packed if it wouldn't fit otherwise.
   * @throws AppError `rejected` if it can't be packed.
   */
  async allowPacking(tab: TemplateTab, script: string): Promise<void> {
    const { stored, problem } = await readScript(script, true);
    if (stored === undefined) throw new AppError("rejected", problem?.message ?? "");
    (await this.#find(tab)).mayPack = true;
    this.#packing.fire();
  }

  /** The tab was closed. Its unsaved text is gone. */
  close(key: string): void {
    this.#open.delete(key);
    this.#services.memory.forget(key);
  }

  #isOwn({ hash, id }: Stored): boolean {
    return this.#services.templates.isOwn(hash, id);
  }

  /** From now on, the text is an edit of this version. */
  #rebase(open: OpenTab, stored: Stored): void {
    open.base = stored;
    this.#services.memory.remember(open.tab.key, stored, open.field);
  }

  #settle(open: OpenTab, stored: Stored, text: string): void {
    this.#rebase(open, stored);
    open.text = text;
    open.changedAt = Math.max(this.#services.clock.now(), open.changedAt + 1);
  }

  /** Applies others' changes to open tabs. Unsaved text stays and is compared when it is saved. */
  async #follow(findNow: (base: Stored) => Stored | undefined): Promise<void> {
    for (const opening of [...this.#open.values()]) {
      const open = await opening.catch(() => undefined);
      if (!open || open.isSaving) continue;
      const { base, field, tab } = open;
      const stored = findNow(base);
      if (!stored || stored.hash === base.hash) continue;
      if (stored.draft[field] === base.draft[field]) this.#rebase(open, stored);
      else if (!tab.isDirty()) {
        this.#settle(open, stored, await toShown(stored, field));
        this.#changed.fire(tab);
      }
    }
  }

  #find(tab: TemplateTab): Promise<OpenTab> {
    const { key } = tab;
    const opening = this.#open.get(key) ?? this.#load(tab);
    this.#open.set(key, opening);
    opening.catch(() => this.#open.delete(key));
    return opening;
  }

  /** The account whose tab it is, if that is the one signed in. @throws AppError. */
  #accountOf({ address }: TemplateTab): SignedIn {
    const now = this.#services.session.current;
    if (now.kind !== "signed-in") throw new AppError("signed-out", t("Sign in to see this template."));
    if (now.tag !== address.tag) throw new AppError("rejected", t("This file belongs to another account."));
    return now;
  }

  async #load(tab: TemplateTab): Promise<OpenTab> {
    const { session, templates, saves, memory, clock } = this.#services;
    const { field, hash, id } = tab.address;
    const account = this.#accountOf(tab);
    await templates.collection.getKnown();
    const stored = await saves.read(account, { hash, id: memory.getId(tab.key) ?? id });
    if (!stored) throw new AppError("gone", t("This template no longer exists."));
    const text = await toShown(stored, field);
    session.assertStill(account);
    const mayPack = field === "onstart" && text !== stored.draft.onstart;
    const base = tab.isDirty() ? memory.getBase(tab.key, stored, field) : stored;
    const open: OpenTab = { tab, field, base, text, changedAt: clock.now(), mayPack, isSaving: false };
    this.#rebase(open, base);
    return open;
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

/** A field as its tab shows it: a packed script is unpacked. */
async function toShown({ draft }: Stored, field: TextField): Promise<string> {
  return (field === "onstart" ? await unpackScript(draft.onstart) : undefined) ?? draft[field];
}

/** What is sent for a text. @throws AppError `rejected` with the reason. */
async function toStorable({ field, mayPack }: OpenTab, text: string): Promise<string> {
  if (field === "onstart") {
    const { stored, problem } = await readScript(text, mayPack);
    if (stored === undefined) throw new AppError("rejected", problem?.message ?? "");
    return stored;
  }
  if (text.includes("\0")) throw new AppError("rejected", t("Remove the invalid character (NUL)."));
  return text;
}
