// Two accounts in one window: switched from the status bar and the view, and at random while answers are late.
import assert from "node:assert/strict";
import { after } from "node:test";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import type { Workbench } from "../../editor/page.ts";
import { SOON, stage, step, until } from "../support.ts";
import { stranger, walkAccountsMenu } from "./accounts-menu.ts";

const person = stage({ signedIn: false, beside: stranger });
let beta: Sandbox | undefined;
after(async () => await beta?.stop());

function mark({ world }: Sandbox, word: string): void {
  Object.assign(world.account, { username: `${word}@example.com` });
  for (const hook of world.webhooks) Object.assign(hook, { name: `${word} hook` });
  for (const template of world.templates.list()) Object.assign(template, { name: `${word} ${template.name}` });
}

async function signIn(window: Workbench, { url, apiKey }: Sandbox): Promise<void> {
  await window.quickPick(/^Another Address/);
  await window.quickAnswer(url);
  await window.quickAnswer(apiKey);
}

const item = ({ page }: Workbench) => page.locator('.statusbar-item[aria-label^="Cloud GPU account"]');

step("with one account there is nothing to switch in the status bar", person, async ({ window, service }) => {
  beta = await startSandbox({ seed: 2 });
  mark(service, "alpha");
  mark(beta, "beta");
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await signIn(window, service);
  await window.waitForRow(/^alpha PyTorch/);
  assert.equal(await item(window).count(), 0);
});

step("Switch Account… adds another one; its rows replace the first one's", "101-two", person, async ({ window }) => {
  await window.command("Cloud GPU: Switch Account…");
  await window.quickPick(/^Another Account/);
  await signIn(window, beta ?? assert.fail());
  await window.waitForRow(/^beta PyTorch/);
  assert.ok((await window.treeRows("Templates")).every((row) => !row.startsWith("alpha")));
  assert.equal(await item(window).getAttribute("aria-label"), "Cloud GPU account: beta@example.com");
});

step(
  "the status bar opens the accounts; the current one is marked",
  "102-switch",
  person,
  async ({ window, service }) => {
    await item(window).click();
    await window.quickTitle("Switch Account");
    const items = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.deepEqual(items, [
      `alpha@example.com ${service.url}`,
      `beta@example.com ${beta?.url} · now`,
      "Sandbox nothing is charged",
      "Another Account… ",
      "Rename beta@example.com… ",
    ]);
    await window.screenshot("102-accounts");
    await window.quickPick(/^alpha@example\.com/);
    await window.waitForRow(/^alpha PyTorch/);
    assert.ok((await window.treeRows("Templates")).every((row) => !row.startsWith("beta")));
  },
);

step(
  "a reload keeps the account that was switched to, and starts with what its lists said",
  person,
  async ({ window, service }) => {
    await window.waitForRow(/^alpha Blender/);
    service.faults.add("slow@searchTemplates");
    await window.reload();
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^alpha PyTorch.*, as of \d\d:\d\d$/);
    await window.screenshot("103-remembered");
    service.faults.delete("slow@searchTemplates");
    await window.waitForRow(/^alpha PyTorch(?!.*as of)/);
    assert.equal(await item(window).getAttribute("aria-label"), "Cloud GPU account: alpha@example.com");
  },
);

