// Lists of records from a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRows } from "../../../../src/domain/base/wire.ts";
import { readOffer } from "../../../../src/domain/offer/offer.ts";

test("broken records are counted, the others kept, of two with one id the first", () => {
  const list = [
    { id: 1 },
    { id: null },
    null,
    [],
    "x",
    { id: 2 ** 53 },
    { id: -1 },
    { id: 1.5 },
    { id: 1 },
    { id: "12" },
  ];
  const { rows, unreadable } = readRows(readOffer, list, (offer) => offer.id);
  assert.deepEqual(
    rows.map((row) => row.value.id),
    [1, 12],
  );
  assert.equal(unreadable, 7);
});
