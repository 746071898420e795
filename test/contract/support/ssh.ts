// The real OpenSSH programs, run in a scratch folder and never with a file of the person's own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether `ssh`, `scp` and `ssh-keygen` are installed. */
export const hasSshPrograms = ["ssh", "scp", "ssh-keygen"].every(
  (name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined,
);

const LIMIT_MS = 20_000;

export interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** What it has written so far. */
  out(): string;
  readonly ended: Promise<Ended>;
}

function start(file: string, args: readonly string[], input: string | Buffer | undefined): Running {
  const child = spawn(file, args, { timeout: LIMIT_MS, killSignal: "SIGKILL" });
  const chunks: Buffer[] = [];
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  child.stdin.on("error", () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    out: Buffer.concat(chunks),
    err,
  }));
  return { child, out: () => Buffer.concat(chunks).toString(), ended };
}

/** Waits for a condition. @throws Error after 15 s. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not come about within 15 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Whether someone accepts connections there. */
export async function isListening(port: number, host = "127.0.0.1"): Promise<boolean> {
  const socket = connect({ port, host });
  const answered = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return answered;
}

/** The process IDs of programs of this computer whose command line holds a text. Empty where there is no `/proc`. */
export function findRunning(text: string): string[] {
  const { stdout } = spawnSync("ps", ["-axww", "-o", "pid=,stat=,args="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((line) => line.includes(text) && !/^\s*\d+ Z/.test(line))
    .map((line) => line.trim());
}

/** A scratch folder with keys, and the programs with its files only. */
export class SshPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), "ssh-programs-"));
  readonly #running = new Set<ChildProcess>();

  /** Makes a key pair. @returns the public half. */
  createKey(name: string, type = "ed25519"): string {
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", name, "-f", this.path(name)]);
    return readFileSync(this.path(`${name}.pub`), "utf8").trim();
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  options(key: string | undefined, hosts = "known_hosts"): string[] {
    const own = ["UserKnownHostsFile", this.path(hosts), "StrictHostKeyChecking", "accept-new", "ConnectTimeout", "10"];
    const pairs = [...own, "IdentitiesOnly", "yes", "IdentityAgent", "none", "GlobalKnownHostsFile", "/dev/null"];
    const given = pairs.flatMap((word, at) => (at % 2 === 0 ? ["-o", `${word}=${pairs[at + 1]}`] : []));
    const identity = key === undefined ? ["-o", "IdentityFile=none"] : ["-i", this.path(key)];
    return ["-F", "/dev/null", ...given, ...identity];
  }

  run(file: string, args: readonly string[], input?: string | Buffer): Running {
    const running = start(file, args, input);
    this.#running.add(running.child);
    return running;
  }

  /** Ends whatever still runs, and removes the folder. */
  dispose(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
