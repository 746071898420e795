// Webhooks and workergroups as a person sees them: what they say, what they hide, and what they say when there is nothing.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { eventually } from "../../editor/lists.ts";
import type { Workbench } from "../../editor/page.ts";
import { unfoldRecord } from "../page-look.ts";
import { type Person, SOON, step } from "../support.ts";

const TOKEN = "hf_CANARYinLaunchArguments";
const HOOK = "T024CANARYinTheAddressOfAHook";
const CAUSES = ["403@listWebhooks", "500@listWorkergroups"] as const;
const groupsOf = ({ world }: Sandbox) => world.workergroups as Record<string, unknown>[];

/** Neither list can be read when the window opens, and what they hold has secrets in it. */
export function prepareLists(service: Sandbox): void {
  for (const fault of CAUSES) service.faults.add(fault);
  Object.assign(service.world.webhooks[0] ?? {}, {
    webhook_url: `https://hooks.sandbox.invalid/services/${HOOK}`,
    webhook_secret: "CANARYsecret",
  });
  Object.assign(groupsOf(service)[0] ?? {}, {
    template_hash: "0ld0ld0ld",
    launch_args: `--disk 120 --env '-e HF_TOKEN=${TOKEN}'`,
  });
}

function clipboard({ page }: Workbench): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}

/** The text of the document in front, as far as it fits on the screen. */
async function page({ page }: Workbench, tab: RegExp, contains: RegExp): Promise<string> {
  await page.locator(".tab.active", { hasText: tab }).waitFor({ timeout: SOON });
  const lines = page.locator(".editor-instance .view-lines");
  const read = async () => {
    const text = (await lines.first().innerText()).replaceAll("\u00a0", " ");
    return contains.test(text) ? text : undefined;
  };
  const text = await eventually(page, read, SOON);
  assert.ok(text, `${contains} in the document`);
  assert.equal(await page.locator(".tab.dirty").count(), 0);
  return text;
}

/** What a page in front says the service said, once it is unfolded. */
async function record(window: Workbench, title: string): Promise<string> {
  const page = window.webview();
  await page.getByRole("heading", { level: 1, name: title }).waitFor({ timeout: SOON });
  return unfoldRecord(window);
}

