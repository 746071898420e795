// The open templates: one panel each, opened new, as a copy, or from what a reload or a crash left behind.
import * as vscode from "vscode";
import type { Row } from "../../../domain/base/wire.ts";
import type { Template } from "../../../domain/template/template.ts";
import { changedFields } from "../../../domain/template/template-changes.ts";
import { draftOfRecord, formOf, NEW_TEMPLATE, readForm } from "../../../domain/template/template-form.ts";
import { panels as ids } from "../../../ids.ts";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import { dateTime, label, plain, t } from "../../../lib/text.ts";
import { Kept } from "../../../protocol/template-page.ts";
import { lastOf } from "../../../services/core/loaded.ts";
import type { SignedIn } from "../../../services/core/session.ts";
import {
  type FoundDraft,
  isOf,
  keyOf,
  newDraftKey,
  type StoredDraft,
  whoseOf,
} from "../../../services/template/draft-store.ts";
import { type Stored, storedOf } from "../../../services/template/template-saves.ts";
import type { TemplatesService } from "../../../services/template/templates.ts";
import { tellInfo } from "../../kit/messages.ts";
import { pageFolder, pageHtml, sentenceHtml } from "../../kit/page-html.ts";
import { BACK, pick } from "../../kit/steps.ts";
import { type PanelServices, type Start, TemplatePanel } from "./template-panel.ts";

export class TemplatePanels implements Disposable {
  readonly #extension: vscode.Uri;
  readonly #services: PanelServices;
  readonly #templates: TemplatesService;
  readonly #open = new Set<TemplatePanel>();
  readonly #bag = new Bag();
  /**
   * True while panels are closed because their account signed out: their drafts stay stored, and no question is asked.
   */
  #leaving = false;

  constructor(extension: vscode.Uri, services: PanelServices, templates: TemplatesService) {
    this.#extension = extension;
    this.#services = services;
    this.#templates = templates;
    this.#bag.add(services.session.onDidChange(() => this.#leave()));
    this.#bag.add(templates.collection.store.onDidChange(() => this.#compare()));
    this.#bag.add(
      services.saves.onDidRemove(({ id, hash }) => {
        const isIt = ({ stored }: TemplatePanel) => (id === undefined ? stored?.hash === hash : stored?.id === id);
        for (const panel of this.#open) if (isIt(panel)) panel.gone();
      }),
    );
  }

