// Keys and images as a person meets them: what can't be deleted, what locks one out, and thousands of tags.
import assert from "node:assert/strict";
import { KEY_IDS } from "../../../src/sandbox/world/keys.ts";
import { eventually } from "../../editor/lists.ts";
import type { Workbench } from "../../editor/page.ts";
import { SOON, stage, step } from "../support.ts";
import { walkLeaving } from "./leaving.ts";

const person = stage({ signedIn: false });
walkLeaving(person);

async function clipboardSoon({ page }: Workbench, wanted: string): Promise<void> {
  const has = async () =>
    (await page.evaluate<string>("navigator.clipboard.readText()")) === wanted ? true : undefined;
  assert.ok(await eventually(page, has, SOON), `${wanted} on the clipboard`);
}

step("signed in with a key that can be deleted", person, async ({ window, service }) => {
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick(/^Another Address/);
  await window.quickSays("Service address");
  await window.quickAnswer(service.url);
  await window.quickSays("verified, then stored");
  await window.quickAnswer(service.world.keys.getText(KEY_IDS.full) ?? "");
  await window.waitForRow(/^PyTorch/);
});

step("tags of an image: thousands, filtered by typing; the choice is copied whole", person, async ({ window }) => {
  await window.command("Cloud GPU: List Image Tags…");
  await window.quickSays("Docker image whose tags to list");
  await window.quickAnswer("vllm/vllm-openai:v0.9.2");
  await window.quickSays("nightly-build-4000");
  await window.screenshot("91-tags-all");
  await window.quickType("build-1234");
  await window.quickSays("nightly-build-1234");
  await window.screenshot("91-tags-filtered");
  await window.quickPick("nightly-build-1234");
  await clipboardSoon(window, "vllm/vllm-openai:nightly-build-1234");
});

step("an image nobody lists is no error: it may exist all the same", "92-no-tags", person, async ({ window }) => {
  await window.command("Cloud GPU: List Image Tags…");
  await window.quickSays("Docker image whose tags to list");
  await window.quickAnswer("nobody/nothing");
  await window.quickSays("The registry lists no tags for this image.");
});

step("a private registry asks for a login, which is not kept", person, async ({ window, requests }) => {
  await window.quickBack();
  await window.quickSays("Docker image whose tags to list");
  await window.quickAnswer("registry.sandbox.invalid/you/finetune");
  await window.quickSays("requires a login");
  await window.screenshot("93-login-wanted");
  await window.quickPick(/^Log In to the Registry/);
  await window.quickSays("User name for the registry");
  // The box asks the next question under the same title: only its prompt tells the two apart.
  await window.quickType("you");
  await window.quickAccept();
  await window.quickSays("Access token or password");
  assert.equal(await window.page.locator(".quick-input-box input").getAttribute("type"), "password");
  await window.quickType("sandbox-registry-token");
  await window.quickAccept();
  await window.quickSays("latest");
  await window.screenshot("93-tags");
  await window.quickPick("latest");
  await clipboardSoon(window, "registry.sandbox.invalid/you/finetune:latest");
  await window.command("Cloud GPU: List Image Tags…");
  await window.quickSays("Docker image whose tags to list");
  await window.quickAnswer("registry.sandbox.invalid/you/finetune");
  await window.quickSays("requires a login");
  await window.quickClose();
  const bodies = requests.filter(({ path }) => path.endsWith("/fetch-tags")).map(({ body }) => body);
  assert.deepEqual(bodies.at(-1), { image: "registry.sandbox.invalid/you/finetune" });
});

step(
  "a registry that fails says so in the list, with a way to try again",
  "94-tags-fail",
  person,
  async ({ window, service }) => {
    service.faults.add("500@fetchImageTags");
    await window.command("Cloud GPU: List Image Tags…");
    await window.quickSays("Docker image whose tags to list");
    await window.quickAnswer("pytorch/pytorch");
    await window.quickSays(/internal error/);
    service.faults.clear();
    await window.quickPick(/Press Enter to try again/);
    await window.quickSays("2.7.1-cuda12.8-cudnn9-devel");
    await window.quickClose();
  },
);

step("keys are listed by what they are; the primary one cannot be deleted", person, async ({ window, requests }) => {
  await window.command("Cloud GPU: Delete Account API Key…");
  await window.quickSays("dashboard");
  const items = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.match(items.join("\n"), /^primary 900100 · primary · .*can't be deleted$/m);
  assert.match(items.join("\n"), /^laptop 900214 · api · /m);
  await window.screenshot("95-keys-listed");
  await window.quickPick(/^primary/);
  await window.waitForNotification("The primary key of an account can't be deleted.");
  assert.equal(requests.filter(({ method }) => method === "DELETE").length, 0);
});

step(
  "a key nobody made by hand stays, with the service's reason",
  "96-not-user-created",
  person,
  async ({ window }) => {
    await window.command("Cloud GPU: Delete Account API Key…");
    await window.quickPick(/^instance 30411872/);
    const question = await window.dialog();
    assert.match(question.message, /Delete the API key “instance 30411872” \(900555\)\?/);
    assert.match(question.detail, /Cloud GPU may be using this key/);
    await window.screenshot("96-question");
    await window.dialogButton("Delete");
    await window.waitForNotification(
      /^Couldn't delete API key 900555: Only user-created API keys can be deleted\./,
      SOON,
    );
  },
);

step("another key goes, and this window stays signed in", person, async ({ window, service }) => {
  await window.command("Cloud GPU: Delete Account API Key…");
  await window.quickPick(/^Enter ID/);
  await window.quickSays("not the key itself");
  await window.quickAnswer(String(KEY_IDS.readOnly));
  await window.dialogButton("Delete");
  await window.waitForNotification(`Deleted API key ${KEY_IDS.readOnly}.`);
  assert.equal(service.world.keys.getText(KEY_IDS.readOnly), undefined);
});

step(
  "the key in use: told once, with the way back in; the lists stop asking",
  "98-own-key",
  person,
  async ({ window, requests }) => {
    await window.clearNotifications();
    await window.command("Cloud GPU: Delete Account API Key…");
    await window.quickPick(/^laptop/);
    await window.dialogButton("Delete");
    await window.waitForNotification(/which Cloud GPU was using\. Sign in with another key\.$/);
    const told = await window.notifications();
    assert.deepEqual(
      told.map(({ buttons }) => buttons),
      [["Sign In…"]],
    );
    const before = requests.length;
    await window.page.waitForTimeout(7000);
    assert.equal(requests.length, before, "nothing is asked any more");
    assert.equal((await window.notifications()).length, 1);
    await window.notificationButton("Sign In…");
    await window.quickTitle(/Sign In/);
    await window.quickClose();
  },
);
