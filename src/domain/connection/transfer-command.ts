// What a machine's shell is asked to run to receive or to send a folder, and what its answers mean.

import { quoteWord } from "../../lib/shell-words.ts";
import { plain, t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { isRemoteFolder } from "./remote-machine.ts";

/** The login shell of a machine may be any; this one reads every script the same way. */
const runScript = (script: string): string => `exec sh -c ${quoteWord(script)}`;

/** Begins the line of ours in an answer: a profile may print other lines before it. */
const MARK = "cloud-gpu-answer";

/** What `uploadCommand` answers once all is stored. A profile that ends the shell ends it without an error, too. */
export const STORED = "stored";

/** Unpacks the archive that comes in, in a folder that is created if need be, and says so. */
export function uploadCommand(folder: string): string {
  const place = quoteWord(folder);
  return runScript(`mkdir -p -- ${place} && tar -xf - -C ${place} && echo ${MARK} ${STORED}`);
}

/**
 * Packs a folder or a file. A line says which of them it is, or that there is none; the archive follows. Files with several names are
 * packed as a file each if the machine's `tar` can do that.
 */
export function downloadCommand(path: string): string {
  const at = path.lastIndexOf("/");
  const [place, parent, name] = [path, path.slice(0, at) || "/", `./${path.slice(at + 1)}`].map(quoteWord);
  return runScript(
    [
      "h=; tar --hard-dereference --help >/dev/null 2>&1 && h=--hard-dereference",
      `if [ -d ${place} ]; then echo ${MARK} folder; exec tar $h -cf - -C ${place} -- .`,
      `elif [ -e ${place} ]; then echo ${MARK} file; exec tar $h -cf - -C ${parent} -- ${name}`,
      `else echo ${MARK} missing; fi`,
    ].join("; "),
  );
}

/** Says where the home folder is, and whether files can be packed at all. */
export const TRANSFER_PROBE = runScript(`command -v tar >/dev/null && echo ${MARK} "$HOME" || echo ${MARK} missing`);

/** Bytes that a profile may print before our line. */
const MOST_PRINTED = 100_000;

/** The line of ours in what a machine printed, and where what follows it begins. Undefined as long as there is none. */
export function findAnswer(printed: Uint8Array): { readonly answer: string; readonly end: number } | undefined {
  const text = new TextDecoder("latin1").decode(printed.subarray(0, MOST_PRINTED));
  const [whole = "", answer] = new RegExp(`(?:^|\\n)${MARK} ([^\\n]*)\\n`).exec(text) ?? [];
  if (answer !== undefined) return { answer: answer.trimEnd(), end: text.indexOf(whole) + whole.length };
  if (printed.length < MOST_PRINTED) return undefined;
  throw new AppError(
    "unexpected-reply",
    t("The machine printed other things than the files. Check its shell's profile."),
  );
}

/** A path on a machine without slashes at its end. @throws AppError `rejected` for anything but a full path below `/`. */
export function parseRemotePath(text: string): string {
  const path = text
    .trim()
    .replaceAll(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");
  if (isRemoteFolder(path) && path !== "/" && !path.split("/").includes(".")) return path;
  throw new AppError(
    "rejected",
    t("“{0}” isn't a full path on the machine. It starts with a slash, such as /workspace/data.", plain(text, 60)),
  );
}

/** The last part of a path on a machine. */
export function remoteName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What `tar` says at the end of every failure, and `ssh` at the beginning of a first login. */
const BESIDE =
  /Exiting with failure status due to previous errors|Error is not recoverable: exiting now|^Warning: Permanently added/;

/** The line that says why, of what a program on the machine complained with: the last one that says more than that. */
export function findComplaint(err: string): string {
  const lines = err.slice(-4000).split(/\r?\n/);
  const line = lines.findLast((one) => one.trim() !== "" && !BESIDE.test(one));
  return plain((line ?? "").replace(/^(?:tar|bsdtar|mkdir|sh): /, ""), 200);
}

/** Whether the machine admitted none of the keys that `ssh` could use without a question. */
export function isLoginRefused(code: number | undefined, err: string): boolean {
  return code === 255 && /Permission denied|Too many authentication failures|No more authentication methods/.test(err);
}
