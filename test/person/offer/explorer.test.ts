// The page of offers, as a person compares ten thousand of them: sorted, filtered to nothing, brushed, walked along by keyboard, and
// reviewed like any other offer.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { MarketOffer } from "../../../src/sandbox/market/market.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { axeViolations, frameOf, lookAtPage } from "../page-look.ts";
import { SOON, stage, step, until } from "../support.ts";

/** No one else rents: all of them can be had. */
const free = ({ world }: Sandbox) => {
  for (const offer of world.offers) Object.assign(offer, { taken: false });
};

const NAMES = [
  "x".repeat(5000),
  "\u202eRTX 4090\u2066",
  '<img src=x onerror="document.title=1">',
  "<script>document.title=2</script>",
  "[RTX](command:workbench.action.quit)",
  "é".repeat(500),
];
const NUMBERS = [Number.NaN, 1e308, -1, 0, Number.POSITIVE_INFINITY, 1e-320];

/** Replaces so many offers by ones that no one could mean. */
function spoilOffers({ world }: Sandbox, count: number): void {
  const offers = world.offers as MarketOffer[];
  for (let at = 0; at < count; at += 1) {
    const offer = offers[at];
    if (!offer) continue;
    const [name = "", number = 0] = [NAMES[at % NAMES.length], NUMBERS[at % NUMBERS.length]];
    const { machine } = offer;
    const gpu = { ...machine.gpu, name, dlperf: number, tflops: number, ram: number };
    const odd = { ...machine, gpu, cpu: name, country: name, reliability: number, down: number, endsAt: number };
    offers[at] = { ...offer, price: number, minBid: number, machine: odd };
  }
}

const person = stage({ signedIn: true, sandbox: { offers: 10_000 }, prepare: free });
const page = () => person().window.webview();
const tally = () => page().locator(".offers .tally").innerText();
const chosen = () => page().locator(".details h2").innerText();
/** What the cells of a column say, from the first row on. */
async function cells(name: string): Promise<string[]> {
  const head = page().locator(`[role="columnheader"]`, { hasText: new RegExp(`^\\s*${name}`) });
  const column = await head.first().getAttribute("aria-colindex");
  return await page().locator(`.grid .body [aria-colindex="${column}"]`).allInnerTexts();
}
const toNumber = (text: string) => Number(text.replaceAll(/[^\d.-]/g, ""));
async function sortBy(name: string, is: "ascending" | "descending"): Promise<void> {
  const head = page()
    .locator(`[role="columnheader"]`, { hasText: new RegExp(`^\\s*${name}`) })
    .first();
  await head.click({ timeout: SOON });
  await until(`sorted by ${name}`, async () => (await head.getAttribute("aria-sort")) === is);
}
/** Selects the first offer in sight, again until what is read by then says so. */
const lookAtFirst = (says: RegExp) =>
  until(String(says), async () => {
    await page().locator('.grid .body [data-row="0"] .cell').first().click({ timeout: SOON });
    return says.test(await page().locator(".details").innerText());
  });
const isSorted = (values: readonly number[], sign: number) =>
  values.every((value, at) => at === 0 || sign * (value - (values[at - 1] ?? value)) >= 0);

step("ten thousand offers arrive, the cheapest first", "600-table", person, async ({ window, requests }) => {
  // All columns have room.
  await window.page.setViewportSize({ width: 1720, height: 900 });
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Explore Offers…");
  await page().locator(".grid .body .line").first().waitFor({ timeout: SOON });
  assert.match(await tally(), /^[\d,]+ of 10,000 offers · prices include 8 GB of disk · updated /);
  assert.ok(isSorted((await cells("\\$/h")).map(toNumber), 1));
  assert.equal(requests.filter(({ path }) => path === "/api/v0/bundles/").length, 1);
  const heard = await page().locator(".offers").ariaSnapshot();
  assert.match(heard, /- main:[\s\S]*- tab "Table" \[selected\][\s\S]*- grid "Offers":[\s\S]*- columnheader "GPU"/);
  assert.match(heard, /- row "[^"]+" \[selected\]:\n\s+- rowheader "[^"]+"\n\s+- gridcell "\$[\d.]+"/);
  assert.match(heard, /- complementary "Selected offer":\n\s+- heading "\d× [^"]+" \[level=2\]/);
  await writeFile(join(import.meta.dirname, "../../../dist/pictures/600-table.aria.yml"), heard);
});

