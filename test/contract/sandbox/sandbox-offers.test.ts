// Search offers on the sandbox, judged by the interface document's section 4.2.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anySearch, toOfferSearch } from "../../../src/domain/offer/offer-search.ts";
import { findOffers } from "../../../src/sandbox/handlers/offer-search.ts";
import { World } from "../../../src/sandbox/world/world.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
let all: Json[];
before(async () => {
  bench = await Bench.start();
  all = await bench.offers({});
});
after(() => bench.sandbox.stop());

const ids = (offers: readonly Json[]) => offers.map((offer) => offer.id as number).sort((a, b) => a - b);
const num = (offer: Json, field: string) => offer[field] as number;

describe("4.2 search offers: operators", () => {
  const cases: [string, Json, (offer: Json) => boolean][] = [
    ["eq on num_gpus", { num_gpus: { eq: 2 } }, (o) => o.num_gpus === 2],
    ["eq on gpu_name compares the whole name", { gpu_name: { eq: "RTX 3090" } }, (o) => o.gpu_name === "RTX 3090"],
    ["neq on gpu_name", { gpu_name: { neq: "RTX 4090" } }, (o) => o.gpu_name !== "RTX 4090"],
    ["lt on dph_total", { dph_total: { lt: 0.5 } }, (o) => num(o, "dph_total") < 0.5],
    ["lte on gpu_ram", { gpu_ram: { lte: 24564 } }, (o) => num(o, "gpu_ram") <= 24564],
    ["gt on gpu_ram", { gpu_ram: { gt: 24564 } }, (o) => num(o, "gpu_ram") > 24564],
    ["gte on gpu_ram", { gpu_ram: { gte: 24564 } }, (o) => num(o, "gpu_ram") >= 24564],
    ["gte on reliability", { reliability: { gte: 0.99 } }, (o) => num(o, "reliability") >= 0.99],
    [
      "in on gpu_name",
      { gpu_name: { in: ["RTX 4090", "L40S"] } },
      (o) => ["RTX 4090", "L40S"].includes(`${o.gpu_name}`),
    ],
    ["in with an empty list finds nothing", { gpu_name: { in: [] } }, () => false],
    ["notin on num_gpus", { num_gpus: { notin: [1, 2] } }, (o) => ![1, 2].includes(num(o, "num_gpus"))],
    ["eq on verified", { verified: { eq: true } }, (o) => o.verified === true],
    ["eq false on verified", { verified: { eq: false } }, (o) => o.verified === false],
    ["in on verified", { verified: { in: [true, false] } }, () => true],
    ["a range", { gpu_ram: { gte: 20000, lt: 30000 } }, (o) => num(o, "gpu_ram") >= 20000 && num(o, "gpu_ram") < 30000],
    ["cuda_max_good, for templates", { cuda_max_good: { gte: 12.8 } }, (o) => num(o, "cuda_max_good") >= 12.8],
    [
      "all filters hold together",
      { num_gpus: { eq: 1 }, verified: { eq: true } },
      (o) => o.num_gpus === 1 && o.verified === true,
    ],
    ["a place by its code", { geolocation: { in: ["SE", "NO"] } }, (o) => /, (SE|NO)$/.test(`${o.geolocation}`)],
    ["a number as text, as the public command line sends it", { num_gpus: { eq: "2" } }, (o) => o.num_gpus === 2],
    ["numbers as text in a list", { num_gpus: { in: ["2", "4"] } }, (o) => [2, 4].includes(num(o, "num_gpus"))],
    ["a fraction as text", { reliability: { gte: "0.99" } }, (o) => num(o, "reliability") >= 0.99],
    ["driver_version as an integer", { driver_version: { gte: 560035003 } }, (o) => num(o, "driver_vers") >= 560035003],
    [
      "driver_version as an integer in text",
      { driver_version: { lt: "560035003" } },
      (o) => num(o, "driver_vers") < 560035003,
    ],
    ["driver_version as it is shown", { driver_version: { eq: "565.77" } }, (o) => o.driver_version === "565.77"],
    [
      "driver_version has an order of numbers",
      { driver_version: { gt: "560.4" } },
      (o) => num(o, "driver_vers") > 560004000,
    ],
    ["null is not given", { gpu_ram: null, num_gpus: { eq: 1, gte: null } }, (o) => o.num_gpus === 1],
  ];
  for (const [name, filter, holds] of cases) {
    test(`4.2 search offers: ${name}`, async () => {
      const found = await bench.offers(filter);
      assert.deepEqual(ids(found), ids(all.filter(holds)));
      if (!name.includes("nothing")) assert.ok(found.length > 0, "an empty answer proves nothing");
    });
  }
});

