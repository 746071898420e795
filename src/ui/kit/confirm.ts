// The one question before money is spent or something is lost: a modal that a held-down key can't answer.
import { realClock } from "../../lib/clock.ts";
import type { Question } from "../../present/base/question.ts";
import { askModally } from "./messages.ts";

/** An answer that comes faster than anyone can read comes from a key that was still held down. */
const READING_MS = 300;

export async function confirm({ message, detail, go, keep }: Question): Promise<boolean> {
  for (;;) {
    const shown = realClock.elapsed();
    const buttons = keep === undefined ? [go] : [keep, go];
    const answer = await askModally({ message, detail }, ...buttons);
    if (answer !== go) return false;
    if (realClock.elapsed() - shown >= READING_MS) return true;
  }
}
