// `npm start`: the sandbox, and a real editor with the packaged extension pointed at it, until Ctrl-C.

import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { codeOnPath, desktopCommand, downloadedDesktop, hasDisplay } from "./desktop.ts";
import { type Scratch, scratchFolder, start, stopTree } from "./processes.ts";
import { calmSettings, outerEnvironment, startWorkbench } from "./workbench.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const VSIX = process.env.CLOUD_GPU_VSIX ?? join(ROOT, "dist", "cloud-gpu.vsix");
/** Another script with the same first line of output may stand in for the sandbox. */
const SANDBOX = process.env.CLOUD_GPU_SANDBOX_SCRIPT ?? join(ROOT, "dist", "sandbox.mjs");

/** Something that runs, and how it is ended. */
interface Part {
  name: string;
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

const parts: Part[] = [];
let stopping = false;

/** Ends what was started, the last first, and then this process. */
async function stopAll(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const part of parts.reverse()) await part.stop();
  process.exit(code);
}

/** Keeps a part to be stopped; when it ends on its own, so does everything. */
function keep(part: Part, code: number): void {
  parts.push(part);
  void part.ended.then(() => {
    if (!stopping) console.log(`${part.name} ended; stopping the rest.`);
    return stopAll(code);
  });
}

function childPart(name: string, child: ChildProcess): Part {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return { name, ended, stop: () => stopTree(child.pid ?? 0) };
}

interface Sandbox {
  url: string;
  apiKey: string;
}

/** Starts the sandbox; its first line of output says where it is and which key it takes. */
async function startSandbox(): Promise<Sandbox> {
  const child = start(process.execPath, [SANDBOX, "--port", "0", "--seed", "1", "--speed", "60"]);
  keep(childPart("The sandbox", child), 1);
  child.stderr?.pipe(process.stderr);
  if (child.stdout === null) throw new Error("the sandbox has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    const { url, apiKey } = JSON.parse(line) as Partial<Sandbox>;
    if (url === undefined || apiKey === undefined)
      throw new Error(`the sandbox's first line is not as agreed: ${line}`);
    return { url, apiKey };
  }
  throw new Error("the sandbox ended before it said where it is");
}

async function demoFolder(scratch: Scratch): Promise<string> {
  const folder = join(scratch.path, "cloud-gpu-demo");
  await mkdir(folder);
  const words =
    "# Cloud GPU demo\n\nOpen **Cloud GPU** in the activity bar. All of it is a sandbox: nothing costs money.\n";
  await writeFile(join(folder, "README.md"), words);
  return folder;
}

interface Scene {
  folder: string;
  env: Record<string, string>;
  settings: Record<string, unknown>;
}

/** The command line of a desktop VS Code, or undefined where none can be shown. */
async function desktop(): Promise<string[] | undefined> {
  if (process.env.CLOUD_GPU_EDITOR === "npm" || !hasDisplay()) return undefined;
  const installed = codeOnPath();
  if (installed !== undefined) return [installed];
  const downloaded = await downloadedDesktop();
  return downloaded === undefined ? undefined : desktopCommand(downloaded);
}

async function openDesktop(command: string[], scene: Scene, profile: string): Promise<void> {
  const [program = "code", ...given] = command;
  const userDataDir = join(profile, "user");
  await mkdir(join(userDataDir, "User"), { recursive: true });
  await writeFile(join(userDataDir, "User", "settings.json"), JSON.stringify({ ...calmSettings, ...scene.settings }));
  const places = [...given, "--user-data-dir", userDataDir, "--extensions-dir", join(profile, "ext")];
  const env = { ...outerEnvironment(), XDG_STATE_HOME: join(profile, "state"), ...scene.env };
  const install = start(program, [...places, "--install-extension", VSIX], { env });
  const code = await new Promise((resolve) => install.once("exit", resolve));
  if (code !== 0) throw new Error(`${program} could not install ${VSIX} (${String(code)})`);
  const window = start(program, [...places, "--new-window", "--wait", scene.folder], { env });
  keep(childPart("The editor's window", window), 0);
  console.log(`Editor    ${program}, a window of its own with a fresh profile`);
}

async function openBrowserBuild(scene: Scene): Promise<void> {
  const workbench = await startWorkbench({ vsix: VSIX, ...scene });
  keep({ name: "The editor", ended: workbench.ended, stop: workbench.stop }, 1);
  console.log("Editor    VS Code's browser build, with a fresh profile");
  console.log(`Open ${workbench.url}`);
}

async function main(): Promise<void> {
  for (const file of [VSIX, SANDBOX]) {
    if (!existsSync(file)) throw new Error(`${file} is not there: run "npm run package" first`);
  }
  const scratch = await scratchFolder();
  keep({ name: "", ended: new Promise(() => undefined), stop: scratch.remove }, 0);
  const { url, apiKey } = await startSandbox();
  console.log(`Sandbox   ${url}, seed 1, 60 simulated seconds a second`);
  const scene = {
    folder: await demoFolder(scratch),
    env: { CLOUD_GPU_SANDBOX_URL: url, CLOUD_GPU_SANDBOX_KEY: apiKey, CLOUD_GPU_SHOW_VIEWS: "1" },
    // The folder is ours and fresh: no question whether its authors are trusted.
    settings: { "security.workspace.trust.enabled": false },
  };
  const command = await desktop();
  if (command === undefined) await openBrowserBuild(scene);
  else await openDesktop(command, scene, scratch.path);
  console.log("Ctrl-C stops everything.");
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    void stopAll(0);
  });
}

main().catch(async (error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  await stopAll(1);
});