  /** An empty form, or a draft of a template that was never created or no longer exists. */
  async openNew(): Promise<void> {
    const account = this.#services.session.signedIn();
    await this.#templates.collection.known();
    const listed = new Set(this.#templates.all.map(({ value }) => value.id));
    const left = await this.#left(account, ({ base }) => !base || (base.id !== undefined && !listed.has(base.id)));
    const empty = `$(add) ${t("Empty form")}`;
    const draft = left.length === 0 ? "other" : await chooseDraft(left, t("New Template"), empty);
    if (draft === undefined) return;
    await this.#look(this.#show(account, startOf(undefined, await this.#taken(account, draft))));
  }

  /** A new private template with everything the other one has except its registry token, which no service returns. */
  openCopy(row: Row<Template>): void {
    const draft = draftOfRecord(row.raw);
    const form = formOf({ ...draft, name: t("{0} (copy)", draft.name), private: true });
    const notice =
      draft.docker_login_user === ""
        ? undefined
        : t("The registry token of the original cannot be read: type it again.");
    const key = newDraftKey();
    this.#show(this.#services.session.signedIn(), { key, root: key, stored: undefined, form, notice });
  }

  /** The template's form, with its stored draft. */
  async openEdit(row: Row<Template>): Promise<void> {
    const account = this.#services.session.signedIn();
    const stored = storedOf(row);
    const open = [...this.#open].find((one) => one.stored && keyOf(one.stored) === keyOf(stored));
    // Another window may have left its own drafts.
    const left = await this.#left(account, (draft) => isOf(draft, stored));
    const other = open ? `$(window) ${t("The open form")}` : `$(cloud) ${t("As it is stored")}`;
    const clear = left.length === 0 || (left.length === 1 && !open);
    const draft = clear ? (left[0] ?? "other") : await chooseDraft(left, t("Edit Template"), other);
    if (draft === undefined) return;
    if (draft === "other" && open) return open.panel.reveal();
    await this.#look(this.#show(account, startOf(stored, await this.#taken(account, draft))));
  }

  /** Stored drafts that this window doesn't have open. */
  async #left(account: SignedIn, which: (draft: StoredDraft) => boolean): Promise<FoundDraft[]> {
    const drafts = await this.#services.drafts.list(account.tag, whoseOf(account));
    return drafts.filter((draft) => which(draft) && ![...this.#open].some(({ key }) => key === draft.key));
  }

  async #taken({ tag }: SignedIn, draft: FoundDraft | "other"): Promise<StoredDraft | undefined> {
    return draft === "other" ? undefined : await this.#services.drafts.takeOver(tag, draft);
  }

  /** Compares a template that was just opened with the service's state: the list it came from may be outdated. */
  async #look(panel: TemplatePanel): Promise<void> {
    if (panel.stored === undefined) return;
    const now = await this.#services.saves.read(panel.stored);
    if (now) panel.seen(now);
    else panel.gone();
  }

  /** Applies the text in the merge view to the form it belongs to. */
  async completeMerge(given: unknown): Promise<void> {
    await this.#services.merges.complete(given);
  }

  /** @throws AppError `rejected` if the account was switched while a question was open. */
  #show(account: SignedIn, start: Start): TemplatePanel {
    this.#services.session.assertStill(account);
    const options = { retainContextWhenHidden: true };
    const panel = vscode.window.createWebviewPanel(ids.template, "", vscode.ViewColumn.Active, options);
    return this.#fill(panel, account, start);
  }

