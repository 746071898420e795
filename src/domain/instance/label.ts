// An instance's label as typed.
import { t } from "../../lib/text.ts";
import { createRejection } from "../base/typed-number.ts";

/** The longest label a person may type. The launch token takes the rest of the 128 characters that services show. */
const MOST_LABEL = 100;

/** @throws AppError `rejected` for a label that is too long or looks like a launch token. */
export function parseLabel(input: string): string {
  const label = input.trim();
  // The zero-width joiner holds emoji together and is harmless.
  if (/[\p{Cc}\p{Cs}]|(?!\u200d)\p{Cf}/u.test(label))
    throw createRejection("label", t("Label: remove the line break or invisible character."));
  if (label.length > MOST_LABEL)
    throw createRejection("label", t("Label: {0} characters is too long (maximum {1}).", label.length, MOST_LABEL));
  if (/^vsc-/i.test(label))
    throw createRejection(
      "label",
      t("Label: names starting with “vsc-” are reserved for this extension. Choose another name."),
    );
  return label;
}
