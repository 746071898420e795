// What is discarded stays discarded, and what is kept of an unsaved form holds no secret's value.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { SOON, stage, step } from "./support.ts";
import { button, field, form, says } from "./template-form.ts";

const person = stage({ signedIn: true });
const SECRET = "hf_canary_value_0017";

const openForm = async () => {
  const { window } = person();
  await window.rowMenu(/^Scratch Ubuntu/, "Edit Template");
  await says(window, /^No unsaved changes|^Saved|^Unsaved/).catch(() => undefined);
  await field(window, "Description").waitFor({ timeout: SOON });
};
const restored = () => form(person().window).getByText(/Restored your unsaved changes/);

step("changes survive two reloads", "160-reloaded", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Scratch Ubuntu/);
  await openForm();
  await field(window, "Description").fill("Typed and to be discarded.");
  await field(window, "Description").blur();
  await window.page.locator(".tab", { hasText: /^● Scratch Ubuntu$/ }).waitFor({ timeout: SOON });
  for (let reload = 0; reload < 2; reload += 1) {
    console.log("reload", reload, await window.page.locator(".tab").allTextContents());
    await window.reload();
    await window.page.locator(".tab", { hasText: /^● Scratch Ubuntu$/ }).waitFor({ timeout: SOON });
    await says(window, /Restored your unsaved changes from/);
  }
  assert.equal(await field(window, "Description").inputValue(), "Typed and to be discarded.");
});

step("Revert and Discard Changes give them up for good", "161-discarded", person, async ({ window }) => {
  await button(window, "Revert").click();
  assert.match((await window.dialog()).message, /^Discard the unsaved changes to “Scratch Ubuntu”\?$/);
  await window.dialogButton("Discard Changes");
  await restored().first().waitFor({ state: "hidden", timeout: SOON });
  await window.closeAllEditors();
  await window.waitForRow(/^Scratch Ubuntu/);
  await openForm();
  assert.notEqual(await field(window, "Description").inputValue(), "Typed and to be discarded.");
  assert.equal(await restored().count(), 0);
});

step(
  "a secret variable of an unsaved form lies in no file of the editor",
  "162-secret",
  person,
  async ({ window, editor }) => {
    await button(window, "Add Variable").click();
    await form(window).getByPlaceholder("NAME").last().fill("HF_TOKEN");
    await form(window).getByPlaceholder("value").last().fill(SECRET);
    await form(window).getByPlaceholder("value").last().blur();
    await window.page.locator(".tab", { hasText: /^● Scratch Ubuntu$/ }).waitFor({ timeout: SOON });
    await window.reload();
    await says(window, /Restored your unsaved changes from/);
    assert.equal(await form(window).getByPlaceholder("value").last().inputValue(), SECRET, "the person has it back");
    const found = execFileSync("grep", ["-rl", SECRET, editor.userDataDir, "--include=*.json"], { encoding: "utf8" });
    assert.equal(found, "");
  },
);
