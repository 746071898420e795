// Makes the README's second film again: a file of the folder runs on a GPU that is rented for it, and its results come back.
import type { Workbench } from "../../editor/page.ts";
import { openRowMenu } from "../../editor/trees.ts";
import { until } from "../support.ts";
import { Film, SIZE } from "./film.ts";
import { playScene } from "./scene.ts";

const film = new Film();
const FILE = /^train\.py/;

/** Reads no further than this line of the terminal. */
async function waitForLine({ page }: Workbench, text: RegExp): Promise<void> {
  const rows = page.locator(".terminal-wrapper.active .xterm-rows").last();
  const shown = async () => (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ").replaceAll("\n", "");
  await until(`the terminal shows ${text}`, async () => text.test(await shown()), 120_000);
  await page.waitForTimeout(300);
}

async function begin(window: Workbench): Promise<void> {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  await window.command("View: Show Explorer");
  await (await window.waitForRow(FILE)).dblclick();
  await window.page.locator(".tab.active", { hasText: "train.py" }).waitFor();
  await window.page.waitForTimeout(1500);
  await film.shoot(window, 1600);
  await openRowMenu(window.page, FILE);
  await film.shoot(window, 1400);
  await window.page.keyboard.press("Escape");
  await window.rowMenu(FILE, "Run on a GPU…");
  await window.quickTitle(/ · \d+ offers/);
  await window.page.waitForTimeout(300);
  await film.shoot(window, 1200);
  await window.quickType("4090");
  await window.page.waitForTimeout(500);
  await film.shoot(window, 1400);
  await window.quickAccept();
  await window.quickTitle(/3\/3/);
  await window.page.waitForTimeout(300);
  await film.shoot(window, 3200);
  await window.quickPick(/^Rent 1× /);
  await window.dialog();
  await film.shoot(window, 3000);
  await window.dialogButton("Rent");
}

async function follow(window: Workbench): Promise<void> {
  await waitForLine(window, /Renting: instance \d+/);
  await film.shoot(window, 1000);
  await window.command("View: Toggle Maximized Panel");
  await waitForLine(window, /Running\..*epoch 1/);
  await window.clearNotifications();
  await film.shoot(window, 1200);
  await waitForLine(window, /epoch 3/);
  await film.shoot(window, 1200);
  await waitForLine(window, /was destroyed\..*Cost/);
  await window.command("View: Toggle Maximized Panel");
  await window.page.waitForTimeout(800);
  await film.shoot(window, 4000);
}

await playScene({ theme: "dark", size: SIZE }, async (window) => {
  await begin(window);
  await follow(window);
});
await film.save("run.webp");
