// The one question before money is spent or something is lost: a modal that a held-down key can't answer.
import { realClock } from "../../../lib/clock.ts";
import type { Question } from "../../../present/base/question.ts";
import { askModally } from "../messages.ts";

/** An answer that comes faster than anyone can read comes from a key that was still held down. */
const READING_MS = 300;

/** The questions in front of the person right now. */
const open = new Set<string>();

export async function confirm(question: Question): Promise<boolean> {
  return (await confirmOr(question)) === "go";
}

/** Something else that may be done. */
interface OtherWay {
  readonly label: string;
  /** The default button, where going ahead loses something. */
  readonly isDefault: boolean;
}

/** The same with another button. @returns undefined for doing nothing. */
export async function confirmOr(
  { message, detail, go, keep, close }: Question,
  other?: OtherWay,
): Promise<"go" | "other" | undefined> {
  const first = other?.isDefault ? other.label : keep;
  const last = other?.isDefault ? undefined : other?.label;
  const buttons = [first, go, last].filter((button) => button !== undefined);
  // A key that repeats asks the same again and again, and what was asked first may be done by the time the last comes up.
  const asked = JSON.stringify([message, detail]);
  if (open.has(asked)) return undefined;
  open.add(asked);
  try {
    for (;;) {
      const shown = realClock.elapsed();
      const answer = await askModally({ message, detail, close }, ...buttons);
      if (other !== undefined && answer === other.label) return "other";
      if (answer !== go) return undefined;
      if (realClock.elapsed() - shown >= READING_MS) return "go";
    }
  } finally {
    open.delete(asked);
  }
}
