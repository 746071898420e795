// A row of a list as the last one had it that had it: what a page shows of a thing that may be gone.
import type { Presence } from "../../domain/base/presence.ts";
import type { Fresh } from "./loaded.ts";

export class LastSeen<R> {
  #row: R;
  /** Wall clock milliseconds of the list that had it; undefined until one does. */
  #seenAt: number | undefined;
  #presence: Presence = "listed";

  constructor(row: R) {
    this.#row = row;
  }

  /**
   * Looks for it in the last list, if there is one.
   * @returns the row, since when it is known, and whether it is still there. A list with records that couldn't be read may have it.
   */
  look(
    list: Fresh<{ readonly rows: readonly R[]; readonly unreadable: number }> | undefined,
    isIt: (row: R) => boolean,
  ): { readonly row: R; readonly seenAt: number | undefined; readonly presence: Presence } {
    const found = list?.value.rows.find(isIt);
    if (found) {
      this.#row = found;
      this.#seenAt = list?.at;
      this.#presence = "listed";
    } else if (list) this.#presence = list.value.unreadable === 0 ? "ended" : "missing";
    return { row: this.#row, seenAt: this.#seenAt, presence: this.#presence };
  }
}
