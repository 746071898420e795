// A browser that has opened the workbench before: fetching and compiling 19 MB of script is most of what a first window costs.
// What it brings along is that script and its compiled code; everything else of its profile is fresh.

import { cp, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { cacheFolder, prepareOnce, stage } from "./cache.ts";
import { chromiumVersion, launchProfile } from "./chromium.ts";
import { ensureEditor } from "./install.ts";
import { eventually } from "./lists.ts";
import { PATIENCE, Workbench } from "./page.ts";
import { scratchFolder } from "./processes.ts";
import { startWorkbench } from "./workbench.ts";

/** Compiled code is kept by address, and every editor of ours chooses a port of its own. */
const HOST = "editor.localhost";
const SIZE = { width: 1280, height: 800 };
/**
 * Nothing turns or runs along in a window that no one watches: drawn without a graphics card, a progress bar costs more than what it
 * waits for. The script is a string because it runs in the page, whose types this repository doesn't compile against.
 */
const STAND_STILL = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".progress-bit, .codicon-modifier-spin { animation: none !important; }");
  document.adoptedStyleSheets.push(sheet);
}`;
/** Of a browser's profile: what was fetched, and what that was compiled to. */
const KEPT = ["Cache", "Code Cache"] as const;

export interface WarmBrowser {
  readonly context: BrowserContext;
  /** Of the editor, in this browser. */
  readonly url: string;
  close(): Promise<void>;
}

/** A browser with a profile of its own for this editor. */
export async function launchWarm(editor: { readonly url: string }): Promise<WarmBrowser> {
  const known = await warmProfile();
  const scratch = await scratchFolder();
  await cp(known, scratch.path, { recursive: true });
  const { context, url } = await open(editor, scratch.path);
  const close = async () => {
    await context.close();
    await scratch.remove();
  };
  return { context, url, close };
}

async function open({ url }: { readonly url: string }, folder: string) {
  const { port, search } = new URL(url);
  const context = await launchProfile({ folder, viewport: SIZE, host: HOST, port });
  context.setDefaultTimeout(PATIENCE);
  await context.addInitScript(STAND_STILL);
  // Once: while it is granted again, the editor can't read the clipboard.
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { context, url: `http://${HOST}/${search}` };
}

/** Made once per version of browser and editor, by opening an empty window until its code is kept. */
async function warmProfile(): Promise<string> {
  const name = `profile-${await chromiumVersion()}-${(await ensureEditor()).version}-${process.arch}`;
  return prepareOnce(cacheFolder("chromium", name), (staging) =>
    stage("the browser has seen the workbench", async () => {
      const scratch = await scratchFolder();
      const editor = await startWorkbench({ onlyNeeded: true });
      const { context, url } = await open(editor, scratch.path);
      try {
        // A browser keeps compiled code from the second time on that it meets a script.
        for (let turn = 0; turn < 5; turn += 1) {
          const window = new Workbench(await context.newPage());
          await window.open({ url });
          if (turn > 0 && (await eventually(window.page, () => keepsCode(scratch.path), 8000))) break;
          await window.page.close();
        }
      } finally {
        await context.close();
        await editor.stop();
      }
      await mkdir(join(staging, "Default"));
      for (const part of KEPT)
        await cp(join(scratch.path, "Default", part), join(staging, "Default", part), { recursive: true });
      await scratch.remove();
    }),
  );
}

/** Whether the code of the workbench, of its words and of its worker is there: three scripts larger than any other. */
async function keepsCode(profile: string): Promise<true | undefined> {
  const folder = join(profile, "Default", "Code Cache", "js");
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.filter((size) => size > 1_000_000).length >= 3 || undefined;
}
