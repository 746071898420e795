// A machine that starts by a script, read by real shells of this computer, and a service that answers as a test says.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { SELF_END_FILE } from "../../../../src/domain/instance/self-stop.ts";
import { cleanUp, eventually } from "../../support.ts";

/** In a machine's home: one line for each time that its loop began to look. */
const LOOKED = ".looked";
export const KEY = "canary-own-key-8812";

export interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** A service, and how it answers. */
export async function startService(answer: (response: ServerResponse, asked: Asked) => void) {
  const asked: Asked[] = [];
  /** Epoch milliseconds of each. */
  const times: number[] = [];
  // A script that is left from another test may still ask at a port that was its service's.
  const own = `/${randomUUID()}`;
  const server = createServer(async (request: IncomingMessage, response) => {
    if (!request.url?.startsWith(own)) return void response.writeHead(404).end();
    times.push(Date.now());
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method, headers } = request;
    asked.push({
      method,
      url: request.url.slice(own.length),
      key: headers.authorization,
      type: headers["content-type"],
      body,
    });
    answer(response, asked.at(-1) as Asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, times, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${own}` };
}

/** Python may be started by a script that needs other programs. */
export function findProgram(name: string): string {
  const found = programs.get(name);
  if (found !== undefined) return found;
  const ask = name === "python3" ? "python3 -c 'import sys; print(sys.executable)'" : `command -v ${name}`;
  const path = spawnSync("sh", ["-c", ask], { encoding: "utf8" }).stdout.trim();
  programs.set(name, path);
  return path;
}

/** A shell is asked once for each: they are needed hundreds of times. */
const programs = new Map<string, string>();

export const fine = (response: ServerResponse) => void response.end('{"success": true}');

/** A machine with this start script. Its programs are those of this computer, or the ones that are named. */
export async function boot(
  test: TestContext,
  shell: readonly string[],
  script: string,
  programs?: readonly string[],
  home?: string,
  key = KEY,
) {
  const folder = home ?? (await mkdtemp(join(tmpdir(), "cloud-gpu-self-end-")));
  const [program = "sh", ...rest] = shell;
  // What the script starts is read by the same shell.
  const own = join(folder, "bin");
  await mkdir(own, { recursive: true });
  const link = async (name: string, as = name) =>
    await symlink(findProgram(name), join(own, as)).catch(() => undefined);
  await link(program, "sh");
  for (const name of programs ? ["sleep", "date", "mkdir", "rm", ...programs] : []) await link(name);
  const path = programs ? own : `${own}:${process.env.PATH}`;
  const found = findProgram(program);
  const file = join(folder, "onstart.sh");
  // The loop looks every few seconds, which a test need not wait for. A test wants to know when it has looked; and once the test is
  // killed, nothing is to go on.
  const look = `while kill -0 ${process.pid}||exit;echo >>~/${LOOKED};sleep 0.2`;
  await writeFile(file, script.replace(/while sleep \d+/, look));
  await chmod(file, 0o755);
  const env = { PATH: path, HOME: folder, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
  const child = spawn(found, [...rest, file], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout?.on("data", (bytes) => {
    printed += bytes;
  });
  child.stderr?.on("data", (bytes) => {
    printed += bytes;
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const end = () => endGroup(child);
  // One that asks for its end does so several times a second, which slows down everything beside it.
  test.after(end);
  cleanUp(async () => {
    if (!home) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  const write = (text: string) => writeFile(join(folder, SELF_END_FILE), text);
  const read = () => readFile(join(folder, SELF_END_FILE), "utf8");
  const remove = () => rm(join(folder, SELF_END_FILE));
  const countLooks = async () => (await readFile(join(folder, LOOKED), "utf8").catch(() => "")).length;
  /** Until the loop acts on what its file says now: what it read before, it is done with. */
  const lookAgain = async () => {
    const before = await countLooks();
    await eventually(async () => !isRunning(child) || (await countLooks()) >= before + 2, "it looks again");
  };
  return { folder, exit, end, write, read, remove, lookAgain, printed: () => printed };
}

/** Whether any of what it started runs. */
function isRunning({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}
