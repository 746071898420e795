// A person in front of the real editor: the packaged extension, a service beside it, and eyes that keep pictures.
import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EXTENSION } from "../../src/ids.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/start.ts";
import { Workbench } from "../editor/page.ts";
import { scratchFolder } from "../editor/processes.ts";
import { quickInput } from "../editor/quick-input.ts";
import { launchWarm } from "../editor/warm.ts";
import { startWorkbench, stateFolder } from "../editor/workbench.ts";
import { nextLook } from "../patience.ts";

export type RunningEditor = Awaited<ReturnType<typeof startWorkbench>>;

const ROOT = resolve(import.meta.dirname, "../..");
const VSIX = join(ROOT, "dist", "cloud-gpu.vsix");
const packagedAt = statSync(VSIX).mtimeMs;
const isNewer = (file: string) => statSync(join(ROOT, file)).mtimeMs > packagedAt;
if (globSync(["src/**/*.{ts,css}", "media/**/*.json", "package*.json"], { cwd: ROOT }).some(isNewer))
  console.warn("dist/cloud-gpu.vsix is older than the source. Run: npm run package");

/** Patience for what a slow machine does in seconds. */
export const SOON = 60_000;

export interface Person {
  readonly window: Workbench;
  readonly service: Sandbox;
  readonly requests: readonly RequestLine[];
  readonly editor: RunningEditor;
  /** A second window on the same editor and profile. */
  anotherWindow(): Promise<Workbench>;
  /** The same user's other editor, which shares neither profile nor storage with the first. */
  anotherEditor(): Promise<Workbench>;
}

interface Setting {
  readonly sandbox?: SandboxOptions;
  /** Whether the editor is told of the service, as `npm start` does; otherwise the person signs in. */
  readonly signedIn: boolean;
  readonly settings?: Record<string, unknown>;
  readonly folder?: string;
  /** The folder of another extension, which runs beside ours. */
  readonly beside?: string;
  /** Added to the editor's environment. */
  readonly env?: Record<string, string>;
  /** What is so at the service before the first window opens. */
  readonly prepare?: (service: Sandbox) => void;
  /** What earlier windows left in the extension's own folder. */
  readonly files?: (service: Sandbox, folder: string) => Promise<void>;
}

/** Sets the stage for the tests of one file; the returned function gives it to them once it stands. */
export function stage({
  sandbox,
  signedIn,
  settings,
  folder,
  beside,
  env: more,
  prepare,
  files,
}: Setting): () => Person {
  let person: Person | undefined;
  const ending: (() => Promise<unknown>)[] = [];
  before(async () => {
    const requests: RequestLine[] = [];
    const service = await startSandbox({
      seed: 1,
      speed: 20,
      requests: (line) => void requests.push(line),
      ...sandbox,
    });
    ending.push(() => service.stop());
    prepare?.(service);
    const named = signedIn ? { CLOUD_GPU_SANDBOX_URL: service.url, CLOUD_GPU_SANDBOX_KEY: service.apiKey } : {};
    // No walk touches the files of whoever runs it.
    const ssh = join(tmpdir(), `cloud-gpu-walk-${process.pid}`, "ssh", "cloud-gpu");
    const env = { CLOUD_GPU_SSH_DIR: ssh, ...named, ...more };
    const scratch = await scratchFolder();
    ending.push(scratch.remove);
    const userDataDir = join(scratch.path, "user");
    await files?.(service, storageFolder({ userDataDir }));
    const options = {
      vsix: VSIX,
      onlyNeeded: true,
      env,
      // What changes elsewhere is seen while a walk waits for it.
      settings: { "cloudGpu.refresh.steadySeconds": 30, ...settings },
      ...(folder ? { folder } : {}),
      ...(beside ? { extensionDevelopmentPath: beside } : {}),
    };
    const started = await startWorkbench({ userDataDir, ...options });
    ending.push(() => started.stop());
    const { context, url, close } = await launchWarm(started);
    ending.push(close);
    const editor = { ...started, url };
    const window = new Workbench(await context.newPage());
    await window.open(editor);
    const anotherWindow = async () => {
      const other = new Workbench(await context.newPage());
      await other.open(editor);
      return other;
    };
    const anotherEditor = async () => {
      const shared = { XDG_STATE_HOME: stateFolder(started) };
      const second = await startWorkbench({ ...options, env: { ...env, ...shared } });
      ending.push(() => second.stop());
      const browser = await launchWarm(second);
      ending.push(browser.close);
      const other = new Workbench(await browser.context.newPage());
      await other.open({ ...second, url: browser.url });
      return other;
    };
    person = { window, service, requests, editor, anotherWindow, anotherEditor };
  });
  after(async () => {
    for (const end of ending.reverse()) await end();
  });
  return () => {
    if (!person) throw new Error("The stage does not stand.");
    return person;
  };
}

type Walk = (person: Person) => Promise<void>;
type Scene = readonly [picture: string, person: () => Person, walk: Walk] | readonly [person: () => Person, walk: Walk];

/**
 * A step of a longer walk, with a picture of its end where that is worth a look. When it fails, a picture and the error show what
 * the person saw, and what it left open is closed, so that the steps after it are judged on their own.
 */
export function step(name: string, ...scene: Scene): void {
  const [picture, person, walk] = scene.length === 3 ? scene : [undefined, ...scene];
  test(name, async () => {
    try {
      await walk(person());
      if (picture) await person().window.screenshot(picture);
    } catch (error) {
      await person()
        .window.screenshot(`${picture ?? name.replaceAll(/[^\p{L}\d]+/gu, "-")}-failed`)
        .catch(() => {});
      const shown = await describeWindow(person().window).catch(() => "");
      await person()
        .window.leaveQuestions()
        .catch(() => {});
      throw new Error(`${error instanceof Error ? error.message : String(error)}${shown}`, { cause: error });
    }
  });
}

