// The stage of pictures and film: a folder to work in, a key that every machine admits, the editor in a theme, and a sandbox.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { launchBrowser } from "../../editor/chromium.ts";
import { Workbench } from "../../editor/page.ts";
import { startWorkbench } from "../../editor/workbench.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

export type Theme = "light" | "dark" | "high-contrast" | "high-contrast-light";

const THEMES: Readonly<Record<Theme, string>> = {
  light: "Default Light Modern",
  dark: "Default Dark Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
};

interface Scene {
  readonly theme: Theme;
  /** In the page's pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** Pixels of a picture for each of the page's, each way. */
  readonly scale?: number;
  /** Offers of the sandbox, if not its usual number. */
  readonly offers?: number;
}

/** Plays a walk in a window of its own, and leaves nothing of it behind. */
export async function playScene(
  { theme, size, scale = 2, offers }: Scene,
  walk: (window: Workbench) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-pictures-"));
  const key = join(folder, "id_ed25519");
  const files = await prepareFiles(folder, key);
  const sandbox = await startSandbox({ seed: 1, speed: 60, ssh: true, offers });
  sandbox.world.account.sshKeys.push((await readFile(`${key}.pub`, "utf8")).trim());
  const editor = await startWorkbench({
    vsix: join(ROOT, "dist", "cloud-gpu.vsix"),
    folder: files.project,
    settings: {
      "workbench.colorTheme": THEMES[theme],
      "security.workspace.trust.enabled": false,
      // Drawn by the graphics card that there is none of, letters come out twice as large.
      "terminal.integrated.gpuAcceleration": "off",
      // So that a table of 80 columns isn't wrapped.
      "terminal.integrated.fontSize": 11,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor fills it in.
      "window.title": "${rootName}",
    },
    env: {
      CLOUD_GPU_SANDBOX_URL: sandbox.url,
      CLOUD_GPU_SANDBOX_KEY: sandbox.apiKey,
      CLOUD_GPU_SSH_DIR: join(folder, "cloud-gpu"),
      CLOUD_GPU_SSH_CONFIG: files.sshConfig,
    },
  });
  const browser = await launchBrowser();
  try {
    const window = await Workbench.inBrowser(browser, size, scale);
    await window.open(editor);
    await walk(window);
  } finally {
    await browser.close();
    await editor.stop();
    await sandbox.stop();
    await rm(folder, { recursive: true });
  }
}

/** A project to have open, and a key that no one uses otherwise. */
async function prepareFiles(folder: string, key: string) {
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
  const sshConfig = join(folder, "config");
  await writeFile(sshConfig, `Host *\n  IdentityFile ${key}\n`);
  const project = join(folder, "finetune");
  await mkdir(project);
  await writeFile(join(project, "train.py"), TRAINING);
  await writeFile(join(project, "requirements.txt"), "# PyTorch comes with the image.\n");
  return { project, sshConfig };
}

/** Trains nothing, but takes its time and leaves a model. */
const TRAINING = `import os
import time

LOSSES = [2.31, 1.12, 0.64, 0.41]

for epoch, loss in enumerate(LOSSES, 1):
    time.sleep(1.5)
    print(f"epoch {epoch}/{len(LOSSES)}  loss {loss:.2f}")

os.makedirs("out", exist_ok=True)
with open("out/model.bin", "wb") as model:
    model.write(os.urandom(2_000_000))
print("saved out/model.bin")
`;

/** What the window shows, as PNG. */
export function takePicture(window: Workbench, clip?: Clip): Promise<Buffer> {
  return window.page.screenshot({ ...(clip ? { clip } : {}), animations: "disabled", caret: "hide" });
}

export interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
