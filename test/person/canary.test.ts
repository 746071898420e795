// A whole session with every kind of error, and then every file the editor left: no secret is in any of them.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { FaultSpec } from "../../src/sandbox/faults/faults.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../editor/page.ts";
import { formsOf } from "../journeys/secret-forms.ts";
import { stage, step, until } from "./support.ts";
import { button, field, form, says } from "./template-form.ts";

const VARIABLE = "canary-variable-6632";

const person = stage({
  signedIn: true,
  settings: { "workbench.colorTheme": "Default Dark Modern" },
  // A machine with a token: the one that is launched has none.
  prepare: ({ world }) => {
    const offer = world.offers.findLast((one) => one.fate === "runs" && world.isRentable(one));
    assert.ok(offer);
    const [runtype, env] = ["jupyter_direc ssh_direc ssh_proxy", { CANARY_VALUE: VARIABLE }];
    createInstance(world, offer.id, { image: "a/b", runtype, label: "notebook", env });
  },
});

/** Everything the service knows that must stay where it is. */
function canaries(): string[] {
  const { service } = person();
  const { world } = service;
  const records = world.listInstances().map((instance) => world.toRecord(instance));
  const ofInstances = records.flatMap((record) => [record.jupyter_token, record.instance_api_key]);
  const ofGroups = world.workergroups.map((group) => (group as { api_key?: unknown }).api_key);
  const all = [service.apiKey, LOGIN, VARIABLE, ...ofInstances, ...ofGroups];
  return all.filter((one): one is string => typeof one === "string" && one.length >= 8);
}

/** What rows said when the mouse rested on them. */
const tooltips: string[] = [];

const LOGIN = "canary-registry-token-4711";

/** Runs in the page, as text: what stands on the screen and in every store of the browser. */
const readBrowser = `async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const plain = (value) => value instanceof Uint8Array ? new TextDecoder().decode(value) : String(JSON.stringify(value));
  const texts = [document.body.innerText, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      texts.push(...(await done(database.transaction(store).objectStore(store).getAll())).map(plain));
    database.close();
  }
  return texts;
}`;

/** Every file of the editor's own: profile, logs, temporary files. The installed extensions aren't written to. */
async function left(editor: { userDataDir: string; extensionsDir: string }): Promise<string[]> {
  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && path !== editor.extensionsDir) await walk(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  await walk(dirname(editor.userDataDir));
  return files;
}

step("a session with everything that can go wrong", person, async ({ window, service }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Label…/);
  await window.quickRefused(service.apiKey, /Remove the API key or other secret/);
  await window.quickBack();
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Show Full Summary…/);
  await window.page.getByText("Press Escape or close this tab").waitFor();
  await window.command("Cloud GPU: Back to Summary");
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Rent 1× RTX 3090/);
  await window.dialogButton("Rent");
  await window.waitForRow(/1× RTX 3090, instance \d+, running/, 60_000);
  await window.rowMenu(/1× RTX 3090, instance/, "Show Instance");
  tooltips.push(await window.hover(/^notebook, instance/));
  await window.toggleRow(/^notebook, instance/);
  tooltips.push(await window.hover(/^Port 8080 of instance/));
  const faults: readonly FaultSpec[] = [
    "500",
    "502-html",
    "429",
    "401",
    "403",
    "html-200",
    "truncated",
    "null-body",
    "down",
    "invalid-utf8",
    "redirect",
  ];
  for (const fault of faults) {
    service.faults.clear();
    service.faults.add(fault);
    await window.command("Cloud GPU: Refresh");
    await window.page.waitForTimeout(300);
  }
  service.faults.clear();
  await window.clearNotifications();
  await window.command("Cloud GPU: Refresh");
  await window.command("Cloud GPU: Launch Instance from Template…").catch(() => {});
  await window.quickClose().catch(() => {});
});

step("a key typed wrong is refused and not repeated", "71-wrong-key", person, async ({ window, service }) => {
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick(/^Another Address/);
  await window.quickAnswer(service.url);
  await window.quickTitle(/Sign In/);
  const said = await window.quickRefused(`${LOGIN}\u20ac`, /./);
  assert.ok(!said.includes(LOGIN), said);
  await window.quickClose();
});

