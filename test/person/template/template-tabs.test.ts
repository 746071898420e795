// Templates while coding, as a person does it: start script and readme in tabs, files in the workspace, search and delete.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { unpackScript } from "../../../src/domain/template/packed-script.ts";
import type { Workbench } from "../../editor/page.ts";
import {
  changeElsewhere,
  openFile,
  ownFolder,
  proposal,
  SOON,
  stage,
  step,
  storedTemplate,
  templateFile,
  templateRequests,
  templateRowGone,
  until,
} from "../support.ts";

const folder = await ownFolder();
writeFileSync(
  join(folder, "hostile.gpu-template.json"),
  `{
  // From a stranger.
  "name": "Hostile",
  "image": "a/b",
  "private": "no",
  "__proto__": { "private": false },
  "docker_login_pass": "stolen",
  "runtype": "ssh"
}
`,
);
const person = stage({
  signedIn: true,
  folder,
  settings: { "editor.minimap.enabled": false, "editor.autoIndent": "none", "security.workspace.trust.enabled": false },
});

const writes = (method: string) => templateRequests(person(), method);
const text = (window: Workbench): Locator => window.page.locator(".editor-instance .monaco-editor").first();
const status = (window: Workbench): Locator => window.page.locator('[id$="cloudGpu.onstart"]');
const lines = (window: Workbench, words: string): Locator =>
  window.page.locator(".editor-instance .view-line", { hasText: words });

const stored = (name: string) => storedTemplate(person(), name);

/** Puts a text in place of the whole of the active editor, without the editor's own closing of brackets. */
async function replace(window: Workbench, typed: string): Promise<void> {
  await text(window).click();
  await window.page.keyboard.press("Control+a");
  await window.page.keyboard.insertText(typed);
}

const MINE = "My nightly fine-tune";

step(
  "the start script opens as a shell script, with its length in the status bar",
  "50-onstart",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^My nightly/);
    await window.rowMenu(/^My nightly/, "Edit Start Script");
    await status(window).waitFor({ timeout: SOON });
    assert.match((await status(window).textContent()) ?? "", /\d+ \/ 4,048/);
    await window.page.locator(".statusbar-item", { hasText: "Shell Script" }).waitFor({ timeout: SOON });
  },
);

step("saving asks once, and sends that field and nothing else", person, async ({ window }) => {
  const before = stored(MINE);
  await replace(window, "#!/bin/bash\necho one\necho two\n");
  await window.page.keyboard.press("Control+s");
  const { message, detail } = await window.dialog();
  assert.match(message, /Save the start script of “My nightly fine-tune”/);
  assert.match(detail, /once in each window/);
  await window.screenshot("51-question");
  await window.dialogButton("Save");
  await until("saved", () => writes("PUT").length === 1);
  assert.deepEqual(Object.keys(writes("PUT")[0]?.body as object).sort(), ["hash_id", "onstart"]);
  await until("stored", () => stored(MINE).hash_id !== before.hash_id);
  assert.equal(stored(MINE).onstart, "#!/bin/bash\necho one\necho two\n");
  await replace(window, "#!/bin/bash\necho three\n");
  await window.page.keyboard.press("Control+s");
  await until("saved without a question", () => stored(MINE).onstart.includes("three"));
});

step("too long is a problem with a way out: compressed, it fits", person, async ({ window }) => {
  const script = `#!/bin/bash\n${"pip install --quiet something-useful\n".repeat(150)}echo ready\n`;
  await replace(window, script);
  await window.page.locator('[id$="cloudGpu.onstart"]', { hasText: /5,\d{3} \/ 4,048/ }).waitFor({ timeout: SOON });
  await window.page.keyboard.press("Control+s");
  await window.waitForNotification(/has 5,\d{3} characters\. The maximum is 4,048/);
  await window.screenshot("52-too-long");
  assert.equal(stored(MINE).onstart, "#!/bin/bash\necho three\n");
  await window.clearNotifications();
  await text(window).click();
  await window.page.keyboard.press("Control+End");
  const menu = window.page.locator(".action-widget", { hasText: "Compress" });
  // The light bulb asks a moment after the text was changed; until then there is nothing to choose.
  for (const end = Date.now() + SOON; !(await menu.isVisible()); ) {
    assert.ok(Date.now() < end, "the quick fix is offered");
    await window.page.keyboard.press("Control+.");
    await menu.waitFor({ timeout: 1500 }).catch(() => {});
  }
  await window.screenshot("52-quick-fix");
  await window.page.keyboard.press("Enter");
  await until("stored packed", () => stored(MINE).onstart.includes("Packed by Cloud GPU"));
  assert.equal(await unpackScript(stored(MINE).onstart), script);
  await lines(window, "echo ready").first().waitFor({ timeout: SOON });
  await window.page.locator('[id$="cloudGpu.onstart"]', { hasText: /^\s*\d{3} \/ 4,048/ }).waitFor({ timeout: SOON });
});

