// The person's own limits: what reaches one may pass, what exceeds one may not, and what is unknown counts as too much.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import { assertWithinLimits, type Limits, toLimitSetting } from "../../../../src/domain/launch/limits.ts";
import { OFFER } from "../../support.ts";

const PLAN: LaunchPlan = {
  offer: { ...OFFER, verified: true },
  type: "ondemand",
  template: undefined,
  image: "a/b",
  runtype: undefined,
  diskGb: 8,
  label: "",
  bid: undefined,
};

type Prices = readonly (number | undefined)[];

const planOf = (offer: Partial<LaunchPlan["offer"]>): LaunchPlan => ({ ...PLAN, offer: { ...PLAN.offer, ...offer } });

/** The sentence of the refusal and the limit it names, or undefined. */
function refusal(limits: Limits, offer: Partial<LaunchPlan["offer"]> = {}, prices: Prices = []): string | undefined {
  return refusalOf(limits, [planOf(offer)], prices);
}

function refusalOf(limits: Limits, plans: readonly LaunchPlan[], prices: Prices = []): string | undefined {
  try {
    assertWithinLimits(limits, plans, { prices });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError && error.kind === "rejected");
    assert.match(error.message, / Nothing was rented\.$/);
    return `${error.facts.limit}: ${error.message}`;
  }
}

test("no limit, no refusal: not even with everything unknown", () => {
  assert.equal(refusal({}, { reliability: -1 }), undefined);
  assert.equal(
    refusal({}, { dph_total: undefined, reliability: undefined, verified: undefined }, [undefined]),
    undefined,
  );
  assert.equal(refusal({ verifiedOnly: false }, { verified: false }), undefined);
});

test("one rental's price", () => {
  assert.equal(refusal({ pricePerHour: 0.8 }), undefined);
  assert.equal(refusal({ pricePerHour: 0.8 }, { dph_total: 0.8 + 1e-9 }), undefined, "a rounding error is no rise");
  assert.match(
    refusal({ pricePerHour: 0.79 }) ?? "",
    /^pricePerHour: .* costs \$0\.80\/h, above your limit of \$0\.79\/h/,
  );
  assert.match(
    refusal({ pricePerHour: 9 }, { dph_total: undefined }) ?? "",
    /^pricePerHour: The price is unknown\. Your limit per rental is \$9\.00\/h\./,
  );
});

describe("all rentals together", () => {
  test("count with the new one", () => {
    assert.equal(refusal({ totalPerHour: 1.5 }, {}, [0.3, 0.4]), undefined);
    assert.equal(refusal({ totalPerHour: 0.8 }), undefined);
    assert.equal(refusal({ totalPerHour: 0.8 }, { dph_total: 0.8 + 1e-9 }), undefined, "a rounding error is no rise");
    assert.match(refusal({ totalPerHour: 1.49 }, {}, [0.3, 0.4]) ?? "", /^totalPerHour: .* would cost \$1\.50\/h/);
  });

  test("an unknown price is too much, the new one's or another's", () => {
    const one = refusal({ totalPerHour: 9 }, {}, [0.3, undefined]);
    assert.match(one ?? "", /^totalPerHour: .* add up to \$1\.10\/h, but some prices are unknown/);
    assert.match(refusal({ totalPerHour: 9 }, { dph_total: undefined }, [0.3]) ?? "", /add up to \$0\.30\/h, but/);
  });
});

test("how many at a time, with the new one", () => {
  assert.equal(refusal({ instances: 3 }, {}, [undefined, 1]), undefined);
  assert.equal(refusal({ instances: 1 }), undefined);
  assert.match(
    refusal({ instances: 2 }, {}, [undefined, 1]) ?? "",
    /^instances: .* is 2\. Rented or possibly rented: 2\./,
  );
  assert.match(refusal({ instances: 0 }) ?? "", /^instances:/);
});

test("a host's reliability, unknown as none", () => {
  assert.equal(refusal({ reliability: 0.991 }), undefined);
  assert.match(refusal({ reliability: 0.995 }) ?? "", /^reliability: .* 99\.5%\. .*: 99\.1%/);
  assert.match(refusal({ reliability: 57 / 100 }, { reliability: 0.5 }) ?? "", /at least 57%/);
  assert.match(refusal({ reliability: 0.9 }, { reliability: undefined }) ?? "", /^reliability: .*: unknown/);
  assert.equal(refusal({ reliability: 0 }, { reliability: undefined }), undefined);
});