/** The places in the editor's files with one of the secrets in whatever form. */
async function findInFiles(secrets: readonly string[]): Promise<readonly string[]> {
  const files = await left(person().editor);
  assert.ok(files.length > 10, files.join("\n"));
  const hits: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    for (const secret of secrets)
      for (const form of formsOf(secret)) if (bytes.includes(form)) hits.push(`${file}: ${form.slice(0, 6)}…`);
  }
  return hits;
}

/** The secrets that are on the screen or in a store of the browser. */
async function findInBrowser({ page }: Workbench, secrets: readonly string[]): Promise<readonly string[]> {
  const kept = [...tooltips, ...(await page.evaluate<string[]>(`(${readBrowser})()`))];
  assert.ok(kept.length > 5, "the browser keeps something");
  return secrets.filter((secret) => formsOf(secret).some((form) => kept.some((text) => text.includes(form))));
}

step("no file the editor left holds a secret", person, async () => {
  const secrets = canaries();
  assert.ok(secrets.length >= 5, "there is something to look for");
  assert.deepEqual(await findInFiles(secrets), []);
});

step(
  "nor does the screen with the machine's ports, a tooltip, nor what the browser keeps",
  person,
  async ({ window }) => {
    await window.waitForRow(/^Port 8080 of instance/);
    assert.equal(tooltips.length, 2);
    assert.deepEqual(await findInBrowser(window, canaries()), []);
  },
);

/** Typed into the page of a launch. */
const TYPED = ["canary-typed-variable-8821", "canary-typed-token-8822", "canary-typed-script-8823"] as const;

async function openConfiguration(window: Workbench): Promise<void> {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^Ollama/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickPick(/^Configuration…/);
  await says(window, /Nothing is rented until you confirm/);
}

async function assertTypedIsHidden(window: Workbench): Promise<void> {
  await until("the request is shown", async () => (await form(window).locator(".request pre").count()) === 1);
  const preview = await form(window).locator("body").innerText();
  const clipboard = await window.page.evaluate<string>("navigator.clipboard.readText()");
  assert.deepEqual(
    TYPED.filter((secret) => `${preview} ${clipboard}`.includes(secret)),
    [],
  );
  assert.deepEqual(await findInBrowser(window, TYPED), []);
  assert.deepEqual(await findInFiles(TYPED), []);
}

step("what is typed into a launch's page is only in its fields", "72-typed", person, async ({ window }) => {
  await window.page.context().grantPermissions(["clipboard-read"]);
  await window.closeAllEditors();
  await openConfiguration(window);
  await form(window).locator("#registry-login summary").click();
  await field(window, "Registry").fill("ghcr.io");
  await field(window, "Registry User").fill("lab");
  await field(window, "Registry Token").fill(TYPED[1]);
  await field(window, "Start Script").fill(`login --password ${TYPED[2]}`);
  await button(window, "Add Variable").press("Enter");
  const cells = form(window).locator("#field-env tbody tr:not(.said)").last().locator("input");
  await cells.nth(0).fill("HF_TOKEN");
  await cells.nth(1).fill(TYPED[0]);
  await until("it is in the request", async () =>
    (await form(window).locator(".request pre").innerText()).includes("HF_TOKEN"),
  );
  await assertTypedIsHidden(window);
});

step("a reload in the middle keeps it, and leaves it nowhere", person, async ({ window }) => {
  await window.reload();
  await openConfiguration(window);
  await says(window, /Your earlier entries have been restored/);
  assert.equal(await field(window, "Registry Token").inputValue(), TYPED[1]);
  await assertTypedIsHidden(window);
});

test("a window that dies in the middle leaves it nowhere, and the next one has it again", async () => {
  const { window, anotherWindow } = person();
  const devtools = await window.page.context().newCDPSession(window.page);
  const died = window.page.waitForEvent("crash");
  void devtools.send("Page.crash").catch(() => {});
  await died;
  assert.deepEqual(await findInFiles(TYPED), []);
  const next = await anotherWindow();
  await next.openContainer("Cloud GPU");
  await openConfiguration(next);
  await says(next, /Your earlier entries have been restored/);
  await assertTypedIsHidden(next);
});
