// A receipt: what a launch costs, what is sent and from where, and what nobody knows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import { buildReceipt, buildRentQuestion } from "../../../../src/present/launch/receipt.ts";
import { OFFER, offerOf, TEMPLATE } from "../../support.ts";

const PLAN: LaunchPlan = {
  offer: OFFER,
  type: "ondemand",
  template: TEMPLATE,
  image: undefined,
  runtype: undefined,
  diskGb: 20,
  label: "run",
  bid: undefined,
};

describe("a receipt", () => {
  const all = buildReceipt(PLAN, "vsc-aaaaaaaaaaaaaaaa run", 0);
  const sent = (name: string) => all.sent.find((line) => line.name === name);
  test("costs", () => {
    assert.deepEqual(
      all.costs.slice(0, 3).map((line) => line.value),
      ["$0.80/h", "$6.40", "$19.20"],
    );
    assert.equal(all.disk, "20 GB for $0.0042/h, included above, and also billed while stopped");
  });
  test("what will be sent, and from where; secrets masked", () => {
    assert.deepEqual([sent("image")?.value, sent("image")?.from], ["a/b:1", "template"]);
    assert.deepEqual([sent("disk")?.value, sent("disk")?.from], ["20", "this launch"]);
    assert.equal(sent("variable HF_TOKEN")?.value, "••••");
    assert.equal(sent("variable MODE")?.value, "fast");
    assert.equal(sent("unrecognized flags")?.value, "--gpus all");
    assert.doesNotMatch(JSON.stringify(all), /verysecret/);
  });
  test("what the offer does not say is listed as not known", () => {
    assert.ok(all.notKnown.some((line) => /traffic/i.test(line)));
    const bare = buildReceipt({ ...PLAN, offer: offerOf({ id: 7, dph_total: 1 }) }, "x", 0);
    assert.ok(bare.notKnown.some((line) => /disk price/.test(line)));
    assert.match(bare.disk, /^20 GB for \$\?\/h/);
    assert.ok(!bare.machine.some(({ name }) => name === "Rental length"));
  });
  test("no name that a template gives a variable or option writes a line of its own, or turns one around", () => {
    const env = [
      "-e 'A",
      "Cost",
      "  While running: $0.01/h",
      `  24 hours=$0.24' -v '/a`,
      `  Nothing is charged:/b' -e '\u202eB=1' -e '${"C".repeat(20_000)}=1'`,
    ].join("\n");
    const { sent: lines } = buildReceipt({ ...PLAN, template: { ...TEMPLATE, env } }, "x", 0);
    for (const { name } of lines) {
      assert.doesNotMatch(name, /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u, JSON.stringify(name.slice(0, 100)));
      assert.ok(name.length < 1000);
    }
  });
  test("the machine reads like a receipt", () => {
    const one = buildReceipt({ ...PLAN, offer: { ...OFFER, num_gpus: 1, duration: 83.9 * 86_400 } }, "x", 0).machine;
    assert.deepEqual(
      one.slice(0, 4).map(({ name, value }) => `${name}: ${value}`),
      [
        "1× RTX 4090: 24 GB VRAM",
        "Location: Sweden",
        "Reliability: 99.1%, verification unknown",
        "Rental length: up to 83 days",
      ],
    );
    assert.equal(all.machine[0]?.value, "24 GB VRAM each");
  });
  test("an interruptible one shows the bid and that it may stop", () => {
    const bid = buildReceipt({ ...PLAN, type: "bid", bid: 0.35 }, "x", 0);
    assert.deepEqual(
      bid.costs.slice(0, 2).map((line) => line.value),
      ["$0.35/h (minimum $0.31/h)", "$0.354/h"],
    );
    assert.equal(bid.sent.find((line) => line.name === "price")?.value, "0.35");
    assert.ok(bid.notKnown.some((line) => /bids more/.test(line)));
  });
  test("the question names machine, price, day and disk", () => {
    const { message, detail } = buildRentQuestion(PLAN, { sandbox: false, withoutTracking: false, now: 0 });
    assert.equal(message, "Rent 2× RTX 4090 for $0.80/h?");
    assert.match(detail, /\$19\.20 per day with 20 GB of disk.*You pay from now until you destroy the instance/s);
    assert.doesNotMatch(detail, /Account/);
    const terms = { sandbox: false, payer: "work", withoutTracking: false, now: 0 };
    assert.match(buildRentQuestion(PLAN, terms).detail, /^Account: work$/m, "where there are several");
  });
});
