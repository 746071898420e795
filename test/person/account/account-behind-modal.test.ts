// Another window switches accounts behind a question of this one: what is confirmed then is done in neither account. Every
// question is held by test/journeys/account/account-guard.test.ts and test/unit/guards/questions.test.ts; here are the ways to
// ask: a modal from a row, a box, a launch, a file, a tab, a form, and signing out.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { eventually } from "../../editor/lists.ts";
import type { Workbench } from "../../editor/page.ts";
import { fillJobs, openJobs, reviewJobs } from "../jobs-form.ts";
import { filesWith, openFile, ownFolder, type Person, SOON, stage, step, storageFolder, until } from "../support.ts";
import { field, says } from "../template-form.ts";
import { loseLaunch, mark, oneDoor, rentSome } from "./two-accounts.ts";

const folder = await ownFolder();
const person = stage({
  signedIn: false,
  folder,
  sandbox: { speed: 60 },
  settings: { "files.autoSave": "off", "security.workspace.trust.enabled": false },
});
const betaRequests: RequestLine[] = [];
let beta: Sandbox | undefined;
let other: Workbench | undefined;
let closeDoor = () => {};
let address = "";
after(async () => {
  closeDoor();
  await beta?.stop();
});

const FILE = "pushed.gpu-template.json";
const SWITCHED = /You switched accounts/;
const READS = /\/(bundles|fetch-tags|request_logs|volumes\/search)\b/;
const writes = (): string[] =>
  [...person().requests, ...betaRequests]
    .filter(({ method, path }) => method !== "GET" && !READS.test(path))
    .map(({ method, path }) => `${method} ${path}`);

async function signIn(window: Workbench, { apiKey }: Sandbox): Promise<void> {
  await window.quickPick(/^Another Address/);
  await window.quickSays("Service address");
  await window.quickAnswer(address);
  await window.quickSays(/^API key for/);
  await window.quickAnswer(apiKey);
}

const shownAccount = ({ page }: Workbench, name: string) =>
  page.locator(`.statusbar-item[aria-label="Cloud GPU account: ${name}@example.com"]`);

/** As a person does it in the other window; done when this one has followed. */
async function switchElsewhere(to: "alpha" | "beta"): Promise<void> {
  assert.ok(other);
  await other.page.bringToFront();
  await other.command("Cloud GPU: Switch Account…");
  await other.quickTitle("Switch Account");
  await other.quickPick(new RegExp(`^${to}@`));
  await shownAccount(other, to).waitFor({ timeout: SOON });
  await person().window.page.bringToFront();
  await shownAccount(person().window, to).waitFor({ timeout: SOON });
}

/** Back to where the questions are asked, with nothing in the way. */
async function backToAlpha(window: Workbench): Promise<void> {
  await switchElsewhere("alpha");
  await window.clearNotifications();
  if (await window.page.locator(".quick-input-widget").isVisible()) await window.quickClose();
  await window.waitForRow(/^alpha My nightly/);
  await window.waitForRow(/^runner, instance/);
}

async function saysSo({ page }: Workbench): Promise<void> {
  const places = page.locator(".notification-list-item-message, .quick-input-widget");
  const heard = async () => (await places.allInnerTexts()).some((text) => SWITCHED.test(text)) || undefined;
  if (await eventually(page, heard, 5000)) return;
  // More than three messages at a time are behind the bell.
  await page.locator('[id="status.notifications"]').click();
  assert.ok(await eventually(page, heard, 15_000), `said: ${(await places.allInnerTexts()).join(" | ")}`);
}

const behind = (name: string, open: (all: Person) => Promise<void>, go: (all: Person) => Promise<void>): void => {
  step(`${name}: confirmed in neither account`, person, async (all) => {
    await open(all);
    const before = writes();
    try {
      await switchElsewhere("beta");
      await go(all);
      await saysSo(all.window);
      await all.window.screenshot(`150-${name.replaceAll(" ", "-")}-said`);
      assert.deepEqual(writes().slice(before.length), []);
    } finally {
      await backToAlpha(all.window);
    }
    assert.deepEqual(writes().slice(before.length), []);
  });
};

const modal = (name: string, open: (window: Workbench) => Promise<void>, button: string): void =>
  behind(
    name,
    async ({ window }) => {
      await open(window);
      await window.dialog();
    },
    ({ window }) => window.dialogButton(button),
  );

step("two accounts, two windows", person, async ({ window, service, anotherWindow }) => {
  beta = await startSandbox({ seed: 2, requests: (line) => void betaRequests.push(line) });
  // Every world has the same account; two keys of one account would be one here.
  Object.assign(beta.world.account, { id: beta.world.account.id + 1 });
  mark(service, "alpha");
  mark(beta, "beta");
  ({ address, close: closeDoor } = await oneDoor(service, beta));
  rentSome(service, ["runner"]);
  const draft = { name: "Pushed", image: "pytorch/pytorch", tag: "latest", private: true };
  await writeFile(join(folder, FILE), JSON.stringify(draft, null, 2));
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await signIn(window, beta);
  await window.waitForRow(/^beta PyTorch/);
  await window.command("Cloud GPU: Switch Account…");
  await window.quickPick(/^Another Account/);
  await signIn(window, service);
  await window.waitForRow(/^runner, instance \d+, running/, 90_000);
  await loseLaunch({ ...person().editor, origin: address, key: service.apiKey, machine: "1× lost" });
  await window.waitForRow(/^1× lost, launch/);
  other = await anotherWindow();
  await shownAccount(other, "alpha").waitFor({ timeout: SOON });
});

