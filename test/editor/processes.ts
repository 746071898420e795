// Starts child processes and ends them with everything they started in turn.

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface StartOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

const groups = new Set<number>();
const folders = new Set<string>();

// Nothing may outlive us, whichever way we end; what ends in good order has left these sets before.
process.once("exit", () => {
  for (const pid of groups) signal([pid], "SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

// A signal that no one handles ends a process without that event: handle it, and leave it to others where there are any.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
  });
}

/** Starts a child in a process group of its own: Ctrl-C in our terminal then reaches us alone, and we end it in good order. */
export function start(command: string, args: string[], options: StartOptions = {}): ChildProcess {
  const detached = process.platform !== "win32";
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached });
  const { pid } = child;
  if (pid === undefined) return child;
  groups.add(pid);
  child.once("exit", () => groups.delete(pid));
  return child;
}

/** A temp folder that is gone when its owner removes it, or at the latest when this process ends. */
export interface Scratch {
  path: string;
  remove(): Promise<void>;
}

export async function scratchFolder(): Promise<Scratch> {
  // Sockets lie below it and their paths may hold 107 characters only: a short name.
  const path = await mkdtemp(join(tmpdir(), "cgpu-"));
  folders.add(path);
  const remove = async () => {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    folders.delete(path);
  };
  return { path, remove };
}

/** Ends a process and all its descendants, waits until they are gone, and uses force after `grace` milliseconds. */
export async function stopTree(pid: number, grace = 4000): Promise<void> {
  if (process.platform === "win32") {
    const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    await new Promise((resolve) => killer.once("close", resolve));
    return;
  }
  // Listed before the first signal: an orphan forgets whose child it was.
  const tree = [pid, ...(await descendants(pid))];
  signal(tree, "SIGTERM");
  if (await allGone(tree, grace)) return;
  signal(tree, "SIGKILL");
  await allGone(tree, 2000);
}

/** The processes below `root`, by the kernel's own list; empty where there is none (macOS), where the process group must do. */
export async function descendants(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // "pid (name) state parent …"; the name may itself hold brackets and spaces.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent) parents.set(Number(name), parent);
  }
  const found = new Set([root]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(root);
  return [...found];
}

/** The processes that run extensions for the windows of an editor; none where the system doesn't tell. */
export async function findExtensionHosts(editor: number): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await descendants(editor)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("--type=extensionHost")) found.push(pid);
  }
  return found;
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const target of [-(pids[0] ?? 0), ...pids]) {
    try {
      if (target !== 0) process.kill(target, name);
    } catch {
      // Already gone, which is what we want.
    }
  }
}

async function allGone(pids: number[], within: number): Promise<boolean> {
  for (const end = Date.now() + within; Date.now() < end; await sleep(50)) {
    const states = await Promise.all(pids.map(alive));
    if (!states.includes(true)) return true;
  }
  return false;
}

async function alive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // In a container no one may collect an ended orphan: a zombie counts as gone.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}
