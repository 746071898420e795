// What counts as close in time, whichever way a clock was set.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isNear } from "../../../src/lib/clock.ts";

const NOW = 1_800_000_000_000;

for (const [away, holds] of [
  [0, true],
  [59_999, true],
  [60_000, false],
  [86_400_000, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
] as const)
  test(`${away} ms before and after now is ${holds ? "" : "not "}within a minute`, () => {
    assert.equal(isNear(NOW, NOW - away, 60_000), holds);
    assert.equal(isNear(NOW, NOW + away, 60_000), holds);
  });
