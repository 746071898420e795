// The programs of OpenSSH on this computer. Nothing else here starts a program, and no shell reads their arguments.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../../../domain/base/error.ts";
import type { SshLogin } from "../../../domain/connection/ssh-command.ts";
import { t, takeEnd, toPlainText } from "../../../lib/text.ts";

type SshTool = "ssh" | "ssh-add" | "ssh-keygen" | "ssh-keyscan";

/** The oldest that knows `accept-new`, which stores the key of a new machine without a question. */
const OLDEST = { major: 7, minor: 6 };
/** Milliseconds. */
const PATIENCE = 10_000;

/** Where to look besides PATH. */
const WINDOWS = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "OpenSSH");

async function find(tool: SshTool): Promise<string | undefined> {
  const isWindows = process.platform === "win32";
  // A relative folder would be one of the workspace.
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const name = isWindows ? `${tool}.exe` : tool;
  for (const folder of isWindows ? [...folders, WINDOWS] : folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** @throws AppError `rejected` if OpenSSH is missing. */
export async function findSshTool(tool: SshTool): Promise<string> {
  const path = await find(tool);
  if (path !== undefined) return path;
  throw new AppError(
    "rejected",
    t("The program “{0}” isn't installed on this computer. Install OpenSSH, then try again.", tool),
  );
}

/** What a program printed. It may come from someone else's machine. */
export interface ToolResult {
  /** Whether it ended well, and in time. */
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
  /** Whether it was ended because it took too long. */
  readonly isLate: boolean;
}

/** Never rejects. */
function run(
  path: string,
  args: readonly string[],
  within = PATIENCE,
  signal?: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = execFile(
      path,
      args,
      {
        timeout: within,
        killSignal: "SIGKILL",
        windowsHide: true,
        env,
        maxBuffer: 1_000_000,
        ...(signal === undefined ? {} : { signal }),
      },
      (error, out, err) => resolve({ ok: error === null, out, err, isLate: error?.killed === true }),
    );
    // No one types anything into it.
    child.stdin?.end();
  });
}

/**
 * Runs a program of OpenSSH for at most so many milliseconds and gives back what it printed.
 * @throws AppError `rejected` if the program is missing.
 */
export async function runSshTool(
  tool: SshTool,
  args: readonly string[],
  { within = PATIENCE, signal }: { readonly within?: number; readonly signal?: AbortSignal } = {},
): Promise<ToolResult> {
  return await run(await findSshTool(tool), args, within, signal);
}

/** The person's own configuration for an address, as `ssh` prints it; empty if it can't say. With `connectTo`, if that is told to it. */
export async function printOwnConfiguration(
  { config, address }: Pick<SshLogin, "config" | "address">,
  connectTo?: string,
): Promise<string> {
  const file = config === undefined ? [] : ["-F", config];
  const place = connectTo === undefined ? [] : ["-o", `HostName=${connectTo}`];
  const args = [...file, "-G", ...place, "--", `root@${address.host}`];
  const { ok, out } = await runSshTool("ssh", args).catch(() => ({ ok: false, out: "" }));
  return ok ? out : "";
}

/** The `ssh` program, and how it logs in. */
export interface SshWay {
  readonly program: string;
  readonly login: SshLogin;
  /** Starts the program. Only tests replace it. */
  readonly start?: typeof startSsh;
}

/** A program that runs for as long as it is needed. */
export interface RunningSsh {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves once it has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<SshEnd>;
  /** Ends it at once. */
  stop(): void;
}

export interface SshEnd {
  /** What it exited with: 255 if the login or the connection failed, else the command's own. Undefined if it was killed. */
  readonly code: number | undefined;
  /** The end of what it complained with. It comes from someone else's machine. */
  readonly err: string;
}

/** Characters. */
const LONGEST_COMPLAINT = 4000;

const running = new Set<ChildProcess>();

/** Windows has no groups, and would open a window for such a program. */
const HAS_GROUPS = process.platform !== "win32";

/** Ends it with what it started itself: a proxy command would stay, and keep the connection. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || !HAS_GROUPS) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function endAll(): void {
  for (const child of running) endGroup(child);
}

/** Starts `ssh` with these arguments. It ends with this process. */
export function startSsh(program: string, args: readonly string[]): RunningSsh {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    detached: HAS_GROUPS,
    // The editor has none. `ssh` tells the machine, for a terminal.
    env: { TERM: "xterm", ...process.env },
  });
  const stop = () => {
    if (!running.has(child)) return;
    endGroup(child);
    // Whoever left the group may still hold the other ends, and its end would be waited for.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  if (running.size === 0) process.once("exit", endAll);
  running.add(child);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    // One more than is kept, so that it shows whether anything came before.
    err = (err + text).slice(-LONGEST_COMPLAINT - 1);
  });
  // It may end before it has read everything.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<SshEnd>((resolve) => {
    const end = (code: number | null, reason = "") => {
      running.delete(child);
      if (running.size === 0) process.off("exit", endAll);
      resolve({ code: code ?? undefined, err: takeEnd(err, LONGEST_COMPLAINT) + reason });
    };
    child.once("error", ({ message }) => end(null, message));
    // What it leaves behind may still hold its output open.
    child.once("exit", () => endGroup(child));
    child.once("close", (code) => end(code));
  });
  return { stdin: child.stdin, stdout: child.stdout, ended, stop };
}

/** The `ssh` program. @throws AppError `rejected` if it is missing or too old. */
export async function findSsh(): Promise<string> {
  const path = await findSshTool("ssh");
  const { out, err } = await run(path, ["-V"]);
  const [, major, minor] = /OpenSSH\w*_(?:for_Windows_)?(\d+)\.(\d+)/.exec(`${out}\n${err}`) ?? [];
  const isOld =
    major !== undefined &&
    (Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor));
  if (!isOld) return path;
  const version = toPlainText(`${major}.${minor}`, 20);
  throw new AppError("rejected", t("OpenSSH {0} is too old. Install version {1} or newer.", version, "7.6"));
}

/** The public keys in the person's agent, a line each; none if there is no agent. `socket`: `usual` for that of the environment. */
export async function listAgentKeys(socket: string): Promise<readonly string[]> {
  const path = await find("ssh-add");
  if (path === undefined) return [];
  const env = socket === "usual" ? process.env : { ...process.env, SSH_AUTH_SOCK: socket };
  const { ok, out } = await run(path, ["-L"], PATIENCE, undefined, env);
  return ok ? out.split("\n") : [];
}
