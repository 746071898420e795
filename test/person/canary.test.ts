// A whole session with every kind of error, and then every file the editor left: no secret is in any of them.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FaultSpec } from "../../src/sandbox/faults.ts";
import { eventually } from "../editor/lists.ts";
import { SOON, stage, step } from "./support.ts";

const person = stage({ signedIn: true, settings: { "workbench.colorTheme": "Default Dark Modern" } });

/** Everything the service knows that must stay where it is. */
function canaries(): string[] {
  const { service } = person();
  const { world } = service;
  const records = world.instances().map((instance) => world.record(instance));
  const ofInstances = records.flatMap((record) => [record.jupyter_token, record.instance_api_key]);
  const ofGroups = world.workergroups.map((group) => (group as { api_key?: unknown }).api_key);
  const all = [service.apiKey, LOGIN, ...ofInstances, ...ofGroups];
  return all.filter((one): one is string => typeof one === "string" && one.length >= 8);
}

const LOGIN = "canary-registry-token-4711";

/** A secret as it may stand in a file: as it is, encoded for an address, for JSON, or in base64 at any offset. */
function forms(secret: string): string[] {
  const coded = [0, 1, 2].map((pad) =>
    Buffer.from("x".repeat(pad) + secret)
      .toString("base64")
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), secret.slice(0, 16), ...coded];
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

step("a session with everything that can go wrong", "70-canary", person, async ({ window, service }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/, SOON);
  await window.command("Developer: Set Log Level…").catch(() => {});
  await window.quickClose().catch(() => {});
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Show in Full…/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Rent 1× RTX 3090/);
  await window.dialogButton("Rent");
  await window.waitForRow(/1× RTX 3090, instance \d+, running/, 60_000);
  await window.rowMenu(/1× RTX 3090, instance/, "Show Instance");
  await window.hover(/1× RTX 3090, instance/);
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
  const items = await window.quickItems().catch(() => []);
  if (items.length > 0) await window.quickPick(/address|service/i).catch(() => {});
  await window.quickType(service.url);
  await window.quickAccept();
  await window.page.getByText(/key/i).first().waitFor({ timeout: SOON });
  await window.quickType(`${LOGIN}\u20ac`);
  await window.quickAccept();
  const said = await window.quickValidationMessage();
  assert.ok(said !== undefined && !said.includes(LOGIN), said);
  await window.quickClose();
});

step("no file the editor left holds a secret", "72-files", person, async ({ window, editor }) => {
  const secrets = canaries();
  assert.ok(secrets.length >= 3, "there is something to look for");
  assert.ok(
    await eventually(window.page, async () => (await filesUnder(editor.userDataDir)).length > 20 || undefined, SOON),
  );
  const hits: string[] = [];
  for (const file of await filesUnder(editor.userDataDir)) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    for (const secret of secrets)
      for (const form of forms(secret)) if (bytes.includes(form)) hits.push(`${file}: ${form.slice(0, 6)}…`);
  }
  assert.deepEqual(hits, []);
});

step("the log tells of the calls and of no secret", "73-log", person, async ({ editor }) => {
  const logs = (await filesUnder(editor.userDataDir)).filter((file) => /Cloud GPU\.log$/.test(file));
  assert.ok(logs.length > 0, "the log is a file the editor keeps");
  const texts = await Promise.all(logs.map((file) => readFile(file, "utf8")));
  assert.ok(
    texts.some((text) => /\[(debug|info|warning|error)\]/i.test(text)),
    texts.join("\n").slice(0, 500),
  );
});
