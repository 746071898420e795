// What becomes of instances on the sandbox after their start: interface document section 3 and 1, and the extras that change them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { MarketOffer } from "../../../src/sandbox/market/market.ts";
import { assertRefused } from "../support/fields.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.sandbox.stop());

const image = "pytorch/pytorch:latest";
const put = (id: unknown, body: unknown) => bench.ask("PUT", `/api/v0/instances/${id}/`, { body });
const status = async (id: unknown) => (await bench.instance(id)).actual_status;

async function running(body: Json = {}, offer: MarketOffer = bench.freeOffer()): Promise<Json> {
  const made = await bench.created({ image, ...body }, offer);
  bench.clock.advance(120);
  const record = await bench.instance(made.id);
  assert.equal(record.actual_status, "running");
  return record;
}

describe("a world whose instances start fast", () => {
  test("they start, start again, and reboot in a tenth of the time; nothing else is faster", async () => {
    await bench.sandbox.stop();
    bench = await Bench.start({ bootSpeed: 10 });
    const { id } = await bench.created({ image }, bench.freeOffer());
    bench.clock.advance(12);
    const record = await bench.instance(id);
    assert.equal(record.actual_status, "running");
    assert.equal(record.start_date, bench.clock.now() - 12);
    await put(id, { state: "stopped" });
    bench.clock.advance(3);
    assert.equal(await status(id), "stopped");
    await put(id, { state: "running" });
    bench.clock.advance(1.5);
    assert.equal(await status(id), "running");
    await bench.ask("PUT", `/api/v0/instances/reboot/${id}/`);
    assert.equal(await status(id), "rebooting");
    bench.clock.advance(2);
    assert.equal(await status(id), "running");
  });
});

