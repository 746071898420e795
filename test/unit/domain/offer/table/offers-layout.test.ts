// How someone left the page of offers, read again by another version.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LAYOUT, readLayout } from "../../../../../src/domain/offer/table/offers-layout.ts";
import { JOB } from "./hostile-offers.ts";

test("a layout keeps all that is still understood", () => {
  const kept = {
    ...DEFAULT_LAYOUT,
    ...{ columns: ["gpu", "price", "aura"], widths: { price: 90, gpus: 1e9, aura: 60 } },
    ...{ sort: { column: "aura", direction: "asc" }, job: { ...JOB, diskGb: 200 } },
  };
  const layout = readLayout(kept);
  assert.deepEqual([layout.columns, layout.widths, layout.job.diskGb], [["gpu", "price"], { price: 90 }, 200]);
  assert.deepEqual(layout.sort, DEFAULT_LAYOUT.sort);
  for (const other of [undefined, null, 7, "x", []]) assert.deepEqual(readLayout(other), DEFAULT_LAYOUT);
});
