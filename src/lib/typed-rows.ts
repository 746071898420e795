// Which rows of a list fit what somebody types.
import type { ListItem } from "./markup.ts";
import { OWN_ICON } from "./markup.ts";

/** A number and its unit are one word, with or without a space: `24 GB`, `24gb`. */
const UNIT_AFTER_SPACE = /(\d)\s+(?=\p{L})/gu;

const textsOf = ({ label, description = "", detail = "" }: ListItem): string[] =>
  [label.replace(OWN_ICON, ""), description, detail].map((text) => text.toLowerCase());

/** Whether the editor shows a row by itself: what is typed stands in its label or description as one piece, in any case. */
export function isShownAsTyped(row: ListItem, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return textsOf({ ...row, detail: "" }).some((text) => text.includes(wanted));
}

/** Whether each word that is typed stands somewhere in a row, in any order. A number isn't looked for inside of a larger one. */
export function matchesTyped(row: ListItem, typed: string): boolean {
  if (isShownAsTyped(row, typed)) return true;
  const text = textsOf(row).join("\n");
  const joined = text.replace(UNIT_AFTER_SPACE, "$1");
  const words = typed.trim().toLowerCase().split(/\s+/);
  return words.every((word) => includesWord(text, word) || includesWord(joined, word));
}

function includesWord(text: string, word: string): boolean {
  const isNumber = /^\d/.test(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isNumber || !/[\d.,]/.test(text[at - 1] ?? "")) return true;
  return false;
}
