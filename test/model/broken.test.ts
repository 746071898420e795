// Ten broken variants of the launch protocol do not keep P1 to P7 (docs/promises.md), and each is caught.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BROKEN } from "./broken.ts";
import { playMany } from "./many.ts";

describe("a protocol is caught that", { concurrency: 3 }, () => {
  for (const [name, breakage] of Object.entries(BROKEN)) {
    test(name, async (context) => {
      const { launches, violations } = await playMany({ count: 400, breakage, untilCaught: true });
      context.diagnostic(`after ${launches} launches: ${violations[0]}`);
      assert.ok(violations.length > 0);
    });
  }
});
