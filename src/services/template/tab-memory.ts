// Remembers across reloads what an unsaved tab was based on: the editor restores only the text.
import * as z from "zod";
import { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import type { TextField } from "../../domain/template/template-path.ts";
import type { Notes } from "../core/notes.ts";
import type { Stored } from "./template-saves.ts";

const Remembered = z.strictObject({ hash: TemplateHash, id: TemplateId.optional(), value: z.string() });
const noteOf = (tab: string): string => `tab ${tab}`;

/** Without it, saving a restored text would overwrite what others have changed since. `tab` is the key of a tab. */
export class TabMemory {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  remember(tab: string, { id, hash, draft }: Stored, field: TextField): void {
    this.#notes.set(noteOf(tab), { id, hash, value: draft[field] });
  }

  /** The template's current ID, which a save may have changed. The address keeps the first ID. */
  getId(tab: string): TemplateId | undefined {
    return this.#read(tab)?.id;
  }

  forget(tab: string): void {
    this.#notes.set(noteOf(tab), undefined);
  }

  /**
   * The template as it was when the edit began, as far as this field is concerned; `now` if nothing is known about it.
   */
  getBase(tab: string, now: Stored, field: TextField): Stored {
    const before = this.#read(tab);
    return before ? { ...now, hash: before.hash, draft: { ...now.draft, [field]: before.value } } : now;
  }

  #read(tab: string): z.infer<typeof Remembered> | undefined {
    return Remembered.safeParse(this.#notes.get(noteOf(tab))).data;
  }
}
