// Paths of the interface with an ID in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildPath } from "../../../../src/api/table/endpoint.ts";
import { endpoints } from "../../../../src/api/table/endpoints.ts";
import { idLike, isExactId } from "../../support.ts";

const RUNS = { numRuns: 10_000 };

test("a path with an id has digits in its place and is otherwise as the interface writes it", () => {
  const rows = Object.values(endpoints).filter((row) => row.path.includes("{id}"));
  assert.ok(rows.length >= 3);
  fc.assert(
    fc.property(fc.constantFrom(...rows), idLike, (row, value) => {
      const [before, after] = row.path.split("{id}");
      if (typeof value === "number" && isExactId(value))
        assert.equal(buildPath(row, value), `${before}${value}${after}`);
      else assert.throws(() => buildPath(row, value as number), RangeError);
    }),
    RUNS,
  );
});