step("sorting by three columns asks nobody", "601-sorted", person, async ({ requests }) => {
  const before = requests.length;
  await sortBy("Reliability", "descending");
  assert.ok(isSorted((await cells("Reliability")).map(toNumber), -1));
  await sortBy("DLPerf/\\$", "descending");
  assert.ok(isSorted((await cells("DLPerf/\\$")).map(toNumber), -1));
  await sortBy("\\$/GB·h", "ascending");
  assert.ok(isSorted((await cells("\\$/GB·h")).map(toNumber), 1));
  await sortBy("\\$/GB·h", "descending");
  await sortBy("\\$/GB·h", "ascending");
  const later = requests.slice(before).filter(({ path }) => path === "/api/v0/bundles/");
  assert.deepEqual(later, []);
});

step("the keyboard goes through the rows, and typing finds a GPU", "602-keyboard", person, async ({ window }) => {
  const { keyboard } = window.page;
  await page().locator(".grid .body .line .cell").first().click({ timeout: SOON });
  const focused = async () =>
    (await frameOf(window)).evaluate<string>(
      "document.activeElement.parentElement.dataset.row + ':' + (document.activeElement.ariaColIndex - 1)",
    );
  await keyboard.press("End");
  await until("the last row", async () => /^\d{4}:0$/.test(await focused()));
  assert.equal(
    await page().locator(".grid").getAttribute("aria-rowcount"),
    String(Number((await focused()).split(":")[0]) + 2),
  );
  await keyboard.press("Home");
  await until("the first row", async () => (await focused()) === "0:0");
  await keyboard.press("PageDown");
  await until("a page on", async () => Number((await focused()).split(":")[0]) > 5);
  await until("an H100", async () => {
    // Where the editor is slow, the letters come too late after one another, and each of them begins again.
    await sleep(1000);
    await keyboard.type("h100");
    return /H100/.test(await chosen());
  });
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowDown");
  await until("the cell below", async () => /:1$/.test(await focused()));
});

step("what a job costs is typed once, and the disk is part of every price", "603-job", person, async ({ requests }) => {
  const field = (name: string) => page().getByRole("spinbutton", { name, exact: true });
  const fill = async (name: string, value: string) => {
    await field(name).fill(value);
    await field(name).press("Tab");
  };
  await fill("Hours", "24");
  await fill("Download", "200");
  await fill("Size of the image", "12");
  const before = requests.length;
  await fill("Disk", "100");
  await until("prices with the disk", async () => /prices include 100 GB of disk/.test(await tally()));
  const searches = requests.slice(before).filter(({ path }) => path === "/api/v0/bundles/");
  assert.match(JSON.stringify(searches.at(-1)?.body), /"allocated_storage":100[,}]/);
  await fill("Disk", "-5");
  assert.equal(await field("Disk").inputValue(), "100");
  await page()
    .locator(".details", { hasText: /for 24 h/ })
    .waitFor({ timeout: SOON });
});

step(
  "columns are chosen, moved and widened, and are the same in the next page",
  "604-columns",
  person,
  async ({ window }) => {
    const { keyboard } = window.page;
    await page().getByRole("button", { name: "Columns…" }).click();
    await page().getByRole("menuitemcheckbox", { name: "Image download" }).click();
    await page().getByRole("menuitemcheckbox", { name: "GPUs", exact: true }).click();
    await window.screenshot("604-menu");
    assert.deepEqual(await axeViolations(await frameOf(window)), []);
    await keyboard.press("Escape");
    assert.match((await cells("Image download"))[0] ?? "", /^(< 1|\d+) min$/);
    const head = page().locator(`[role="columnheader"]`, { hasText: "$/GPU·h" });
    await head.click({ button: "right" });
    await page().getByRole("menuitem", { name: "Move Left" }).click();
    const width = async () => (await head.boundingBox())?.width ?? 0;
    const before = Math.round(await width());
    await head.focus();
    await keyboard.press("Shift+ArrowRight");
    await keyboard.press("Shift+ArrowRight");
    await until("wider", async () => (await width()) === before + 20);
    const names = () => page().locator(`[role="columnheader"] .name`).allInnerTexts();
    const made = await names();
    // The extension answers in turn: once it has answered this, it knows of the columns.
    await page().getByRole("button", { name: "Copy as Filter" }).click();
    await window.waitForNotification(/^Copied the filters as JSON/);
    await window.clearNotifications();
    await window.closeAllEditors();
    await window.command("Cloud GPU: Explore Offers…");
    await page().locator(".grid .body .line").first().waitFor({ timeout: SOON });
    assert.deepEqual(await names(), made);
    assert.equal(await width(), before + 20);
    await page().getByRole("button", { name: "Columns…" }).click();
    await page().getByRole("menuitem", { name: "Reset Columns" }).click();
  },
);

