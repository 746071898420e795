// The launch protocol under randomised fates keeps P1 to P7; nine broken variants of it do not, and each is caught.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BROKEN } from "./broken.ts";
import { playMany } from "./many.ts";

test("300 launches with faults, double clicks, second windows and kills: no promise is broken", async () => {
  const { launches, violations } = await playMany({ count: 300 });
  assert.deepEqual(violations, []);
  assert.equal(launches, 300);
});

describe("a protocol is caught that", () => {
  for (const [name, breakage] of Object.entries(BROKEN)) {
    test(name, async (context) => {
      const { launches, violations } = await playMany({ count: 400, breakage, untilCaught: true });
      context.diagnostic(`after ${launches} launches: ${violations[0]}`);
      assert.ok(violations.length > 0);
    });
  }
});
