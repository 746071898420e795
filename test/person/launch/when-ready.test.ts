// What happens once an instance is ready is chosen on the summary, done without another question, and remembered for the template.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, shows, stage, step } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "project");
await mkdir(project);
await writeFile(join(project, "train.py"), "print('training')\n");

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  folder: project,
  env: laptop.env,
  settings: laptop.settings,
  prepare: ({ world }) => {
    laptop.addKey(world);
    world.account.credit = 1_000_000;
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});

async function reviewLaunch(window: Workbench): Promise<readonly string[]> {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickTitle(/3\/3/);
  return (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
}

if (HAS_SSH) {
  step("the summary says what happens when the instance is ready", "292-when-ready", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    assert.ok((await reviewLaunch(window)).some((line) => /^When It's Ready… tell me/.test(line)));
    await window.quickPick(/^When It's Ready/);
    assert.deepEqual(
      (await window.quickItems()).map(({ label }) => label),
      ["Tell Me", "Open a Terminal", "Open This Project on It"],
    );
  });

  step("a terminal opens then, without another question", "293-terminal", person, async ({ window }) => {
    await window.quickPick("Open a Terminal");
    const line = window.page.locator(".quick-input-list", { hasText: "open a terminal" });
    await line.waitFor({ timeout: SOON });
    await window.quickPick(/^Rent 1× RTX 3090/);
    await window.dialogButton("Rent");
    await window.waitForNotification(/is running at \$0\.\d+\/h/, 120_000);
    await shows(window, /[#$] *$/m, 2 * SOON);
  });

  step("the next launch of the template begins with that", "294-remembered", person, async ({ window }) => {
    assert.ok((await reviewLaunch(window)).some((line) => /^When It's Ready… open a terminal/.test(line)));
    await window.page.keyboard.press("Escape");
  });
}
