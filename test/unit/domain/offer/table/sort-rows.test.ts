// In which order offers stand: by a column, the unknown last, and the cheaper one first among equals.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COLUMN_IDS, getBestDirection, readColumn } from "../../../../../src/domain/offer/table/columns.ts";
import { toOfferTable } from "../../../../../src/domain/offer/table/offer-table.ts";
import { rankByPrice, sortRows } from "../../../../../src/domain/offer/table/sort-rows.ts";
import { offerOf } from "../../../support.ts";
import { drawHostileOffers, drawOffers, JOB } from "./hostile-offers.ts";

const all = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const offer = (record: object) => offerOf({ id: 7, ...record });

describe("the order", () => {
  for (const [name, offers] of [
    ["plausible", drawOffers(1000)],
    ["hostile", drawHostileOffers(2000)],
  ] as const)
    test(`of ${name} rows has unknown last both ways, and the cheaper one first among equals`, () => {
      const table = toOfferTable(offers);
      const ranks = rankByPrice(table);
      for (const id of COLUMN_IDS)
        for (const direction of ["asc", "desc"] as const) {
          const values = readColumn(table, id, JOB);
          const sorted = sortRows(all(table.count), values, direction, ranks);
          assert.deepEqual(sorted.toSorted(), all(table.count), "each row once");
          for (const [at, row] of sorted.entries()) {
            const before = sorted[at - 1];
            if (before === undefined) continue;
            const [x, y] = [values[before] ?? Number.NaN, values[row] ?? Number.NaN];
            if (Number.isNaN(x)) assert.ok(Number.isNaN(y), `${id}: after an unknown one come only unknown ones`);
            const isTie = x === y || (Number.isNaN(x) && Number.isNaN(y));
            if (isTie) assert.ok((ranks[before] ?? 0) < (ranks[row] ?? 0), `${id}: equals by price and ID`);
            else if (!Number.isNaN(y)) assert.ok(direction === "asc" ? x < y : x > y, `${id} ${direction}`);
          }
        }
    });

  test("equal prices stand by ID, and no price after all of them", () => {
    const table = toOfferTable([
      offer({ id: 5 }),
      offer({ id: 9, dph_total: 1 }),
      offer({ id: 3, dph_total: 1 }),
      offer({ id: 4, dph_total: -1 }),
    ]);
    const sorted = sortRows(all(4), readColumn(table, "reliability", JOB), "desc", rankByPrice(table));
    assert.deepEqual(
      [...sorted].map((row) => table.numbers.id[row]),
      [3, 9, 4, 5],
    );
  });

  test("texts stand as people count: RTX 3090 before RTX 10000", () => {
    const table = toOfferTable([offer({ gpu_name: "RTX 10000" }), offer({}), offer({ gpu_name: "RTX 3090" })]);
    const sorted = sortRows(all(3), readColumn(table, "gpu", JOB), getBestDirection("gpu"), rankByPrice(table));
    assert.deepEqual([...sorted], [2, 0, 1]);
  });
});
