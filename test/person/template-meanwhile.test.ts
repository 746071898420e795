// What happens between a click and its answer: typing goes on, another client changes or deletes the template, another window signs out.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../editor/page.ts";
import {
  changeElsewhere,
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
} from "./support.ts";
import { button, field, says } from "./template-form.ts";

const folder = await ownFolder();

const person = stage({
  signedIn: false,
  folder,
  settings: { "security.workspace.trust.enabled": false },
});

const MINE = "My nightly fine-tune";
const OTHER = "Scratch Ubuntu";
const FILE = "my-nightly-fine-tune.gpu-template.json";
const stored = () => storedTemplate(person(), MINE);
const PATH = join(folder, FILE);
const writes = (method: string) => templateRequests(person(), method);

step("typing while the form is saved goes on, and is unsaved afterwards", "80-typing", person, async (all) => {
  const { window, service } = all;
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick(/^Another address/);
  await window.quickAnswer(service.url);
  await window.quickAnswer(service.apiKey);
  await window.waitForRow(/^My nightly/);
  await window.rowMenu(/^My nightly/, "Edit Template");
  await field(window, "Description").fill("First.");
  service.faults.add("slow@editTemplate");
  await button(window, "Save").click();
  await until("the save is under way", () => writes("PUT").length === 1);
  await field(window, "Description").fill("First. Second.");
  await window.screenshot("80-under-way");
  await says(window, /● Unsaved changes: Description/);
  await until("saved", () => stored().desc === "First.");
  service.faults.delete("slow@editTemplate");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  assert.equal(await field(window, "Description").inputValue(), "First. Second.");
  assert.equal(stored().desc, "First. Second.");
});

step("a registry token typed before a conflict is sent after it", "81-token", person, async ({ window }) => {
  await field(window, "Registry").fill("registry.sandbox.invalid");
  await field(window, "Registry User").fill("you");
  await field(window, "Registry Token").fill("sandbox-registry-token");
  await field(window, "Registry Token").blur();
  changeElsewhere(person(), MINE, { desc: "Theirs." });
  await button(window, "Save").click();
  await says(window, /This template was changed elsewhere: Description\./);
  await button(window, "Keep My Changes on Top").click();
  await says(window, /Your changes stand on top of theirs now/);
  assert.equal(await field(window, "Description").inputValue(), "Theirs.");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  assert.equal(stored().docker_login_pass, "sandbox-registry-token");
  assert.ok(!("desc" in Object(writes("PUT").at(-1)?.body)), "what they changed is not sent again");
});

step("a filter's own name is typed where it was asked for", "82-filter", person, async ({ window }) => {
  await button(window, "Add Filter").click();
  await field(window, "Field of filter 1").selectOption({ label: "another field…" });
  await until("the focus is in the name", () =>
    field(window, "Field of filter 1").evaluate((box) => box.getRootNode().activeElement === box),
  );
  await window.page.keyboard.type("gpu_ram_new");
  assert.equal(await field(window, "Field of filter 1").inputValue(), "gpu_ram_new");
  await button(window, "Revert").click();
  await window.dialogButton("Discard Changes");
  await says(window, /^Saved · hash/);
  await window.command("View: Close Editor");
});

step("typing while a file is pushed stays; only its lock is moved", "83-push", person, async ({ window, service }) => {
  await window.rowMenu(/^My nightly/, "Save Template to File…");
  await proposal(window, FILE);
  await window.page.keyboard.press("Enter");
  await window.codeLens("Push").waitFor({ timeout: SOON });
  const before = stored().hash_id;
  await retype(window, "Theirs", "Pushed");
  await window.page.keyboard.press("Control+s");
  await window.page.keyboard.press("Control+Home");
  await window.codeLens("Push").click();
  const sent = writes("PUT").length;
  await window.dialog();
  service.faults.add("slow@editTemplate");
  await window.dialogButton("Push");
  await until("the push is under way", () => writes("PUT").length > sent);
  await retype(window, "Pushed", "Meanwhile");
  await window.waitForNotification(/^Pushed “My nightly fine-tune”/);
  service.faults.delete("slow@editTemplate");
  assert.equal(stored().desc, "Pushed.");
  await window.page.keyboard.press("Control+s");
  await until("the lock is moved", async () => (await templateFile(PATH)).$sync.hash === stored().hash_id);
  assert.notEqual(stored().hash_id, before);
  assert.equal((await templateFile(PATH)).desc, "Meanwhile.");
});

