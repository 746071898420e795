// Makes the pictures of README and walkthrough anew, from the real editor and a sandbox.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { startSandbox } from "../../src/sandbox/start.ts";
import { launchBrowser } from "../editor/chromium.ts";
import { Workbench } from "../editor/page.ts";
import { closeMenu, openRowMenu } from "../editor/trees.ts";
import { startWorkbench } from "../editor/workbench.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const STEPS = join(ROOT, "media", "walkthrough");
const sandbox = await startSandbox({ seed: 1, speed: 60, ssh: true });
// A key that nobody uses otherwise, which every machine admits.
const keys = await mkdtemp(join(tmpdir(), "cloud-gpu-pictures-"));
const key = join(keys, "id_ed25519");
assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
sandbox.world.account.sshKeys.push((await readFile(`${key}.pub`, "utf8")).trim());
const sshConfig = join(keys, "config");
await writeFile(sshConfig, `Host *\n  IdentityFile ${key}\n`);
const editor = await startWorkbench({
  vsix: join(ROOT, "dist", "cloud-gpu.vsix"),
  env: {
    CLOUD_GPU_SANDBOX_URL: sandbox.url,
    CLOUD_GPU_SANDBOX_KEY: sandbox.apiKey,
    CLOUD_GPU_SSH_DIR: join(keys, "cloud-gpu"),
    CLOUD_GPU_SSH_CONFIG: sshConfig,
  },
});
const browser = await launchBrowser();

/** As WebP, which takes a quarter of the room in what is installed. */
async function asWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.2);
  })()`);
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

async function picture(window: Workbench, name: string, clip: { x: number; y: number; width: number; height: number }) {
  const png = await window.page.screenshot({ clip, animations: "disabled", caret: "hide" });
  await writeFile(join(STEPS, `${name}.webp`), await asWebp(browser, png));
}

const LEFT = { x: 0, y: 30, width: 520, height: 400 };
const PICKER = { x: 335, y: 28, width: 612, height: 290 };

try {
  await mkdir(STEPS, { recursive: true });
  const window = await Workbench.inBrowser(browser, { width: 1280, height: 720 });
  await window.open(editor);
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  await window.page.mouse.move(900, 400);
  await window.page.waitForTimeout(500);
  await picture(window, "sandbox", { ...LEFT, height: 470 });
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickTitle(/3\/3/);
  await picture(window, "receipt", PICKER);
  await window.quickPick(/^Rent 1× /);
  await window.dialogButton("Rent");
  await window.waitForRow(/running/, 60_000);
  await window.clearNotifications();
  await window.waitForRow(/^My nightly/);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^ComfyUI/);
  await window.page
    .getByText(/^\d+ offers · /)
    .first()
    .waitFor();
  await window.page.screenshot({ path: join(ROOT, "media", "launch.png") });
  await window.quickClose();
  await window.rowButton(/1× RTX 3090, instance/, "Open Terminal");
  await window.page.locator(".terminal-wrapper.active").waitFor();
  await window.toggleRow(/1× RTX 3090, instance/);
  await window.page.locator(".terminal-wrapper.active .xterm").click();
  await window.page.waitForTimeout(2000);
  await window.page.keyboard.type("nvidia-smi\n");
  await window.page.waitForTimeout(1500);
  await window.page.screenshot({ path: join(ROOT, "media", "connect.png") });
  await window.page.keyboard.type("exit\n");
  await window.page.locator(".part.panel .codicon-close, .part.panel .codicon-panel-close").first().click();
  await openRowMenu(window.page, /1× RTX 3090, instance/);
  await picture(window, "connect", { ...LEFT, y: 0, height: 420 });
  await closeMenu(window.page);
  await window.toggleRow(/1× RTX 3090, instance/);
  await window.hover(/1× RTX 3090, instance/);
  await picture(window, "costs", { ...LEFT, y: 0, height: 320 });
  await window.page.mouse.move(900, 300);
  await window.rowMenu(/^My nightly/, "Edit Template");
  await window.webview().getByText("Launch Mode").first().waitFor();
  await window.page.waitForTimeout(1000);
  await picture(window, "template", { x: 345, y: 30, width: 560, height: 360 });
  await window.command("View: Close Editor");
  await window.command("Cloud GPU: Sign In…");
  await window.quickItems();
  await picture(window, "sign-in", { ...PICKER, height: 208 });
} finally {
  await browser.close();
  await editor.stop();
  await sandbox.stop();
  await rm(keys, { recursive: true });
}
