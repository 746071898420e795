// Opens a row by a double click or by Enter. The editor tells of every click, so two quick ones on the same row are a double click,
// and it tells of the row that a key selects as if it were a click, so a key of ours says so itself right before.

import type { RowCommand } from "../../ids.ts";
import { commands, views } from "../../ids.ts";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds between the clicks of a double click. */
const DOUBLE_CLICK = 500;

/** Milliseconds within which a busy editor tells of the row that a key selects. It tells of none that can't be opened. */
const SELECTING = 2000;

interface Clicked {
  readonly id: string;
  readonly opens: RowCommand;
  readonly row: object;
}

export class RowOpener {
  readonly #clock: Clock;
  readonly #listSelected: (view: string) => readonly unknown[];
  readonly #run: (opens: RowCommand, row: object) => Promise<void>;
  /** Monotonic milliseconds. */
  #last: { readonly id: string; readonly at: number } | undefined;
  /** When a key was pressed, until a row is told of. Monotonic milliseconds. */
  #keyAt: number | undefined;

  constructor(
    clock: Clock,
    listSelected: (view: string) => readonly unknown[],
    run: (opens: RowCommand, row: object) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#listSelected = listSelected;
    this.#run = run;
  }

  /**
   * Called with a row for a click on it. A key that acts on the row has the editor select it first, and says `key` before, so that it
   * and a click before or after it aren't two. Enter then gives its view, whose selected row opens: the editor tells of a selected
   * row by a command that a row loses while it is drawn again.
   */
  async open([given]: readonly unknown[]): Promise<void> {
    const now = this.#clock.elapsed();
    if (given === "key") {
      this.#last = undefined;
      this.#keyAt = now;
      return;
    }
    const ofView = Object.values<unknown>(views).includes(given);
    const row = readRow(ofView ? this.#listSelected(given as string)[0] : given);
    if (ofView || this.#isSecond(row, now)) {
      this.#last = undefined;
      if (row) await this.#run(row.opens, row.row);
    }
  }

  #isSecond(row: Clicked | undefined, now: number): boolean {
    const isByKey = this.#keyAt !== undefined && now - this.#keyAt < SELECTING;
    const isSecond = this.#last !== undefined && now - this.#last.at < DOUBLE_CLICK && row?.id === this.#last.id;
    this.#last = isByKey || !row ? undefined : { id: row.id, at: now };
    this.#keyAt = undefined;
    return isSecond;
  }
}

/** Other extensions can pass anything. */
function readRow(given: unknown): Clicked | undefined {
  if (typeof given !== "object" || given === null || !("view" in given)) return undefined;
  const { view } = given;
  if (typeof view !== "object" || view === null || !("id" in view) || !("opens" in view)) return undefined;
  const { id, opens } = view;
  const isKnown = (name: unknown): name is RowCommand => Object.values<unknown>(commands).includes(name);
  return typeof id === "string" && isKnown(opens) ? { id, opens, row: given } : undefined;
}
