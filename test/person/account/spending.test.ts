// What was spent, as a person reads it: what happened while no window was open, the page in every theme, and a file of it that Python
// reads.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { lookAtPage } from "../page-look.ts";
import { ownFolder, proposal, SOON, stage, step, until } from "../support.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const HOSTILE = '=cmd|"x",\n[a](command:b)';

const rentOne = ({ world }: Sandbox): void => {
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  createInstance(world, offer.id, { image: "pytorch/pytorch:latest", runtype: "ssh_direct", label: "train" });
};

/** What windows of the last days wrote down of machines that are gone by now: two, of which one was stopped for a while. */
async function writeHistory({ url, apiKey }: Sandbox, folder: string): Promise<void> {
  const account = createHash("sha256").update(`${url}\n${apiKey}`).digest("hex").slice(0, 16);
  const lines: unknown[] = [{ version: 1, origin: url, account }];
  const now = Date.now();
  for (let day = 20; day > 0; day--) {
    const morning = now - day * 24 * HOUR - 13 * HOUR;
    const hours = 2 + ((day * 7) % 5);
    const common = { gpu: "2× RTX 4090", template: "PyTorch", start: Math.floor(morning / 1000) };
    const sweep = { ...common, id: 100 + day, low: 0.84, high: 0.84, label: HOSTILE, project: "paper" };
    const night = { ...common, id: 200 + day, low: 0.41, high: 0.41, label: "night run" };
    lines.push({ at: morning - MINUTE, isFull: true });
    lines.push({ at: morning, set: day % 3 === 0 ? [sweep, night] : [sweep] });
    for (let at = 1; at <= hours * 60; at++) lines.push({ at: morning + at * MINUTE });
    // On some days no one looks for a while, and on the last evening someone closes the editor and lets it run.
    if (day % 4 === 0) lines.push({ at: morning + (hours + 4) * 60 * MINUTE });
    if (day > 1)
      lines.push({ at: morning + ((hours + (day % 4 === 0 ? 4 : 0)) * 60 + 1) * MINUTE, gone: [sweep.id, night.id] });
  }
  const month = new Date(now - 24 * HOUR).toISOString().slice(0, 7);
  await mkdir(join(folder, "ledger"), { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await writeFile(join(folder, "ledger", `${month}.00000000-0000-4000-8000-000000000001.jsonl`), text);
}

const person = stage({ signedIn: true, prepare: rentOne, files: writeHistory });

step("who comes back is told what it cost, what ended and what is new", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  const text = await window.waitForNotification(/While you were away/);
  assert.match(text, /While you were away \(\d+ h\), your instances cost \$0\.00–\$\d+\.\d\d\. No longer rented: /);
  assert.match(text, /Newly rented: train\./);
  await window.screenshot("170-away");
  await window.notificationButton("Show Spending");
});

step("the page shows a total, a chart and a table", "171-page", person, async ({ window }) => {
  const page = window.webview();
  await page.locator(".spending .total").waitFor({ timeout: SOON });
  assert.match(await page.locator(".spending .total strong").innerText(), /^\$\d+\.\d\d–\$\d+\.\d\d$/);
  assert.equal(await page.locator(".spending svg g").count(), 30);
  assert.ok((await page.locator(".spending tbody tr").count()) > 10);
});

step("by instance, with what the service charged, and by project", "172-instance", person, async ({ window }) => {
  const page = window.webview();
  await page.getByRole("button", { name: "By Instance" }).click({ timeout: SOON });
  await page.locator("th", { hasText: "Charged" }).waitFor({ timeout: SOON });
  await page.locator("th", { hasText: "night run (203)" }).waitFor({ timeout: SOON });
  await page.locator("th", { hasText: "cmd|" }).first().waitFor({ timeout: SOON });
  assert.equal(await page.locator(".spending table a").count(), 0, "a label is text");
  await window.screenshot("172-by-instance");
  await page.getByRole("button", { name: "By Project" }).click({ timeout: SOON });
  await page.locator("th", { hasText: "paper" }).waitFor({ timeout: SOON });
});

step("a period without anything says so", "173-today", person, async ({ window }) => {
  const page = window.webview();
  await page.getByRole("button", { name: "Last 7 Days" }).click({ timeout: SOON });
  await until("seven bars", async () => (await page.locator(".spending svg g").count()) === 7);
  await page.getByRole("button", { name: "Today" }).click({ timeout: SOON });
  await page.getByRole("button", { name: "Today", pressed: true }).waitFor({ timeout: SOON });
});

step("it is at home in every theme, wide and narrow", person, async ({ window }) => {
  await window.webview().getByRole("button", { name: "Last 30 Days" }).click({ timeout: SOON });
  await window.webview().getByRole("button", { name: "By Day" }).click({ timeout: SOON });
  await lookAtPage(window, [1280, 520], (_, theme, width) => window.screenshot(`174-${theme}-${width}`));
});

step("the file has a line for each stretch, and no formula", "175-file", person, async ({ window }) => {
  const path = join(await ownFolder(), "spending.csv");
  await window.webview().getByRole("button", { name: "Export as CSV…" }).click({ timeout: SOON });
  await proposal(window, ".csv");
  await window.quickType(path);
  await window.quickAccept();
  await window.waitForNotification(/Spending was exported/);
  const text = await readFile(path, "utf8");
  assert.match(text, /^from,to,instance,/);
  assert.ok(text.includes(`"'=cmd|""x"",\n[a](command:b)"`), text.slice(0, 600));
  assert.doesNotMatch(text, /(^|[,\n])"?[=+@]/);
});
