// The page of offers in windows of many sizes, down to those of a magnified one: nothing lies over anything else, and what is needed is
// in reach. It is opened without the editor.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../editor/chromium.ts";
import { until } from "../support.ts";
import { serveOffers } from "./offers-alone.ts";

const COUNT = 1500;
/** The last ones are 1,400 × 900, 1,024 × 700 and 1,280 × 1,024 at 200 and 400 %. */
const SIZES = ["1400x900", "1024x700", "1000x400", "900x560", "700x450", "512x350", "320x256"];

let offers: Awaited<ReturnType<typeof serveOffers>>;
let browser: Browser;
before(async () => {
  offers = await serveOffers(COUNT);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  offers?.close();
});

async function open(size: string): Promise<Page> {
  const [width = 0, height = 0] = size.split("x").map(Number);
  const page = await (await browser.newContext({ viewport: { width, height }, locale: "en-US" })).newPage();
  await page.goto(offers.url);
  await page.locator(".grid .body .line.chosen").waitFor();
  return page;
}

/** The parts that lie over one another or out of the window, and what they leave of the table and the plot. */
const MEASURE = `(() => {
  const names = ["header", ".filters", ".job", ".tabs", "#panel", ".legend", ".details"];
  const boxes = names.flatMap((name) => {
    const part = document.querySelector(".offers " + name);
    return part ? [{ name, box: part.getBoundingClientRect() }] : [];
  });
  const lies = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const over = boxes.flatMap((one, at) =>
    boxes.slice(at + 1).filter(({ name, box }) => !(one.name === "#panel" && name === ".legend") && lies(one.box, box))
      .map(({ name }) => one.name + " and " + name));
  // A part may be in its place, and what is in it hang out of it.
  const out = [...document.querySelectorAll(".offers :is(h1, h2, .tally, .sum, vscode-button, .plain, .job label, .legend li, dd, .plot .area)")]
    .filter((one) => {
      const inner = one.getBoundingClientRect(), outer = one.closest("header, .filters, .job, .tabs, #panel, .details").getBoundingClientRect();
      const isScrolled = one.closest(".details")?.scrollHeight > one.closest(".details")?.clientHeight;
      return inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || (!isScrolled && inner.bottom > outer.bottom + 0.5);
    }).map((one) => one.className || one.localName);
  const grid = document.querySelector(".grid"), area = document.querySelector(".plot .area");
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    over, out,
    wider: scrollWidth - clientWidth,
    rows: grid && Math.floor((grid.clientHeight - 26) / 22),
    sideways: grid && grid.scrollWidth - grid.clientWidth,
    plot: area?.clientHeight ?? null,
  };
})()`;

interface Measured {
  readonly over: string[];
  readonly out: string[];
  readonly wider: number;
  readonly rows: number | null;
  readonly sideways: number | null;
  readonly plot: number | null;
}

async function assertFits(page: Page, where: string): Promise<void> {
  const { over, out, wider, rows, sideways, plot } = await page.evaluate<Measured>(MEASURE);
  assert.deepEqual({ over, out, wider }, { over: [], out: [], wider: 0 }, where);
  if (plot === null) {
    assert.ok((rows ?? 0) >= 4, `${rows} rows, ${where}`);
    // Below that, not even the three columns that always stay fit.
    assert.ok(
      (sideways ?? 0) === 0 || (page.viewportSize()?.width ?? 0) < 340,
      `${sideways} pixels sideways, ${where}`,
    );
  } else assert.ok(plot >= 120, `${plot} pixels of the plot, ${where}`);
}

/** Whether a press on it, once it is scrolled to, meets it and nothing that lies over it. */
async function assertInReach(page: Page, selector: string, where: string): Promise<void> {
  const isMet = await page.evaluate<boolean>(`(() => {
    const one = document.querySelector(${JSON.stringify(selector)});
    one.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = one.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    return one.contains(met);
  })()`);
  assert.ok(isMet, `${selector} is in reach, ${where}`);
}

const fold = (page: Page) => page.getByRole("button", { name: "Offer details" });

for (const size of SIZES)
  test(`nothing lies over anything else at ${size}`, async () => {
    const page = await open(size);
    for (const tab of ["Table", "Plot"]) {
      await page.getByRole("tab", { name: tab }).click();
      for (const state of ["as it is", "turned"]) {
        const where = `${tab}, details ${state}`;
        await assertFits(page, where);
        for (const part of [".job input", ".job label:last-of-type input", ".details vscode-button", ".fold"])
          await assertInReach(page, part, where);
        if (tab === "Table")
          for (const cell of [".head .cell:last-child", ".chosen .cell:last-child"])
            await assertInReach(page, `.grid ${cell}`, where);
        await fold(page).click();
      }
    }
    await page.context().close();
  });