describe("extra: stop and start", () => {
  test("a stopped instance keeps its disk, costs only that, and starts again", async () => {
    const { id, storage_total_cost } = await running({ disk: 40 });
    assert.deepEqual((await put(id, { state: "stopped" })).body, { success: true });
    bench.clock.advance(10);
    const stopped = await bench.instance(id);
    assert.deepEqual(
      [stopped.actual_status, stopped.intended_status, stopped.cur_state],
      ["stopped", "stopped", "stopped"],
    );
    const rate = (await bench.ask("GET", "/api/v0/users/spend-rate/")).body;
    assert.deepEqual([rate.gpu_cost_per_hour, rate.container_storage_cost_per_hour], [0, storage_total_cost]);
    assert.deepEqual((await put(id, { state: "running" })).body, { success: true });
    assert.equal(await status(id), "loading");
    bench.clock.advance(20);
    assert.equal(await status(id), "running");
  });

  test("starting what runs and stopping what is stopped change nothing", async () => {
    const { id } = await running();
    assert.equal((await put(id, { state: "running" })).body.success, true);
    assert.equal(await status(id), "running");
    await put(id, { state: "stopped" });
    bench.clock.advance(10);
    assert.equal((await put(id, { state: "stopped" })).body.success, true);
    assert.equal(await status(id), "stopped");
  });

  test("a GPU that is rented meanwhile queues the start; it starts by itself when it is free", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    const { id } = await running({}, offer);
    await put(id, { state: "stopped" });
    bench.clock.advance(10);
    world.rentAway(offer.id);
    const { status: code, body } = await put(id, { state: "running" });
    assert.deepEqual([code, body.success, body.error], [200, false, "resources_unavailable"]);
    const waiting = await bench.instance(id);
    assert.deepEqual([waiting.intended_status, waiting.cur_state], ["running", "stopped"]);
    world.giveBack(offer.id);
    await bench.instance(id);
    bench.clock.advance(20);
    assert.equal(await status(id), "running");
  });

  test("a queued start begins when the GPU is free, not when somebody looks", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    const { id, dph_base, storage_total_cost } = await running({}, offer);
    await put(id, { state: "stopped" });
    bench.clock.advance(10);
    world.rentAway(offer.id, world.getNow() + 600);
    await put(id, { state: "running" });
    const before = world.calculateCredit();
    bench.clock.advance(3600);
    const expected = ((dph_base as number) * (3600 - 600 - 15)) / 3600 + (storage_total_cost as number);
    assert.ok(Math.abs(before - world.calculateCredit() - expected) < 1e-5);
  });

  for (const fate of ["exited", "offline", "unknown"] as const)
    test(`3 rule 1: ${fate} is never followed by running, whatever is asked`, async () => {
      const offer = bench.freeOffer();
      bench.sandbox.world.setFate(offer.id, fate);
      const { id } = await bench.created({ image }, offer);
      bench.clock.advance(120);
      bench.sandbox.world.setFate(offer.id, "runs");
      const asks = [
        () => put(id, { state: "running" }),
        () => bench.ask("PUT", `/api/v0/instances/reboot/${id}/`, { body: {} }),
        () => put(id, { state: "stopped" }),
        () => put(id, { state: "running" }),
      ];
      for (const ask of asks) {
        await ask();
        bench.clock.advance(200);
        assert.equal(await status(id), fate);
      }
    });

  test("3 rule 1: a start of a dead instance is refused and says what to do", async () => {
    const offer = bench.freeOffer();
    bench.sandbox.world.setFate(offer.id, "exited");
    const { id } = await bench.created({ image }, offer);
    bench.clock.advance(120);
    const answer = await put(id, { state: "running" });
    assertRefused(answer, 400, /exited and never runs again\. Destroy it/);
    assert.equal(answer.body.error, "invalid_state");
  });

  test("3 rule 1: an instance created stopped can be started, and what then exits stays so", async () => {
    const offer = bench.freeOffer();
    bench.sandbox.world.setFate(offer.id, "exited");
    const { id } = await bench.created({ image, target_state: "stopped" }, offer);
    bench.clock.advance(120);
    assert.equal(await status(id), "stopped");
    assert.equal((await put(id, { state: "running" })).body.success, true);
    bench.clock.advance(60);
    assert.equal(await status(id), "exited");
    assert.equal((await put(id, { state: "running" })).status, 400);
  });

  test("without credit nothing starts", async () => {
    const { id } = await running();
    await put(id, { state: "stopped" });
    bench.clock.advance(5);
    bench.sandbox.world.account.credit = 0;
    const answer = await put(id, { state: "running" });
    assert.deepEqual([answer.status, answer.body.error], [400, "missing_billing"]);
  });

  for (const state of ["paused", "", 7, true, {}])
    test(`the state ${JSON.stringify(state)} is refused`, async () => {
      const { id } = await running();
      assertRefused(await put(id, { state }), 400, "Invalid target state");
    });

  for (const body of [{}, { state: null }, null, [], "x"])
    test(`the body ${JSON.stringify(body)} is refused`, async () => {
      const { id } = await bench.created({ image });
      assert.equal((await put(id, body)).status, 400);
    });

  test("an instance nobody has", async () => {
    for (const body of [{ state: "stopped" }, { label: "x" }]) {
      const answer = await put(12345, body);
      assert.deepEqual([answer.status, answer.body.error], [404, "no_such_instance"]);
    }
  });
});

describe("extra: label and reboot", () => {
  test("a label is changed, up to 1024 characters", async () => {
    const { id } = await bench.created({ image });
    for (const label of ["mine", "x".repeat(1024), "🚀".repeat(1024), "ünï 🚀"]) {
      assert.equal((await put(id, { label })).body.success, true);
      assert.equal((await bench.instance(id)).label, label);
    }
    const long = await put(id, { label: "x".repeat(1025) });
    assert.deepEqual([long.status, long.body.error], [400, "label_too_long"]);
    assertRefused(await put(id, { label: 7 }), 400, /label/);
  });

  test("a reboot takes a while; what does not run is not rebooted", async () => {
    const reboot = (id: unknown) => bench.ask("PUT", `/api/v0/instances/reboot/${id}/`, { body: {} });
    const { id } = await running();
    assert.deepEqual((await reboot(id)).body, { success: true });
    assert.equal(await status(id), "rebooting");
    const again = await reboot(id);
    assert.deepEqual([again.status, again.body.success, again.body.error], [200, false, "invalid_id"]);
    bench.clock.advance(25);
    assert.equal(await status(id), "running");
    assert.equal((await reboot(999)).status, 404);
  });
});