step("40 random switches while answers are late: no row of the other account", person, async ({ window, service }) => {
  const late = ["slow@searchTemplates", "slow@listWebhooks"] as const;
  assert.ok(beta);
  for (const { faults } of [service, beta]) for (const fault of late) faults.add(fault);
  await window.treeRows("Webhooks");
  await watchRows(window);
  let switched = 0;
  for (let turn = 0; turn < 40; turn += 1) {
    // The turns that wait for rows show both accounts; the others are left to chance.
    const isAlpha = turn % 10 === 7 ? turn % 20 === 7 : Math.random() < 0.5;
    const to = isAlpha ? "alpha" : "beta";
    await switchQuickly(window, to);
    switched += 1;
    if (turn % 10 === 7) {
      // Long enough for what was asked in both accounts to have come: a remembered row is there at once.
      await window.waitForRow(new RegExp(`^${to} (?!.*, as of \\d\\d:\\d\\d$)`));
    }
  }
  for (const { faults } of [service, beta]) for (const fault of late) faults.delete(fault);
  const { strangers, looks, seen } = await rowsSeen(window);
  assert.equal(switched, 40);
  assert.deepEqual(strangers, []);
  assert.ok(looks > 40, `${looks} looks`);
  assert.deepEqual([...seen].sort(), ["alpha", "beta"]);
});

step(
  "the rows of the account before are gone before the new one's first answer",
  "105-at-once",
  person,
  async ({ window, service }) => {
    const lists = ["silence@searchTemplates", "silence@listWebhooks"] as const;
    await switchQuickly(window, "beta");
    await window.waitForRow(/^beta PyTorch/);
    for (const fault of lists) service.faults.add(fault);
    await switchQuickly(window, "alpha");
    await window.screenshot("105-no-answer-yet");
    const rows = await window.treeRows("Templates");
    assert.ok(
      rows.every((row) => !/^beta /.test(row) && !/^alpha .*(?<!as of \d\d:\d\d)$/.test(row)),
      rows.join("\n"),
    );
    for (const fault of lists) service.faults.delete(fault);
    await switchQuickly(window, "beta");
    await window.waitForRow(/^beta PyTorch/);
  },
);

walkAccountsMenu(person);

/** As a person with quick fingers does: the status bar, then the account. */
async function switchQuickly(window: Workbench, to: string): Promise<void> {
  const { page } = window;
  await page.evaluate<void>(`window.cloudGpuWanted = undefined`);
  await item(window).click({ timeout: SOON });
  await window.quickTitle("Switch Account");
  await window.quickPick(new RegExp(`^${to}@example`));
  await page.locator(`.statusbar-item[aria-label="Cloud GPU account: ${to}@example.com"]`).waitFor({ timeout: SOON });
  // The editor draws the rows in a turn of its own, after the name. Those of the account before go, and must not come back.
  await until(`no row but ${to}'s`, async () => (await othersRows(window, to)).length === 0);
  await page.evaluate<void>(`window.cloudGpuWanted = ${JSON.stringify(to)}`);
}

/** The rows in sight that are the other account's. */
async function othersRows({ page }: Workbench, to: string): Promise<string[]> {
  const labels = await page
    .locator(".sidebar .monaco-list-row")
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  return labels.filter((label) => /^(alpha|beta) /.test(label) && !label.startsWith(to));
}

/** Looks at every row of the sidebar whenever anything in it changes. */
async function watchRows({ page }: Workbench): Promise<void> {
  await page.evaluate<void>(`(() => {
    const found = (window.cloudGpuRows = { strangers: [], looks: 0, seen: [] });
    const look = () => {
      const wanted = window.cloudGpuWanted;
      if (!wanted) return;
      found.looks += 1;
      for (const row of document.querySelectorAll(".sidebar .monaco-list-row[aria-label]")) {
        const word = /^(alpha|beta) /.exec(row.getAttribute("aria-label"))?.[1];
        if (word && !found.seen.includes(word)) found.seen.push(word);
        if (word && word !== wanted) found.strangers.push(row.getAttribute("aria-label") + " in " + wanted);
      }
    };
    new MutationObserver(look).observe(document.querySelector(".sidebar"), { subtree: true, childList: true, attributes: true });
    setInterval(look, 20);
  })()`);
}

function rowsSeen({ page }: Workbench): Promise<{ strangers: string[]; looks: number; seen: string[] }> {
  return page.evaluate<{ strangers: string[]; looks: number; seen: string[] }>("window.cloudGpuRows");
}