step(
  "a filter is the question of the offer list; one that matches nothing is explained",
  "605-cleared",
  person,
  async ({ window }) => {
    await page().getByRole("button", { name: "Filters…" }).click();
    await window.quickPick(/^VRAM/);
    await window.quickPick(/≥ 80 GB/);
    await window.quickPick(/^Price/);
    await window.quickAnswer("0.1");
    await window.quickPick(/^Show /);
    await page().locator(".nothing").waitFor({ timeout: SOON });
    const text = await page().locator(".nothing").innerText();
    assert.match(text, /No offers match\. Removing any one of these filters shows offers:/);
    assert.match(text, /Remove “price ≤ \$0\.1\d*\/h”\s+shows [\d,]+ offers/);
    assert.match(text, /Remove “VRAM ≥ 80 GB”\s+shows [\d,]+ offers/);
    await window.screenshot("605-nothing");
    assert.deepEqual(await axeViolations(await frameOf(window)), []);
    await page().getByRole("button", { name: "Clear All Filters" }).click();
    await until("all of them", async () => /^9,\d+ of 9,\d+ offers|^10,000 of 10,000/.test(await tally()));
  },
);

step(
  "the number of offers is a chip among the filters: with it the service is asked to judge all of them",
  "605-few",
  person,
  async ({ window, requests }) => {
    const sent = () => requests.findLast(({ path }) => path === "/api/v0/bundles/")?.body as Record<string, unknown>;
    await page().getByRole("button", { name: "Filters…" }).click();
    await window.quickPick(/^Another Field…/);
    await window.quickPick(/^compute_cap/);
    await window.quickPick(/^is at least/);
    await window.quickAnswer("800");
    await window.quickPick(/^VRAM/);
    await window.quickPick(/≥ 80 GB/);
    await window.quickPick(/^Number of offers/);
    await window.quickAnswer("5");
    await window.quickPick(/^Show up to 5 offers/);
    await until("five of them", async () => /^5 of first 5 offers/.test(await tally()));
    const { limit, compute_cap: cap, gpu_ram: ram } = sent();
    assert.deepEqual([limit, cap, typeof ram], [5, { gte: 800 }, "object"]);
    const chip = (text: string | RegExp) => page().locator(".chip", { hasText: text });
    await chip("compute capability ≥ 8.0").waitFor({ timeout: SOON });
    await window.screenshot("605-few-offers");
    await chip("only the 5 cheapest").locator(".text").click();
    await window.quickAnswer("3");
    await until("three of them", async () => /^3 of first 3 offers/.test(await tally()));
    await chip("only the 3 cheapest")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await until("more of them", async () => /^[\d,]{3,} of [\d,]{3,} offers/.test(await tally()));
    assert.equal(sent().gpu_ram, undefined, "the page judges what it can by itself again");
    await page()
      .locator(".chip", { hasText: "VRAM" })
      .getByRole("button", { name: /^Remove/ })
      .click();
    await page()
      .locator(".chip", { hasText: "compute" })
      .getByRole("button", { name: /^Remove/ })
      .click();
    // Those that the service left out for their capability are read again; until then, the others stay on the page.
    await until("all are asked for", () => sent().compute_cap === undefined);
    await page().locator(".offers:not(.reading)").waitFor({ timeout: SOON });
    await until("all of them", async () => /^10,000 of 10,000/.test(await tally()));
  },
);

