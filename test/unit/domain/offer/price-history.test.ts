// What searches say of prices over time: the samples, how they are merged and thinned, and what they say of a GPU.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  compareWithUsual,
  drawSparkline,
  indexHistories,
  LEAST_SAMPLES,
  looksAtAllPrices,
  mergeSamples,
  type PriceSample,
  readSamples,
  samplePrices,
  thinSamples,
  writeSamples,
} from "../../../../src/domain/offer/price-history.ts";
import { offerOf } from "../../support.ts";

const HOUR = 3_600_000;
const NOW = 491_000 * HOUR + 1234;

const sample = (over: Partial<PriceSample> = {}): PriceSample => ({
  ...{ hour: 491_000, gpu: "RTX 4090", type: "ondemand", verified: true, n: 9, min: 0.3, p25: 0.35, p50: 0.4 },
  ...over,
});
const gpu = { gpu: "RTX 4090", type: "ondemand", verified: true } as const;
const priced = (prices: readonly number[], over = {}) =>
  prices.map((dph_total, at) =>
    offerOf({ id: at + 1, gpu_name: "RTX 4090", num_gpus: 1, dph_total, verified: true, ...over }),
  );

describe("the samples of a search", () => {
  test("are the lowest, the lower quarter and the median of each GPU, apart by what is verified", () => {
    const offers = [...priced([0.5, 0.3, 0.4, 0.6, 0.2]), ...priced([0.1], { verified: undefined })];
    assert.deepEqual(samplePrices({ type: "ondemand", diskGb: 8, offers, isWhole: true }, NOW), [
      { hour: 491_000, gpu: "RTX 4090", type: "ondemand", verified: true, n: 5, min: 0.2, p25: 0.3, p50: 0.4 },
      { hour: 491_000, gpu: "RTX 4090", type: "ondemand", verified: false, n: 1, min: 0.1, p25: 0.1, p50: 0.1 },
    ]);
  });

  test("are by GPU, not by machine", () => {
    const offers = priced([4], { num_gpus: 8 });
    assert.equal(samplePrices({ type: "bid", diskGb: 8, offers, isWhole: true }, NOW)[0]?.min, 0.5);
  });

  test("say nothing of what is typical if the list was cut or left out the expensive ones", () => {
    const [cut] = samplePrices({ type: "ondemand", diskGb: 8, offers: priced([0.2, 0.3]), isWhole: false }, NOW);
    assert.deepEqual([cut?.min, cut?.p25, cut?.p50], [0.2, undefined, undefined]);
    assert.equal(looksAtAllPrices({ gpu_name: { eq: "x" } }), true);
    assert.equal(looksAtAllPrices({ dph_total: { lte: 1 } }), false);
    const fields = ["min_bid", "dph", "dph_base", "discounted_dph_total", "dlperf_per_dphtotal", "flops_usd", "score"];
    for (const field of fields) assert.equal(looksAtAllPrices({ [field]: { lte: 1 } }), false, field);
  });

  test("leave out incredible prices, and GPUs without a name or with a book for one", () => {
    const offers = [
      ...priced([Number.NaN, 0, -1, 1e308]),
      ...priced([0.4], { gpu_name: undefined }),
      ...priced([0.4], { gpu_name: "A".repeat(100_000) }),
      ...priced([0.4], { num_gpus: 0 }),
    ];
    assert.deepEqual(samplePrices({ type: "ondemand", diskGb: 8, offers, isWhole: true }, NOW), []);
  });

  test("say nothing of what is typical of GPUs if a large disk is part of each price", () => {
    const seen = { type: "ondemand", offers: priced([0.4, 0.5], { storage_cost: 0.3 }), isWhole: true } as const;
    assert.equal(samplePrices({ ...seen, diskGb: 8 }, NOW)[0]?.p50, 0.45);
    assert.equal(samplePrices({ ...seen, diskGb: 400 }, NOW)[0]?.p50, undefined);
  });

  test("are of a hundred GPUs at most", () => {
    const offers = Array.from({ length: 2000 }, (_, at) => priced([0.4], { gpu_name: `GPU ${at}` })).flat();
    assert.equal(samplePrices({ type: "ondemand", diskGb: 8, offers, isWhole: true }, NOW).length, 100);
  });
});

