// Letters typed one after the other, which lead to a row.

/** Milliseconds after which typing begins again. */
const TYPING_PAUSE = 800;

export class TypeAhead {
  #text = "";
  #at = 0;

  /** What is typed by now, and whether this key began it; undefined for a key that isn't a letter. */
  read(event: KeyboardEvent): { readonly text: string; readonly isNew: boolean } | undefined {
    const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey) return undefined;
    const isNew = this.#text === "" || timeStamp - this.#at >= TYPING_PAUSE;
    // A space on its own begins nothing.
    const text = isNew ? key.trim() : this.#text + key;
    this.#text = text;
    this.#at = timeStamp;
    return text === "" ? undefined : { text, isNew };
  }
}
