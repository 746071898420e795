// What searches saw of prices is written down in one small file for each service, which all windows share.
import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { findUsualPrice } from "../../../src/services/offer/price-history.ts";
import { editorWindow, eventually, sandbox, signedIn } from "../support.ts";

const HOUR = 3_600_000;
const GPU = { gpu: "RTX 4090", type: "ondemand", verified: true } as const;

/** Real time, but some hours on, and the first of them has just begun. */
function shiftedClock() {
  let ahead = HOUR - (Date.now() % HOUR);
  const clock: Clock = { ...realClock, now: () => Date.now() + ahead };
  const pass = (hours: number) => {
    ahead += hours * HOUR;
  };
  return { clock, pass };
}

type Window = Awaited<ReturnType<typeof signedIn>>;
const folderOf = ({ userData }: Pick<Window, "userData">) => join(userData.root, "prices");
const fileOf = async (window: Pick<Window, "userData">) => {
  const names = await readdir(folderOf(window)).catch(() => []);
  assert.ok(names.length <= 1, names.join());
  return join(folderOf(window), names[0] ?? "none");
};
const linesOf = async (window: Pick<Window, "userData">) =>
  (await readFile(await fileOf(window), "utf8").catch(() => "")).split("\n").filter(Boolean);
const usualOf = async (window: Pick<Window, "priceHistory" | "me">) =>
  (await window.priceHistory.read(window.me()))(GPU);

async function searchEachHour(window: Window, hours: number, pass: (more: number) => void) {
  for (let hour = 0; hour < hours; hour += 1, pass(1)) {
    const before = (await linesOf(window)).length;
    await window.offers.search(anySearch);
    await eventually(async () => (await linesOf(window)).length > before, "it is written down");
  }
}

describe("what is usual", () => {
  test("is known after five hours with a search, in other windows as well", async () => {
    const { clock, pass } = shiftedClock();
    const window = await signedIn({}, { clock });
    await searchEachHour(window, 4, pass);
    assert.equal(await usualOf(window), undefined);
    await searchEachHour(window, 1, pass);
    const usual = await usualOf(window);
    const { offers } = await window.offers.search({
      ...anySearch,
      filters: { gpu_name: { eq: GPU.gpu }, verified: { eq: true } },
    });
    const prices = offers.map((offer) => (offer.dph_total ?? 0) / (offer.num_gpus ?? 1)).sort((a, b) => a - b);
    assert.equal(usual?.samples, 5);
    assert.ok(Math.abs((usual?.low ?? 0) - (prices[0] ?? 0)) < 0.0001);
    const other = editorWindow(window.userData, { clock });
    await other.session.restore();
    assert.deepEqual(await usualOf(other), usual);
  });

  test("isn't compared with prices that a large disk is much of", async () => {
    const { clock, pass } = shiftedClock();
    const window = await signedIn({}, { clock });
    await searchEachHour(window, 5, pass);
    const find = await window.priceHistory.read(window.me());
    const compared = async (diskGb: number) => {
      const filters = { ...anySearch.filters, gpu_name: { eq: GPU.gpu }, num_gpus: { eq: 1 } };
      const search = { ...anySearch, filters, diskGb };
      const { offers } = await window.offers.search(search);
      assert.ok(offers.length > 0);
      return offers.map((offer) => findUsualPrice(find, offer, search)?.median !== undefined);
    };
    assert.ok((await compared(8)).every(Boolean));
    assert.ok(!(await compared(700)).some(Boolean));
  });

  test("is one sample an hour, however often somebody searches", async () => {
    const window = await signedIn({}, { clock: shiftedClock().clock });
    await window.offers.search(anySearch);
    await eventually(async () => (await linesOf(window)).length > 0, "it is written down");
    const lines = await linesOf(window);
    for (let turn = 0; turn < 5; turn += 1) await window.offers.search(anySearch);
    await usualOf(window);
    assert.deepEqual(await linesOf(window), lines);
  });

  test("isn't taken from the cheapest few, nor from a search that leaves out the expensive ones", async () => {
    const window = await signedIn();
    await window.offers.search(anySearch, undefined, 5);
    await window.offers.search({ ...anySearch, filters: { dph_total: { lte: 0.4 } } });
    await usualOf(window);
    const lines = await linesOf(window);
    assert.ok(lines.length > 0 && lines.every((line) => !line.includes("p50")), lines.join("\n"));
  });

  test("is apart for each service", async () => {
    const window = await signedIn();
    await window.offers.search(anySearch);
    await eventually(async () => (await linesOf(window)).length > 0, "it is written down");
    const { url, apiKey } = await sandbox();
    await window.session.signIn(url, apiKey);
    await window.offers.search(anySearch);
    await eventually(async () => (await readdir(folderOf(window))).length === 2, "there are two files");
    await window.session.enterSandbox(url, apiKey);
    await window.offers.search(anySearch);
    const isOfSandbox = (name: string) => name.startsWith("sandbox-");
    await eventually(async () => (await readdir(folderOf(window))).some(isOfSandbox), "the sandbox has its own");
    assert.equal((await readdir(folderOf(window))).filter(isOfSandbox).length, 1);
  });
});

