// How a script is run on a machine, and what its answer and its complaints mean.

import { redactText } from "../../lib/redact.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { t, takeEnd, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";

/** The login shell of a machine may be any; this one reads every script the same way. */
export const buildShellCommand = (script: string): string => `exec sh -c ${quoteWord(script)}`;

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

/** What `tar` says at the end of every failure, and `ssh` before a first login or where it finds a shared connection of no use. */
const BESIDE =
  /Exiting with failure status due to previous errors|Error is not recoverable: exiting now|^Warning: Permanently added|^mux_client_|^Control socket connect/;

/**
 * The line that says why, of what a program on the machine complained with: the last one that says more than that.
 */
export function findComplaint(err: string): string {
  const lines = takeEnd(err, 4000).split(/\r?\n/);
  const line = lines.findLast((one) => one.trim() !== "" && !BESIDE.test(one));
  return toPlainText(redactText((line ?? "").replace(/^(?:tar|bsdtar|mkdir|sh): /, "")), 200);
}
