// Another window switches accounts behind every question of this one: what is confirmed then is done in neither account.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { KEY_IDS } from "../../src/sandbox/world/keys.ts";
import { eventually } from "../editor/lists.ts";
import type { Workbench } from "../editor/page.ts";
import { tokens } from "../unit/tokens.ts";
import { openFile, ownFolder, type Person, SOON, stage, step } from "./support.ts";
import { field, says } from "./template-form.ts";
import { describeJobs, loseLaunch, mark, oneDoor, rentSome } from "./two-accounts.ts";

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
const SWITCHED = /You switched accounts in the meantime/;
const READS = /\/(bundles|fetch-tags|request_logs|volumes\/search)\b/;
const writes = (): string[] =>
  [...person().requests, ...betaRequests]
    .filter(({ method, path }) => method !== "GET" && !READS.test(path))
    .map(({ method, path }) => `${method} ${path}`);

async function signIn(window: Workbench, { apiKey }: Sandbox): Promise<void> {
  await window.quickPick(/^Another address/);
  await window.quickSays("Address of the service");
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

/** Where the source asks, and what is walked here; a question that is not named here fails the first test. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "ui/instance/instance-actions.ts": ["destroy", "stop", "start", "reboot", "change bid"],
  "ui/account/api-key-commands.ts": ["delete API key"],
  "ui/host/host-commands.ts": ["create background jobs"],
  "ui/launch/unresolved-launches.ts": ["it was not created"],
  "services/launch/run-launch.ts": ["cancel while renting", "replace a dead machine"],
  "services/account/sign-out.ts": ["sign out"],
  "ui/template/template-commands.ts": ["delete template"],
  "ui/serverless/workergroup-commands.ts": ["copy workergroup key"],
  "services/launch/review-launch.ts": ["rent"],
  "ui/template/files/save-consent.ts": ["save a script tab"],
  // Pushing; the other asks whether a file of the folder is replaced, which no account has to do with.
  "ui/template/template-file-commands.ts": ["push a file", "(replaces a file)"],
  // What is asked about is this window's alone, and is gone with the form it was typed in.
  "ui/template/form/template-panel.ts": ["(discards what was typed)"],
  "ui/template/form/merge-view.ts": ["(takes a merge over)"],
  // Only where a service lists nothing; it sends nothing, and asserts the account itself.
  "ui/instance/instance-commands.ts": ["(forgets a row)"],
};
/** Boxes whose answer is carried out as it is entered. */
const BOXES = ["rename", "unlist a volume", "it was rented", "template form"];
const walked = new Set<string>();

const behind = (name: string, open: (all: Person) => Promise<void>, go: (all: Person) => Promise<void>): void => {
  walked.add(name);
  step(`${name}: confirmed in neither account`, `150-${name.replaceAll(" ", "-")}`, person, async (all) => {
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

step("two accounts, two windows", "150-accounts", person, async ({ window, service, anotherWindow }) => {
  beta = await startSandbox({ seed: 2, requests: (line) => void betaRequests.push(line) });
  // Every world has the same account; two keys of one account would be one here.
  Object.assign(beta.world.account, { id: beta.world.account.id + 1 });
  mark(service, "alpha");
  mark(beta, "beta");
  ({ address, close: closeDoor } = await oneDoor(service, beta));
  rentSome(service);
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
  const held = service.world.instances().find(({ label }) => label === "stopped one");
  assert.ok(held);
  service.world.stop(held);
  await loseLaunch({ ...person().editor, origin: address, key: service.apiKey, machine: "1× lost" });
  await window.treeRows("Workergroups");
  await window.waitForRow(/^1× lost, launch/);
  other = await anotherWindow();
  await shownAccount(other, "alpha").waitFor({ timeout: SOON });
  await window.command("Cloud GPU: Refresh");
  await window.waitForRow(/^stopped one, instance \d+, stopped/, 90_000);
});

const row = (name: RegExp, item: string) => (window: Workbench) => window.rowMenu(name, item);
modal("destroy", row(/^runner/, "Destroy Instance…"), "Destroy");
modal("stop", row(/^runner/, "Stop Instance…"), "Stop");
modal("start", row(/^stopped one/, "Start Instance…"), "Start");
modal("reboot", row(/^runner/, "Reboot Instance…"), "Reboot");
modal("delete template", row(/^alpha My nightly/, "Delete Template…"), "Delete");
modal("copy workergroup key", row(/^Workergroup 7701/, "Copy API Key…"), "Copy");
modal("replace a dead machine", row(/^dead one/, "Replace Instance…"), "Destroy and Rent");

modal(
  "it was not created",
  async (window) => {
    await window.rowMenu(/^1× lost/, "Review Unresolved Launch…");
    await window.quickPick(/^It was not created/);
  },
  "It Was Not Created",
);

behind(
  "it was rented",
  async ({ window }) => {
    await window.rowMenu(/^1× lost/, "Review Unresolved Launch…");
    await window.quickPick(/^It was rented/);
    await window.quickSays(/only if its label/);
    await window.quickType("31000001");
  },
  ({ window }) => window.quickAccept(),
);

modal(
  "change bid",
  async (window) => {
    await window.rowMenu(/^bidder/, "Change Bid…");
    await window.quickSays(/Dollars an hour|per hour/);
    await window.quickAnswer("3.5");
  },
  "Change Bid",
);

modal(
  "delete API key",
  async (window) => {
    await window.command("Cloud GPU: Delete API Key…");
    await window.quickPick(new RegExp(String(KEY_IDS.readOnly)));
  },
  "Delete",
);

modal(
  "create background jobs",
  async (window) => {
    await describeJobs(window);
    await window.quickPick(/^Create Background Jobs on Machine/);
  },
  "Replace",
);

modal(
  "push a file",
  async (window) => {
    await openFile(window, FILE);
    await window.codeLens("Push").click({ timeout: SOON });
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
  "rename",
  async ({ window }) => {
    await window.rowMenu(/^runner/, "Rename Instance…");
    await window.quickTitle(/Rename Instance/);
    await window.quickType("night run");
  },
  ({ window }) => window.quickAccept(),
);

behind(
  "unlist a volume",
  async ({ window }) => {
    await window.command("Cloud GPU: Unlist Volume…");
    await window.quickPick(/^Another id/);
    await window.quickAnswer("26000123");
    await window.quickSays(/Type 26000123/);
    await window.quickType("26000123");
  },
  ({ window }) => window.quickAccept(),
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

walked.add("template form");
step("a form leaves with its account, what was typed is kept", "151-form", person, async ({ window }) => {
  await window.rowMenu(/^alpha Scratch/, "Edit Template");
  await says(window, /^Saved · hash/);
  await field(window, "Description").fill("Typed in alpha.");
  await field(window, "Description").blur();
  await says(window, /● Unsaved changes/);
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

behind(
  "cancel while renting",
  async ({ window, service }) => {
    for (const offer of service.world.offers) if (offer.fate !== "gone") service.world.setFate(offer.id, "runs");
    await window.clearNotifications();
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^alpha Scratch/);
    await window.quickPick(/^1× /);
    await window.quickPick(/^Rent 1× /);
    await window.dialogButton("Rent");
    await window.waitForNotification(/^Renting 1× .*instance \d+/);
    await window.page.locator(".notification-list-item .monaco-button", { hasText: "Cancel" }).click({ timeout: SOON });
    assert.match((await window.dialog()).message, /is already rented .*Destroy it\?$/);
  },
  ({ window }) => window.dialogButton("Destroy"),
);

walked.add("sign out");
step("signing out of one account leaves the other signed in", "152-sign-out", person, async ({ window }) => {
  await window.command("Cloud GPU: Sign Out");
  await window.dialog();
  await switchElsewhere("beta");
  await window.dialogButton("Sign Out");
  await saysSo(window);
  await window.command("Cloud GPU: Switch Account…");
  const accounts = (await window.quickItems()).map(({ label }) => label).filter((label) => label.includes("@"));
  assert.deepEqual(accounts.sort(), ["alpha@example.com", "beta@example.com"]);
  await window.quickClose();
  await backToAlpha(window);
});

test("every question of the source is known here", () => {
  const src = resolve(import.meta.dirname, "../../src");
  const found: Record<string, number> = {};
  for (const name of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    // The last three pass on what services ask.
    const isWay = /ui.(kit.(confirm|messages)|launch.(launch-person|reviewer)|account.sign-out)\.ts$/.test(name);
    if (!/^(ui|services).*\.ts$/.test(name) || isWay) continue;
    const all = tokens(readFileSync(join(src, name), "utf8"));
    // In the ports of services the questions are declared as well.
    const isCall = (at: number) => all[at + 1]?.text === "(" && (name.startsWith("ui") || all[at - 1]?.text === ".");
    const asks = all.filter(({ text }, at) => /^(confirm|askModally)$/.test(text) && isCall(at));
    if (asks.length > 0) found[name.replaceAll("\\", "/")] = asks.length;
  }
  const known = Object.entries(QUESTIONS).map(([file, names]) => [file, names.length]);
  assert.deepEqual(found, Object.fromEntries(known));
  const missing = [...Object.values(QUESTIONS).flat(), ...BOXES].filter(
    (name) => !name.startsWith("(") && !walked.has(name),
  );
  assert.deepEqual(missing, []);
});
