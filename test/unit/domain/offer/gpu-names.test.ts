// Names of GPUs that no one has, and what may have been meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeUnknownGpu, findUnknownGpus, listAskedGpus } from "../../../../src/domain/offer/gpu-names.ts";

const KNOWN = ["RTX 4090", "RTX 5090", "RTX 3060", "H100 SXM", "H100 PCIE", "A100 SXM4"];
const closestTo = (name: string) => findUnknownGpus([name], KNOWN)[0]?.closest;

test("a part of a name, or a name written in another way, leads to the whole one", () => {
  for (const [asked, first] of [
    ["4090", "RTX 4090"],
    ["rtx 4090", "RTX 4090"],
    ["RTX_4090", "RTX 4090"],
    ["NVIDIA GeForce RTX 4090", "RTX 4090"],
    ["A100", "A100 SXM4"],
  ] as const)
    assert.equal(closestTo(asked)?.[0], first, asked);
  assert.deepEqual(closestTo("H100"), ["H100 SXM", "H100 PCIE"]);
});

test("a name with a wrong letter leads to those that are like it, any other to none", () => {
  assert.deepEqual(closestTo("RTX 9090")?.slice(0, 2), ["RTX 4090", "RTX 5090"]);
  assert.deepEqual([closestTo("MI300X"), closestTo("??")], [[], []]);
});

test("names that machines have aren't unknown, and nothing is before any name is known", () => {
  assert.deepEqual(findUnknownGpus(["RTX 4090", "H100 SXM"], KNOWN), []);
  assert.deepEqual(findUnknownGpus(["4090"], []), []);
});

test("only names that are asked for count", () => {
  const asked = (condition: unknown) => listAskedGpus({ gpu_name: condition, num_gpus: { eq: 1 } });
  assert.deepEqual(asked({ eq: "4090", in: ["H100", 3], neq: "RTX 3060", notin: ["A100"] }), ["4090", "H100"]);
  assert.deepEqual([asked("4090"), listAskedGpus({})], [[], []]);
});

test("the sentence names what was asked for and what there is", () => {
  assert.equal(
    describeUnknownGpu({ name: "RTX 9090", closest: ["RTX 4090", "RTX 5090"] }),
    "No machine on offer has a GPU called RTX 9090. Closest: RTX 4090, RTX 5090.",
  );
  assert.equal(describeUnknownGpu({ name: "foo", closest: [] }), "No machine on offer has a GPU called foo.");
});
