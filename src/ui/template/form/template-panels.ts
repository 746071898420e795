// Shows the open forms of this window, one panel each, and asks which draft to continue with.
import type * as vscode from "vscode";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";
import { t } from "../../../lib/text.ts";
import { TabState } from "../../../protocol/template-page.ts";
import type { SessionService } from "../../../services/core/session.ts";
import type { OffersService } from "../../../services/offer/offers.ts";
import type { TemplateEdit } from "../../../services/template/template-edit.ts";
import type { FormPerson, RestoredTab, TemplateEdits } from "../../../services/template/template-edits.ts";
import type { MergingPerson } from "../../../services/template/template-person.ts";
import { showError } from "../../kit/errors.ts";
import { renderSentence } from "../../kit/page-html.ts";
import { PageTabs } from "../../kit/page-tabs.ts";
import { chooseDraft } from "../choose-draft.ts";
import type { MergeView } from "./merge-view.ts";
import { drawEdit } from "./template-panel.ts";

interface Services {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly edits: TemplateEdits;
  readonly merges: MergeView;
  readonly log: Log;
}

export class TemplatePanels {
  readonly #services: Services;
  readonly #tabs: PageTabs<TemplateEdit>;
  /** The person in front of the forms of this window. */
  readonly person: FormPerson;

  constructor(extension: vscode.Uri, person: MergingPerson, services: Services) {
    this.#services = services;
    this.#tabs = new PageTabs(extension, "template");
    this.person = {
      ...person,
      chooseDraft,
      show: (edit) => this.#tabs.show(edit, "", (panel) => this.#fill(panel, edit)),
    };
  }

  /** Restores a tab that was open when the window was reloaded or died. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = TabState.safeParse(state);
    if (kept.success) await this.#services.edits.restore(this.#restoredTab(panel), kept.data);
    else panel.dispose();
  }

  #restoredTab(panel: vscode.WebviewPanel): RestoredTab {
    const closing = new AbortController();
    panel.onDidDispose(() => closing.abort());
    return {
      ...this.person,
      show: (edit) => this.#tabs.fill(panel, edit, () => this.#fill(panel, edit)),
      awaitSignIn: () => {
        panel.title = t("Template");
        panel.webview.html = renderSentence(t("Sign in to continue editing this template. Your changes are kept."));
      },
      showFailure: () => {
        panel.webview.html = renderSentence(
          t("This template couldn't be loaded. Close this tab, then open the template again."),
        );
      },
      close: () => panel.dispose(),
      closed: closing.signal,
    };
  }

  #fill(panel: vscode.WebviewPanel, edit: TemplateEdit): Disposable {
    const { edits, merges, log } = this.#services;
    // The merged text came back from the merge view, which closes: the form is what the person goes on with.
    const person: MergingPerson = {
      ...this.person,
      merge: (merge) =>
        merges.show({
          ...merge,
          apply: async (text) => {
            await merge.apply(text);
            panel.reveal();
          },
        }),
    };
    const bag = new Bag();
    bag.add({ dispose: () => void edits.close(this.person, edit).catch((error) => showError(error, log)) });
    bag.add({ dispose: () => void merges.forget(edit.key) });
    bag.add(drawEdit(panel, edit, person, this.#services));
    return bag;
  }
}