/** Another word in the place of one in the file in front. */
async function retype({ page }: Workbench, word: string, other: string): Promise<void> {
  await page
    .locator(".editor-instance .view-line span span", { hasText: `"${word}."` })
    .first()
    .dblclick();
  await page.keyboard.insertText(other);
}

step("a file of the name that would be given is not replaced unasked", "84-replace", person, async ({ window }) => {
  await window.clearNotifications();
  await writeFile(PATH, "mine\n");
  await window.rowMenu(/^My nightly/, "Save Template to File…");
  // Without the ending a template file has, which is put on: the editor's own dialog asks about the name it knows.
  await proposal(window, FILE);
  await window.quickType(join(folder, FILE.replace(".gpu-template", "")));
  await window.quickAccept();
  const { message } = await window.dialog();
  assert.equal(message, `Replace ${FILE}?`);
  await window.screenshot("84-question");
  await window.dialogButton("Keep It");
  assert.equal(await readFile(PATH, "utf8"), "mine\n");
  await window.closeAllEditors();
});

step(
  "text typed up to the closing of the tab is kept, and offered again once its template is gone",
  "85-deleted",
  person,
  async (all) => {
    const { window, service } = all;
    await window.rowMenu(/^Scratch Ubuntu/, "Edit Template");
    await says(window, /^Saved · hash/);
    await field(window, "Description").fill("");
    await window.page.keyboard.type("Typed before it was deleted.");
    // Not a moment between the last key and the closing of the tab.
    await window.page.keyboard.press("Control+w");
    await window.waitForNotification(/was closed with unsaved changes\. They are kept\./);
    await window.clearNotifications();
    service.world.templates.delete(storedTemplate(all, OTHER).id, service.world.account.id);
    await window.command("Cloud GPU: Refresh");
    await templateRowGone(window, OTHER);
    await window.command("Cloud GPU: New Template");
    await window.quickTitle(/^New Template$/);
    await window.screenshot("85-which-draft");
    await window.quickPick(/Typed before it was deleted/);
    await says(window, /Restored your unsaved changes from/);
    assert.equal(await field(window, "Description").inputValue(), "Typed before it was deleted.");
    await button(window, "Create Anew").or(button(window, "Create")).first().click();
    await says(window, /^Saved · hash/);
    assert.equal(storedTemplate(all, OTHER).desc, "Typed before it was deleted.");
    await window.closeAllEditors();
  },
);

step("what was asked is not done once another window signed out", "86-account", person, async (all) => {
  const { window, anotherWindow } = all;
  await window.clearNotifications();
  await window.rowMenu(/^My nightly/, "Delete Template…");
  assert.match((await window.dialog()).message, /Delete the template “My nightly fine-tune”/);
  const other = await anotherWindow();
  await other.openContainer("Cloud GPU");
  await other.waitForRow(/^My nightly/);
  await other.command("Cloud GPU: Sign Out");
  await other.page.getByRole("button", { name: "Try the Sandbox" }).waitFor({ timeout: SOON });
  await other.page.close();
  await window.page.bringToFront();
  await window.page.getByRole("button", { name: "Try the Sandbox" }).waitFor({ timeout: SOON });
  await window.dialogButton("Delete");
  await window.waitForNotification(/You switched accounts in the meantime\. Nothing was done\./);
  assert.deepEqual(writes("DELETE"), []);
  assert.equal(stored().name, MINE);
});
