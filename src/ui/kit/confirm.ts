// The one question before money is spent or something is lost: a modal that a held-down key can't answer.
import { askModally } from "./messages.ts";

export interface Question {
  readonly message: string;
  readonly detail: string;
  /** The button that goes ahead. */
  readonly go: string;
  /** The button that does nothing. It is the default button if going ahead loses something permanently. */
  readonly keep?: string;
}

/** An answer that comes faster than anyone can read comes from a key that was still held down. */
const READING_MS = 300;

export async function confirm({ message, detail, go, keep }: Question): Promise<boolean> {
  for (;;) {
    const shown = performance.now();
    const buttons = keep === undefined ? [go] : [keep, go];
    const answer = await askModally({ message, detail }, ...buttons);
    if (answer !== go) return false;
    if (performance.now() - shown >= READING_MS) return true;
  }
}
