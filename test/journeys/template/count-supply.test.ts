// How many machines match a template's filters, and why none does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSupply } from "../../../src/present/template/supply.ts";
import { countSupply } from "../../../src/services/template/count-supply.ts";
import { signedIn } from "../support.ts";

const ask = (condition: object) => ({ filters: { gpu_name: condition }, diskGb: 10 });

test("a name that no GPU has is named beside the closest ones, and the market is read once for that", async () => {
  const { offers, lines } = await signedIn();
  const market = () => lines.filter(({ path }) => path.startsWith("/api/v0/bundles")).length;
  const there = await countSupply(offers, ask({ eq: "RTX 4090" }));
  assert.ok(there.count > 0);
  assert.deepEqual([there.unknownGpus, offers.gpuNames], [[], undefined]);
  const before = market();
  const none = await countSupply(offers, ask({ eq: "4090" }));
  assert.deepEqual([none.count, none.unknownGpus[0]?.name, none.unknownGpus[0]?.closest[0]], [0, "4090", "RTX 4090"]);
  assert.match(describeSupply(none), /^No machines match right now\. No machine .* called 4090\. Closest: RTX 4090/);
  assert.equal(market(), before + 2);
  assert.ok(offers.gpuNames?.includes("RTX 4090"));
  await countSupply(offers, ask({ in: ["H100"] }));
  assert.equal(market(), before + 3);
});
