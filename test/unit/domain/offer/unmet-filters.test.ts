// What a chosen machine is known not to have of what a template asks, and what no one can say.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Filters } from "../../../../src/domain/offer/filter.ts";
import { formatCondition } from "../../../../src/domain/offer/filter-words.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import { listUnmet } from "../../../../src/domain/offer/unmet-filters.ts";
import { offerOf } from "../../support.ts";

const OFFER = offerOf({
  id: 7,
  gpu_name: "RTX 4090",
  num_gpus: 1,
  gpu_ram: 24_564,
  cpu_ram: 128_775,
  cuda_max_good: 12.2,
  verified: false,
  geolocation: "Sweden, SE",
  duration: 29.99 * 86_400,
  dph_total: 0.4,
});

describe("a machine lacks", () => {
  const cases: readonly [string, Filters, string, Partial<Offer>?][] = [
    ["a newer CUDA", { cuda_max_good: { gte: 12.4 } }, "≥ 12.4 but 12.2"],
    ["more GPUs", { num_gpus: { in: [2, 4] } }, "2, 4 but 1"],
    ["another card", { gpu_name: { in: ["H100_SXM", "A100"] } }, "H100_SXM, A100 but RTX 4090"],
    ["a verification", { verified: { eq: true } }, "verified only but unverified only"],
    ["another country", { geolocation: { in: ["NO", "FI"] } }, "NO, FI but SE"],
    ["memory", { gpu_ram: { gte: 40_000 } }, "≥ 40 GB but 24 GB"],
    ["less memory", { gpu_ram: { lt: 24_564 } }, "< 24 GB but 24 GB"],
    ["only the part that it misses", { gpu_ram: { gte: 40_000, lte: 90_000 } }, "≥ 40 GB but 24 GB"],
    ["a time", { duration: { gte: 60 * 86_400 } }, "≥ 60 days but 29 days"],
    ["not to be this one", { gpu_name: { neq: "rtx_4090" } }, "≠ rtx_4090 but RTX 4090"],
  ];
  for (const [name, filters, expected, other] of cases) {
    test(name, () => {
      const said = listUnmet(filters, { ...OFFER, ...other }).map(
        ({ field, condition, actual }) =>
          `${formatCondition(field, condition)} but ${formatCondition(field, { eq: actual })}`,
      );
      assert.deepEqual(said, [expected]);
    });
  }
});

describe("nobody says that a machine lacks", () => {
  const cases: readonly [string, Filters, Partial<Offer>?][] = [
    ["what it doesn't state", { made_up: { eq: 1 }, compute_cap: { gte: 800 } }],
    ["a number that the template writes as a text", { cuda_max_good: { gte: "12.4" }, num_gpus: { eq: "2" } }],
    ["a yes that the template writes as a text", { verified: { eq: "true" } }],
    ["one of several, of which some are texts", { num_gpus: { in: [2, "4"] } }],
    ["a card in other letters", { gpu_name: { eq: "rtx_4090" } }],
    ["one card of several in other letters", { gpu_name: { in: ["RTX_3090", "rtx 4090"] } }],
    ["a region where it states a country", { geolocation: { in: ["NO", "Europe"] } }],
    ["24 GB with 24,564 MB", { gpu_ram: { gte: 24_576 } }],
    ["24 GB with what 24 GB with ECC report", { gpu_ram: { gte: 24_000 } }, { gpu_ram: 23_028 }],
    ["126 GB with 128,775 MB", { cpu_ram: { gte: 129_024 } }],
    ["GB, where a service states them", { gpu_ram: { gte: 24_000 } }, { gpu_ram: 24 }],
    ["29 days with some minutes fewer", { duration: { gte: 29.995 * 86_400 } }],
    ["a price", { dph_total: { lte: 0.01 }, min_bid: { lte: 0.01 } }],
    ["what the template doesn't bound", { num_gpus: {} }],
  ];
  for (const [name, filters, other] of cases) {
    test(name, () => assert.deepEqual(listUnmet(filters, { ...OFFER, ...other }), []));
  }
});