step("a rectangle in the plot narrows the table", "606-brushed", person, async ({ window }) => {
  await page().getByRole("tab", { name: "Plot" }).click();
  const area = page().locator(".plot .area");
  await area.waitFor({ timeout: SOON });
  const box = await area.boundingBox();
  assert.ok(box);
  const before = toNumber((await tally()).split(" of ")[0] ?? "");
  const { mouse } = window.page;
  await mouse.move(box.x + box.width * 0.35, box.y + box.height * 0.25);
  await mouse.down();
  await mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.4);
  await mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.6);
  await mouse.up();
  await page().locator(".chip", { hasText: "In the plot's selection" }).waitFor({ timeout: SOON });
  const within = toNumber((await tally()).split(" of ")[0] ?? "");
  assert.ok(within > 0 && within < before, `${within} of ${before}`);
  await page().getByRole("tab", { name: "Table" }).click();
  assert.equal(await page().locator(".grid").getAttribute("aria-rowcount"), String(within + 1));
  await page().getByRole("tab", { name: "Plot" }).click();
});

step("the keyboard walks along the best value", "607-front", person, async ({ window }) => {
  const { keyboard } = window.page;
  await page().locator(".plot .area").focus();
  await keyboard.press("Escape");
  await page().locator(".chip").waitFor({ state: "detached", timeout: SOON });
  await keyboard.press("Home");
  const said = () => page().locator(`.offers > [role="status"]`).innerText();
  await until("the cheapest", async () => /\/GPU·h, DLPerf per GPU/.test(await said()));
  const seen = [await said()];
  for (let turn = 0; turn < 4; turn += 1) {
    const before = await said();
    await keyboard.press("ArrowRight");
    await until("the next one", async () => (await said()) !== before);
    seen.push(await said());
  }
  const prices = seen.map((text) => toNumber(/\$([\d.]+)/.exec(text)?.[1] ?? ""));
  assert.ok(isSorted(prices, 1), seen.join("; "));
  await page().getByRole("button", { name: "Best Value" }).click();
  await until("only the front", async () => toNumber((await tally()).split(" of ")[0] ?? "") < 100);
});

step("it looks at home in every theme, as a plot", person, async ({ window }) => {
  await page().getByRole("button", { name: "Best Value" }).click();
  await lookAtPage(window, [1600, 1000, 600], (_, theme, width) => window.screenshot(`610-plot-${theme}-${width}`));
});

step("and as a table", person, async ({ window }) => {
  await window.command("View: Toggle Primary Side Bar Visibility");
  await page().getByRole("tab", { name: "Table" }).click();
  await lookAtPage(window, [1600, 1000, 600], (_, theme, width) => window.screenshot(`611-table-${theme}-${width}`));
  await window.command("View: Toggle Primary Side Bar Visibility");
});

step("Enter reviews the row that the keyboard is on, not the offer that is looked at", person, async ({ window }) => {
  const best = page().getByRole("button", { name: "Best Value" });
  await best.click();
  await page().locator('.grid .body [data-row="8"] .cell').first().click({ timeout: SOON });
  await best.click();
  await page().locator('.grid .body [tabindex="0"]').focus();
  const gpu = await page().locator('.grid .body .line:has([tabindex="0"]) .cell').first().innerText();
  assert.ok(!(await chosen()).endsWith(gpu), "the keyboard is on another row");
  await window.page.keyboard.press("Enter");
  await window.quickTitle(/^Launch Instance from Offer/);
  assert.ok((await chosen()).endsWith(gpu), gpu);
  await window.quickClose();
});