  #fill(panel: vscode.WebviewPanel, account: SignedIn, start: Start): TemplatePanel {
    panel.webview.options = { enableScripts: true, localResourceRoots: [pageFolder(this.#extension)] };
    const template = new TemplatePanel(
      panel,
      pageHtml(panel.webview, this.#extension, "template"),
      account,
      start,
      this.#services,
    );
    this.#open.add(template);
    template.onDidClose(() => {
      this.#open.delete(template);
      if (template.unsaved && !this.#leaving) void this.#offerBack(template);
    });
    return template;
  }

  /**
   * A tab can't be prevented from closing. What was typed stays in the draft store until the person saves or discards
   * it.
   */
  async #offerBack(closed: TemplatePanel): Promise<void> {
    const [reopen, discard] = [t("Reopen"), t("Discard")];
    const said = t("“{0}” was closed with unsaved changes. They are kept.", closed.name);
    const chosen = await tellInfo(said, reopen, discard);
    if (chosen === discard) return await closed.discard();
    if (chosen !== reopen) return;
    // A running save may have ended since then. If so, there is no draft, and the template is shown as it is.
    const draft = await this.#services.drafts.get(closed.account.tag, closed.key);
    await this.#look(this.#show(closed.account, startOf(closed.stored, draft)));
  }

  /** Closes the panels of an account that signed out. Their drafts stay stored. */
  #leave(): void {
    this.#leaving = true;
    for (const { panel } of [...this.#open]) panel.dispose();
    this.#leaving = false;
  }

  /** Passes the templates in a newly read list to their open panels. */
  #compare(): void {
    const { current } = this.#templates.collection.store;
    if (current.state !== "ready" || lastOf(current) === undefined) return;
    for (const panel of this.#open) {
      const row = this.#templates.all.find(
        ({ value }) => panel.stored?.id !== undefined && value.id === panel.stored.id,
      );
      if (row) panel.seen(storedOf(row));
    }
  }

  /** Restores a tab that was open when the window was reloaded or died. It waits for its account. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = Kept.safeParse(state);
    if (!kept.success) return panel.dispose();
    const { session, drafts, log } = this.#services;
    const go = async (now: SignedIn) => {
      const { account, key } = kept.data;
      if (now.tag !== account) return panel.dispose();
      const left = await drafts.get(account, key);
      // A second window on the same folder restores the same tabs. From now on, each has its own draft.
      const draft = left && (await drafts.takeOver(account, left));
      const stored = draft ? undefined : await this.#storedOf(kept.data);
      if (session.current !== now || stored === "gone") return panel.dispose();
      await this.#look(this.#fill(panel, now, startOf(stored, draft)));
    };
    const restored = (now: SignedIn) =>
      go(now).catch((error) => {
        log.warn("A restored template could not be read.", error);
        panel.webview.html = sentenceHtml(
          t("This template couldn't be loaded. Close this tab, then open the template again."),
        );
      });
    if (session.current.kind === "signed-in") return await restored(session.current);
    panel.title = t("Template");
    panel.webview.html = sentenceHtml(t("Sign in to go on with this template. What you typed is kept."));
    const waiting = session.onDidChange((now) => {
      if (now.kind !== "signed-in") return;
      waiting.dispose();
      void restored(now);
    });
    panel.onDidDispose(() => waiting.dispose());
  }

  /** The current version of what a tab without unsaved changes showed; undefined for a form that was empty. */
  async #storedOf({ id, hash }: Kept): Promise<Stored | "gone" | undefined> {
    if (hash === undefined) return undefined;
    return (await this.#services.saves.read({ id, hash })) ?? "gone";
  }

  dispose(): void {
    this.#bag.dispose();
    this.#leave();
  }
}

/** A form as it was stored, on top of its base. A difference from the service's current version is found later. */
function startOf(known: Stored | undefined, draft: StoredDraft | undefined): Start {
  const stored = draft?.base
    ? { id: draft.base.id, hash: draft.base.hash, draft: readForm(draft.base.form).draft }
    : known;
  const base = formOf(stored?.draft ?? NEW_TEMPLATE);
  const form = draft?.form ?? base;
  const key = draft?.key ?? newDraftKey();
  const isBack = draft !== undefined && changedFields(base, form).length > 0;
  const notice = isBack ? backText(draft) : undefined;
  return { key, root: draft?.root ?? key, stored, form, at: draft?.at, withheld: draft?.withheld, notice };
}

function backText({ at, withheld }: StoredDraft): string {
  const back = t("Restored your unsaved changes from {0}.", dateTime(at));
  const lost = plain((withheld ?? []).join(", "), 200);
  return lost === "" ? back : `${back} ${t("Type these secret values again: {0}.", lost)}`;
}

/** Distinguishes drafts of one template. Values are shown only for fields that contain no secrets. */
function changesOf({ form, base }: StoredDraft): string {
  const shown: readonly string[] = ["name", "desc", "image", "tag"];
  return changedFields(base?.form ?? formOf(NEW_TEMPLATE), form)
    .map((field) => (shown.includes(field) ? `${field}: ${label(String(form[field]), 60)}` : field))
    .join(", ");
}

/** The draft to continue with, or `other`, with the label given here; undefined if nothing was chosen. */
async function chooseDraft(
  drafts: readonly FoundDraft[],
  title: string,
  other: string,
): Promise<FoundDraft | "other" | undefined> {
  const name = ({ form }: StoredDraft) => label(form.name, 60) || label(form.image, 60) || t("Unnamed template");
  const items = drafts.map((draft) => ({
    label: `$(edit) ${name(draft)}`,
    description: t("unsaved, {0}", dateTime(draft.at)),
    ...(draft.base ? { detail: changesOf(draft) } : {}),
    value: draft as FoundDraft | "other",
  }));
  const last = { label: other, value: "other" as const };
  const placeholder = t("Restore unsaved changes?");
  const chosen = await pick<FoundDraft | "other">({ title, placeholder, choices: [...items, last] });
  return chosen === BACK ? undefined : chosen;
}
