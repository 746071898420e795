// Text from elsewhere made safe to show, and our own sentences made translatable.
import { defuseIcons } from "./markup.ts";

/** Control, format and bidirectional characters: they can move a price or an id to where it does not belong. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Words of printable ASCII: nothing in them to mend, and most names are no more. */
const CLEAN = /^[!-~]+(?: [!-~]+)*$/;

/** One line of at most `most` characters of text that a server or a person wrote, without anything invisible. */
export function plain(given: string, most = 200): string {
  if (given.length <= most && CLEAN.test(given)) return given;
  // Cut first: whatever follows is not shown, and a stranger's text may be megabytes long.
  const text = given.slice(0, most * 4 + 1000);
  const clean = text
    .replace(/[\r\n\t]+/g, " ")
    .replace(UNSAFE, "")
    .replace(/ {2,}/g, " ")
    .trim();
  const shown = [...clean];
  const isCut = text.length < given.length;
  return isCut || shown.length > most ? `${shown.slice(0, most - 1).join("")}…` : clean;
}

/** `plain` for quick picks and tree labels. */
export function label(text: string, most = 200): string {
  return defuseIcons(plain(text, most));
}

export type Translate = (message: string, ...values: Array<string | number>) => string;

/** A sentence taken apart at its `{0}`, `{1}` …: texts, and numbers of values between them. */
type Pattern = readonly (string | number)[];

function pattern(sentence: string): Pattern {
  return sentence.split(/\{(\d+)\}/).map((part, index) => (index % 2 === 0 ? part : Number(part)));
}

/** Puts sentences together; each is looked up and taken apart once, as a list says the same of thousands of rows. */
function translator(lookUp: (message: string) => string): Translate {
  const patterns = new Map<string, Pattern>();
  return (message, ...values) => {
    let parts = patterns.get(message);
    if (parts === undefined) {
      parts = pattern(lookUp(message));
      patterns.set(message, parts);
    }
    let said = "";
    for (const part of parts) said += typeof part === "string" ? part : (values[part] ?? `{${part}}`);
    return said;
  };
}

let translate = translator((message) => message);

/** Numbers and dates follow the machine where it speaks the language of the sentences: British dates in an English editor. */
function localeFor(language: string): string {
  const { locale: machine } = Intl.DateTimeFormat().resolvedOptions();
  return machine.toLowerCase().startsWith(language.toLowerCase()) ? machine : language;
}

let locale = localeFor("en");

/**
 * Hands over where translations are looked up, the editor's or a page's dictionary, and their language, such as `de`.
 * Without one, sentences stay English.
 */
export function setTranslator(lookUp: (message: string) => string, language = "en"): void {
  translate = translator(lookUp);
  locale = localeFor(language);
}

/** `4,048`, as the language groups its digits. */
export const grouped = (value: number): string => value.toLocaleString(locale);

/** A day and a time; `at` is wall clock milliseconds. */
export const dateTime = (at: number): string => new Date(at).toLocaleString(locale);

/** A sentence for people: `t("{0} of {1}", 1, 2)`. */
export const t: Translate = (message, ...values) => translate(message, ...values);
