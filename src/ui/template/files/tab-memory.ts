// Remembers across reloads what an unsaved tab was based on: the editor restores only the text.
import type * as vscode from "vscode";
import * as z from "zod";
import { TemplateHash, TemplateId } from "../../../domain/base/id.ts";
import type { Stored } from "../../../services/template/template-saves.ts";
import type { TabField } from "./template-address.ts";

const Remembered = z.strictObject({ hash: TemplateHash, id: TemplateId.optional(), value: z.string() });
const keyOf = (uri: vscode.Uri): string => `tab ${uri}`;

/** Without it, saving a restored text would overwrite what others have changed since. */
export class TabMemory {
  readonly #memento: vscode.Memento;

  /** `memento` is shared by the folder's windows. */
  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  remember(uri: vscode.Uri, { id, hash, draft }: Stored, field: TabField): void {
    void this.#memento.update(keyOf(uri), { id, hash, value: draft[field] });
  }

  /** The template's current ID, which a save may have changed. The address keeps the first ID. */
  number(uri: vscode.Uri): TemplateId | undefined {
    return this.#read(uri)?.id;
  }

  forget(uri: vscode.Uri): void {
    void this.#memento.update(keyOf(uri), undefined);
  }

  /**
   * The template as it was when the edit began, as far as this field is concerned; `now` if nothing is known about it.
   */
  begun(uri: vscode.Uri, now: Stored, field: TabField): Stored {
    const before = this.#read(uri);
    return before ? { ...now, hash: before.hash, draft: { ...now.draft, [field]: before.value } } : now;
  }

  #read(uri: vscode.Uri): z.infer<typeof Remembered> | undefined {
    return Remembered.safeParse(this.#memento.get(keyOf(uri))).data;
  }
}
