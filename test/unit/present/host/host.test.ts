// A host's prices and jobs in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dayPrice, jobsLines } from "../../../../src/present/host/host.ts";

test("prices are said per day and per hour, and the review masks what looks secret", () => {
  assert.equal(dayPrice(24), "$24.00 per GPU and day ($1.00/h)");
  assert.equal(dayPrice(undefined), "not set");
  const lines = jobsLines({
    env: { HF_TOKEN: "abc", MODE: "a b" },
    args_str: "--api-key abc",
    onstart: "TOKEN=abc x",
  });
  assert.doesNotMatch(JSON.stringify(lines), /abc/);
  assert.match(JSON.stringify(lines), /MODE='a b'/);
});
