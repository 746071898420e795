// The stage of the hostile suite: two hostile services in front of one sandbox, an untrusted folder, the editor with a probe beside us.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { launchBrowser } from "../editor/chromium.ts";
import { Workbench } from "../editor/page.ts";
import { scratchFolder } from "../editor/processes.ts";
import { startWorkbench } from "../editor/workbench.ts";
import { loseLaunch, rentSome } from "../person/account/two-accounts.ts";
import { describeWindow } from "../person/support.ts";
import { PAYLOADS } from "./payloads.ts";
import { type HostileService, startHostile } from "./proxy.ts";
import type { Stretches } from "./stretches.ts";
import { type Sightings, watch } from "./watch.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const VSIX = join(ROOT, "dist", "cloud-gpu.vsix");
export const FILE = "stranger.gpu-template.json";

export interface Probe {
  ask<T>(question: string, given?: string | number): Promise<T>;
  stretches(file: string): Promise<Stretches>;
}

export interface Stage {
  readonly window: Workbench;
  readonly sandbox: Sandbox;
  /** The account that is worked in, and another one at another address. */
  readonly service: HostileService;
  readonly other: HostileService;
  readonly probe: Probe;
  readonly sightings: Sightings;
  readonly folder: string;
}

/** A template file of a stranger: every key of it is a link, and so is every value. */
function strangersFile(): string {
  const keys = PAYLOADS.map((bad, at) => `  ${JSON.stringify(`${bad.slice(0, 300)} ${at}`)}: ${JSON.stringify(bad)}`);
  return `{\n  "name": ${JSON.stringify(`Stranger ${PAYLOADS[0]}`)},\n  "image": "a/b",\n${keys.join(",\n")},\n  "__proto__": { "private": false }\n}\n`;
}

/** The probe as an extension in a folder, as the editor loads one under development. */
async function buildProbe(folder: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "probe.ts")],
    outfile: join(folder, "probe.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
    logLevel: "warning",
  });
  const manifest = {
    name: "probe",
    publisher: "cloud-gpu-test",
    version: "0.0.1",
    engines: { vscode: "^1.106.0" },
    main: "./probe.cjs",
    activationEvents: ["*"],
    capabilities: { untrustedWorkspaces: { supported: true } },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
}

function probeAt(portFile: string): Probe {
  const ask = async <T>(question: string, given: string | number = ""): Promise<T> => {
    const port = await readFile(portFile, "utf8");
    const answer = await fetch(`http://127.0.0.1:${port}/${question}?given=${encodeURIComponent(given)}`);
    return (await answer.json()) as T;
  };
  return { ask, stretches: (file) => ask<Stretches>("profiled", file) };
}

function stage(): () => Stage {
  let standing: Stage | undefined;
  const ending: (() => unknown)[] = [];
  before(async () => {
    const sandbox = await startSandbox({ seed: 1, speed: 60 });
    ending.push(() => sandbox.stop());
    rentSome(sandbox, ["runner", "dead one", "bidder"]);
    const [service, other] = [await startHostile(sandbox.url), await startHostile(sandbox.url)];
    ending.push(service.stop, other.stop);
    const scratch = await scratchFolder();
    ending.push(scratch.remove);
    const at = (name: string) => join(scratch.path, name);
    for (const name of ["user", "folder", "probe"]) await mkdir(at(name));
    const machine = "1× lost [x](command:workbench.action.terminal.new) $(squirrel) \u202E";
    await loseLaunch({ userDataDir: at("user"), origin: service.url, key: sandbox.apiKey, machine });
    await writeFile(join(at("folder"), FILE), strangersFile());
    await buildProbe(at("probe"));
    const editor = await startWorkbench({
      vsix: VSIX,
      onlyNeeded: true,
      userDataDir: at("user"),
      folder: at("folder"),
      extensionDevelopmentPath: at("probe"),
      // No walk touches the files of whoever runs it. Windows may be opened as in a desktop editor.
      env: {
        CLOUD_GPU_PROBE: at("port"),
        CLOUD_GPU_SSH_DIR: join(at("ssh"), "cloud-gpu"),
        CLOUD_GPU_REMOTE_WINDOWS: "1",
      },
      // Restricted Mode: no one has said that this folder is to be trusted.
      settings: {
        "security.workspace.trust.enabled": true,
        "security.workspace.trust.startupPrompt": "never",
        "files.autoSave": "off",
        // Text that a test can read, in place of a picture of it.
        "terminal.integrated.gpuAcceleration": "off",
      },
    });
    ending.push(() => editor.stop());
    const browser = await launchBrowser();
    ending.push(() => browser.close());
    const window = await Workbench.inBrowser(browser, { width: 1280, height: 900 });
    const sightings = watch(window.page);
    await window.open(editor);
    await sightings.found();
    standing = { window, sandbox, service, other, probe: probeAt(at("port")), sightings, folder: at("folder") };
  });
  after(async () => {
    for (const end of ending.reverse()) await end();
  });
  return () => {
    if (!standing) throw new Error("The stage does not stand.");
    return standing;
  };
}

/** There is one stage: the walk is one walk. */
const on = stage();

/** Longer than any step takes on a busy machine. */
const HANG = 120_000;
/** The step the walk ended at, and why: of a long report only its end may be kept. */
let ended: string | undefined;

/** A step of the walk, after which nothing a stranger wrote may have come to life. Where one fails the walk ends. */
export function step(name: string, picture: string, walk: (stage: Stage) => Promise<void>): void {
  test(name, { timeout: HANG }, async () => {
    if (ended !== undefined) throw new Error(`the walk ended before, at ${ended}`);
    const { window, sightings } = on();
    try {
      await walk(on());
      assert.deepEqual(await sightings.found(), []);
      await window.screenshot(`hostile-${picture}`);
    } catch (error) {
      await window.screenshot(`hostile-${picture}-failed`).catch(() => {});
      const shown = await describeWindow(window).catch(() => "");
      const why = `${error instanceof Error ? error.message : String(error)}${shown}`;
      ended = `${name}: ${why}`;
      throw new Error(why, { cause: error });
    }
  });
}

/** Waits for a message, takes its picture into account and puts it away. */
export async function say(window: Workbench, text: RegExp): Promise<void> {
  await window.waitForNotification(text);
  await window.clearNotifications();
}
