// The page of offers in a browser, with ten thousand of them and a host that answers at once: until rows are there, sorting,
// filtering, scrolling next to an empty list of the same height, the plot, and the memory.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { readOffer } from "../../src/domain/offer/offer.ts";
import { NUMBER_FIELDS, toOfferTable } from "../../src/domain/offer/table/offer-table.ts";
import { DEFAULT_LAYOUT } from "../../src/domain/offer/table/offers-layout.ts";
import { drawMarket } from "../../src/sandbox/market/market.ts";
import { toOfferRecord } from "../../src/sandbox/market/offer-record.ts";
import { launchBrowser } from "../editor/chromium.ts";
import { median, type Row } from "./measure.ts";

const PAGES = join(resolve(import.meta.dirname, "../.."), "dist", "webview");
const COUNT = 10_000;
const NOW = 1_790_000_000;
const ROUNDS = 9;

/** As the host sends them; typed arrays as lists, which is how they reach the browser. */
function listed() {
  const offers = drawMarket(1, NOW, COUNT).map((offer) =>
    readOffer(toOfferRecord(offer, { type: "ondemand", storage: 8, rentable: true, minBid: offer.minBid, now: NOW })),
  );
  const { numbers, texts, trust, count } = toOfferTable(offers.filter((offer) => offer !== undefined));
  const nulls = (values: Float64Array) => Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  return {
    count,
    numbers: Object.fromEntries(NUMBER_FIELDS.map((field) => [field, nulls(numbers[field])])),
    texts: Object.fromEntries(Object.entries(texts).map(([name, { words, at }]) => [name, { words, at: [...at] }])),
    trust: nulls(trust),
  };
}

/** What the page talks to, inside the browser. `window.bench` has what is measured. */
const HOST = `
const given = GIVEN;
const floats = (values) => Float64Array.from(values, (value) => value ?? NaN);
const table = {
  count: given.count,
  numbers: Object.fromEntries(Object.entries(given.numbers).map(([name, values]) => [name, floats(values)])),
  texts: Object.fromEntries(Object.entries(given.texts).map(([name, { words, at }]) => [name, { words, at: Uint16Array.from(at) }])),
  trust: floats(given.trust),
};
const layout = LAYOUT;
const answers = {
  open: () => ({ search: { filters: {}, type: "ondemand" }, layout, language: "en", dictionary: {} }),
  read: () => ({ table, unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 }),
  filter: () => ({ search: { filters: window.bench.filters, type: "ondemand" }, mustRead: false }),
  keep: () => null,
};
const frames = [];
const raf = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => raf((at) => {
  const start = performance.now();
  callback(at);
  frames.push(performance.now() - start);
});
window.bench = {
  filters: { verified: { eq: true }, num_gpus: { gte: 2 }, gpu_ram: { gte: 20000 }, dph_total: { lte: 3 } },
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
window.acquireVsCodeApi = () => ({
  getState() {}, setState() {},
  postMessage({ id, ask }) {
    if (ask === "read") window.bench.answered = performance.now();
    window.dispatchEvent(new MessageEvent("message", { data: { answer: id, value: answers[ask]() } }));
  },
});
`;

const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>bench</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src data:; script-src 'self'">
<link rel="stylesheet" href="/pages.css"></head>
<body class="vscode-dark"><div id="root" data-page="offers"></div>
<script src="/host.js"></script><script type="module" src="/pages.js"></script></body></html>`;

async function serve() {
  const host = HOST.replace("GIVEN", () => JSON.stringify(listed())).replace("LAYOUT", () =>
    JSON.stringify(DEFAULT_LAYOUT),
  );
  const server = createServer(async (request, response) => {
    const name = (request.url ?? "/").slice(1);
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    if (name === "") return response.setHeader("content-type", "text/html").end(html);
    if (name === "host.js") return response.setHeader("content-type", type).end(host);
    const file = await readFile(join(PAGES, name.replaceAll(/[^\w.-]/g, ""))).catch(() => undefined);
    return response.writeHead(file ? 200 : 404, { "content-type": type }).end(file);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

const first = `bench.until(() => document.querySelector(".grid .body .line")).then((at) => at - bench.answered)`;
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
  const { url, close } = await serve();
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
      await page.evaluate(`bench.filters = { ...bench.filters, dph_total: { lte: ${1 + round} } }`);
      filters.push(await page.evaluate<number>(press("Filters…")));
    }
    await page.evaluate(`bench.filters = {}`);
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
