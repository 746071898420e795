// The answer of a machine's nvidia-smi: read whole or not at all.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readNvidiaSmi } from "../../../../src/domain/instance/gpu-load.ts";

test("the busiest GPU counts, memory and power are added up", () => {
  assert.deepEqual(readNvidiaSmi("0, 3, 1024, 21.40\n1, 97, 20000, 310.10\n"), {
    load: 97,
    memory: 21024,
    watts: 331.5,
  });
  assert.deepEqual(readNvidiaSmi("0, 0, 2, 18.00\r\n"), { load: 0, memory: 2, watts: 18 });
});

test("what isn't known of memory or power is left out, the load is still read", () => {
  assert.deepEqual(readNvidiaSmi("0, 5, [N/A], [Not Supported]\n"), { load: 5, memory: undefined, watts: undefined });
  assert.deepEqual(readNvidiaSmi("0, 5, 10, 9\n1, 6, 10, [N/A]"), { load: 6, memory: 20, watts: undefined });
});

test("odd output is no reading", () => {
  for (const odd of [
    "",
    "\n",
    "No devices were found",
    "0, [N/A], 2, 18.00",
    "0, -1, 2, 18.00",
    "0, 101, 2, 18.00",
    "0, 5, 2, 18.00\n0, 5, 2, 18.00",
    "0, 5, 2, 18.00\nWARNING: infoROM is corrupted at gpu 0000:01:00.0",
    "0 %, 5 %, 2 MiB, 18.00 W",
    "index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n0, 5, 2, 18.00",
    "0, 5, 2",
    "0, 5, 2, 18, 7",
    "0, 5, 2, 18.00\n".repeat(1000),
  ])
    assert.equal(readNvidiaSmi(odd), undefined, odd.slice(0, 60));
});

test("any output is read as percent, or not at all", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9, .\n[\]NA/-]{0,60}$/)), (text) => {
      const read = readNvidiaSmi(text);
      if (read) assert.ok(Number.isInteger(read.load) && read.load >= 0 && read.load <= 100);
    }),
    { numRuns: 2000 },
  );
});
