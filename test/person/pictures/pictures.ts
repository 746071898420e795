// Makes the pictures of README and walkthrough again, from the real editor and a sandbox.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import type { Workbench } from "../../editor/page.ts";
import { closeMenu, openRowMenu } from "../../editor/trees.ts";
import { openFile } from "../support.ts";
import { type Clip, playScene, ROOT, type Theme, takePicture } from "./scene.ts";

const STEPS = join(ROOT, "media", "walkthrough");
const LEFT: Clip = { x: 0, y: 30, width: 520, height: 400 };
const PICKER: Clip = { x: 335, y: 28, width: 612, height: 290 };

async function save(window: Workbench, file: string, clip?: Clip): Promise<void> {
  await sharp(await takePicture(window, clip))
    .webp({ nearLossless: true, quality: 40, effort: 6 })
    .toFile(file);
}

/** As far as the summary. */
async function chooseOffer(window: Workbench): Promise<void> {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/ · \d+ offers/);
  await window.quickType("RTX 3090");
  await window.quickTitle(/ of /);
  await window.quickAccept();
  await window.quickTitle(/3\/3/);
}

async function rent(window: Workbench): Promise<void> {
  await window.quickPick(/^Rent 1× /);
  await window.dialogButton("Rent");
  await window.waitForRow(/running/, 60_000);
  await window.clearNotifications();
}

/** Takes every picture in one theme; those of the README in the dark one. */
async function takePictures(window: Workbench, theme: Theme): Promise<void> {
  const picture = (name: string, clip: Clip) => save(window, join(STEPS, `${name}-${theme}.webp`), clip);
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  await window.page.mouse.move(900, 400);
  await window.page.waitForTimeout(500);
  await picture("sandbox", { ...LEFT, height: 470 });
  await chooseOffer(window);
  await picture("summary", { ...PICKER, height: 400 });
  await rent(window);
  await window.rowButton(/1× RTX 3090, instance/, "Open Terminal");
  await window.page.locator(".terminal-wrapper.active").waitFor();
  await window.toggleRow(/1× RTX 3090, instance/);
  await window.page.locator(".terminal-wrapper.active .xterm").click();
  await window.page.waitForTimeout(2000);
  await window.page.keyboard.type("nvidia-smi\n");
  await window.page.waitForTimeout(1500);
  if (theme === "dark") await save(window, join(ROOT, "media", "connect.webp"));
  await window.page.keyboard.type("exit\n");
  await window.page.locator(".part.panel .codicon-close, .part.panel .codicon-panel-close").first().click();
  await openRowMenu(window.page, /1× RTX 3090, instance/);
  await picture("connect", { ...LEFT, height: 420 });
  await closeMenu(window.page);
  await window.toggleRow(/1× RTX 3090, instance/);
  await window.hover(/1× RTX 3090, instance/);
  await picture("costs", { x: 0, y: 0, width: 712, height: 400 });
  await window.page.mouse.move(900, 300);
  await window.rowMenu(/^My nightly/, "Edit Template");
  await window.webview().getByText("Launch Mode").first().waitFor();
  await window.page.waitForTimeout(1000);
  await picture("template", { x: 345, y: 30, width: 560, height: 360 });
  await window.command("View: Close Editor");
  await window.command("Cloud GPU: Sign In…");
  await window.quickItems();
  await picture("sign-in", { ...PICKER, height: 208 });
  await window.quickClose();
}

/** The whole market as a plot, with the offer along its edge that has the most for the money. */
async function takeOffers(window: Workbench): Promise<void> {
  await window.command("View: Toggle Primary Side Bar Visibility");
  await window.command("Cloud GPU: Explore Offers…");
  const page = window.webview();
  await page.getByRole("tab", { name: "Plot" }).click();
  await page.locator(".plot .area").focus();
  await window.page.keyboard.press("Home");
  for (let times = 0; times < 4; times += 1) await window.page.keyboard.press("ArrowRight");
  await page.locator(".details h2").waitFor();
  await window.page.mouse.move(900, 60);
  await window.page.waitForTimeout(1000);
  await save(window, join(ROOT, "media", "offers.webp"));
}

/** The project on an instance: uploaded, and what it needs installed in a terminal in its folder. */
async function takeProject(window: Workbench): Promise<void> {
  await window.openContainer("Cloud GPU");
  await chooseOffer(window);
  await rent(window);
  await openFile(window, "train.py");
  await window.command("Cloud GPU: Open This Project on Instance…");
  await window.notificationButton("Open Terminal");
  await window.dialogButton("Open");
  const shown = window.page.locator(".terminal-wrapper.active .xterm-rows");
  await shown.getByText("What the project needs is installed.").waitFor({ timeout: 120_000 });
  await window.page.locator(".terminal-wrapper.active .xterm").click();
  await window.page.keyboard.type(".venv/bin/python train.py\n");
  await window.page.waitForTimeout(8000);
  await window.clearNotifications();
  await window.page.mouse.move(900, 60);
  await save(window, join(ROOT, "media", "project.webp"));
}

for (const name of await readdir(STEPS)) if (name.endsWith(".webp")) await rm(join(STEPS, name));
for (const theme of ["dark", "light"] as const)
  await playScene({ theme, size: { width: 1280, height: 720 } }, (window) => takePictures(window, theme));
await playScene({ theme: "dark", size: { width: 1280, height: 720 }, offers: 10_000 }, takeOffers);
await playScene({ theme: "dark", size: { width: 1280, height: 720 } }, takeProject);
