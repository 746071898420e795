// Makes the README's pictures anew, from the real editor and a sandbox.
import { join, resolve } from "node:path";
import { startSandbox } from "../../src/sandbox/start.ts";
import { launchBrowser } from "../editor/chromium.ts";
import { Workbench } from "../editor/page.ts";
import { startWorkbench } from "../editor/workbench.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const sandbox = await startSandbox({ seed: 1, speed: 60 });
const editor = await startWorkbench({
  vsix: join(ROOT, "dist", "cloud-gpu.vsix"),
  env: { CLOUD_GPU_SANDBOX_URL: sandbox.url, CLOUD_GPU_SANDBOX_KEY: sandbox.apiKey },
});
const browser = await launchBrowser();
try {
  const window = await Workbench.inBrowser(browser, { width: 1280, height: 720 });
  await window.open(editor);
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, 30_000);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickPick(/^1× RTX 3090/);
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
} finally {
  await browser.close();
  await editor.stop();
  await sandbox.stop();
}
