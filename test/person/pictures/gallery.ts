// Every screen, in three themes and three widths, as pictures in `dist/pictures/gallery`: to be looked at, not compared.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { button } from "../template-form.ts";
import { playScene, ROOT, type Theme, takePicture } from "./scene.ts";

const FOLDER = join(ROOT, "dist", "pictures", "gallery");
const WIDTHS = [600, 1024, 1600];
const HEIGHT = 800;
const MACHINE = /^night run, instance/;

type Show = (name: string) => Promise<void>;

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
  const page = async (row: RegExp, entry: string, name: string) => {
    await window.rowMenu(row, entry);
    await window.webview().locator("h1").waitFor();
    await show(name);
    await window.command("View: Close All Editors");
  };
  await page(MACHINE, "Show Instance", "instance");
  await page(/^Team chat/, "Show Webhook", "webhook");
  await page(/^Workergroup/, "Show Workergroup", "workergroup");
  await page(/^My nightly/, "Edit Template", "template");
  await window.command("Cloud GPU: New Template");
  await button(window, "Create").click();
  await window.webview().locator("#summary").waitFor();
  await show("template-errors");
  await window.command("View: Close All Editors");
  await window.command("Cloud GPU: Create Background Jobs");
  await window.webview().locator("h1").waitFor();
  await show("jobs");
  await window.command("View: Close All Editors");
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
  const show = async (name: string) => {
    await window.page.mouse.move(0, 0);
    for (const width of WIDTHS) {
      await window.page.setViewportSize({ width, height: HEIGHT });
      await window.page.waitForTimeout(400);
      await writeFile(join(FOLDER, `${name}-${theme}-${width}.png`), await takePicture(window));
    }
  };
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  for (const view of ["Webhooks", "Workergroups"]) await window.treeRows(view);
  await show("lists");
  await showPickers(window, show);
  await showPages(window, show);
  await showRest(window, show);
}

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
for (const theme of ["dark", "light", "high-contrast"] as const)
  await playScene({ theme, size: { width: 1600, height: HEIGHT }, scale: 1 }, (window) => showAll(window, theme));