test("the details are folded in a low window, and as the person wants from then on", async () => {
  const page = await open("1024x700");
  const facts = page.locator(".details dl");
  assert.equal(await fold(page).getAttribute("aria-expanded"), "true");
  await page.setViewportSize({ width: 1024, height: 500 });
  await facts.waitFor({ state: "detached" });
  assert.equal(await fold(page).getAttribute("aria-expanded"), "false");
  await fold(page).press("Enter");
  await facts.waitFor();
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.setViewportSize({ width: 1024, height: 500 });
  assert.equal(await facts.isVisible(), true);
  await page.context().close();
});

const names = (page: Page) => page.locator(".grid .head .name").allInnerTexts();

test("a narrow window does without some columns until the person chooses, and says so", async () => {
  const page = await open("700x450");
  assert.deepEqual(await names(page), ["GPU", "$/h", "GPUs", "VRAM", "$/GPU·h", "Reliability", "Your job"]);
  await page.locator(".tabs", { hasText: "6 columns don't fit" }).waitFor();
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.locator(".tabs", { hasNotText: "fit" }).waitFor();
  assert.equal((await names(page)).length, 13);
  await page.setViewportSize({ width: 700, height: 450 });
  await page.locator(".tabs", { hasText: "6 columns don't fit" }).waitFor();
  await page.getByRole("button", { name: "Columns…" }).click();
  assert.equal(await page.getByRole("menuitemcheckbox", { name: "Location" }).getAttribute("aria-checked"), "false");
  await page.getByRole("menuitemcheckbox", { name: "Location" }).click();
  assert.deepEqual((await names(page)).slice(-2), ["Your job", "Location"]);
  await page.context().close();
});

/** Whether a column begins at the edge of the first one, which stays: it covers none in part. */
const areWhole = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const [first, ...others] = [...document.querySelectorAll(".grid .head .cell")].map((one) => one.getBoundingClientRect());
    return others.some(({ left }) => Math.abs(left - first.right) < 1);
  })()`);

test("chosen columns scroll sideways by whole ones", async () => {
  const page = await open("512x350");
  await page.getByRole("button", { name: "Columns…" }).click();
  for (const name of ["Location", "CPU", "RAM"])
    await page.getByRole("menuitemcheckbox", { name, exact: true }).click();
  await page.keyboard.press("Escape");
  for (const left of [50, 130, 170, 10_000]) {
    await page.evaluate(`document.querySelector(".grid").scrollLeft = ${left}`);
    await until("whole columns", () => areWhole(page));
  }
  await page.locator(".grid .body .cell").first().press("ArrowRight");
  for (let turn = 0; turn < 5; turn += 1) await page.keyboard.press("ArrowRight");
  await until("whole columns", () => areWhole(page));
  const isInSight = await page.evaluate<boolean>(`(() => {
    const cell = document.activeElement.getBoundingClientRect(), grid = document.querySelector(".grid");
    return cell.right <= grid.getBoundingClientRect().left + grid.clientWidth + 0.5;
  })()`);
  assert.equal(isInSight, true, "the cell that the keyboard is on");
  await page.context().close();
});

test("the keyboard in the table scrolls the page to it", async () => {
  const page = await open("320x256");
  await page.evaluate(`document.querySelector('.grid .body [tabindex="0"]').focus({ preventScroll: true })`);
  await page.evaluate("scrollTo(0, 0)");
  await page.keyboard.press("ArrowDown");
  const box = await page.locator('.grid .body [tabindex="0"]').boundingBox();
  assert.ok(box && box.y >= 0 && box.y + box.height <= 256, JSON.stringify(box));
  await page.context().close();
});

test("an offer that filters leave out is no longer selected", async () => {
  const page = await open("1400x900");
  const isGone = async () => {
    await page.locator(".details", { hasText: "The selected offer is no longer in the list." }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Review…" }).count(), 0);
    assert.equal(await page.locator('.grid [aria-selected="true"]').count(), 0);
    assert.match(await page.locator('.offers > [role="status"]').innerText(), /no longer in the list/);
  };
  await page.evaluate("host.filters = { num_gpus: { gte: 4 } }");
  await page.getByRole("button", { name: "Filters…" }).click();
  await isGone();
  await page.locator(".grid .body .line .cell").first().click();
  await page.getByRole("button", { name: "Review…" }).waitFor();
  assert.equal(await page.locator('.offers > [role="status"]').innerText(), "");
  await page.evaluate("host.filters = {}");
  await page.getByRole("button", { name: "Filters…" }).click();
  await page.locator(".tally", { hasText: "1,500 of 1,500" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Review…" }).count(), 1, "what is still there stays");
  await page.evaluate(`(() => {
    const { asked, table } = host;
    document.querySelector(".details vscode-button").click();
    const { id } = asked.at(-1).question;
    const numbers = { ...table.numbers, id: table.numbers.id.map((one) => (one === id ? 1 : one)) };
    host.table = { ...table, numbers };
  })()`);
  await page.getByRole("button", { name: "Refresh" }).click();
  await isGone();
  await page.context().close();
});
