// How a script is run on a machine, and what its answer and its complaints mean.

import { redactText } from "../../lib/redact.ts";
import { t, takeEnd, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";

/** Ends what a profile complained with before the script began. */
const BEGUN = "cloud-gpu-begun";

/** What means the same between the quotes of any shell. */
const NOT_PLAIN = /[^\w \t./:,;=+@%#(){}<>|&*?[\]^~-]/gu;
const toEscape = (char: string): string =>
  char === "\n"
    ? "\\n"
    : [...new TextEncoder().encode(char)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");

/**
 * A command for the login shell of a machine, which may be any: csh knows no line break between quotes, and fish its own escapes there.
 * Only `sh` reads the script. For a terminal: nothing is printed but by the script.
 */
export const buildTerminalCommand = (script: string): string =>
  `exec sh -c 'eval "$(printf %b "${script.replaceAll(NOT_PLAIN, toEscape)}")"'`;

/** The same for what reads the answer. */
export const buildShellCommand = (script: string): string => buildTerminalCommand(`echo ${BEGUN} >&2\n${script}`);

/** Begins the line of ours in an answer: a profile may print other lines before it. */
export const ANSWER_MARK = "cloud-gpu-answer";

/** Prints a line of ours. */
export const buildAnswerCommand = (answer: string): string => `echo ${ANSWER_MARK} ${answer}`;

/** Bytes that a profile may print before our line. */
const MOST_PRINTED = 100_000;

/** The line of ours in what a machine printed, and where what follows it begins. Undefined as long as there is none. */
export function findAnswer(printed: Uint8Array): { readonly answer: string; readonly end: number } | undefined {
  const text = new TextDecoder("latin1").decode(printed.subarray(0, MOST_PRINTED));
  const [whole = "", answer] = new RegExp(`(?:^|\\n)${ANSWER_MARK} ([^\\n]*)\\n`).exec(text) ?? [];
  if (answer !== undefined) return { answer: answer.trimEnd(), end: text.indexOf(whole) + whole.length };
  if (printed.length < MOST_PRINTED) return undefined;
  throw new AppError(
    "unexpected-reply",
    t("The machine printed unexpected output with the files. Check its shell profile."),
  );
}

/**
 * What `tar` says at the end of every failure, and `ssh` before a first login, where it finds a shared connection of no use, or after the
 * command that connects in its place ended: that one has said why.
 */
const BESIDE =
  /Exiting with failure status due to previous errors|Error is not recoverable: exiting now|^Warning: Permanently added|^mux_client_|^Control socket connect|^kex_exchange_identification: Connection closed by remote host|^Connection (?:closed|reset) by UNKNOWN port 65535/;

/**
 * The line that says why, of what a program on the machine complained with: the last one that says more than that.
 */
export function findComplaint(err: string): string {
  const all = takeEnd(err, 4000).split(/\r?\n/);
  const lines = all.slice(all.lastIndexOf(BEGUN) + 1);
  const line = lines.findLast((one) => one.trim() !== "" && !BESIDE.test(one));
  return toPlainText(redactText((line ?? "").replace(/^(?:tar|bsdtar|mkdir|sh): /, "")), 200);
}