test("what was written is read back, and damaged or hostile lines cost only themselves", () => {
  const good = [sample(), sample({ hour: 491_001 })];
  const bad = [
    "",
    "{",
    "null",
    "[]",
    JSON.stringify({ ...sample(), hour: -1 }),
    JSON.stringify({ ...sample(), min: 0 }),
    JSON.stringify({ ...sample(), n: 1.5 }),
    JSON.stringify({ ...sample(), gpu: "A".repeat(81) }),
    JSON.stringify({ ...sample(), type: "constructor" }),
    '{"hour":491000,"gpu":"x","type":"bid","verified":true,"n":1,"min":1e999}',
    writeSamples(good).slice(0, 40),
  ];
  assert.deepEqual(readSamples(`${bad.join("\n")}\n${writeSamples(good)}${bad.join("\n")}`), good);
});

describe("samples of the same hour are one", () => {
  test("with the lowest price and what the widest look found typical", () => {
    const narrow = sample({ n: 3, min: 0.25, p25: 0.5, p50: 0.9 });
    const cut: PriceSample = { ...gpu, hour: 491_000, n: 50, min: 0.2 };
    for (const all of [
      [sample(), narrow, cut],
      [cut, narrow, sample()],
      [narrow, cut, sample()],
    ])
      assert.deepEqual(mergeSamples(all), [sample({ min: 0.2 })]);
  });

  test("and others stay apart, the oldest first", () => {
    const all = [sample({ hour: 5 }), sample({ hour: 4 }), sample({ type: "bid" }), sample({ verified: false })];
    assert.deepEqual(
      mergeSamples(all).map(({ hour }) => hour),
      [4, 5, 491_000, 491_000],
    );
  });
});

describe("too many samples", () => {
  const many = Array.from({ length: 24 * 60 }, (_, at) => sample({ hour: 480_000 + at, p50: 0.3 + (at % 24) / 100 }));

  test("become days, the oldest first, and the last day stays in hours", () => {
    const thinned = thinSamples(many, 60_000);
    assert.ok(writeSamples(thinned).length <= 60_000);
    const days = thinned.filter(({ hour }, at) => hour % 24 === 0 && (thinned[at + 1]?.hour ?? 0) - hour === 24);
    assert.ok(days.length > 20, "old hours are days");
    assert.ok(thinned.slice(-24).every(({ hour }, at, last) => at === 0 || hour - (last[at - 1]?.hour ?? 0) === 1));
    assert.equal(thinned[0]?.hour, 480_000, "the oldest day is still there");
    assert.equal(thinned[0]?.p50, 0.415);
    assert.deepEqual(thinSamples(thinned, 60_000), thinned, "what fits stays");
  });

  test("lose the oldest days where days are still too many", () => {
    const thinned = thinSamples(many, 3000);
    assert.ok(writeSamples(thinned).length <= 3000 && thinned.length > 5);
    assert.equal(thinned.at(-1)?.hour, 480_000 + 24 * 60 - 1);
    assert.ok((thinned[0]?.hour ?? 0) > 480_000);
  });

  test("never take more than they may, whatever they are", () => {
    const any = fc.record({
      hour: fc.integer({ min: 0, max: 3000 }),
      gpu: fc.constantFrom("a", "é\n", "\ud800", "😀"),
      type: fc.constantFrom("ondemand", "bid"),
      verified: fc.boolean(),
      n: fc.integer({ min: 1, max: 99 }),
      min: fc.double({ min: 0.01, max: 9, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 300 }), fc.integer({ min: 0, max: 9000 }), (all, most) => {
        const thinned = thinSamples(all as PriceSample[], most);
        assert.ok(Buffer.byteLength(writeSamples(thinned)) <= most);
      }),
    );
  });
});

