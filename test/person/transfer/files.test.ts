// A folder goes to a machine and comes back: what is asked before, what is said afterward, and what lies where.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../../editor/page.ts";
import { quickInput } from "../../editor/quick-input.ts";
import * as trees from "../../editor/trees.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { chooseFolder, ownFolder, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "fine-tune");
const downloads = join(folder, "downloads");
const ROW = /^mine, instance \d+, running/;
for (const name of ["fine-tune/src", "fine-tune/__pycache__", "downloads"])
  await mkdir(join(folder, name), { recursive: true });
const FILES = {
  ...{ ".gitignore": "__pycache__/\n", ".env": "HF_TOKEN=hf_none\n", "README.md": "# Fine-tune\n" },
  ...{ "train.py": "print('training')\n", "src/model.py": "x = 1\n", "__pycache__/train.pyc": "cache" },
  ...{ "data.parquet": "x".repeat(3_400_000), "src/two words.py": "y = 2\n" },
};
for (const [name, text] of Object.entries(FILES)) await writeFile(join(project, name), text);

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  folder: project,
  env: laptop.env,
  settings: laptop.settings,
  prepare: ({ world }) => {
    laptop.addKey(world);
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, offer.id, { image: "pytorch/pytorch", runtype: "ssh_direct", label: "mine" });
  },
});

const terminalRows = ({ page }: Workbench) => page.locator(".terminal-wrapper.active .xterm-rows").last();

async function shows(window: Workbench, text: RegExp): Promise<void> {
  const shown = async () =>
    text.test((await terminalRows(window).allInnerTexts()).join("\n").replaceAll("\u00a0", " "));
  await until(`the terminal shows ${text}`, shown);
}

/** What the box proposes. */
const proposed = ({ page }: Workbench) => quickInput(page).inputValue();

let remote = "";

