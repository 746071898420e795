// Makes foreign text safe to show, and our own sentences translatable.
import { defuseIcons } from "./markup.ts";

/** Control, format and bidirectional characters: they could make a price or an ID appear where it doesn't belong. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Words of printable ASCII need no cleaning, and most names are just that. */
const CLEAN = /^[!-~]+(?: [!-~]+)*$/;

/** A text from a server or a person as one line of at most `most` characters, without invisible ones. */
export function toPlainText(given: string, most = 200): string {
  if (given.length <= most && CLEAN.test(given)) return given;
  // Cut first: the rest isn't shown anyway, and foreign text may be megabytes long.
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

/** `toPlainText` for quick picks and tree labels. */
export function toLabel(text: string, most = 200): string {
  return defuseIcons(toPlainText(text, most));
}

/**
 * The last `most` characters of a text in whole lines, or in whole words where its last line is longer: a part of a secret
 * wouldn't be recognized as one.
 */
export function takeEnd(text: string, most: number): string {
  return text.length <= most ? text : text.slice(-most).replace(/^[^\n]*\n(?=.)|^\S*/s, "");
}

type Translate = (message: string, ...values: Array<string | number>) => string;

/** A sentence split at its `{0}`, `{1}` …: texts, and between them the indexes of values. */
type Pattern = readonly (string | number)[];

function pattern(sentence: string): Pattern {
  return sentence.split(/\{(\d+)\}/).map((part, index) => (index % 2 === 0 ? part : Number(part)));
}

/** What sentences that were said have between their values. Less than two letters in a row could be anything. */
const ownWords = new Set<string>();

function noteWords(parts: Pattern): void {
  for (const part of parts) if (typeof part === "string" && /\p{L}{2}/u.test(part)) ownWords.add(part.trim());
}

/** Whether all of it stands in a sentence of ours. */
export function isOwnWording(text: string): boolean {
  return [...ownWords].some((part) => part.includes(text));
}

/** Some words in a row: fewer are in anyone's sentences. */
const PHRASE = /\p{L}\P{L}+\p{L}.{8}|.{8}\p{L}\P{L}+\p{L}|\p{Script=Han}{4}/u;

interface OwnWords {
  readonly from: number;
  readonly to: number;
  /** Whether it is more than a word, which anyone might use. */
  readonly isPhrase: boolean;
}

/** Where a text says what our own sentences say, in no order. Takes time in proportion to its length and to their number. */
export function findOwnWords(text: string): readonly OwnWords[] {
  const found: OwnWords[] = [];
  for (const part of ownWords)
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
      found.push({ from: at, to: at + part.length, isPhrase: PHRASE.test(part) });
  return found;
}

/**
 * Fills in sentences. Each is looked up and split once, because a list uses the same sentence for thousands of rows.
 */
function translator(lookUp: (message: string) => string): Translate {
  const patterns = new Map<string, Pattern>();
  return (message, ...values) => {
    let parts = patterns.get(message);
    if (parts === undefined) {
      parts = pattern(lookUp(message));
      noteWords(parts);
      patterns.set(message, parts);
    }
    let said = "";
    for (const part of parts) said += typeof part === "string" ? part : (values[part] ?? `{${part}}`);
    return said;
  };
}

let translate = translator((message) => message);

/**
 * Formats numbers and dates for the machine's region if it uses the same language: British dates in an English editor.
 */
function localeFor(language: string): string {
  const { locale: machine } = Intl.DateTimeFormat().resolvedOptions();
  return machine.toLowerCase().startsWith(language.toLowerCase()) ? machine : language;
}

let locale = localeFor("en");
let hasPoint = true;

/**
 * Sets how translations are looked up, in the editor's or a page's dictionary, and their language, such as `de`.
 * Until then, sentences stay in English.
 */
export function setTranslator(lookUp: (message: string) => string, language = "en"): void {
  translate = translator(lookUp);
  locale = localeFor(language);
  hasPoint = (0.5).toLocaleString(locale).includes(".");
}

/**
 * `4,048`, with the language's digit grouping. Decimals have a point in every language, as prices do, so where a point would group
 * digits, a narrow space does.
 */
export const formatNumber = (value: number): string =>
  hasPoint ? value.toLocaleString(locale) : value.toLocaleString("en").replaceAll(",", "\u202f");

/** `14:02`. `at` is wall clock milliseconds. */
export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** `Nov 26, 2026, 14:02`. `at` is wall clock milliseconds. */
export const formatDateTime = (at: number): string =>
  new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

/** A day and time near by: `Wed, Nov 25, 18:00`. `at` is wall clock milliseconds. */
export const formatDayTime = (at: number): string =>
  new Date(at).toLocaleString(locale, {
    ...{ weekday: "short", month: "short", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });

/** A day near by: `Nov 3`. `at` is wall clock milliseconds. */
export const formatMonthDay = (at: number): string =>
  new Date(at).toLocaleDateString(locale, { month: "short", day: "numeric" });

/** A country by its two letters (ISO 3166-1), in the editor's language: `Sweden`. Anything else stays as it is. */
export function formatCountryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return toPlainText(code, 40);
  return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
}

/** A translated sentence: `t("{0} of {1}", 1, 2)`. */
export const t: Translate = (message, ...values) => translate(message, ...values);