const FILE = "my-nightly-fine-tune.gpu-template.json";
const PATH = join(folder, FILE);

step("templates of others can be read, not changed", person, async ({ window }) => {
  const before = stored("ComfyUI").hash_id;
  await window.rowMenu(/^ComfyUI/, "Show Readme");
  await window.page.locator(".statusbar-item", { hasText: "Markdown" }).waitFor({ timeout: SOON });
  await text(window).click();
  await window.page.keyboard.type("x");
  await window.page.locator(".monaco-editor-overlaymessage", { hasText: /read-only/i }).waitFor({ timeout: SOON });
  assert.equal(stored("ComfyUI").hash_id, before);
});

step("a search is put together from the service's filters, and is a list of its own", person, async ({ window }) => {
  // The button is given the row that has the focus, which isn't what is searched for.
  await window.clickRow(/^ComfyUI/);
  const pane = window.page.locator(".pane", { has: window.page.locator('.pane-header[aria-label^="Templates"]') });
  await pane.locator(".pane-header").hover();
  await pane.locator('.pane-header a.action-label[aria-label^="Search Templates"]').click();
  await window.quickType("notebook jup");
  await until("the words are searched for, and the best is first", async () =>
    /Jupyter/.test((await window.quickItems())[0]?.label ?? ""),
  );
  await window.screenshot("55-words");
  await window.page
    .locator('.quick-input-widget a.action-label[aria-label^="Search with the service"]')
    .first()
    .click();
  await window.quickPick("Add Filter…");
  await window.quickPick("recommended");
  await window.quickPick("eq");
  await window.quickTitle(/recommended is/);
  await window.page.keyboard.type("true");
  await window.page.keyboard.press("Enter");
  await window.quickTitle(/^Search Templates$/);
  await window.screenshot("55-filters");
  await window.quickPick("Search");
  await window.waitForRow(/^Search recommended = true, 8 templates/);
  const query = person()
    .requests.filter(({ path }) => path === "/api/v0/template/")
    .at(-1)?.query as { select_filters: string };
  assert.deepEqual(JSON.parse(query.select_filters), { recommended: { eq: true } });
});

step("and it can be cleared", person, async ({ window }) => {
  await window.rowMenu(/^Search recommended/, "Clear Template Search");
  await window.waitForRow(/^Mine/);
  await templateRowGone(window, "Search");
});

step("New File… begins one, with the cursor where its image goes", "57-new-file", person, async ({ window }) => {
  await window.command("Create: New File...");
  await window.quickPick(/^GPU Template File/);
  await proposal(window, "template.gpu-template.json");
  await window.quickType(join(folder, "tune.gpu-template.json"));
  await window.quickAccept();
  await window.page.locator(".tab.active", { hasText: "tune.gpu-template.json" }).waitFor({ timeout: SOON });
  await window.page.locator(".statusbar-item", { hasText: "Ln 3, Col 13" }).waitFor({ timeout: SOON });
  await window.page.keyboard.type("ubuntu:24.04");
  await window.command("File: Save");
  const path = join(folder, "tune.gpu-template.json");
  await until("it is saved", async () => (await readFile(path, "utf8")).includes("ubuntu"));
  const { name, image, $sync } = await templateFile(path);
  assert.deepEqual([name, image, $sync], ["tune", "ubuntu:24.04", undefined]);
  await window.codeLens("Push").waitFor({ timeout: SOON });
  await window.screenshot("57-new-file");
  await window.command("View: Close Editor");
});

step(
  "a template becomes a file of the workspace, with what can be done above it",
  "57-file",
  person,
  async ({ window }) => {
    await window.rowMenu(/^My nightly/, "Save Template to File…");
    await proposal(window, FILE);
    await window.screenshot("57-dialog");
    await window.page.keyboard.press("Enter");
    await window.codeLens("Push").waitFor({ timeout: SOON });
    for (const name of ["Launch", "Pull", "Diff"]) await window.codeLens(name).waitFor({ timeout: SOON });
    const file = await templateFile(PATH);
    assert.equal(file.$sync.hash, stored(MINE).hash_id);
    assert.ok(!("docker_login_pass" in file));
  },
);

step("a file of the name that would be given is not replaced unasked", person, async ({ window }) => {
  const before = await readFile(PATH, "utf8");
  await window.rowMenu(/^My nightly/, "Save Template to File…");
  // Without the ending a template file has, which is put on: the editor's own dialog asks about the name it knows.
  await proposal(window, FILE);
  await window.quickType(join(folder, FILE.replace(".gpu-template", "")));
  await window.quickAccept();
  const { message } = await window.dialog();
  assert.equal(message, `Replace ${FILE}?`);
  await window.screenshot("57-question");
  await window.dialogButton("Keep");
  assert.equal(await readFile(PATH, "utf8"), before);
});

