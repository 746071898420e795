// What a machine logs: from its row to a terminal that follows it, and to a document.
import assert from "node:assert/strict";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../../editor/page.ts";
import { type Person, SOON, stage, step, until } from "../support.ts";

const person = stage({
  signedIn: true,
  // Text that a test can read, in place of a picture of it.
  settings: { "terminal.integrated.gpuAcceleration": "off" },
  prepare: ({ world }) => {
    const offer = world.offers.find((one) => one.fate === "runs" && world.isRentable(one));
    assert.ok(offer);
    const made = createInstance(world, offer.id, { image: "pytorch/pytorch", runtype: "ssh_direct", label: "train" });
    // It would make a link, clear the terminal, and leave what follows invisible.
    const message = "\u001b]8;;https://example.com\u0007contract\u001b]8;;\u0007\u001b[2J\u001b[H made\u001b[8m";
    made.timeline = made.timeline.map((moment, at) => (at === 0 ? { ...moment, message } : moment));
  },
});

const ROW = /^train, instance \d+, running/;

/** What the terminal in front shows. Blanks aren't told from other ones, and long lines are put together again. */
async function shown({ page }: Workbench): Promise<string> {
  const rows = await page.locator(".terminal-wrapper.active .xterm-rows > div").allInnerTexts();
  return rows.map((row) => row.replaceAll("\u00a0", " ").trimEnd()).join(" ");
}

const shows = (window: Workbench, text: RegExp) =>
  until(`the terminal shows ${text}`, async () => text.test(await shown(window)));

async function lastStep(window: Workbench): Promise<number> {
  return Math.max(0, ...[...(await shown(window)).matchAll(/ step (\d+) loss/g)].map(([, count]) => Number(count)));
}

const readings = ({ requests }: Person) => requests.filter(({ path }) => path.includes("/request_logs/"));

async function press({ page }: Workbench, key: string): Promise<void> {
  await page.locator(".terminal-wrapper.active .xterm").last().click();
  await page.keyboard.press(key);
}

const terminals = ({ page }: Workbench) => page.locator(".terminal-wrapper").count();

step("a row opens the log of its machine", "210-log", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(ROW);
  await window.rowMenu(ROW, "Show Log");
  await window.page.locator(".terminal-wrapper.active .xterm-rows").last().waitFor({ timeout: SOON });
  await shows(window, / step \d+ loss [\s\S]*Following the log\. Press Ctrl\+C to stop\./);
});

step("it follows, and asking for it again shows the same terminal", "211-follows", person, async (everything) => {
  const { window } = everything;
  const before = await lastStep(window);
  await until("new lines", async () => (await lastStep(window)) > before);
  const count = await terminals(window);
  await window.rowMenu(ROW, "Show Host Daemon Log");
  await shows(
    window,
    /Reading the daemon log of instance \d+ \(train\)…[\s\S]*: contract made [\s\S]* daemon: C\.\d+ running: /,
  );
  await window.rowMenu(ROW, "Show Log");
  await shows(window, / step \d+ loss /);
  assert.equal(await terminals(window), count + 1);
  const ways = new Set(readings(everything).map(({ body }) => JSON.stringify(body)));
  assert.deepEqual(ways, new Set(['{"tail":"2000"}', '{"tail":"2000","daemon_logs":"true"}']));
});

step("Ctrl+C stops it, and any key closes it", person, async (everything) => {
  const { window } = everything;
  await press(window, "Control+c");
  await shows(window, /You stopped following the log\.[\s\S]*Press any key to close the terminal\./);
  await window.screenshot("212-stopped");
  const count = await terminals(window);
  await window.rowMenu(ROW, "Show Log");
  await shows(window, / step \d+ loss [\s\S]*Following the log\.(?![\s\S]*You stopped)/);
  await until("it takes the place of the one that stopped", async () => (await terminals(window)) === count);
  await press(window, "Control+c");
  await shows(window, /Press any key to close the terminal\./);
  await press(window, "q");
  await until("its terminal closes", async () => (await terminals(window)) < count);
  await until("only the daemon's log is asked for", async () => {
    const asked = readings(everything).length;
    await until("another reading", () => readings(everything).length > asked);
    return readings(everything)
      .slice(asked)
      .every(({ body }) => (body as { daemon_logs?: string }).daemon_logs === "true");
  });
});

step("the log is a document, too", "213-document", person, async ({ window }) => {
  await window.rowMenu(ROW, "Open Log as Document");
  const { page } = window;
  await page.locator(".tab.active", { hasText: /^Log of Instance \d+\.log/ }).waitFor({ timeout: SOON });
  await until("the document shows the log from its beginning", async () => {
    const lines = await page.locator(".editor-instance .view-lines .view-line").allInnerTexts();
    const text = lines.map((line) => line.replaceAll("\u00a0", " ")).join("\n");
    return /Log of instance \d+ \(train\), as of \d/.test(text) && / step 10 loss /.test(text);
  });
});

step("closing a terminal ends its log", person, async (everything) => {
  const { window } = everything;
  await window.rowMenu(ROW, "Show Log");
  await shows(window, /Following the log\./);
  await window.rowMenu(ROW, "Show Host Daemon Log");
  await shows(window, / daemon: /);
  const count = await terminals(window);
  await window.command("Terminal: Kill the Active Terminal Instance");
  await until("its terminal closes", async () => (await terminals(window)) < count);
  const asked = readings(everything).length;
  await until("the other one is read on", () => readings(everything).length > asked + 3);
  // One request may have been on its way.
  const later = readings(everything).slice(asked + 1);
  assert.ok(later.every(({ body }) => JSON.stringify(body) === '{"tail":"2000"}'));
});

step("signing out ends the log, and says so in its terminal", person, async ({ window, requests }) => {
  await window.command("Cloud GPU: Sign Out");
  await shows(window, /You signed out or switched accounts\. The log is no longer followed\./);
  assert.ok(requests.every(({ path, status }) => !path.includes("request_logs") || status === 200));
});