describe("what a GPU usually costs", () => {
  const over = (hours: number) =>
    Array.from({ length: hours }, (_, at) =>
      sample({ hour: 491_000 + at, min: (30 - at) / 100, p50: (40 + at) / 100 }),
    );

  test("isn't known from fewer than five samples", () => {
    assert.equal(indexHistories(over(LEAST_SAMPLES - 1))(gpu), undefined);
    assert.equal(indexHistories([])(gpu), undefined);
  });

  test("is the median of what was typical, from the lowest seen to the highest typical", () => {
    const found = indexHistories(over(5))(gpu);
    assert.deepEqual([found?.samples, found?.median, found?.low, found?.high], [5, 0.42, 0.26, 0.44]);
    assert.equal(found?.since, 491_000 * HOUR);
    assert.deepEqual(found?.points[1], { at: 491_001 * HOUR, low: 0.29, median: 0.41 });
  });

  test("is apart by rental type and by what is verified", () => {
    const find = indexHistories(over(9));
    assert.equal(find({ ...gpu, type: "bid" }), undefined);
    assert.equal(find({ ...gpu, verified: false }), undefined);
    assert.equal(find({ ...gpu, gpu: "constructor" }), undefined);
  });

  test("has a lowest price from cut lists too, which say nothing else", () => {
    const cut: PriceSample = { ...gpu, hour: 491_090, n: 5, min: 0.11 };
    const found = indexHistories([...over(5), cut])(gpu);
    assert.deepEqual([found?.samples, found?.low, found?.median], [5, 0.11, 0.42]);
    assert.equal(indexHistories(Array(9).fill(cut))(gpu), undefined);
  });

  test("is compared as a share", () => {
    assert.equal(compareWithUsual(0.3, 0.4)?.toFixed(2), "-0.25");
    assert.equal(compareWithUsual(undefined, 0.4), undefined);
    assert.equal(compareWithUsual(0.3, undefined), undefined);
  });
});

describe("a sparkline", () => {
  test("has a bar for each number, up to eight", () => {
    assert.equal(drawSparkline([1, 2, 3, 4, 5, 6, 7, 8]), "▁▂▃▄▅▆▇█");
    assert.equal(drawSparkline([3, 1]), "█▁");
    assert.equal(drawSparkline([]), "");
    const long = drawSparkline(Array.from({ length: 1000 }, (_, at) => at));
    assert.equal(long.length, 8);
    assert.match(long, /^▁.*█$/);
  });

  test("of the same price is a line in the middle", () => {
    assert.equal(drawSparkline([2, 2, 2]), "▄▄▄");
  });
});

test("a file that one day fills keeps something of each of its GPUs, and of what is usual", () => {
  const start = 490_000 - (490_000 % 24);
  const at = (hour: number): PriceSample[] =>
    Array.from({ length: 100 }, (_, nth) => ({
      ...{ hour, gpu: `RTX A${4000 + nth} Laptop`, type: "ondemand", verified: true },
      ...{ n: 9, min: 0.21234, p25: 0.31234, p50: 0.41234 },
    }));
  const today = Array.from({ length: 19 }, (_, hour) => at(start + hour)).flat();
  const left = thinSamples([...at(start - 24), ...at(start - 48), ...today], 150_000);
  const find = indexHistories(left);
  for (const nth of [0, 50, 99])
    assert.ok(find({ gpu: `RTX A${4000 + nth} Laptop`, type: "ondemand", verified: true }), `${nth}`);
  const few = thinSamples(today, 5000);
  assert.ok(few.length > 20 && new TextEncoder().encode(writeSamples(few)).length <= 5000);
});

test("a file that yesterday filled still says what is usual", () => {
  const start = 490_000 - (490_000 % 24);
  const at = (hour: number): PriceSample[] =>
    Array.from({ length: 100 }, (_, nth) => sample({ hour, gpu: `RTX A${4000 + nth} Laptop` }));
  const yesterday = Array.from({ length: 16 }, (_, hour) => at(start + 8 + hour)).flat();
  const find = indexHistories(thinSamples([...yesterday, ...at(start + 24)], 150_000));
  for (const nth of [0, 50, 99]) assert.ok(find({ ...gpu, gpu: `RTX A${4000 + nth} Laptop` }), `${nth}`);
});

test("thousands of samples on thousands of days are thinned at once", () => {
  const sample = { gpu: "RTX 4090", type: "ondemand", verified: true, n: 9, min: 0.2, p25: 0.3, p50: 0.4 } as const;
  const samples = Array.from({ length: 5000 }, (_, day): PriceSample => ({ ...sample, hour: day * 24 }));
  const left = thinSamples(samples, 150_000);
  assert.equal(left.at(-1)?.hour, 4999 * 24, "the oldest days go");
  assert.ok(left.length > 1000);
});