test("verified hosts only", () => {
  assert.equal(refusal({ verifiedOnly: true }), undefined);
  assert.match(refusal({ verifiedOnly: true }, { verified: false }) ?? "", /^verifiedOnly:/);
  assert.match(refusal({ verifiedOnly: true }, { verified: undefined }) ?? "", /^verifiedOnly:/);
  assert.match(
    refusal({ blockedMachines: [7, 8] }, { machine_id: 8 }) ?? "",
    /^blockedMachines: You blocked machine 8\./,
  );
  assert.match(
    refusal({ blockedHosts: [8] }, { machine_id: 8, host_id: 8 }) ?? "",
    /^blockedHosts: You blocked host 8\./,
  );
  assert.equal(refusal({ blockedMachines: [8], blockedHosts: [7] }, { machine_id: 7, host_id: 8 }), undefined);
  assert.equal(
    refusal({ blockedMachines: [8], blockedHosts: [7] }, { machine_id: undefined, host_id: undefined }),
    undefined,
  );
});

describe("several that are confirmed at once", () => {
  const two = [planOf({}), planOf({ dph_total: 0.4 })];

  test("are refused for what one of them exceeds", () => {
    assert.equal(refusalOf({ pricePerHour: 0.8, reliability: 0.99, verifiedOnly: true }, two), undefined);
    assert.match(refusalOf({ pricePerHour: 0.5 }, two) ?? "", /^pricePerHour: .* costs \$0\.80\/h/);
    assert.match(refusalOf({ pricePerHour: 0.5 }, [...two].reverse()) ?? "", /^pricePerHour: .* costs \$0\.80\/h/);
    const blocked = refusalOf({ blockedHosts: [8] }, [planOf({ host_id: 7 }), planOf({ host_id: 8 })]);
    assert.match(blocked ?? "", /^blockedHosts: You blocked host 8\./);
  });

  test("count together, with what is rented", () => {
    assert.equal(refusalOf({ instances: 3 }, two, [1]), undefined);
    assert.match(
      refusalOf({ instances: 3 }, two, [1, 1]) ?? "",
      /^instances: .* is 3\. Rented or possibly rented: 2\. This group would add 2\./,
    );
  });

  test("cost together, with what is rented; a rounding error is no rise", () => {
    assert.equal(refusalOf({ totalPerHour: 1.5 }, two, [0.3]), undefined);
    assert.equal(refusalOf({ totalPerHour: 1.2 }, [...two, planOf({ dph_total: 1e-10 })]), undefined);
    assert.match(
      refusalOf({ totalPerHour: 1.49 }, two, [0.3]) ?? "",
      /^totalPerHour: .* is \$1\.49\/h\. With this group, they would cost \$1\.50\/h/,
    );
    assert.equal(refusalOf({}, two, [99]), undefined);
  });

  test("an unknown price is too much, one of theirs or another's", () => {
    assert.match(
      refusalOf({ totalPerHour: 9 }, two, [0.3, undefined]) ?? "",
      /^totalPerHour: .* add up to \$1\.50\/h, but some prices are unknown/,
    );
    const unknown = planOf({ dph_total: undefined });
    assert.match(refusalOf({ totalPerHour: 9 }, [planOf({}), unknown]) ?? "", /add up to \$0\.80\/h, but/);
  });
});

describe("what a plan itself may cost at most", () => {
  const capped = (mostPerHour: number, offer: Partial<LaunchPlan["offer"]> = {}) => [{ ...planOf(offer), mostPerHour }];

  test("is no setting, and holds for one and for each of several", () => {
    assert.equal(refusalOf({}, capped(0.8)), undefined);
    assert.equal(refusalOf({}, capped(0.8, { dph_total: 0.8 + 1e-9 })), undefined, "a rounding error is no rise");
    for (const plans of [capped(0.79), [planOf({}), ...capped(0.79)]])
      assert.match(
        refusalOf({}, plans) ?? "",
        /^undefined: This costs \$0\.80\/h, above the run's limit of \$0\.79\/h\./,
      );
  });

  test("can't be kept where the price isn't known", () => {
    assert.match(
      refusalOf({}, capped(9, { dph_total: undefined })) ?? "",
      /^undefined: The price is unknown, so the run's limit of \$9\.00\/h/,
    );
  });

  test("is named by no setting", () => {
    assert.deepEqual(toLimitSetting({ limit: undefined, message: "" }), {});
    assert.deepEqual(toLimitSetting({ limit: "instances", message: "" }), { limit: "instances" });
  });
});

test("a volume that is created counts with its price, and one that is linked is billed anyway", () => {
  const volume = (create_new: boolean, volumePrice?: number): LaunchPlan => ({
    ...PLAN,
    volumePrice,
    configuration: {
      volume_info: { create_new, volume_id: 1, mount_path: "/data", ...(create_new ? { size: 9 } : {}) },
    },
  });
  const refused = (plan: LaunchPlan) => refusalOf({ pricePerHour: 0.85 }, [plan]);
  assert.equal(refused(volume(true, 0.05)), undefined);
  assert.match(refused(volume(true, 0.06)) ?? "", /^pricePerHour: /);
  assert.match(refused(volume(true)) ?? "", /^pricePerHour: /, "what it costs isn't known");
  assert.equal(refused(volume(false)), undefined);
});