describe("1 interruptible instances", () => {
  const bid = (id: unknown, price: unknown) =>
    bench.ask("PUT", `/api/v0/instances/bid_price/${id}/`, { body: { price } });

  test("1 a market that rises stops a lower bid, and resumes it when it falls", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    const price = (offer.minBid ?? 0) * 1.2;
    const { id, dph_base } = await running({ price }, offer);
    world.bids.fix(offer, price * 2, world.getNow() + 60);
    world.bids.fix(offer, price / 2, world.getNow() + 660);
    bench.clock.advance(61);
    const out = await bench.instance(id);
    assert.deepEqual([out.actual_status, out.intended_status, out.cur_state], ["stopped", "running", "stopped"]);
    assert.match(out.status_msg as string, /Outbid/);
    assert.equal(out.min_bid, price * 2);
    bench.clock.advance(620);
    assert.equal((await bench.instance(id)).actual_status, "running");
    assert.equal(dph_base, price);
  });

  test("1 the bill leaves out the time it was outbid, however late somebody looks", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    const price = (offer.minBid ?? 0) * 1.2;
    const { storage_total_cost } = await running({ price }, offer);
    const before = world.calculateCredit();
    world.bids.fix(offer, price * 2, world.getNow() + 600);
    world.bids.fix(offer, price / 2, world.getNow() + 1200);
    bench.clock.advance(3600);
    // 15 s of the resumption are loading.
    const expected = (price * (3600 - 600 - 15)) / 3600 + (storage_total_cost as number);
    assert.ok(Math.abs(before - world.calculateCredit() - expected) < 1e-5);
  });

  test("1 the market moves by itself: within a day a bid at the least is outbid and resumed, one far above never", async () => {
    const offer = bench.freeOffer();
    const low = await running({ price: offer.minBid }, offer);
    const other = bench.freeOffer((one) => one.machine.id !== offer.machine.id);
    const high = await running({ price: (other.minBid ?? 0) * 3 }, other);
    const seen = new Map<unknown, Set<unknown>>([low.id, high.id].map((id) => [id, new Set()]));
    for (let minute = 0; minute < 24 * 60; minute += 2) {
      bench.clock.advance(120);
      for (const [id, words] of seen) words.add(await status(id));
    }
    assert.ok(seen.get(low.id)?.has("stopped") && seen.get(low.id)?.has("running"));
    assert.ok(!seen.get(high.id)?.has("stopped"));
  });

  test("a raised bid starts what waited, a lowered one stops what ran", async () => {
    const offer = bench.freeOffer();
    const { id } = await bench.created({ image, price: 0.001 }, offer);
    bench.clock.advance(60);
    assert.equal(await status(id), "stopped");
    assert.equal((await bid(id, 1)).body.success, true);
    bench.clock.advance(20);
    assert.equal(await status(id), "running");
    assert.equal((await bench.instance(id)).dph_base, 1);
    await bid(id, 0.001);
    assert.equal(await status(id), "stopped");
  });

  test("a bid on an on-demand contract is refused, and so are impossible prices", async () => {
    const { id } = await running();
    assertRefused(await bid(id, 1), 400, "Can't change price of on-demand contract.");
    const own = await bench.created({ image, price: 1 });
    for (const price of [0, -1, 0.0009, "1", {}, 1e6]) assertRefused(await bid(own.id, price), 400, /price/);
    assert.equal((await bid(12345, 1)).status, 404);
  });

  for (const price of [null, undefined])
    test(`a bid changed to ${price} becomes the one that wins now`, async () => {
      const offer = bench.freeOffer();
      const { id } = await bench.created({ image, price: 0.001 }, offer);
      bench.sandbox.world.bids.fix(offer, 0.25, bench.clock.now());
      assert.equal((await bid(id, price)).body.success, true);
      bench.clock.advance(20);
      const { actual_status, dph_base } = await bench.instance(id);
      assert.deepEqual([actual_status, dph_base], ["running", 0.25]);
    });

  test("1 an offer whose GPU an outbid instance waits for can be rented by others", async () => {
    const offer = bench.freeOffer();
    await bench.created({ image, price: 0.001 }, offer);
    assert.equal((await bench.offers({ id: { eq: offer.id } })).length, 1);
  });
});

test("extra: an old account still has the older list", async () => {
  const old = await Bench.start({ oldAccount: true });
  const { id } = await old.created({ image });
  const { status: code, body } = await old.ask("GET", "/api/v0/instances/");
  assert.deepEqual([code, body.instances_found, (body.instances as Json[])[0]?.id], [200, 1, id]);
  await old.sandbox.stop();
});