describe("the file", () => {
  test("that is damaged or hostile costs only its bad lines, and what is added stays whole", async () => {
    const { clock, pass } = shiftedClock();
    const window = await signedIn({}, { clock });
    await searchEachHour(window, 5, pass);
    const usual = await usualOf(window);
    await appendFile(await fileOf(window), '{"hour":1}\nnull\n[]\n{"__proto__":1}\n\0\0\n{"hour":490000,"gpu":"RTX');
    assert.deepEqual(await usualOf(window), usual);
    await searchEachHour(window, 1, pass);
    assert.equal((await usualOf(window))?.samples, 6);
  });

  test("never grows beyond 200 KB: it becomes shorter, and keeps the last hours", async () => {
    const { clock, pass } = shiftedClock();
    const window = await signedIn({}, { clock });
    await searchEachHour(window, 1, pass);
    const path = await fileOf(window);
    const sample = (hour: number) => `${JSON.stringify({ hour, ...GPU, n: 9, min: 0.2, p25: 0.3, p50: 0.4 })}\n`;
    const now = Math.floor(clock.now() / HOUR);
    const count = Math.floor(199_900 / sample(now).length);
    await writeFile(path, Array.from({ length: count }, (_, at) => sample(now - count + at)).join(""));
    await window.offers.search(anySearch);
    await eventually(async () => (await readFile(path, "utf8")).length < 160_000, "it is thinned");
    const usual = await usualOf(window);
    assert.ok(usual && usual.since < (now - count + 24) * HOUR, "the oldest days are still there");
    assert.equal((await readdir(folderOf(window))).length, 1, "no draft is left");
    const hours = usual.points.slice(-20).map(({ at }) => at / HOUR);
    assert.ok(
      hours.every((hour, at) => at === 0 || hour - (hours[at - 1] ?? 0) <= 2),
      "the last ones are hours",
    );
  });

  test("that is far too large is none, and the next search begins anew", async () => {
    const window = await signedIn();
    await window.offers.search(anySearch);
    await eventually(async () => (await linesOf(window)).length > 0, "it is written down");
    const path = await fileOf(window);
    await writeFile(path, "x".repeat(5_000_000));
    assert.equal(await usualOf(window), undefined);
    await window.offers.search(anySearch);
    await eventually(async () => (await readFile(path, "utf8")).length < 200_000, "it is new");
  });

  test("that can't be written costs nobody a search", async () => {
    const window = await signedIn();
    await writeFile(folderOf(window), "a file where the folder should be");
    assert.ok((await window.offers.search(anySearch)).offers.length > 0);
    assert.equal(await usualOf(window), undefined);
  });

  test("of a sandbox is forgotten after a week, others after a year, and drafts that were left too", async () => {
    const window = await signedIn();
    const folder = folderOf(window);
    await mkdir(folder, { recursive: true });
    const days = {
      "sandbox-0123456789abcdef.jsonl": 8,
      "0123456789abcdef.jsonl": 390,
      "fedcba9876543210.jsonl": 401,
      "0123456789abcdef.jsonl.draft": 8,
    };
    for (const [name, age] of Object.entries(days)) {
      await writeFile(join(folder, name), "");
      const then = new Date(Date.now() - age * 24 * HOUR);
      await utimes(join(folder, name), then, then);
    }
    await window.priceHistory.tidy(Date.now());
    assert.deepEqual(await readdir(folder), ["0123456789abcdef.jsonl"]);
  });
});
