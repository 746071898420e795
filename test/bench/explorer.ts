// The page of offers in a browser, with ten thousand of them and a host that answers at once: until rows are there, sorting,
// filtering, scrolling next to an empty list of the same height, the plot, and the memory.
import type { CDPSession, Page } from "playwright-core";
import { launchBrowser } from "../editor/chromium.ts";
import { serveOffers } from "../person/offer/offers-alone.ts";
import { median, type Row } from "./measure.ts";

const COUNT = 10_000;
const ROUNDS = 9;

/** `window.bench` has what is measured. */
const BENCH = `
const frames = [];
const raf = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => raf((at) => {
  const start = performance.now();
  callback(at);
  frames.push(performance.now() - start);
});
host.filters = { verified: { eq: true }, num_gpus: { gte: 2 }, gpu_ram: { gte: 20000 }, dph_total: { lte: 3 } };
window.bench = {
  frames, raf,
  async until(holds) { for (;;) { if (holds()) return performance.now(); await new Promise((go) => raf(go)); } },
  // From the first message to the last change that it leads to.
  async changed(act) {
    let last = 0;
    const seen = new MutationObserver(() => { last = performance.now(); });
    seen.observe(document.getElementById("root"), { subtree: true, childList: true, characterData: true, attributes: true });
    const start = performance.now();
    act();
    const acted = performance.now();
    await new Promise((go) => raf(() => raf(go)));
    seen.disconnect();
    return Math.max(last, acted) - start;
  },
  async scroll(element) {
    const frames = [];
    let before = performance.now();
    const step = element.scrollHeight / 240;
    element.scrollTop = 0;
    for (let at = 0; at < 240; at += 1) {
      element.scrollTop += step;
      await new Promise((go) => raf(go));
      const now = performance.now();
      frames.push(now - before);
      before = now;
    }
    return frames;
  },
};
`;

const first = `bench.until(() => document.querySelector(".grid .body .line")).then((at) => at - host.answered)`;
const sortBy = (name: string) =>
  `bench.changed(() => [...document.querySelectorAll("[role=columnheader]")].find((one) => one.textContent.includes(${JSON.stringify(name)})).click())`;
const press = (name: string) =>
  `bench.changed(() => [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === ${JSON.stringify(name)}).click())`;

async function open(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return await page.evaluate<number>(first);
}

/** Frames that were later than 50 ms, of all; the list and an empty one of the same height. */
async function scroll(page: Page): Promise<readonly [number[], number[]]> {
  const list = await page.evaluate<number[]>(`bench.scroll(document.querySelector(".grid"))`);
  const empty = await page.evaluate<number[]>(`(() => {
    const grid = document.querySelector(".grid");
    const box = document.createElement("div"), inner = document.createElement("div");
    box.style.cssText = "position:fixed;inset:0;overflow:auto;background:black";
    inner.style.height = grid.scrollHeight + "px";
    box.append(inner);
    document.body.append(box);
    return bench.scroll(box).then((frames) => (box.remove(), frames));
  })()`);
  return [list, empty];
}

async function memory(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = (await session.send("Runtime.getHeapUsage")) as {
    usedSize: number;
    backingStorageSize?: number;
  };
  return (usedSize + backingStorageSize) / 1024 / 1024;
}

const late = (frames: readonly number[]): number => frames.filter((frame) => frame > 50).length;

export async function explorer(): Promise<Row[]> {
  const { url, close } = await serveOffers(COUNT, BENCH);
  const browser = await launchBrowser();
  try {
    const page = await (
      await browser.newContext({ viewport: { width: 1600, height: 900 }, locale: "en-US" })
    ).newPage();
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) opened.push(await open(page, url));
    const [sorts, filters]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1)
      for (const name of ["Reliability", "DLPerf/$", "$/GB·h"]) sorts.push(await page.evaluate<number>(sortBy(name)));
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.evaluate(`host.filters = { ...host.filters, dph_total: { lte: ${1 + round} } }`);
      filters.push(await page.evaluate<number>(press("Filters…")));
    }
    await page.evaluate(`host.filters = {}`);
    await page.evaluate(press("Filters…"));
    const [list, empty] = await scroll(page);
    await page.evaluate(`bench.frames.length = 0`);
    const plots: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.evaluate(press("Table"));
      await page.evaluate(`bench.frames.length = 0`);
      await page.evaluate(press("Plot"));
      plots.push(await page.evaluate<number>(`Math.max(...bench.frames)`));
    }
    const megabytes = await memory(await page.context().newCDPSession(page));
    const row = (what: string, value: number, unit: string, goal: number): Row => ({ what, value, unit, goal });
    return [
      row("explorer: 10,000 offers until their first rows", median(opened), "ms", 150),
      row("explorer: sort by a column, drawn", median(sorts), "ms", 16),
      row("explorer: filter, sort and draw", median(filters), "ms", 16),
      row(`explorer: frames over 50 ms of ${list.length} while scrolling`, late(list), "", 0),
      row("explorer: the same for an empty list of that height", late(empty), "", Number.NaN),
      row("explorer: a frame while scrolling, to the empty list's", median(list) / median(empty), "×", Number.NaN),
      row("explorer: the plot, drawn", median(plots), "ms", 30),
      row("explorer: memory of the page", megabytes, "MB", 60),
    ];
  } finally {
    await browser.close();
    close();
  }
}