/** What was in front of the person, in words, for where there is no picture. */
export async function describeWindow({ page }: Workbench): Promise<string> {
  const front = {
    dialog: ".monaco-dialog-box",
    prompt: ".quick-input-widget",
    menu: ".monaco-menu",
    notification: ".notification-list-item-message",
    tab: ".tab.active",
  };
  const lines = Object.entries(front).map(async ([name, selector]) => {
    const texts = await page.locator(selector).filter({ visible: true }).allInnerTexts();
    return texts.map((text) => `\n  ${name}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`);
  });
  return (await Promise.all(lines)).flat().join("");
}

/** The one template of the sandbox that has this name. */
export function storedTemplate({ service }: Person, name: string) {
  const found = service.world.templates.list().filter((one) => one.name === name);
  assert.equal(found.length, 1, `one template ${name}`);
  return found[0] as (typeof found)[0];
}

/** What was sent to the templates' endpoint: POST creates, PUT edits, DELETE deletes. */
export function templateRequests({ requests }: Person, method: string): readonly RequestLine[] {
  return requests.filter((line) => line.method === method && line.path === "/api/v0/template/");
}

/** Another client of the same account changes a template, a moment ago. */
export function changeElsewhere(person: Person, name: string, change: Record<string, unknown>): void {
  const { templates, account } = person.service.world;
  templates.edit(storedTemplate(person, name).hash_id, change, account.id);
}

/** An empty folder for the editor to open; it goes with the tests of the file. */
export async function ownFolder(): Promise<string> {
  const { path, remove } = await scratchFolder();
  after(remove);
  return path;
}

/** Waits until no template's row begins with this. */
export function templateRowGone(window: Workbench, name: string): Promise<void> {
  const gone = async () => (await window.treeRows("Templates")).every((row) => !row.startsWith(name));
  return until(`no row ${name}`, gone);
}

/** Waits for what isn't on the screen. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, patience = SOON): Promise<void> {
  for (const started = Date.now(); !(await holds()); ) {
    const passed = Date.now() - started;
    assert.ok(passed < patience, what);
    await sleep(nextLook(passed));
  }
}

/** Waits until the terminal shows this. Lines that are too long for it are one. */
export async function shows({ page }: Workbench, text: RegExp, timeout = SOON): Promise<void> {
  const rows = page.locator(".terminal-wrapper.active .xterm-rows").last();
  const shown = async () => (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ").replaceAll("\n", "");
  await until(`the terminal shows ${text}`, async () => text.test(await shown()), timeout);
}

/** A JSON file as it lies on the disk; one that the editor is just writing is read again. */
export async function jsonFile<T = Record<string, unknown>>(path: string): Promise<T> {
  let text = "";
  await until(`${path} is whole`, async () => {
    text = await readFile(path, "utf8");
    return text.trimEnd().endsWith("}");
  });
  return JSON.parse(text);
}

export const templateFile = jsonFile<Record<string, unknown> & { $sync: { hash: string } }>;

/** Opens a file of the folder by its name, with the sidebar as it is. */
export async function openFile({ page }: Workbench, name: string): Promise<void> {
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
  // A file just written is found by a search that begins after the editor has heard of it.
  await until(`${name} is found`, async () => {
    await page.keyboard.press("Control+p");
    await quickInput(page).fill(name, { timeout: SOON });
    return row.waitFor({ timeout: 3000 }).then(
      () => true,
      () => page.keyboard.press("Escape").then(() => false),
    );
  });
  const tab = page.locator(".tab.active", { hasText: name });
  // The list is drawn again while the search goes on, and a click on what was there before is lost.
  await until(`${name} opens`, async () => {
    if (await row.isVisible()) await row.click({ timeout: 3000 }).catch(() => {});
    return tab.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
  });
}

/** Waits until the dialog for a place to save at proposes this name, which it does a moment after it shows. */
export async function proposal({ page }: Workbench, name: string): Promise<void> {
  const proposed = async () =>
    (await quickInput(page).isVisible()) && (await quickInput(page).inputValue()).endsWith(name);
  await until(`the dialog proposes ${name}`, proposed);
}

/** Chooses a folder in the editor's own dialog, which is a quick input where there is no desktop. */
export async function chooseFolder({ page }: Workbench, title: RegExp, path: string, button: string): Promise<void> {
  await page.locator(".quick-input-title", { hasText: title }).waitFor({ timeout: SOON });
  const ok = page.locator(".quick-input-widget .quick-input-action .monaco-button", { hasText: button });
  const closed = async () => !(await page.locator(".quick-input-title", { hasText: title }).isVisible());
  // The dialog proposes a folder a moment after it shows, and completes what is typed.
  await until("the dialog proposes a folder", async () => (await quickInput(page).inputValue()) !== "");
  await until(`${path} is chosen`, async () => {
    if ((await quickInput(page).inputValue()) !== `${path}/`) await quickInput(page).fill(`${path}/`);
    await page.waitForTimeout(500);
    if ((await quickInput(page).inputValue()) === `${path}/`) await ok.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForTimeout(500);
    return await closed();
  });
}

/** The extension's own folder, which all windows of an editor share. */
export const storageFolder = ({ userDataDir }: Pick<RunningEditor, "userDataDir">): string =>
  join(userDataDir, "User", "globalStorage", EXTENSION.toLowerCase());

/** The folder that all editors of the user share. */
export const sharedFolder = (editor: Pick<RunningEditor, "userDataDir">): string =>
  join(stateFolder(editor), "cloud-gpu");

/** The files below a folder that hold a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
