// Makes the README's first film again, from the real editor and a sandbox: from a template to a prompt on the machine, and to its end.
import type { Workbench } from "../../editor/page.ts";
import { Film, SIZE } from "./film.ts";
import { playScene } from "./scene.ts";

const MACHINE = /1× RTX 3090, instance/;
const film = new Film();

/** Rows of the sidebar tell more than fits at its first width. */
async function widenSidebar({ page }: Workbench, pixels: number): Promise<void> {
  const box = await page.locator(".part.sidebar").boundingBox();
  if (!box) throw new Error("There is no sidebar.");
  const edge = box.x + box.width;
  await page.mouse.move(edge, 300);
  await page.mouse.down();
  await page.mouse.move(edge + pixels, 300, { steps: 5 });
  await page.mouse.up();
}

async function launch(window: Workbench): Promise<void> {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  await widenSidebar(window, 40);
  await window.page.mouse.move(700, 500);
  await window.page.waitForTimeout(1500);
  await film.shoot(window, 1400);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/, 1000);
  await window.quickTitle(/ · \d+ offers/);
  await window.page.waitForTimeout(300);
  await film.shoot(window, 1600);
  for (const [text, shown] of [
    ["30", 400],
    ["3090", 1600],
  ] as const) {
    await window.quickType(text);
    await window.page.waitForTimeout(500);
    await film.shoot(window, shown);
  }
  await window.quickAccept();
  await window.quickTitle(/3\/3/);
  await window.page.waitForTimeout(300);
  await film.shoot(window, 2600);
  await window.quickPick(/^Rent 1× /);
  await window.dialog();
  await film.shoot(window, 2000);
  await window.dialogButton("Rent");
}

async function work(window: Workbench): Promise<void> {
  await window.waitForRow(MACHINE, 60_000);
  await film.shoot(window, 1000);
  await window.waitForRow(/running/, 60_000);
  await window.page.waitForTimeout(1500);
  await film.shoot(window, 1800);
  await window.clearNotifications();
  await window.rowButton(MACHINE, "Open Terminal");
  await window.page.locator(".terminal-wrapper.active .xterm").click();
  await window.command("View: Toggle Maximized Panel");
  await window.page.locator(".terminal-wrapper.active .xterm").click();
  await window.page.waitForTimeout(3000);
  await film.shoot(window, 900);
  await window.page.keyboard.type("nvidia-smi");
  await window.page.waitForTimeout(300);
  await film.shoot(window, 500);
  await window.page.keyboard.press("Enter");
  await window.page.waitForTimeout(1500);
  await film.shoot(window, 3500);
}

async function end(window: Workbench): Promise<void> {
  await window.clickRow(MACHINE);
  await window.page.keyboard.press("Delete");
  await window.dialog();
  await film.shoot(window, 2200);
  await window.dialogButton("Destroy");
  await window.page.getByText("This account has no instances.").waitFor();
  await window.page
    .locator(".terminal-wrapper.active")
    .waitFor({ state: "detached" })
    .catch(() => {});
  await window.clearNotifications();
  await window.page.waitForTimeout(1000);
  await film.shoot(window, 2500);
}

await playScene({ theme: "dark", size: SIZE }, async (window) => {
  await launch(window);
  await work(window);
  await end(window);
});
await film.save("launch.webp");
