// Text from elsewhere made safe to show, and our own sentences made translatable.

/** Control, format and bidirectional characters: they can move a price or an id to where it does not belong. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** One line of at most `most` characters of text that a server or a person wrote, without anything invisible. */
export function plain(text: string, most = 200): string {
  const clean = text
    .replace(/[\r\n\t]+/g, " ")
    .replace(UNSAFE, "")
    .replace(/ {2,}/g, " ")
    .trim();
  const shown = [...clean];
  return shown.length > most ? `${shown.slice(0, most - 1).join("")}…` : clean;
}

/** `plain` for quick picks and tree labels, where `$(name)` would draw an icon: the dollar gets an invisible guard. */
export function label(text: string, most = 200): string {
  return plain(text, most).replaceAll("$(", "$\u200a(");
}

export type Translate = (message: string, ...values: Array<string | number>) => string;

const fill: Translate = (message, ...values) =>
  message.replace(/\{(\d+)\}/g, (whole, index) => String(values[Number(index)] ?? whole));

let translate: Translate = fill;

/** A translator by a dictionary from English sentences, for a page that the editor's own translator does not reach. */
export function translatorOf(dictionary: Readonly<Record<string, string>>): Translate {
  const known = new Map(Object.entries(dictionary));
  return (message, ...values) => fill(known.get(message) ?? message, ...values);
}

/** Hands over the editor's translator; outside the editor the English text is filled in as it stands. */
export function setTranslator(other: Translate): void {
  translate = other;
}

/** A sentence for people: `t("{0} of {1}", 1, 2)`. */
export const t: Translate = (message, ...values) => translate(message, ...values);
