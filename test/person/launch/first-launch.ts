// The first launch, as the README tells it: three picks, a summary, one confirmation, a row that becomes running.
import assert from "node:assert/strict";
import { lookAtPage, unfoldRecord } from "../page-look.ts";
import { type Person, SOON, step } from "../support.ts";

/** Keeps in `heard` what a screen reader is told from now on. */
const LISTEN = `(() => {
  window.heard = new Set();
  const told = document.querySelector(".monaco-aria-container");
  const keep = () => [...told.children].forEach(({ textContent }) => textContent && heard.add(textContent));
  new MutationObserver(keep).observe(told, { subtree: true, childList: true, characterData: true });
})()`;

/** The walk of a window whose account has no machine; in the end it has none again. */
export function walkFirstLaunch(person: () => Person): void {
  const creates = () =>
    person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

  step("the container shows templates, and that nothing is rented", "01-sidebar", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    await window.page.getByText("This account has no instances").first().waitFor({ timeout: SOON });
    const rows = await window.treeRows("Templates");
    for (const group of ["Mine, 2 templates", "Recommended, 8 templates", "Popular, 5 templates"])
      assert.ok(rows.includes(group), group);
    assert.deepEqual(await window.notifications(), []);
  });

  step("F1, Launch Instance from Template: first pick, the template", "02-template", person, async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    assert.match(await window.quickTitle(/Launch Instance from Template/), /1\/3/);
    assert.ok((await window.quickItems()).some(({ label }) => label === "ComfyUI"));
  });

  step(
    "second pick, the offer: the template's own machine search is applied",
    "03-offer",
    person,
    async ({ window }) => {
      await window.quickPick(/^PyTorch/);
      assert.match(await window.quickTitle(/2\/3/), /2\/3/);
      await window.quickType("RTX 3090");
      await window.quickPick(/^1× RTX 3090, 24 GB (×\d\s+·\s+)?\$0\.\d+\/h\s+·\s+\$0\.\d+\/GB-VRAM·h\s+·\s+\d+\.\d%/);
    },
  );

  step(
    "third, the summary: costs, what is not known, every field that will be sent",
    "04-summary",
    person,
    async ({ window }) => {
      await window.quickTitle(/3\/3/);
      const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
      const has = (shape: RegExp) =>
        assert.ok(
          lines.some((line) => shape.test(line)),
          `${shape} in\n${lines.join("\n")}`,
        );
      for (const shape of [
        /^Rent 1× RTX 3090 for \$0\.\d+\/h…/,
        /^While running \$/,
        /^8 hours \$/,
        /^24 hours \$/,
        /^Disk… 32 GB for \$/,
      ])
        has(shape);
      for (const shape of [
        /^Traffic is extra/,
        /^Location \w/,
        /^image pytorch\/pytorch:.*\(template\)/,
        /^disk 32.*\(this launch\)/,
      ])
        has(shape);
      for (const shape of [
        /^label vsc-[a-z2-7]{16}/,
        /^template_hash_id [0-9a-f]{32}/,
        /^option -p/,
        /^runtype ssh_direct.*\(template\)/,
        /^cancel_unavail true/,
      ])
        has(shape);
      assert.equal(creates().length, 0);
    },
  );

  step(
    "the confirmation names machine, price, day and disk; cancelling rents nothing",
    "05-confirm",
    person,
    async ({ window }) => {
      await window.quickPick(/^Rent 1× RTX 3090/);
      const dialog = await window.dialog();
      assert.match(dialog.message, /^Rent 1× RTX 3090 for \$0\.\d+\/h\?$/);
      assert.match(dialog.detail, /\$\d+\.\d\d per day with 32 GB of disk.*sandbox: nothing is charged/s);
      await window.dialogButton("Cancel");
      await window.quickPick(/^Rent 1× RTX 3090/);
      await window.dialog();
      assert.equal(creates().length, 0);
    },
  );

  step("after it, progress in stages and the row at once", "06-renting", person, async ({ window }) => {
    await window.page.evaluate(LISTEN);
    await window.dialogButton("Rent");
    await window.waitForNotification(/Renting 1× RTX 3090/);
    const timer = window.page.locator('.statusbar-item [role="timer"]');
    await timer.filter({ hasText: /Renting 1× RTX 3090 · [1-9]\d* s/ }).waitFor({ timeout: SOON });
    assert.match((await timer.getAttribute("aria-label")) ?? "", /^Renting 1× RTX 3090$/);
    await window.waitForRow(/1× RTX 3090, instance \d+/);
  });

  step("then it runs, by exactly one request", "07-running", person, async ({ window, service }) => {
    await window.waitForRow(/1× RTX 3090, instance \d+, running, 0\.\d+ dollars per hour/, 60_000);
    await window.waitForNotification(/Instance .+ is running at \$0\.\d+\/h/);
    assert.equal(creates().length, 1);
    assert.equal(service.world.listInstances().length, 1);
    const heard = (await window.page.evaluate<string[]>("[...heard]")).filter((text) => text.includes("Renting 1×"));
    assert.ok(heard.length > 0, "the launch is announced");
    assert.deepEqual(
      heard.filter((text) => /\d s\b/.test(text)),
      [],
      "the seconds aren't",
    );
  });

  step(
    "the tooltip says what it costs, does, and where it is, in a few lines",
    "08-tooltip",
    person,
    async ({ window }) => {
      await window.clearNotifications();
      const tooltip = await window.hover(/1× RTX 3090, instance/);
      for (const fact of ["Current price: $", "GPU load: ", "Disk: ", "Address: "])
        assert.ok(tooltip.includes(fact), fact);
      assert.ok(tooltip.split("\n").length <= 8, tooltip);
      assert.doesNotMatch(tooltip, /vsc-|token/i);
    },
  );

  step("Show Instance opens a page with what can be done, and what somebody copies", "08-page", person, async (all) => {
    const { window } = all;
    await window.rowMenu(/1× RTX 3090, instance/, "Show Instance");
    const page = window.webview();
    await page.getByRole("heading", { name: "Status and Cost" }).waitFor({ timeout: SOON });
    await page.getByText("Confirmed at launch").waitFor({ timeout: SOON });
    for (const name of ["Open Terminal", "Show Log", "Stop…", "Destroy…", "Copy SSH Command", "Rename…"])
      await page.getByRole("button", { name, exact: true }).waitFor({ timeout: SOON });
    await page.getByRole("button", { name: "Copy Image" }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor({ timeout: SOON });
    assert.match(await window.page.evaluate<string>("navigator.clipboard.readText()"), /^pytorch\/pytorch/);
    await window.screenshot("08-copied");
  });

  step("the page follows its instance: another name, and what a question says", person, async ({ window }) => {
    const page = window.webview();
    await page.getByRole("button", { name: "Rename…" }).click();
    await window.quickAnswer("[night](command:x) run");
    await page.getByRole("heading", { level: 1, name: "[night](command:x) run" }).waitFor({ timeout: SOON });
    await page.getByRole("button", { name: "Rename…" }).click();
    await window.quickAnswer("");
    await page.getByRole("heading", { level: 1, name: "1× RTX 3090" }).waitFor({ timeout: SOON });
    await page.getByRole("button", { name: "Destroy…" }).click();
    assert.match((await window.dialog()).message, /^Destroy instance \d+ “1× RTX 3090”\?$/);
    await window.dialogButton("Keep");
    assert.match(await unfoldRecord(window), /"gpu_name": "RTX 3090"/);
  });

  step("the page looks right to everybody", person, async ({ window }) => {
    await lookAtPage(window, [1024, 600], (_, theme, width) => window.screenshot(`instance-page-${theme}-${width}`));
    await window.command("View: Toggle Primary Side Bar Visibility");
    await window.command("View: Close Editor");
  });

  step("Back from the summary keeps what was changed on it", person, async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickPick(/^1× RTX 3060/);
    await window.quickPick(/^Disk…/);
    await window.quickAnswer("50");
    await window.quickPick(/^Disk….*50 GB/);
    await window.quickBack();
    await window.quickTitle(/3\/3/);
    await window.quickBack();
    await window.page
      .getByText("Prices include 50 GB of disk")
      .or(window.page.getByPlaceholder(/include 50 GB/))
      .first()
      .waitFor({ timeout: SOON });
    await window.quickBack();
    await window.quickTitle(/1\/3/);
    await window.quickPick(/^Scratch Ubuntu/);
    // The filters of the template chosen before aren't this one's.
    await window.page
      .getByText(/^by \$\/h · on-demand · verified only$/)
      .first()
      .waitFor({ timeout: SOON });
    await window.quickClose();
  });

  step("a template's row launches it: its first pick is the offer", person, async ({ window }) => {
    await window.rowMenu(/^ComfyUI/, "Launch Instance from Template…");
    assert.match(await window.quickTitle(/Launch Instance from Template/), /1\/2/);
    await window.quickClose();
  });

  step(
    "destroying asks with id and loss, and the row goes when the service says so",
    person,
    async ({ window, service }) => {
      await window.rowMenu(/1× RTX 3090, instance/, "Destroy Instance…");
      const dialog = await window.dialog();
      assert.match(dialog.message, /Destroy instance \d+/);
      assert.match(dialog.detail, /can't be undone/);
      await window.screenshot("10-destroy-question");
      await window.dialogButton("Destroy");
      const row = window.page.locator('.monaco-list-row[aria-label*=", instance 31"]');
      await row.waitFor({ state: "detached", timeout: SOON });
      assert.equal(service.world.listInstances().length, 0);
      await window.page.getByText("This account has no instances").first().waitFor({ timeout: SOON });
    },
  );
}