/** The walk of a window that opens on lists that can't be read. What it leaves on the clipboard goes after a minute. */
export function walkLists(person: () => Person): void {
  const key = () => String(groupsOf(person().service)[0]?.api_key);

  step("a list that may not be read, and one that cannot be, say so", "67-causes", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await saysSoon(window, "Webhooks", /doesn't have permission to list webhooks.*user_read/s);
    await saysSoon(window, "Workergroups", /unreachable right now/);
  });

  step(
    "webhooks: name or address, events, age; the rest unfolds",
    "60-webhooks",
    person,
    async ({ window, service }) => {
      for (const fault of CAUSES) service.faults.delete(fault);
      await window.command("Cloud GPU: Refresh");
      const rows = await eventually(
        window.page,
        async () => {
          const read = await window.treeRows("Webhooks");
          return read.length > 0 ? read : undefined;
        },
        SOON,
      );
      assert.deepEqual(
        rows?.map((row) => row.replace(/\d+ (days|h)$/, "…")),
        [
          "Team chat, webhook, Low disk space, Near end date, …",
          "Pager, webhook, Low credit, Outbid, Instance offline, …",
          "ci.sandbox.invalid, webhook, Near end date, …",
        ],
      );
      await window.toggleRow(/^Team chat/);
      await window.waitForRow("Low disk space: low_disk_space");
      await window.waitForRow("Address: https://hooks.sandbox.invalid/services/••••");
      await window.waitForRow(/^Created: .*\d/);
      await window.waitForRow(/^Updated: .*\d/);
    },
  );

  step("a webhook's record as a page: whole, without its secrets", "61-webhook-page", person, async ({ window }) => {
    await window.rowMenu(/^Team chat/, "Show Webhook");
    const text = await record(window, "Team chat");
    assert.match(text, /"webhook_secret": "••••"/);
    assert.match(text, /near_end_date/);
    assert.doesNotMatch(text, /CANARY/);
    await window.webview().getByRole("button", { name: "Copy Address" }).click();
    const copied = await eventually(
      window.page,
      async () => (await clipboard(window)).includes(HOOK) || undefined,
      SOON,
    );
    assert.ok(copied, "the whole address is copied");
    assert.doesNotMatch(await window.webview().locator("body").innerHTML(), /CANARY/);
  });

  step("its address goes to the clipboard whole", person, async ({ window }) => {
    await window.rowMenu(/^Team chat/, "Copy Webhook URL");
    const copied = await eventually(
      window.page,
      async () => ((await clipboard(window)).includes(HOOK) ? true : undefined),
      SOON,
    );
    assert.ok(copied);
    await window.toggleRow(/^Team chat/);
    await window.closeAllEditors();
  });

  step(
    "workergroups stand under their endpoints; an outdated template is said",
    "62-workergroups",
    person,
    async ({ window }) => {
      const rows = await eventually(
        window.page,
        async () => {
          const read = await window.treeRows("Workergroups");
          return read.length > 0 ? read : undefined;
        },
        SOON,
      );
      assert.equal(rows?.[0], "chat, endpoint, workergroups: 2");
      assert.match(rows?.[1] ?? "", /^Workergroup 7701, chat, load ≥ 40\.5 · 90% · 1 cold · outdated template · vLLM/);
      assert.match(rows?.[2] ?? "", /^Workergroup 7705, chat, load ≥ 40\.5 · 90% · 3 cold · vLLM/);
      assert.equal(rows?.[3], "transcription, endpoint, workergroups: 1");
      await window.toggleRow(/^Workergroup 7701/);
      await window.waitForRow(/^Machines: GPU H100 SXM, H200 · 1 GPU · verified only$/);
      await window.waitForRow(/^Template: .*, outdated \(edited since then\)$/);
      await window.waitForRow(/^Launch arguments: --disk 120 --env '-e HF_TOKEN=••••'$/);
    },
  );

  step("the tooltip says the same, and no key", "62-workergroup-tooltip", person, async ({ window }) => {
    const tooltip = await window.hover(/^Workergroup 7701/);
    assert.match(tooltip, /Target utilization: 90%/);
    assert.ok(!tooltip.includes(key()) && !tooltip.includes(TOKEN));
  });

  step("a workergroup's page has the search as JSON, and no key", "63-workergroup-page", person, async ({ window }) => {
    await window.rowMenu(/^Workergroup 7701/, "Show Workergroup");
    const text = await record(window, "Workergroup 7701");
    assert.match(text, /"gpu_name": \{\s+"in": \[\s+"H100 SXM"/);
    await window.webview().getByText("the hash below is outdated").waitFor({ timeout: SOON });
    assert.ok(!text.includes(key()) && !text.includes(TOKEN) && !text.includes("api_key"));
  });

  step(
    "its template opens, and the page says which version the group runs",
    "64-template-page",
    person,
    async ({ window }) => {
      await window.rowMenu(/^Workergroup 7701/, "Open Template");
      const text = await page(window, /^Template /, /vllm/);
      assert.match(text, /runs an outdated version of this template \(hash 0ld0ld0ld/);
      await window.closeAllEditors();
    },
  );

  step("Copy API Key asks first, and Cancel copies nothing", person, async ({ window }) => {
    await window.rowMenu(/^Workergroup 7701/, "Copy Endpoint API Key…");
    const asked = await window.dialog();
    assert.equal(asked.message, "Copy the API key of chat?");
    assert.match(asked.detail, /at your expense.*cleared from the clipboard after one minute/);
    await window.screenshot("65-copy-key-question");
    await window.dialogButton("Cancel");
    assert.ok(!(await clipboard(window)).includes(key()));
  });

  step("then it is on the clipboard for a minute, and in no other place", person, async ({ window, editor }) => {
    await window.rowMenu(/^Workergroup 7701/, "Copy Endpoint API Key…");
    await window.dialogButton("Copy");
    const has = async () => ((await clipboard(window)) === key() ? true : undefined);
    assert.ok(await eventually(window.page, has, SOON), "the key is on the clipboard");
    await window.command("Cloud GPU: Refresh");
    await window.page.waitForTimeout(1500);
    assert.match(await browserState(window), /cloudGpu/, "the state in the browser can be read");
    for (const secret of [key(), TOKEN, HOOK, "CANARYsecret"]) {
      assert.deepEqual(await filesWith(editor.userDataDir, secret), [], "files of the editor");
      assert.ok(!(await browserState(window)).includes(secret), "state in the browser");
      assert.ok(!(await window.page.content()).includes(secret), "the window");
    }
    for (const view of ["Webhooks", "Workergroups"]) await window.foldView(view);
  });
}

/** How it ends: the minute has passed in the meantime, or is waited for. */
export function walkListsEmpty(person: () => Person): void {
  const groups = () => groupsOf(person().service);

  step("the key is off the clipboard again", person, async ({ window }) => {
    const key = String(groups()[0]?.api_key);
    const gone = async () => ((await clipboard(window)) === key ? undefined : true);
    assert.ok(await eventually(window.page, gone, 75_000));
  });

  step("with none, both say that there are none", "68-none", person, async ({ window, service }) => {
    (service.world.webhooks as unknown[]).length = 0;
    groups().length = 0;
    await window.command("Cloud GPU: Refresh");
    await saysSoon(window, "Webhooks", /^No webhooks\./);
    await saysSoon(window, "Workergroups", /^No workergroups\./);
  });
}

async function saysSoon(window: Workbench, view: string, says: RegExp): Promise<void> {
  let last = "";
  const heard = async () => {
    last = await window.welcomeText(view).catch(() => "");
    return says.test(last) || undefined;
  };
  assert.ok(await eventually(window.page, heard, SOON), `${says} in ${JSON.stringify(last)}`);
}

async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path, "latin1").catch(() => "");
    if (content.includes(text) || content.includes(Buffer.from(text).toString("base64"))) found.push(path);
  }
  return found;
}

/** All that the page keeps: the editor's state lies in the browser's databases. */
async function browserState({ page }: Workbench): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const all = [{ ...localStorage }, { ...sessionStorage }];
    const done = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        all.push(name, await done(database.transaction(store).objectStore(store).getAll()));
      database.close();
    }
    return JSON.stringify(all);
  })()`);
}
