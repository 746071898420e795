// Asks once before the tabs of a window save templates: an editor may autosave, and launches use what is saved.
import * as vscode from "vscode";
import { AppError } from "../../../domain/base/error.ts";
import { joining } from "../../../lib/task.ts";
import { plain, t } from "../../../lib/text.ts";
import type { SessionService, SignedIn } from "../../../services/core/session.ts";
import { confirm } from "../../kit/confirm.ts";
import type { TabField } from "./template-address.ts";

interface Asked {
  readonly uri: vscode.Uri;
  readonly field: TabField;
  /** The template's name. */
  readonly name: string;
}

export class SaveConsent {
  readonly #session: SessionService;
  /** The account that consent was given for. */
  #given: SignedIn | undefined;
  /** Tabs that are saved together share one question. */
  readonly #answer = joining(question);

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** @throws AppError if the person says no, or the account changed before they answered. */
  async ask(account: SignedIn, asked: Asked): Promise<void> {
    if (this.#given === account) return;
    const agreed = await this.#answer(asked);
    this.#session.assertStill(account);
    if (!agreed) throw new AppError("cancelled", t("Not saved: you chose not to. The text stays in the tab."));
    this.#given = account;
  }
}

function question({ uri, field, name }: Asked): Promise<boolean> {
  const what = field === "onstart" ? t("start script") : t("readme");
  const byItself = vscode.workspace.getConfiguration("files", uri).get("autoSave", "off") !== "off";
  return confirm({
    message: t("Save the {0} of “{1}” to the service?", what, plain(name, 60)),
    detail: [
      t("Every launch from this template uses it from then on. You are asked once in each window."),
      ...(byItself ? [t("Your editor saves by itself: it will save here too, whenever you pause.")] : []),
    ].join("\n"),
    go: t("Save"),
    // The person may be typing right now, including Enter.
    ...(byItself ? { keep: t("Not Now") } : {}),
  });
}