describe("4.2 search offers: what is refused", () => {
  const cases: [string, unknown, RegExp][] = [
    ["an unknown field", { colour: { eq: 1 } }, /colour is not a valid search key/],
    ["a field name every object has", { constructor: { eq: 1 } }, /constructor/],
    ["an unknown operator", { gpu_ram: { like: 1 } }, /like.*gpu_ram/],
    ["in with a scalar", { gpu_name: { in: "RTX 4090" } }, /gpu_name\.in/],
    ["eq with a list", { gpu_name: { eq: ["RTX 4090"] } }, /gpu_name\.eq/],
    ["text for a number", { gpu_ram: { gte: "many" } }, /gpu_ram\.gte/],
    ["empty text for a number", { gpu_ram: { gte: "" } }, /gpu_ram\.gte/],
    ["a driver_version that is none", { driver_version: { gte: "new" } }, /driver_version\.gte/],
    ["a boolean as text", { verified: { eq: "yes" } }, /verified\.eq/],
    ["an order on a boolean", { verified: { gte: true } }, /gte.*verified/],
    ["a bare value", { num_gpus: 1 }, /num_gpus/],
    ["an unknown type", { type: "spot" }, /type/],
    ["a limit of 0", { limit: 0 }, /limit/],
    ["a limit as text", { limit: "10" }, /limit/],
    ["a body that is a list", [], /dict of conditions/],
    ["an order by an unknown field", { order: [["colour", "asc"]] }, /colour/],
    ["an order without direction", { order: ["dph_total"] }, /order/],
  ];
  for (const [name, body, says] of cases) {
    test(`4.2 search offers refuses ${name} with 400 and says so`, async () => {
      const answer = await bench.ask("POST", "/api/v0/bundles/", { body });
      assert.equal(answer.status, 400);
      assert.equal(answer.body.error, "invalid_request");
      assert.match(answer.body.msg as string, says);
    });
  }
});

test("2.1 every offer has the fields of the document, in its units", () => {
  for (const offer of all) {
    assert.ok(Number.isInteger(offer.id));
    assert.equal(typeof offer.gpu_name, "string");
    assert.ok(Number.isInteger(offer.num_gpus));
    assert.ok(num(offer, "dph_total") > 0 && num(offer, "dph_total") < 100);
    assert.ok(num(offer, "gpu_ram") > 5000, "MB of one GPU, not GB");
    assert.ok(num(offer, "reliability") > 0 && num(offer, "reliability") <= 1);
    for (const field of ["verified", "rentable"]) assert.equal(typeof offer[field], "boolean");
    assert.equal(typeof offer.cuda_max_good, "number");
  }
  assert.equal(new Set(ids(all)).size, all.length);
});

test("2.1 the market is large and mixed", () => {
  assert.ok(all.length >= 180 && all.length <= 280, `${all.length} offers`);
  assert.ok(new Set(all.map((offer) => offer.gpu_name)).size >= 25);
  assert.ok(all.every((offer) => !`${offer.gpu_name}`.includes("_")));
  const verified = all.filter((offer) => offer.verified).length / all.length;
  assert.ok(verified > 0.65 && verified < 0.9, `${verified}`);
});

test("4.2 type bid: prices start at the least bid, and only interruptible offers are found", async () => {
  const bids = await bench.offers({ type: "bid" });
  assert.ok(bids.length > 100 && bids.length < all.length);
  const price = new Map(all.map((offer) => [offer.id, num(offer, "dph_total")]));
  for (const offer of bids) {
    assert.equal(offer.is_bid, true);
    assert.ok(num(offer, "dph_total") < (price.get(offer.id) ?? 0));
    assert.ok(Math.abs(num(offer, "dph_total") - num(offer, "min_bid") - num(offer, "storage_total_cost")) < 1e-5);
  }
  assert.deepEqual(ids(await bench.offers({ type: "interruptible" })), ids(bids));
});

