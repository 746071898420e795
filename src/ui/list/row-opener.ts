// Opens a row by a double click or by Enter. The editor tells of every click, and of Enter as if it were one, so two quick
// ones on the same row are a double click, and Enter says so itself right before.

import type { RowCommand } from "../../ids.ts";
import { commands } from "../../ids.ts";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds between the clicks of a double click. */
const DOUBLE_CLICK = 500;

/** Milliseconds within which a busy editor tells of the row that a key selects. It tells of none that can't be opened. */
const SELECTING = 2000;

interface Clicked {
  readonly id: string;
  readonly opens: RowCommand;
  readonly row: object;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class RowOpener {
  readonly #clock: Clock;
  readonly #run: (opens: RowCommand, row: object) => Promise<void>;
  #last: Clicked | undefined;
  /** The key that was pressed, until a row is told of. Monotonic milliseconds. */
  #key: { readonly is: "key" | "enter"; readonly at: number } | undefined;

  constructor(clock: Clock, run: (opens: RowCommand, row: object) => Promise<void>) {
    this.#clock = clock;
    this.#run = run;
  }

  /**
   * Called with a row for a click on it. A key that acts on the row selects it first, which the editor tells as a click: such a key
   * says `key` before, so that it and a click before or after it are not two, and Enter says `enter`.
   */
  async open([given]: readonly unknown[]): Promise<void> {
    const now = this.#clock.elapsed();
    if (given === "key" || given === "enter") {
      this.#last = undefined;
      this.#key = { is: given, at: now };
      return;
    }
    const clicked = readRow(given, now);
    const key = this.#key !== undefined && now - this.#key.at < SELECTING ? this.#key.is : undefined;
    const isSecond = this.#last !== undefined && now - this.#last.at < DOUBLE_CLICK && clicked?.id === this.#last.id;
    const isMeant = key === "enter" || isSecond;
    this.#last = isMeant || key ? undefined : clicked;
    this.#key = undefined;
    if (isMeant && clicked) await this.#run(clicked.opens, clicked.row);
  }
}

/** Other extensions can pass anything. */
function readRow(given: unknown, at: number): Clicked | undefined {
  if (typeof given !== "object" || given === null || !("view" in given)) return undefined;
  const { view } = given;
  if (typeof view !== "object" || view === null || !("id" in view) || !("opens" in view)) return undefined;
  const { id, opens } = view;
  const isKnown = (name: unknown): name is RowCommand => Object.values<unknown>(commands).includes(name);
  return typeof id === "string" && isKnown(opens) ? { id, opens, row: given, at } : undefined;
}
