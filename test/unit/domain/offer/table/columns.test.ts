// What a column of offers says: as the offer itself, worked out for a job, and found by typing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { calculateGpuPrice, calculateVramPrice } from "../../../../../src/domain/offer/offer.ts";
import { findTyped, readColumn, readMeasure } from "../../../../../src/domain/offer/table/columns.ts";
import { DEFAULT_JOB } from "../../../../../src/domain/offer/table/job.ts";
import { toOfferTable } from "../../../../../src/domain/offer/table/offer-table.ts";
import { offerOf } from "../../../support.ts";
import { drawOffers, JOB } from "./hostile-offers.ts";

const all = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const offer = (record: object) => offerOf({ id: 7, ...record });

describe("a column", () => {
  test("says the same as the offer itself", () => {
    const offers = drawOffers(500);
    const table = toOfferTable(offers);
    const [gpuPrice, vramPrice] = [readColumn(table, "gpuPrice", JOB), readColumn(table, "vramPrice", JOB)];
    for (const [row, one] of offers.entries()) {
      assert.equal(gpuPrice[row], calculateGpuPrice(one) ?? Number.NaN);
      assert.equal(vramPrice[row], calculateVramPrice(one) ?? Number.NaN);
    }
  });

  test("the total of a job has its hours and its traffic, and nothing for traffic that it has none of", () => {
    const dear = { dph_total: 0.5, inet_down_cost: 0.02 };
    const table = toOfferTable([offer(dear), offer({ dph_total: 0.5 }), offer({ inet_down_cost: 0 })]);
    assert.deepEqual([...readColumn(table, "total", JOB)], [6, Number.NaN, Number.NaN]);
    assert.deepEqual([...readColumn(table, "total", DEFAULT_JOB)], [3, 3, Number.NaN]);
  });

  test("minutes for the image follow its size and the line, and are unknown without a size", () => {
    const table = toOfferTable([offer({ inet_down: 800 }), offer({})]);
    assert.deepEqual([...readColumn(table, "pull", JOB)], [1, Number.NaN]);
    assert.deepEqual([...readColumn(table, "pull", DEFAULT_JOB)], [Number.NaN, Number.NaN]);
  });

  test("performance is compared by one GPU", () => {
    const table = toOfferTable([offer({ num_gpus: 4, dlperf: 100, total_flops: 200, gpu_ram: 24_564 })]);
    assert.deepEqual(
      [readMeasure(table, "dlperf")[0], readMeasure(table, "tflops")[0], readMeasure(table, "vram")[0]],
      [25, 50, 24],
    );
  });

  test("typing leads to the next row that begins so, and around", () => {
    const table = toOfferTable(["RTX 4090", "A100", "RTX 3090"].map((gpu_name) => offer({ gpu_name })));
    const find = (typed: string, from: number) => findTyped(table, all(3), "price", { typed, from });
    assert.deepEqual([find("rtx", 0), find("rtx", 1), find("a", 2), find("zz", 0)], [0, 2, 1, undefined]);
    assert.equal(findTyped(table, new Uint32Array(), "price", { typed: "a", from: 0 }), undefined);
  });
});