const row = (name: RegExp, item: string) => (window: Workbench) => window.rowMenu(name, item);
modal("destroy", row(/^runner/, "Destroy Instance…"), "Destroy");

step("the list of what bills closes with its account", person, async ({ window }) => {
  await window.command("Cloud GPU: Show Current Costs");
  await window.quickTitle(/^Show Current Costs · /);
  await switchElsewhere("beta");
  try {
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden", timeout: SOON });
  } finally {
    await backToAlpha(window);
  }
});

behind(
  "it was rented",
  async ({ window }) => {
    await window.rowMenu(/^1× lost/, "Review Unresolved Launch…");
    await window.quickPick(/^A machine was rented/);
    await window.quickSays(/must contain the launch ID/);
    await window.quickType("31000001");
  },
  ({ window }) => window.quickAccept(),
);

modal(
  "push a file",
  async (window) => {
    await openFile(window, FILE);
    await window.pressCodeLens("Push");
  },
  "Create",
);

modal(
  "rent",
  async (window) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^alpha Scratch/);
    await window.quickTitle(/2\/3/);
    await window.quickPick(/^1× /);
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Rent 1× /);
  },
  "Rent",
);

behind(
  "save a script tab",
  async ({ window }) => {
    await window.rowMenu(/^alpha My nightly/, "Edit Start Script");
    await window.page.locator(".tab.active", { hasText: "onstart.sh" }).waitFor({ timeout: SOON });
    const text = window.page.locator(".editor-instance .monaco-editor").first();
    await text.locator(".view-line").first().waitFor({ timeout: SOON });
    await text.click();
    await window.page.keyboard.press("Control+a");
    await window.page.keyboard.insertText("#!/bin/bash\necho typed\n");
    await window.page.keyboard.press("Control+s");
    await window.dialog();
  },
  ({ window }) => window.dialogButton("Save"),
);

step("a form leaves with its account, what was typed is kept", person, async ({ window, editor }) => {
  await window.rowMenu(/^alpha Scratch/, "Edit Template");
  await says(window, /^Saved · hash/);
  await field(window, "Description").fill("Typed in alpha.");
  await field(window, "Description").blur();
  await says(window, /● Unsaved changes/);
  // The page sends what is typed a moment later.
  await until("the draft is on the disk", () => filesWith(storageFolder(editor), "Typed in alpha.").length > 0);
  const before = writes();
  await switchElsewhere("beta");
  await window.page.locator(".tab", { hasText: "alpha Scratch" }).waitFor({ state: "detached", timeout: SOON });
  await backToAlpha(window);
  await window.rowMenu(/^alpha Scratch/, "Edit Template");
  await says(window, /Restored your unsaved changes/);
  assert.equal(await field(window, "Description").inputValue(), "Typed in alpha.");
  assert.deepEqual(writes().slice(before.length), []);
  await window.command("View: Close Editor");
});

modal(
  "create background jobs",
  async (window) => {
    await openJobs(window);
    await fillJobs(window, "123");
    await reviewJobs(window);
  },
  "Replace",
);

behind(
  "cancel while renting",
  async ({ window, service }) => {
    for (const offer of service.world.offers) if (offer.fate !== "gone") service.world.setFate(offer.id, "runs");
    await window.clearNotifications();
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^alpha Scratch/);
    await window.quickPick(/^1× /);
    await window.quickPick(/^Rent 1× /);
    const before = new Set(service.world.listInstances().map(({ id }) => id));
    // What is rented starts until someone has seen it: on a busy machine, it would run by then.
    const hold = setInterval(() => {
      for (const one of service.world.listInstances())
        if (!before.has(one.id)) one.timeline = [{ at: 0, status: "loading", message: "starting" }];
    }, 10).unref();
    await window.dialogButton("Rent");
    await window.waitForNotification(/^Renting 1× .*instance \d+/);
    await window.page.locator(".notification-list-item .monaco-button", { hasText: "Cancel" }).click({ timeout: SOON });
    assert.match((await window.dialog()).message, /is already rented .*Destroy it\?$/);
    clearInterval(hold);
  },
  ({ window }) => window.dialogButton("Destroy"),
);

step("signing out of one account leaves the other signed in", person, async ({ window }) => {
  await window.command("Cloud GPU: Sign Out");
  await window.dialog();
  await switchElsewhere("beta");
  await window.dialogButton("Sign Out");
  await saysSo(window);
  await window.command("Cloud GPU: Switch Account…");
  const accounts = (await window.quickItems()).map(({ label }) => label).filter((label) => /^\S+@/.test(label));
  assert.deepEqual(accounts.sort(), ["alpha@example.com", "beta@example.com"]);
  await window.quickClose();
  await backToAlpha(window);
});
