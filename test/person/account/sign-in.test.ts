// Signing in and out as a person: refusals that keep the text, the key in SecretStorage, windows that follow each other.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import type { Workbench } from "../../editor/page.ts";
import { ownFolder, SOON, stage, step } from "../support.ts";

// A folder whose settings name another address, in an editor that doesn't trust it.
let seen = 0;
const other = createServer((_, response) => {
  seen += 1;
  response.end("{}");
});
await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
const folder = await ownFolder();
await mkdir(join(folder, ".vscode"));
const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
await writeFile(join(folder, ".vscode", "settings.json"), JSON.stringify({ "cloudGpu.baseUrl": address }));
after(() => {
  other.closeAllConnections();
  other.close();
});

const person = stage({
  signedIn: false,
  folder,
  settings: { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" },
});

async function signedOut(window: Workbench): Promise<void> {
  await window.page.getByText("the sandbox first: it simulates the whole service").first().waitFor({ timeout: SOON });
}

step(
  "signed out, the sidebar offers the sandbox first; an untrusted folder names no address",
  "20-welcome",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await signedOut(window);
    assert.match(await window.welcomeText("Instances"), /Try the Sandbox/);
    assert.equal(seen, 0);
  },
);

step(
  "signed out, the palette has what the README begins with, and it leads to a service or the sandbox",
  "20-palette",
  person,
  async ({ window, requests }) => {
    await window.page.keyboard.press("F1");
    await window.quickType(">Cloud GPU: ");
    const found = (await window.quickItems())
      .map(({ label }) => label.replace(/^Cloud GPU: /, ""))
      // The editor's own.
      .filter((title) => !title.startsWith("Focus on "));
    await window.screenshot("20-palette-signed-out");
    await window.quickClose();
    assert.deepEqual(found.sort(), [
      "Explore Offers…",
      "Get Started",
      "Launch Instance from Offer…",
      "Launch Instance from Template…",
      "New Template File…",
      "Show Extension Log",
      "Sign In…",
      "Try the Sandbox",
    ]);
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickTitle(/Sign In/);
    assert.ok((await window.quickItems()).some(({ label }) => label === "Sandbox"));
    await window.quickClose();
    assert.equal(requests.length, 0);
    await signedOut(window);
  },
);

step("the address is checked before anything is sent", "21-address", person, async ({ window, requests }) => {
  await window.command("Cloud GPU: Sign In…");
  assert.deepEqual(
    (await window.quickItems()).map(({ label }) => label),
    ["Sandbox", "Vast.ai", "Another Address…"],
  );
  await window.screenshot("21-where");
  await window.quickPick(/^Another Address/);
  await window.quickRefused("http://gpu.example.com", /unencrypted/);
  assert.equal(requests.length, 0);
});

step("for the public service, a button leads to where a key is made", "21-key-page", person, async (all) => {
  const { window, requests } = all;
  await window.quickClose();
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick("Vast.ai");
  const button = window.page.locator('.quick-input-widget a.action-label[aria-label="Create an API Key on Vast.ai"]');
  await button.click({ timeout: SOON });
  // The editor asks before it opens an address it doesn't know.
  await window.page
    .locator(".monaco-dialog-box", { hasText: "https://cloud.vast.ai/manage-keys/" })
    .waitFor({ timeout: SOON });
  await window.screenshot("21-key-question");
  await window.dialogButton("Cancel");
  await window.quickTitle(/Sign In/);
  await window.quickBack();
  await window.quickPick(/^Another Address/);
  assert.equal(requests.length, 0);
});

step("a refused key is told in a sentence, and the box stays", "22-key", person, async ({ window, service }) => {
  await window.quickAnswer(service.url);
  await window.quickTitle(/Sign In/);
  await window.quickRefused("not-the-key-0123456789", /doesn't accept the API key/);
});

step(
  "a good key signs in; the settings hold the address, and no file the key",
  "23-signed-in",
  person,
  async ({ window, service, editor }) => {
    await window.quickAnswer(`Bearer ${service.apiKey}`);
    await window.waitForNotification(/^Signed in to 127\.0\.0\.1:\d+ as .+\.$/);
    await window.waitForRow(/^PyTorch/);
    await window.page.getByText("This account has no instances").first().waitFor({ timeout: SOON });
    const settings = await readFile(join(editor.userDataDir, "User", "settings.json"), "utf8");
    assert.ok(settings.includes(service.url));
    assert.ok(!(await folderHolds(editor.userDataDir, service.apiKey)), "the key is in a file");
    assert.equal(seen, 0);
  },
);

step("a reloaded window is signed in again from SecretStorage", person, async ({ window }) => {
  await window.reload();
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
});

step("signing out in one window empties the other", person, async ({ window, anotherWindow }) => {
  const second = await anotherWindow();
  await second.openContainer("Cloud GPU");
  await second.waitForRow(/^PyTorch/);
  await second.command("Cloud GPU: Sign Out");
  await signedOut(second);
  await second.page.close();
  await signedOut(window);
  assert.equal(await window.page.locator(".sidebar .monaco-list-row").count(), 0);
});

step(
  "signing in in one window brings the other along, by itself or by one click",
  person,
  async ({ window, service, anotherWindow }) => {
    const second = await anotherWindow();
    await second.openContainer("Cloud GPU");
    await signedOut(second);
    await second.command("Cloud GPU: Sign In…");
    await second.quickPick(/^Another Address/);
    await second.quickAnswer(service.url);
    await second.quickAnswer(service.apiKey);
    await second.waitForRow(/^PyTorch/);
    await second.page.close();
    const reload = window.page.getByRole("button", { name: "Reload This Window" });
    const followed = window.page.locator('.monaco-list-row[aria-label^="PyTorch"]').first();
    await reload.or(followed).first().waitFor({ timeout: SOON });
    if (await reload.isVisible()) {
      await window.screenshot("25-reload-offered");
      await reload.click();
      await window.page.waitForEvent("load");
      await window.openContainer("Cloud GPU");
    }
    await window.waitForRow(/^PyTorch/);
    await window.command("Cloud GPU: Sign Out");
    await signedOut(window);
  },
);

step("the embedded sandbox opens with one click and ends with Sign Out", person, async ({ window }) => {
  await window.page.getByRole("button", { name: "Try the Sandbox" }).click();
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Sign Out");
  await signedOut(window);
  assert.equal(seen, 0);
});

step("the sandbox shows its view, whatever was in sight", "29-sandbox-shown", person, async ({ window }) => {
  await window.command("View: Show Explorer");
  await window.page.getByRole("treeitem", { name: /^PyTorch/ }).waitFor({ state: "hidden", timeout: SOON });
  await window.command("Cloud GPU: Try the Sandbox");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Sign Out");
  await signedOut(window);
});

async function folderHolds(path: string, text: string): Promise<boolean> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name), "latin1").catch(() => "");
    if (content.includes(text)) return true;
  }
  return false;
}
