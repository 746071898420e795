// What a machine's shell is asked to run to receive or to send a folder, and what its answers mean.

import { quoteWord } from "../../lib/shell-words.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { ANSWER_MARK, buildShellCommand } from "../connection/machine-answer.ts";
import { isRemoteFolder } from "../connection/remote-machine.ts";

/** The programs without which nothing can be uploaded. */
const TRANSFER_NEEDS = ["tar", "mkdir"];

/** Ends a script with an answer that names the first of these programs that the machine doesn't have. */
const endIfMissing = (needs: readonly string[]): string =>
  `for c in ${needs.join(" ")}; do command -v $c >/dev/null || { echo ${ANSWER_MARK} missing $c; exit; }; done`;

/** @throws AppError `rejected` if that was the answer. */
export function assertNoneMissing(id: number, answer: string): void {
  const [, program] = /^missing ([a-z\d]{1,20})$/.exec(answer) ?? [];
  if (program === undefined) return;
  throw new AppError(
    "rejected",
    t("Instance {0} has no {1} program. Install it there, for example with apt-get, then try again.", id, program),
  );
}

/** What `buildUploadCommand` answers once all is stored. A profile that ends the shell ends it without an error, too. */
export const STORED = "stored";

/**
 * What has a `tar` leave folders that are there as they are, with their owner and mode, and a link to a folder a link: GNU's, bsdtar, busybox'.
 * An old GNU `tar` keeps such links on its own.
 */
const KEEPING_FOLDERS = [
  "--keep-directory-symlink --no-overwrite-dir",
  "--no-overwrite-dir",
  "-P --no-same-permissions",
  "--no-same-permissions",
];

/**
 * Unpacks the archive that comes in, in a folder that is created if need be, and says so. Nothing changes its owner: some mounts refuse that.
 * `needs`: programs without which the files are of no use there.
 */
export function buildUploadCommand(folder: string, needs: readonly string[] = []): string {
  const place = quoteWord(folder);
  // An archive of nothing shows which options are known.
  const tries = KEEPING_FOLDERS.map((options) => `'${options}'`).join(" ");
  return buildShellCommand(
    [
      endIfMissing([...TRANSFER_NEEDS, ...needs]),
      // GNU's takes a backslash in the name of a place for an escape, unless it is told not to.
      "u=; tar --no-unquote --help >/dev/null 2>&1 && u=--no-unquote",
      `for k in ${tries} ''`,
      "do head -c 1024 /dev/zero | tar -xf - -o $k >/dev/null 2>&1 && break; done",
      `mkdir -p -- ${place} && tar -xf - -o $u $k -C ${place} && echo ${ANSWER_MARK} ${STORED}`,
    ].join("; "),
  );
}

export const THERE_LISTED = "listed";

/** Lists the files below a folder: our line, then `size seconds mode ./path` for each. */
export function buildListThereCommand(folder: string): string {
  return buildShellCommand(
    [
      `cd -- ${quoteWord(folder)} 2>/dev/null || { echo ${ANSWER_MARK} none; exit; }`,
      `stat -c %s . >/dev/null 2>&1 || { echo ${ANSWER_MARK} none; exit; }`,
      `echo ${ANSWER_MARK} ${THERE_LISTED}`,
      "find . -type f -exec stat -c '%s %Y %a %n' {} + 2>/dev/null",
      "exit 0",
    ].join("\n"),
  );
}

/** A file on the machine. */
export interface ThereFile {
  /** Bytes. */
  readonly size: number;
  /** When it was changed last, in epoch seconds. */
  readonly seconds: number;
  readonly isExecutable: boolean;
}

/** The file in a line of an answer to `buildListThereCommand`; undefined if it isn't one. */
export function readThereFile(line: string): (ThereFile & { readonly path: string }) | undefined {
  const [, size, seconds, mode, path] = /^(\d{1,15}) (\d{1,12}) ([0-7]{3,4}) \.\/(.+)$/.exec(line) ?? [];
  if (path === undefined) return undefined;
  const isExecutable = (Number.parseInt(mode ?? "0", 8) & 0o100) !== 0;
  return { path, size: Number(size), seconds: Number(seconds), isExecutable };
}

/**
 * Packs a folder or a file. A line says which of them it is, or that there is none; the archive follows. Files with several names are
 * packed as a file each if the machine's `tar` can do that.
 */
export function buildDownloadCommand(path: string): string {
  const at = path.lastIndexOf("/");
  const [place, parent, name] = [path, path.slice(0, at) || "/", `./${path.slice(at + 1)}`].map(quoteWord);
  return buildShellCommand(
    [
      "h=; tar --hard-dereference --help >/dev/null 2>&1 && h=--hard-dereference",
      // As for an upload.
      'tar --no-unquote --help >/dev/null 2>&1 && h="$h --no-unquote"',
      `if [ -d ${place} ]; then echo ${ANSWER_MARK} folder; exec tar $h -cf - -C ${place} -- .`,
      `elif [ -e ${place} ]; then echo ${ANSWER_MARK} file; exec tar $h -cf - -C ${parent} -- ${name}`,
      `else echo ${ANSWER_MARK} missing; fi`,
    ].join("; "),
  );
}

/** Has what follows leave the processor to a command that runs there. */
export const GENTLY = "renice -n 10 -p $$ >/dev/null 2>&1";

/** The same for some files of a folder, whose names come in line by line. Each begins with `./`, and none has a backslash in it. */
export function buildDownloadFilesCommand(folder: string): string {
  return buildShellCommand(
    [
      GENTLY,
      "h=; tar --hard-dereference --help >/dev/null 2>&1 && h=--hard-dereference",
      `cd -- ${quoteWord(folder)} && echo ${ANSWER_MARK} folder || exit`,
      // BusyBox' may read no list.
      "printf '%s\\n' /dev/null | tar -cf /dev/null -T - 2>/dev/null && exec tar $h -cf - -T -",
      'while IFS= read -r n; do set -- "$@" "$n"; done; exec tar $h -cf - -- "$@"',
    ].join("; "),
  );
}

/** Says where the home folder is, or why files can't be transferred at all. */
export const TRANSFER_PROBE = buildShellCommand(`${endIfMissing(TRANSFER_NEEDS)}; echo ${ANSWER_MARK} "$HOME"`);

/** A path on a machine without slashes at its end. @throws AppError `rejected` for anything but a full path below `/`. */
export function parseRemotePath(text: string): string {
  const path = text
    .trim()
    .replaceAll(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");
  if (isRemoteFolder(path) && path !== "/" && !path.split("/").includes(".")) return path;
  throw new AppError(
    "rejected",
    t("“{0}” isn't an absolute path. Enter a path on the machine, such as /workspace/data.", toPlainText(text, 60)),
  );
}

/** The last part of a path on a machine. */
export function toRemoteName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
