// Every screen, in four themes and four widths, as pictures in `dist/pictures/gallery`: to be looked at, not compared.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { button } from "../template-form.ts";
import { playScene, ROOT, type Theme, takePicture } from "./scene.ts";

const FOLDER = join(ROOT, "dist", "pictures", "gallery");
const WIDTHS = [600, 1024, 1600];
/** Of a window without its sidebar, which would have all of it. */
const NARROW = 300;
const HEIGHT = 800;
const MACHINE = /^night run, instance/;

interface Look {
  /** Whether the page has the window for itself, also a narrow one. */
  readonly isAlone?: boolean;
  /** What is done at each width. */
  readonly prepare?: () => Promise<unknown>;
}

type Show = (name: string, look?: Look) => Promise<void>;

const SIDEBAR = "View: Toggle Primary Side Bar Visibility";

async function showPickers(window: Workbench, show: Show): Promise<void> {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/ · \d+ offers/);
  await show("offers");
  await window.quickType("no such GPU");
  await window.quickSays(/No offers of this rental type match/);
  await show("offers-none");
  await window.quickType("");
  await window.quickPick(/^Filters…/);
  await window.quickTitle("Filters");
  await show("filters");
  await window.quickPick(/^GPU /);
  await window.quickTitle("GPU");
  await show("filter-gpu");
  await window.quickBack();
  await window.quickPick(/^Show \d+ offers/);
  await window.quickPick(/RTX 3090/);
  await window.quickTitle(/3\/3/);
  await show("summary");
  await window.quickPick(/^Show Full Summary…/);
  await window.page.getByText("Press Escape or close this tab").waitFor();
  await show("summary-in-full");
  await window.command("View: Close Editor");
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Label/);
  await window.quickAnswer("night run");
  await window.quickPick(/^Rent 1× /);
  await window.dialog();
  await show("question");
  await window.dialogButton("Rent");
  await window.waitForRow(/^night run, instance \d+, running/, 60_000);
  await window.clearNotifications();
}

async function showPages(window: Workbench, show: Show): Promise<void> {
  const alone = async (name: string) => {
    await window.command(SIDEBAR);
    await show(name, { isAlone: true });
    await window.command("View: Close All Editors");
    await window.command(SIDEBAR);
  };
  const page = async (row: RegExp, entry: string, name: string) => {
    await window.rowMenu(row, entry);
    await window.webview().locator("h1").waitFor();
    await alone(name);
  };
  await page(MACHINE, "Show Instance", "instance");
  await page(/^Team chat/, "Show Webhook", "webhook");
  await page(/^Workergroup/, "Show Workergroup", "workergroup");
  await page(/^My nightly/, "Edit Template", "template");
  await window.command("Cloud GPU: New Template");
  await button(window, "Create").click();
  await window.webview().locator("#summary").waitFor();
  await alone("template-errors");
  await window.command("Cloud GPU: Create Background Jobs");
  await window.webview().locator("h1").waitFor();
  await alone("jobs");
  await showExplorer(window, alone);
}

/** The row at the width that a sidebar has, and what is said of it under the pointer. */
async function showRow(window: Workbench, show: Show): Promise<void> {
  await window.waitForRow(MACHINE);
  await show("row");
  await show("hover", { prepare: () => window.hover(MACHINE) });
}

/** The market as a table with an offer chosen, and as a plot. */
async function showExplorer(window: Workbench, alone: (name: string) => Promise<void>): Promise<void> {
  await window.command("Cloud GPU: Explore Offers…");
  const page = window.webview();
  await page.locator('.grid .body [data-row="2"] .cell').first().click();
  await page.locator(".details h2").waitFor();
  await alone("explorer");
  await window.command("Cloud GPU: Explore Offers…");
  await page.getByRole("tab", { name: "Plot" }).click();
  await page.locator(".plot .area").waitFor();
  await alone("explorer-plot");
}

/** What a stranger sees of it in the editor itself: its page among the extensions, and its settings. */
async function showOwnPages(window: Workbench, show: Show): Promise<void> {
  await window.command("Extensions: Show Installed Extensions");
  await window.page.locator(".extensions-list .monaco-list-row", { hasText: "Cloud GPU" }).first().click();
  await window.page.locator(".extension-editor .name").waitFor();
  await window.command("View: Close Primary Side Bar");
  await window.page.waitForTimeout(2000);
  await show("installed-page");
  await window.command("View: Close All Editors");
  await window.command("Preferences: Open Settings (UI)");
  await window.page.locator(".settings-editor .monaco-editor").first().click();
  await window.page.keyboard.type("@ext:cloud-gpu.cloud-gpu");
  await window.page.locator(".setting-item-label", { hasText: "Price Per Hour" }).first().waitFor();
  await show("settings");
}

async function showRest(window: Workbench, show: Show): Promise<void> {
  await window.rowMenu(MACHINE, "Destroy Instance…");
  await window.dialog();
  await show("destroy");
  await window.dialogButton("Keep");
  await window.command("Cloud GPU: Switch Account…");
  await window.quickItems();
  await show("accounts");
  await window.quickClose();
  await window.command("Cloud GPU: Search Templates…");
  await window.quickTitle(/Search Templates/);
  await show("search-templates");
  await window.quickClose();
}

async function showAll(window: Workbench, theme: Theme): Promise<void> {
  const show: Show = async (name, { isAlone = false, prepare } = {}) => {
    for (const width of [...(isAlone ? [NARROW] : []), ...WIDTHS]) {
      await window.page.setViewportSize({ width, height: HEIGHT });
      await window.page.mouse.move(0, 0);
      await prepare?.();
      await window.page.waitForTimeout(400);
      await writeFile(join(FOLDER, `${name}-${theme}-${width}.png`), await takePicture(window));
    }
  };
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  for (const view of ["Webhooks", "Workergroups"]) await window.treeRows(view);
  await show("lists");
  await showPickers(window, show);
  await showRow(window, show);
  await showPages(window, show);
  await showRest(window, show);
  await showOwnPages(window, show);
}

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
for (const theme of ["dark", "light", "high-contrast", "high-contrast-light"] as const)
  await playScene({ theme, size: { width: 1600, height: HEIGHT }, scale: 1 }, (window) => showAll(window, theme));
