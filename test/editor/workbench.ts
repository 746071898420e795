// Starts the browser build of VS Code on loopback with a fresh profile, and takes all of it away again.

import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareOnce } from "./cache.ts";
import { ensureEditor, neededExtensions } from "./install.ts";
import { scratchFolder, start, stopTree } from "./processes.ts";

export interface WorkbenchOptions {
  /** A packaged extension to install first. */
  vsix?: string;
  /** An extension's folder to load as it lies. The page does that, so this is handed back for `Workbench.open` (see development.ts). */
  extensionDevelopmentPath?: string;
  /** Of the extensions that come with the editor, only those that ours needs; by default all. */
  onlyNeeded?: boolean;
  /** Kept when given; else a fresh one, removed by `stop`. */
  userDataDir?: string;
  /** The folder to open; without one, an empty window. */
  folder?: string;
  /** User settings on top of `calmSettings`. */
  settings?: Record<string, unknown>;
  /** Added to the editor's environment; the extension host sees it as `process.env`. */
  env?: Record<string, string>;
  /** The display language, such as "de"; handed back for `Workbench.open` as well. */
  locale?: string;
  /** Gets what the editor and its extension host print. */
  onOutput?: (text: string) => void;
}

export interface RunningWorkbench {
  /** To open in a browser. */
  url: string;
  pid: number;
  userDataDir: string;
  extensionsDir: string;
  extensionDevelopmentPath: string | undefined;
  locale: string | undefined;
  /** Settles when the editor ends, wanted or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** What every window of ours starts with: no chat panel, no welcome page, nothing that moves or asks on its own. */
export const calmSettings: Record<string, unknown> = {
  "chat.disableAIFeatures": true,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  // Servers of other programs on the machine are none of this editor's business.
  "remote.autoForwardPorts": false,
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
};

/** Starts the editor and waits until it answers (about 1 s). */
export async function startWorkbench(options: WorkbenchOptions = {}): Promise<RunningWorkbench> {
  const { entry } = await ensureEditor();
  const scratch = await scratchFolder();
  const root = scratch.path;
  const userDataDir = options.userDataDir ?? join(root, "user");
  const extensionsDir = join(root, "ext");
  try {
    const env = await environment(root, { XDG_STATE_HOME: stateFolder({ userDataDir }), ...options.env });
    await writeSettings(userDataDir, options.settings);
    const places = [
      "--user-data-dir",
      userDataDir,
      "--extensions-dir",
      extensionsDir,
      "--config",
      join(root, "config.yaml"),
      ...(options.onlyNeeded ? ["--builtin-extensions-dir", await neededExtensions()] : []),
    ];
    if (options.vsix !== undefined) await installExtension(entry, options.vsix, extensionsDir, env);
    const flags = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
    const child = start(process.execPath, [entry, ...places, ...flags], { env });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const pid = child.pid ?? 0;
    const stop = async () => {
      await stopTree(pid);
      await scratch.remove();
    };
    const origin = await listening(child, ended, options.onOutput).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const query =
      options.folder === undefined
        ? "ew=true"
        : `folder=${options.folder.split("/").map(encodeURIComponent).join("/")}`;
    const { extensionDevelopmentPath, locale } = options;
    return {
      url: `${origin}/?${query}`,
      pid,
      userDataDir,
      extensionsDir,
      extensionDevelopmentPath,
      locale,
      ended,
      stop,
    };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

/** Where an editor's user keeps what all editors share, unless its environment says otherwise. */
export const stateFolder = ({ userDataDir }: { readonly userDataDir: string }): string =>
  join(dirname(userDataDir), "state");

/** Our environment without what would make an editor believe it runs inside another one, or inside npm. */
export function outerEnvironment(): NodeJS.ProcessEnv {
  const inner = /^(VSCODE_|ELECTRON_|CODE_SERVER_|npm_|PASSWORD$|HASHED_PASSWORD$|PORT$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inner.test(name)));
}

async function environment(root: string, extra: Record<string, string> = {}): Promise<NodeJS.ProcessEnv> {
  const temp = join(root, "tmp");
  await mkdir(temp);
  // An empty address turns the extension marketplace off: this editor is to speak with loopback only.
  const gallery = JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "" });
  return {
    ...outerEnvironment(),
    EXTENSIONS_GALLERY: gallery,
    TMPDIR: temp,
    XDG_RUNTIME_DIR: temp,
    XDG_DATA_HOME: join(root, "data"),
    ...extra,
  };
}

async function writeSettings(userDataDir: string, settings: Record<string, unknown> = {}): Promise<void> {
  await mkdir(join(userDataDir, "User"), { recursive: true });
  const all = JSON.stringify({ ...calmSettings, ...settings }, undefined, 2);
  await writeFile(join(userDataDir, "User", "settings.json"), all);
}

/**
 * The editor installs a package once, into a folder beside it; every editor gets a copy. `extensions.json` in it names its own
 * place.
 */
async function installExtension(entry: string, vsix: string, into: string, env: NodeJS.ProcessEnv): Promise<void> {
  const digest = createHash("sha256")
    .update(await readFile(vsix))
    .digest("hex")
    .slice(0, 16);
  const installed = await prepareOnce(join(dirname(vsix), "test", `extensions-${digest}`), async (staging) => {
    const places = ["--extensions-dir", into, "--user-data-dir", join(staging, "user")];
    await runToEnd([entry, ...places, "--install-extension", vsix], env);
    await rm(join(staging, "user"), { recursive: true, force: true });
    await rename(into, join(staging, "extensions"));
    await writeFile(join(staging, "was"), into);
  });
  await cp(join(installed, "extensions"), into, { recursive: true });
  const list = join(into, "extensions.json");
  const was = await readFile(join(installed, "was"), "utf8");
  await writeFile(list, (await readFile(list, "utf8")).replaceAll(was, into));
}

async function runToEnd(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = start(process.execPath, args, { env });
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the editor could not install the extension (${code}):\n${said.trim()}`);
}

/** Waits for the address the editor prints (it chose a free port itself), then for the editor to call itself healthy. */
async function listening(
  child: ChildProcess,
  ended: Promise<void>,
  onOutput?: (text: string) => void,
): Promise<string> {
  let said = "";
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const hear = (chunk: Buffer) => {
    onOutput?.(chunk.toString());
    if (said.length < 20_000) said += chunk.toString();
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  for (const end = Date.now() + 60_000; Date.now() < end && !over; await sleep(50)) {
    const origin = /server listening on (http:\/\/127\.0\.0\.1:\d+)/i.exec(said)?.[1];
    if (origin === undefined) continue;
    const answer = await fetch(`${origin}/healthz`).catch(() => undefined);
    if (answer?.ok) return origin;
  }
  throw new Error(`the editor ${over ? "ended" : "did not answer"} while starting:\n${said.trim()}`);
}