step("Push says what it changes, sends that, and moves the lock", person, async ({ window }) => {
  const before = stored(MINE).hash_id;
  const file = { ...(await templateFile(PATH)), desc: "From the file." };
  await replace(window, `// Ours.\n${JSON.stringify(file, null, 2)}\n`);
  await window.page.keyboard.press("Control+s");
  // What can be done stands above the first line.
  await window.page.keyboard.press("Control+Home");
  await window.pressCodeLens("Push");
  const { message, detail } = await window.dialog();
  assert.match(message, /Push this file to the template “My nightly fine-tune”/);
  assert.match(detail, /^Changes on the service:\s*desc: .+ → “From the file\.”\s*All future launches/);
  await window.screenshot("58-question");
  await window.dialogButton("Push");
  await window.waitForNotification(/^Pushed “My nightly fine-tune”/);
  assert.equal(stored(MINE).desc, "From the file.");
  assert.notEqual(stored(MINE).hash_id, before);
  const now = await readFile(PATH, "utf8");
  assert.match(now, /^\/\/ Ours\./);
  assert.ok(now.includes(stored(MINE).hash_id));
});

step(
  "changed on the service: the file says so, shows the difference, and takes it over",
  person,
  async ({ window }) => {
    await window.clearNotifications();
    changeElsewhere(person(), MINE, { desc: "Theirs." });
    await window.command("Cloud GPU: Refresh");
    await window.codeLens("Changed on the Service: Re-pin").waitFor({ timeout: SOON });
    await window.screenshot("59-drifted");
    await window.pressCodeLens("Diff");
    await window.page
      .locator(".monaco-diff-editor .view-line", { hasText: "Theirs." })
      .first()
      .waitFor({ timeout: SOON });
    await window.page
      .locator(".monaco-diff-editor .view-line", { hasText: "From the file." })
      .first()
      .waitFor({ timeout: SOON });
    await window.screenshot("59-diff");
    await window.command("View: Close Editor");
    await window.pressCodeLens("Pull");
    await window.waitForNotification(/^Pulled into the file: desc\./);
    await lines(window, "Theirs.").first().waitFor({ timeout: SOON });
    await window.page.keyboard.press("Control+s");
  },
);

step("a hostile file is refused where it is wrong, and nothing is sent", "60-hostile", person, async ({ window }) => {
  await window.clearNotifications();
  const sent = person().requests.length;
  await openFile(window, "hostile.gpu-template.json");
  await window.codeLens("Push").waitFor({ timeout: SOON });
  await window.pressCodeLens("Push");
  await window.waitForNotification(/^\d+:\d+: .*Nothing was sent/);
  await window.command("View: Focus Problems (Errors, Warnings, Infos)");
  await window.page.locator(".markers-panel .monaco-list-row", { hasText: "can't be used" }).waitFor({ timeout: SOON });
  await window.page
    .locator(".markers-panel .monaco-list-row", { hasText: "registry token" })
    .first()
    .waitFor({ timeout: SOON });
  await window.page
    .locator(".markers-panel .monaco-list-row", { hasText: /Incorrect type/ })
    .first()
    .waitFor({ timeout: SOON });
  const writing = person()
    .requests.slice(sent)
    .filter(({ method }) => method !== "GET");
  assert.deepEqual(writing, []);
});

step("before paying, the launch is compared with its template", person, async ({ window }) => {
  await window.clearNotifications();
  await window.rowMenu(/^My nightly/, "Launch Instance from Template…");
  await window.quickPick(/GB-VRAM·h/);
  await window.quickTitle(/2\/2/);
  await window.quickPick(/Compare with Template/);
  await window.page
    .locator(".monaco-diff-editor .view-line", { hasText: "cancel_unavail" })
    .first()
    .waitFor({ timeout: SOON });
  await window.screenshot("61-compared");
  await window.command("Cloud GPU: Back to Summary");
  await window.quickTitle(/2\/2/);
  await window.quickClose();
});

step("deleting names what is deleted, and nothing goes before the answer", person, async ({ window }) => {
  const { id } = stored("Scratch Ubuntu");
  await window.rowMenu(/^Scratch Ubuntu/, "Delete Template…");
  const { message } = await window.dialog();
  assert.match(message, new RegExp(`Delete the template “Scratch Ubuntu” \\(number ${id}\\)`));
  await window.screenshot("62-question");
  // Enter is the answer of a key that was held down: it keeps the template.
  await window.page.waitForTimeout(400);
  await window.page.keyboard.press("Enter");
  await window.page.locator(".monaco-dialog-box").waitFor({ state: "hidden", timeout: SOON });
  assert.equal(writes("DELETE").length, 0);
  await window.rowMenu(/^Scratch Ubuntu/, "Delete Template…");
  await window.dialogButton("Delete");
  await until("deleted", () => writes("DELETE").length === 1);
  assert.deepEqual(writes("DELETE")[0]?.body, { template_id: id });
  await templateRowGone(window, "Scratch");
});
