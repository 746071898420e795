// The one question before money is spent or something is lost: a modal that a held-down key can't answer.
import { realClock } from "../../lib/clock.ts";
import type { Question } from "../../present/base/question.ts";
import { askModally } from "./messages.ts";

/** An answer that comes faster than anyone can read comes from a key that was still held down. */
const READING_MS = 300;

export async function confirm(question: Question): Promise<boolean> {
  return (await confirmOr(question)) === "go";
}

/** Something else that may be done. */
export interface OtherWay {
  readonly label: string;
  /** The default button, where going ahead loses something. */
  readonly isDefault: boolean;
}

/** The same with another button. @returns undefined for doing nothing. */
export async function confirmOr(
  { message, detail, go, keep }: Question,
  other?: OtherWay,
): Promise<"go" | "other" | undefined> {
  const first = other?.isDefault ? other.label : keep;
  const last = other?.isDefault ? undefined : other?.label;
  const buttons = [first, go, last].filter((button) => button !== undefined);
  for (;;) {
    const shown = realClock.elapsed();
    const answer = await askModally({ message, detail }, ...buttons);
    if (other !== undefined && answer === other.label) return "other";
    if (answer !== go) return undefined;
    if (realClock.elapsed() - shown >= READING_MS) return "go";
  }
}
