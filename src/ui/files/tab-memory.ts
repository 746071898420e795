// What an unsaved tab was an edit of, over a reload: the editor brings back the text alone.
import type * as vscode from "vscode";
import * as z from "zod";
import { TemplateHash } from "../../domain/id.ts";
import type { Stored } from "../../services/template-saves.ts";
import type { TabField } from "./template-address.ts";

const Remembered = z.strictObject({ hash: TemplateHash, value: z.string() });
const keyOf = (uri: vscode.Uri): string => `tab ${uri}`;

/** Without it a restored text would be saved over whatever others did since. */
export class TabMemory {
  readonly #memento: vscode.Memento;

  /** `memento` is that of the folder's windows. */
  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  remember(uri: vscode.Uri, { hash, draft }: Stored, field: TabField): void {
    void this.#memento.update(keyOf(uri), { hash, value: draft[field] });
  }

  forget(uri: vscode.Uri): void {
    void this.#memento.update(keyOf(uri), undefined);
  }

  /** The template as it was when the edit began, as far as this field goes; `now` where nothing is known of it. */
  begun(uri: vscode.Uri, now: Stored, field: TabField): Stored {
    const before = Remembered.safeParse(this.#memento.get(keyOf(uri)));
    if (!before.success) return now;
    const { hash, value } = before.data;
    return { ...now, hash, draft: { ...now.draft, [field]: value } };
  }
}
