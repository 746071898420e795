// What a person agreed to run is the same only as long as all of it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunDraft } from "../../../../src/domain/run/run-plan.ts";
import { hashCommand } from "../../../../src/services/run/remember-place.ts";

const DRAFT: RunDraft = {
  ...{ name: "x", command: "python train.py", setup: "", folder: "/a", variables: { EPOCHS: "1" } },
  ...{ limits: { maxHours: 2 }, results: ["*.pt"], data: ["data"] },
};

test("an agreement holds for the limits and results that were shown", () => {
  const others: readonly Partial<RunDraft>[] = [
    ...[
      { limits: {} },
      { limits: { maxHours: 200 } },
      { limits: { maxCost: 2 } },
      { limits: { maxHours: 2, maxCost: 2 } },
    ],
    ...[
      { limits: { maxHours: 2, maxPricePerHour: 9 } },
      { results: ["*.bin"] },
      { results: [] },
      { data: [] },
      { variables: {} },
    ],
  ];
  const hashes = [DRAFT, ...others.map((other) => ({ ...DRAFT, ...other }))].map(hashCommand);
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(
    hashCommand({ ...DRAFT, limits: { maxPricePerHour: undefined, maxHours: 2 } }),
    hashes[0],
    "in any order",
  );
});
