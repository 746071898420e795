// What the editor's own server needs of a machine, and the folder that a window opens there.

import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { KEEP_OUT_TMUX } from "./tmux.ts";

/** What a machine said about itself. */
export interface RemoteFacts {
  /** Its C library, if it said so: `musl`, or glibc's version. */
  readonly libc:
    | { readonly kind: "musl" }
    | { readonly kind: "glibc"; readonly major: number; readonly minor: number }
    | undefined;
  /** Folders that are there, to be proposed. */
  readonly folder: string;
  /** Whether terminal sessions are kept out of tmux from now on, which an editor's window needs. */
  readonly isPrepared: boolean;
}

/** Run by the shell of the machine. Each line of its answer begins with a word of ours. */
export const REMOTE_PROBE = [
  `${KEEP_OUT_TMUX} && echo prepared`,
  'echo "libc $(ldd --version 2>&1 | head -n 1)"',
  '[ -d /workspace ] && echo "folder /workspace" || echo "folder $HOME"',
].join("; ");

/** Of an answer, which comes from someone else's machine. */
const MOST_READ = 20_000;

/** Reads what `REMOTE_PROBE` printed, whatever else a profile printed around it. */
export function readRemoteFacts(text: string): RemoteFacts {
  const lines = text.slice(0, MOST_READ).split(/\r?\n/);
  const said = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1, 400);
  const folder = said("folder") ?? "";
  return {
    libc: readLibc(said("libc") ?? ""),
    folder: isRemoteFolder(folder) ? folder : "/root",
    isPrepared: lines.includes("prepared"),
  };
}

function readLibc(line: string): RemoteFacts["libc"] {
  if (/\bmusl\b/i.test(line)) return { kind: "musl" };
  const [, major, minor] = /(?:^|[\s)])(\d{1,3})\.(\d{1,3})\s*$/.exec(line) ?? [];
  return major === undefined ? undefined : { kind: "glibc", major: Number(major), minor: Number(minor) };
}

/** The oldest glibc that the server of current editors runs on. */
const OLDEST = { major: 2, minor: 28 };

/** Why the editor's server can't run there, if that is known: `musl`, or an old version of glibc. */
export function findTooOld({ libc }: RemoteFacts): string | undefined {
  if (libc === undefined) return undefined;
  if (libc.kind === "musl") return "musl";
  const { major, minor } = libc;
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor) ? `${major}.${minor}` : undefined;
}

/** Where an editor's window is: the machine by its name, and the folder there. */
interface RemotePlace {
  readonly scheme: "vscode-remote";
  readonly authority: string;
  /** Empty for a window without a folder. */
  readonly path: string;
}

/** The form that every extension for SSH reads. */
export function toRemotePlace(alias: string, folder: string): RemotePlace {
  return { scheme: "vscode-remote", authority: `ssh-remote+${alias}`, path: folder };
}

/** An absolute path on a Linux machine, without parts that lead up again or characters that no one sees. */
export function isRemoteFolder(text: string): boolean {
  return (
    text.startsWith("/") &&
    text.length <= 1000 &&
    !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) &&
    !text.split("/").includes("..")
  );
}

/** What a person typed as a folder of the machine; empty for a window without one. @throws AppError `rejected`. */
export function parseRemoteFolder(text: string): string {
  const folder = text.trim();
  if (folder === "" || isRemoteFolder(folder)) return folder;
  throw new AppError(
    "rejected",
    t("“{0}” isn't an absolute path. Enter a path on the machine, such as /workspace.", toPlainText(folder, 60)),
  );
}
