// Finds the programs of this computer that the sandbox's machines run.
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";

export interface Tools {
  readonly shell: string;
  /** Gives a program a terminal of its own; undefined where only another kind of `script` exists. */
  readonly script: string | undefined;
  readonly sftpServer: string | undefined;
  /** Where its programs are looked for, after the machine's own. */
  readonly path: string;
}

const STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];
const SFTP_SERVERS = [
  "/usr/lib/openssh/sftp-server",
  "/usr/libexec/openssh/sftp-server",
  "/usr/libexec/sftp-server",
  "/usr/lib/ssh/sftp-server",
  "/usr/lib/misc/sftp-server",
];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first program with this name on a path. */
export function findProgram(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => isAbsolute(file) && isProgram(file));
}

/** Only the one of util-linux runs a command without a terminal of its own. */
async function findScript(path: string): Promise<string | undefined> {
  const file = findProgram(path, "script");
  if (file === undefined) return undefined;
  const { stdout } = await promisify(execFile)(file, ["--version"], { timeout: 5000 }).catch(() => ({ stdout: "" }));
  return stdout.includes("util-linux") ? file : undefined;
}

/** Undefined where there is no POSIX shell, as on Windows. */
export async function findTools(): Promise<Tools | undefined> {
  const shell = process.platform === "win32" ? undefined : SHELLS.find(isProgram);
  if (shell === undefined) return undefined;
  const path = process.env.PATH || STANDARD_PATH;
  return { shell, path, script: await findScript(path), sftpServer: SFTP_SERVERS.find(isProgram) };
}
