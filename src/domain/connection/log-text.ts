// The text of a machine's log. Whatever runs on the machine writes it, so it may hold anything: commands for the
// terminal it is shown in, links, characters that reorder a line.

import type { Turns } from "../../lib/turns.ts";

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
/** What a document doesn't show either. */
const LEFT_OUT = new RegExp(`${STYLE}|[\b]`, "g");

/**
 * A log that is safe in a terminal: text, colors, tabs, line breaks, backspaces and carriage returns. A text that goes on
 * where this one ends is cleaned to one that goes on where the result ends.
 */
export function cleanLog(text: string): string {
  // Where `replace` puts in the same text again and again, it builds a rope of as many parts, which takes far longer later.
  return text.replace(SEQUENCES, "$1").split(CHARACTERS).join("");
}

/** A sequence that is complete, or that what follows it can't complete: what comes next doesn't belong to it. */
const COMPLETE = new RegExp(
  `^(?:(?:${ESC}\\[|\u009b)[ -?]*[^ -?]|${ESC}\\\\|(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^]*[\n\u0007\u0018\u001a\u009c]|${ESC}(?![\\[\\]PX^_])[ -\\/]*[^ -\\/]|[\u0080-\u008f\u0091-\u0097\u0099\u009a\u009c])`,
);
const INTRODUCER = new RegExp(`[${ESC}\u0080-\u009f]`);
/** Characters; no sequence that means well is longer. */
const LONGEST_SEQUENCE = 4096;

/** Where the last sequence of a text begins if it isn't complete, else the text's end. */
function findOpenSequence(text: string): number {
  for (let at = text.length - 1; at >= 0 && text.length - at <= LONGEST_SEQUENCE; at -= 1)
    if (INTRODUCER.test(text.charAt(at))) return COMPLETE.test(text.slice(at)) ? text.length : at;
  return text.length;
}

/** Cleans a log that arrives piece by piece: a sequence that isn't complete waits for its rest. */
export class LogCleaner {
  #held = "";

  push(text: string): string {
    const all = this.#held + text;
    const end = findOpenSequence(all);
    this.#held = all.slice(end);
    return cleanLog(all.slice(0, end));
  }

  /** What was held, once nothing more comes. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return cleanLog(held);
  }
}

/** Characters that are cleaned before others get their turn. */
const PIECE = 64 * 1024;

/** What `clean` makes of a whole log, one part after the other. */
export async function cleanInTurns(text: string, clean: (part: string) => string, turns: Turns): Promise<string> {
  const done: string[] = [];
  let held = "";
  for (let at = 0; at < text.length; at += PIECE) {
    const all = held + text.slice(at, at + PIECE);
    const end = at + PIECE < text.length ? findPieceEnd(all) : all.length;
    done.push(clean(all.slice(0, end)));
    held = all.slice(end);
    await turns.take();
  }
  return done.join("");
}

/** No sequence, no character and no end of a line is cut in two, unless it is made to have no end. */
function findPieceEnd(text: string): number {
  let end = findOpenSequence(text);
  while (end > 0 && text.length - end <= LONGEST_SEQUENCE && /[\r\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
  return text.length - end > LONGEST_SEQUENCE ? text.length : end;
}

/** A log as plain text for a document. Each state of a progress bar is a line of its own. */
export function toPlainLog(text: string): string {
  return cleanLog(text)
    .split(LEFT_OUT)
    .join("")
    .split(/\r+\n?/)
    .join("\n");
}

/** What a later reading of a log adds to an earlier one. */
interface Continuation {
  /** Empty if nothing is new. */
  readonly text: string;
  /** True if the two have no line in common: lines before `text` may be missing. */
  readonly isGap: boolean;
}

/** Continues one reading of a log's end with the next. Takes time in proportion to their length, whatever they hold. */
export async function continueLog(before: string, now: string, turns: Turns): Promise<Continuation> {
  if (before === "" || now.startsWith(before)) return { text: now.slice(before.length), isGap: false };
  // Storage may serve an older reading again.
  if (before.startsWith(now)) return { text: "", isGap: false };
  const shared = await sharedLength(before, now, turns);
  // Blank lines look the same everywhere.
  const isGap = now.slice(0, shared).trim() === "";
  return { text: isGap ? now : now.slice(shared), isGap };
}

/** Characters with which most logs have one place only. */
const HEAD = 200;

/** The length of the longest beginning of `now` with which `before` ends, from the start of a line. */
async function sharedLength(before: string, now: string, turns: Turns): Promise<number> {
  // Nothing longer than what begins at the first place of the head can be shared.
  const at = await findHead(before, now.slice(0, HEAD), turns);
  const isLine = at === 0 || (at > 0 && before.charCodeAt(at - 1) === LINE_BREAK);
  if (isLine && now.startsWith(before.slice(at))) return before.length - at;
  return await searchSharedLength(before, now, turns);
}

async function findHead(text: string, head: string, turns: Turns): Promise<number> {
  for (let from = 0; from < text.length; from += PIECE) {
    const at = text.slice(from, from + PIECE + head.length - 1).indexOf(head);
    if (at >= 0) return from + at;
    await turns.take();
  }
  return -1;
}

/** The same for whatever the texts hold, by the algorithm of Knuth, Morris and Pratt. */
async function searchSharedLength(before: string, now: string, turns: Turns): Promise<number> {
  const most = Math.min(before.length, now.length);
  const shorter = new Int32Array(most);
  const extend = (length: number, next: number): number => {
    let shared = length;
    while (shared > 0 && now.charCodeAt(shared) !== next) shared = shorter[shared - 1] ?? 0;
    return now.charCodeAt(shared) === next ? shared + 1 : 0;
  };
  for (let at = 1; at < most; at += 1) {
    shorter[at] = extend(shorter[at - 1] ?? 0, now.charCodeAt(at));
    if (at % PIECE === 0) await turns.take();
  }
  let shared = 0;
  for (let at = before.length - most; at < before.length; at += 1) {
    shared = extend(shared, before.charCodeAt(at));
    if (at % PIECE === 0) await turns.take();
  }
  const isInLine = () => shared < before.length && before.charCodeAt(before.length - shared - 1) !== LINE_BREAK;
  for (let step = 1; shared > 0 && isInLine(); step += 1) {
    shared = shorter[shared - 1] ?? 0;
    if (step % PIECE === 0) await turns.take();
  }
  return shared;
}
