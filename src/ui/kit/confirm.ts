// The one question before money is spent or something is lost: a modal that a held-down key can't answer.
import { realClock } from "../../lib/clock.ts";
import type { Question } from "../../present/base/question.ts";
import { askModally } from "./messages.ts";

/** An answer that comes faster than anyone can read comes from a key that was still held down. */
const READING_MS = 300;

export async function confirm(question: Question): Promise<boolean> {
  return (await confirmOr(question)) === "go";
}

/** The same with a button for something else that may be done first. @returns undefined for doing nothing. */
export async function confirmOr(
  { message, detail, go, keep }: Question,
  other?: string,
): Promise<"go" | "other" | undefined> {
  for (;;) {
    const shown = realClock.elapsed();
    const buttons = keep === undefined ? [go] : [keep, go];
    const answer = await askModally({ message, detail }, ...buttons, ...(other === undefined ? [] : [other]));
    if (other !== undefined && answer === other) return "other";
    if (answer !== go) return undefined;
    if (realClock.elapsed() - shown >= READING_MS) return "go";
  }
}