if (HAS_SSH) {
  step("a folder is chosen, and a place for it is proposed", "230-place", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(ROW, 90_000);
    await window.clearNotifications();
    await window.rowMenu(ROW, "Upload Folder…");
    await chooseFolder(window, /^Upload Folder$/, project, "Upload");
    await window.quickTitle(/^Upload Folder to Instance \d+$/);
    remote = await proposed(window);
    assert.match(remote, /\/workspace\/fine-tune$/);
    await window.quickRefused("workspace", /isn't an absolute path/);
  });

  step("what goes and what stays is said before anything is sent", "231-question", person, async ({ window }) => {
    await window.quickAnswer(remote);
    const { message, detail, buttons } = await window.dialog();
    assert.match(message, /^Upload 6 files \(3\.4 MB\) to instance \d+\?$/);
    assert.ok(detail.includes(`Destination: ${remote}.`), detail);
    assert.match(detail, /Largest: data\.parquet \(3\.4 MB\), train\.py/);
    assert.match(detail, /Not uploaded \(possible secrets\): \.env\./);
    assert.deepEqual([...buttons].sort(), ["Cancel", "Show List", "Upload"]);
    assert.deepEqual(await readdir(remote).catch(() => []), []);
  });

  step("the list can be read first", "232-list", person, async ({ window }) => {
    await window.dialogButton("Show List");
    await window.waitForNotification("Nothing has been uploaded yet. Continue after you've read the list.");
    const text = await window.page.locator(".monaco-editor .view-lines").first().innerText();
    for (const part of ["src/two words.py", ".env"]) assert.ok(text.replaceAll("\u00a0", " ").includes(part), text);
    assert.deepEqual(await readdir(remote).catch(() => []), []);
  });

  step("then all of it arrives", "233-uploaded", person, async ({ window }) => {
    await window.notificationButton("Continue…");
    await window.dialogButton("Upload");
    await window.waitForNotification(/^Uploaded 6 files \(3\.4 MB\) to \S+\/workspace\/fine-tune on instance \d+\.$/);
    assert.deepEqual((await readdir(remote)).sort(), [".gitignore", "README.md", "data.parquet", "src", "train.py"]);
    assert.equal(await readFile(join(remote, "src/two words.py"), "utf8"), "y = 2\n");
  });

  step("a terminal on the machine shows it", "234-terminal", person, async ({ window }) => {
    await window.notificationButton("Open Terminal");
    await shows(window, /[#$] *$/m);
    await window.page.locator(".terminal-wrapper.active .xterm").last().click();
    await window.page.keyboard.type("cd workspace/fine-tune && ls -l . src");
    await window.page.keyboard.press("Enter");
    await shows(window, /data\.parquet[\s\S]*train\.py[\s\S]*two words\.py/);
  });

  step("the next time, nothing is asked", "235-again", person, async ({ window }) => {
    await writeFile(join(project, "train.py"), "print('trained')\n");
    await window.clearNotifications();
    await window.rowMenu(ROW, "Upload Folder…");
    await chooseFolder(window, /^Upload Folder$/, project, "Upload");
    await window.waitForNotification(/^Uploaded 6 files \(3\.4 MB\) to/);
    assert.equal(await readFile(join(remote, "train.py"), "utf8"), "print('trained')\n");
  });

  step("from the Explorer it is one click on a folder", "236-explorer", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("View: Show Explorer");
    await trees.openRowMenu(window.page, /^src\b/);
    await window.screenshot("236-menu");
    await trees.closeMenu(window.page);
    await window.rowMenu(/^src\b/, "Upload Folder…");
    await window.quickPick(/mine/);
    await window.quickTitle(/^Upload Folder to Instance \d+$/);
    assert.match(await proposed(window), /\/workspace\/src$/);
    await window.quickClose();
  });

  step("the folder comes back", "237-downloaded", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.clearNotifications();
    await writeFile(join(remote, "model.safetensors"), "weights");
    await window.rowMenu(ROW, "Download…");
    await window.quickTitle(/^Download from Instance \d+$/);
    await window.screenshot("237-path");
    await window.quickAnswer(remote);
    await chooseFolder(window, /^Download to Folder$/, downloads, "Download Here");
    await window.waitForNotification(/^Downloaded 7 files \(3\.4 MB\) to \S+\/downloads\/fine-tune\.$/);
    assert.deepEqual(await readdir(downloads), ["fine-tune"]);
    assert.equal(await readFile(join(downloads, "fine-tune/model.safetensors"), "utf8"), "weights");
    assert.equal(await readFile(join(downloads, "fine-tune/src/two words.py"), "utf8"), "y = 2\n");
  });

  step("what is there already is not replaced unasked", "238-replace", person, async ({ window }) => {
    await window.clearNotifications();
    await writeFile(join(downloads, "fine-tune/train.py"), "print('mine')\n");
    await window.rowMenu(ROW, "Download…");
    await window.quickTitle(/^Download from Instance \d+$/);
    await window.quickAnswer(remote);
    await chooseFolder(window, /^Download to Folder$/, downloads, "Download Here");
    const { message, buttons } = await window.dialog();
    assert.equal(message, "Replace 7 files with the download?");
    assert.deepEqual([...buttons].sort(), ["Cancel", "Keep Both", "Replace"]);
    const byDefault = window.page.locator(".monaco-dialog-box .monaco-button:focus");
    assert.equal(await byDefault.innerText(), "Keep Both");
    await window.screenshot("238-question");
    await window.dialogButton("Keep Both");
    await window.waitForNotification(/^Downloaded .* to \S+\/downloads\/fine-tune \(2\)\.$/);
    assert.deepEqual((await readdir(downloads)).sort(), ["fine-tune", "fine-tune (2)"]);
    assert.equal(await readFile(join(downloads, "fine-tune/train.py"), "utf8"), "print('mine')\n");
  });

  step("a path that isn't there is said", "239-missing", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(ROW, "Download…");
    await window.quickTitle(/^Download from Instance \d+$/);
    await window.quickAnswer(`${remote}/results`);
    await chooseFolder(window, /^Download to Folder$/, downloads, "Download Here");
    await window.waitForNotification(/^“\S+\/results” doesn't exist on instance \d+\.$/);
    assert.deepEqual((await readdir(downloads)).sort(), ["fine-tune", "fine-tune (2)"]);
  });

  step("an account that is left in the middle ends an upload", "239-left", person, async ({ window }) => {
    const tar = join(remote.slice(0, remote.lastIndexOf("/workspace/")), ".local/bin/tar");
    // It takes the beginning, and then nothing more for a while.
    const script = `head -c 200000 >/dev/null; touch '${join(folder, "begun")}'; sleep 30`;
    await writeFile(tar, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await window.clearNotifications();
    await window.rowMenu(ROW, "Upload Folder…");
    await chooseFolder(window, /^Upload Folder$/, project, "Upload");
    await until("it is on its way", async () => (await readdir(folder)).includes("begun"));
    await window.command("Cloud GPU: Sign Out");
    await window.waitForNotification(/^The upload was stopped\. Some files may have arrived in \S+\/fine-tune\.$/);
  });
}