for (const [type, count] of [
  ["ondemand", undefined],
  ["on-demand", undefined],
  ["reserved", 0],
] as const) {
  test(`4.2 type ${type} is understood`, async () => {
    const found = await bench.offers({ type });
    assert.equal(found.length, count ?? all.length);
    assert.ok(found.every((offer) => offer.is_bid === false));
  });
}

test("4.2 limit cuts the list, order sorts it first", async () => {
  const cheapest = await bench.offers({ order: [["dph_total", "asc"]], limit: 5 });
  const prices = all.map((offer) => num(offer, "dph_total")).sort((a, b) => a - b);
  assert.deepEqual(
    cheapest.map((offer) => num(offer, "dph_total")),
    prices.slice(0, 5),
  );
  const [dearest] = await bench.offers({
    order: [
      ["num_gpus", "desc"],
      ["dph_total", "desc"],
    ],
    limit: 1,
  });
  const eights = all.filter((offer) => offer.num_gpus === 8).map((offer) => num(offer, "dph_total"));
  assert.equal(dearest?.dph_total, Math.max(...eights));
});

test("4.2 allocated_storage is part of the price and must fit the disk", async () => {
  const found = await bench.offers({ allocated_storage: 500 });
  assert.ok(found.length > 0 && found.length < all.length);
  const small = new Map(all.map((offer) => [offer.id, offer]));
  for (const offer of found) {
    assert.ok(num(offer, "disk_space") >= 500);
    const more = num(offer, "dph_total") - num(small.get(offer.id) ?? {}, "dph_total");
    assert.ok(Math.abs(more - (num(offer, "storage_cost") * 492) / 720) < 1e-5);
  }
});

test("4.2 what is rented is not listed, unless rentable is asked for by name", async () => {
  assert.ok(all.every((offer) => offer.rentable === true));
  const taken = await bench.offers({ rentable: { eq: false } });
  assert.ok(taken.length > 0 && taken.every((offer) => offer.rentable === false));
  const every = await bench.offers({ rentable: { eq: "any" } });
  assert.equal(every.length, all.length + taken.length);
});

test("2.1 what is cheapest runs whatever the seed, for every template, so that a first try goes well", () => {
  let failing = 0;
  for (let seed = 0; seed < 20; seed += 1) {
    const world = new World({ seed });
    const searches = [anySearch, ...world.templates.list().map(toOfferSearch)];
    assert.ok(searches.length > 10);
    for (const { filters, diskGb } of searches)
      for (const type of ["ondemand", "bid"]) {
        const body = { ...filters, type, allocated_storage: diskGb, order: [["dph_total", "asc"]] };
        const fates = findOffers(world, body).map(({ id }) => world.findOffer(Number(id))?.fate);
        assert.ok(fates.length > 0);
        assert.deepEqual(new Set(fates.slice(0, 6)), new Set(["runs"]), `seed ${seed}: ${JSON.stringify(body)}`);
        failing += fates.filter((fate) => fate !== "runs").length;
      }
  }
  assert.ok(failing > 100, "further down, some fail");
});

test("3 some hosts die and some offers are gone, but few", () => {
  const { offers } = bench.sandbox.world;
  for (const fate of ["exited", "offline", "unknown", "gone"]) {
    const share = offers.filter((offer) => offer.fate === fate).length / offers.length;
    assert.ok(share > 0 && share < 0.05, `${fate}: ${share}`);
  }
});

test("3 a market has as many offers as are asked for, each with an ID of its own, and begins with those of a smaller one", () => {
  const usual = new World({ seed: 4 }).offers;
  const large = new World({ seed: 4, offers: 10_000 }).offers;
  assert.equal(large.length, 10_000);
  assert.equal(new Set(large.map(({ id }) => id)).size, 10_000);
  const termsOf = (offers: typeof usual) =>
    offers.map(({ id, price, minBid, machine }) => [id, price, minBid, machine.id]);
  assert.deepEqual(termsOf(large).slice(0, usual.length), termsOf(usual));
  assert.deepEqual(termsOf(new World({ seed: 4, offers: 7 }).offers), termsOf(usual).slice(0, 7));
});