step(
  "Review… opens the ordinary launch, up to its summary, and nothing is rented",
  person,
  async ({ window, requests }) => {
    const name = await chosen();
    await page().getByRole("button", { name: "Review…" }).click();
    await window.quickTitle(/^Launch Instance from Offer/);
    await window.quickPick(/^PyTorch/);
    await window.quickTitle(/2\/4/);
    await window.quickAccept();
    await window.quickTitle(/3\/4/);
    await window.quickAccept();
    await window.quickTitle(/4\/4/);
    await window.page.locator(".quick-input-widget", { hasText: "Rent" }).waitFor({ timeout: SOON });
    await window.screenshot("620-summary");
    await until("the summary", async () => (await window.quickItems()).some(({ label }) => label.includes(name)));
    const job = (await window.quickItems()).find(({ label }) => /Your job/.test(label));
    assert.match(job?.description ?? "", /^\$[\d.]+ for 24 h and 200 GB of traffic$/);
    await window.quickClose();
    assert.ok(requests.every(({ method, path }) => method !== "PUT" || !path.startsWith("/api/v0/asks/")));
  },
);

step(
  "filters are saved to a template of one's own, after a question",
  "621-saved",
  person,
  async ({ window, requests }) => {
    await page().getByRole("button", { name: "Filters…" }).click();
    await window.quickPick(/^GPUs/);
    await window.quickPick(/^≥ 2/);
    await window.quickPick(/^Show /);
    await page().locator(".chip", { hasText: "GPUs ≥ 2" }).waitFor({ timeout: SOON });
    await page().getByRole("button", { name: "Save to Template…" }).click();
    await window.quickPick(/^Scratch Ubuntu/);
    assert.match((await window.dialog()).message, /Save these filters to “Scratch Ubuntu”\?/);
    await window.screenshot("621-question");
    await window.dialogButton("Save");
    await window.waitForNotification(/Saved the filters to “Scratch Ubuntu”/);
    const sent = requests.findLast(({ method, path }) => method === "PUT" && path === "/api/v0/template/");
    assert.match(
      JSON.stringify(sent?.body),
      /"extra_filters":\{"verified":\{"in":\[true,false\]\},"num_gpus":\{"gte":2\}\}/,
    );
  },
);

step("interruptible offers are others, at their lowest bid", "622-interruptible", person, async ({ window }) => {
  await page().getByRole("button", { name: "Remove GPUs ≥ 2" }).click();
  await page().getByRole("button", { name: "Interruptible" }).click();
  await lookAtFirst(/at the lowest bid/);
  await window.clearNotifications();
  await page().getByRole("tab", { name: "Plot" }).click();
  await page().locator(".legend", { hasText: "◆" }).waitFor({ timeout: SOON });
});

step(
  "2,000 hostile offers are text, unknown and last, and nothing of them leaves its place",
  person,
  async ({ window, service }) => {
    await page().getByRole("tab", { name: "Table" }).click();
    await page().getByRole("button", { name: "On-demand" }).click();
    await lookAtFirst(/\/h with 100 GB of disk · \$\S+ for 24 h/);
    spoilOffers(service, 2000);
    await page().getByRole("button", { name: "Refresh" }).click();
    // Those without a price are among the first ones now: the service sorts what it can't compare to the front.
    await page().locator(".offers:not(.reading)").waitFor({ timeout: SOON });
    await sortBy("Reliability", "descending");
    for (const direction of ["ascending", "descending"] as const) {
      await sortBy("\\$/h", direction);
      await page().locator(".grid .body .cell").first().click();
      await window.page.keyboard.press("End");
      await until("the last rows", async () => (await cells("\\$/h")).includes("–"));
      assert.equal((await cells("\\$/h")).at(-1), "–", direction);
      await window.screenshot(`625-hostile-${direction}`);
      await window.page.keyboard.press("Home");
    }
    const frame = await frameOf(window);
    assert.equal(await frame.evaluate("document.querySelectorAll('#root :is(img, script, a, iframe, svg)').length"), 0);
    assert.equal(await frame.evaluate("document.title"), "Cloud GPU");
    assert.equal(await frame.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    assert.deepEqual(await axeViolations(frame), []);
    await page().getByRole("tab", { name: "Plot" }).click();
    await page().locator(".legend", { hasText: "without a known price or performance" }).waitFor({ timeout: SOON });
    await window.screenshot("626-hostile-plot");
  },
);

step("another account behind the page closes it", person, async ({ window }) => {
  await window.command("Cloud GPU: Sign Out");
  await window.page.locator(".tab", { hasText: "Offers" }).waitFor({ state: "detached", timeout: SOON });
});
