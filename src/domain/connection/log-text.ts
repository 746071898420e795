// The text of a machine's log. Whatever runs on the machine writes it, so it may hold anything: commands for the
// terminal it is shown in, links, characters that reorder a line.

/** What the machine's container printed, or what the host's daemon did with the container. */
export type LogSource = "container" | "daemon";

const ESC = "\u001b";
const LINE_BREAK = "\n".charCodeAt(0);
/** A color of its own: from the palette, or as red, green and blue. */
const COLOR = "[345]8(?:;5;\\d{1,3}|;2(?:;\\d{1,3}){3}|:5:\\d{1,3}|:2(?::\\d{0,3}){3,5})";
/** Any other style but blinking and hidden text, which a log would never show again, and reversed text, by which our own lines are marked. */
const PLAIN_STYLE = "(?:4:[0-5]|(?!0*(?:[5-8]|[345]8)(?!\\d))\\d{0,3})";
/** Colors, weight and underlines. All else that a terminal obeys is removed. */
const STYLE = `${ESC}\\[(?:${COLOR}|${PLAIN_STYLE})(?:;(?:${COLOR}|${PLAIN_STYLE})){0,15}m`;
/** Moves the cursor, erases, switches modes, asks the terminal for an answer. */
const COMMAND = `(?:${ESC}\\[|\u009b)[ -?]*[@-~]?`;
/** Sets the clipboard or the title, makes links, draws pictures. Without an end it goes to the end of the line. */
const STRING = `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n${ESC}\u0007\u0018\u001a\u009c]*(?:[\u0007\u0018\u001a\u009c]|${ESC}\\\\)?`;
/** Resets the terminal, switches its character set, and the rest. */
const OTHER = `${ESC}[ -\\/]*[0-~]?`;
/** The one alternative that is kept comes first. Without the flags of Unicode, whose loops overflow in long sequences. */
const SEQUENCES = new RegExp(`(${STYLE})|${COMMAND}|${STRING}|${OTHER}`, "g");
/** Single controls, and what reorders a line or can't be seen. Joiners stay: scripts and emoji need them. */
const CHARACTERS = new RegExp(`[[\\p{Cc}\\p{Cf}\\p{Cs}\u2028\u2029]--[\\b\\t\\n\\r\u200c\u200d${ESC}]]`, "gv");
const STYLES = new RegExp(STYLE, "g");

/**
 * A log that is safe in a terminal: text, colors, tabs, line breaks, backspaces and carriage returns. A text that goes on
 * where this one ends is cleaned to one that goes on where the result ends.
 */
export function cleanLog(text: string): string {
  return text.replace(SEQUENCES, "$1").replace(CHARACTERS, "");
}

/** A sequence that is complete, or that what follows it can't complete: what comes next doesn't belong to it. */
const COMPLETE = new RegExp(
  `^(?:(?:${ESC}\\[|\u009b)[ -?]*[^ -?]|${ESC}\\\\|(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^]*[\n\u0007\u0018\u001a\u009c]|${ESC}(?![\\[\\]PX^_])[ -\\/]*[^ -\\/]|[\u0080-\u008f\u0091-\u0097\u0099\u009a\u009c])`,
);
const INTRODUCER = new RegExp(`[${ESC}\u0080-\u009f]`, "g");
/** Characters; no sequence that means well is longer. */
const LONGEST_SEQUENCE = 4096;

/** Cleans a log that arrives piece by piece: a sequence that isn't complete waits for its rest. */
export class LogCleaner {
  #held = "";

  push(text: string): string {
    const all = this.#held + text;
    const at = [...all.matchAll(INTRODUCER)].at(-1)?.index ?? all.length;
    const rest = all.slice(at);
    const isComplete = rest === "" || COMPLETE.test(rest) || rest.length > LONGEST_SEQUENCE;
    this.#held = isComplete ? "" : rest;
    return cleanLog(isComplete ? all : all.slice(0, at));
  }

  /** What was held, once nothing more comes. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return cleanLog(held);
  }
}

/** A log as plain text for a document. Each state of a progress bar is a line of its own. */
export function toPlainLog(text: string): string {
  return cleanLog(text)
    .replace(STYLES, "")
    .replaceAll("\b", "")
    .replace(/\r+\n?/g, "\n");
}

/** What a later reading of a log adds to an earlier one. */
export interface Continuation {
  /** Empty if nothing is new. */
  readonly text: string;
  /** True if the two have no line in common: lines before `text` may be missing. */
  readonly isGap: boolean;
}

/** Continues one reading of a log's end with the next. Takes time in proportion to their length, whatever they hold. */
export function continueLog(before: string, now: string): Continuation {
  if (before === "" || now.startsWith(before)) return { text: now.slice(before.length), isGap: false };
  // Storage may serve an older reading again.
  if (before.startsWith(now)) return { text: "", isGap: false };
  const shared = sharedLength(before, now);
  // Blank lines look the same everywhere.
  const isGap = now.slice(0, shared).trim() === "";
  return { text: isGap ? now : now.slice(shared), isGap };
}

/** Characters with which most logs have one place only. */
const HEAD = 200;

/** The length of the longest beginning of `now` with which `before` ends, from the start of a line. */
function sharedLength(before: string, now: string): number {
  // Nothing longer than what begins at the first place of the head can be shared.
  const at = before.indexOf(now.slice(0, HEAD));
  const isLine = at === 0 || (at > 0 && before.charCodeAt(at - 1) === LINE_BREAK);
  if (isLine && now.startsWith(before.slice(at))) return before.length - at;
  return searchSharedLength(before, now);
}

/** The same for whatever the texts hold, by the algorithm of Knuth, Morris and Pratt. */
function searchSharedLength(before: string, now: string): number {
  const most = Math.min(before.length, now.length);
  const shorter = new Int32Array(most);
  const extend = (length: number, next: number): number => {
    let shared = length;
    while (shared > 0 && now.charCodeAt(shared) !== next) shared = shorter[shared - 1] ?? 0;
    return now.charCodeAt(shared) === next ? shared + 1 : 0;
  };
  for (let at = 1; at < most; at += 1) shorter[at] = extend(shorter[at - 1] ?? 0, now.charCodeAt(at));
  let shared = 0;
  for (let at = before.length - most; at < before.length; at += 1) shared = extend(shared, before.charCodeAt(at));
  const isInLine = () => shared < before.length && before.charCodeAt(before.length - shared - 1) !== LINE_BREAK;
  while (shared > 0 && isInLine()) shared = shorter[shared - 1] ?? 0;
  return shared;
}
