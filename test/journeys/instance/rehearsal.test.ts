// Rehearsing in a sandbox: a machine that fails, someone who bids more, an hour that is skipped, and what a window sees of it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { getPhase, isDead } from "../../../src/domain/instance/instance.ts";
import { buildSelfStopScript } from "../../../src/domain/instance/self-stop.ts";
import { createManualClock } from "../../../src/sandbox/base/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { skip } from "../run-machine.ts";
import { eventually, signedIn } from "../support.ts";

/** A window in front of two instances of one kind that run. */
async function withTwo(kind: "ondemand" | "bid" = "ondemand") {
  const clock = createManualClock(Date.now() / 1000);
  const window = await signedIn({ clock });
  const { world, rehearsal } = window.service;
  const rent = () => {
    const offer = world.offers.find((one) => world.isRentable(one) && one.minBid !== null);
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    const price = kind === "bid" ? { price: (world.calculateBidPrice(offer) ?? 0) + 0.01 } : {};
    return createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", ...price });
  };
  const [one, other] = [rent(), rent()];
  clock.advance(300);
  const see = async (id: number) => {
    await window.instances.collection.refresh();
    const value = window.instances.find(InstanceId.parse(id))?.value;
    assert.ok(value);
    return value;
  };
  assert.equal(getPhase(await see(one.id)), "running");
  return { ...window, clock, world, rehearsal, one, other, see };
}

describe("in a sandbox", () => {
  for (const status of ["exited", "offline", "unknown"] as const)
    test(`an instance that fails as ${status} is dead for a window, and no other is`, async () => {
      const { rehearsal, one, other, see } = await withTwo();
      assert.equal(rehearsal.fail(one.id, status), true);
      const value = await see(one.id);
      assert.equal(value.actual_status, status);
      assert.ok(isDead(value));
      assert.notEqual(value.status_msg, "");
      assert.equal(getPhase(await see(other.id)), "running");
      assert.equal(rehearsal.fail(one.id, "exited"), false, "it has failed already");
      assert.equal(rehearsal.outbid(one.id), false);
    });

  test("what is stopped or isn't there doesn't fail", async () => {
    const { rehearsal, world, one } = await withTwo();
    world.stop(one);
    assert.equal(rehearsal.fail(one.id, "exited"), false);
    assert.equal(rehearsal.fail(1, "exited"), false);
    assert.equal(rehearsal.outbid(1), false);
  });

  test("an instance on its way up fails before it runs", async () => {
    const { rehearsal, world, one, see } = await withTwo();
    world.stop(one);
    world.start(one);
    assert.equal(getPhase(await see(one.id)), "starting");
    assert.equal(rehearsal.fail(one.id, "exited"), true);
    assert.ok(isDead(await see(one.id)));
  });

  test("an interruptible instance is outbid until its bid is raised, and a fixed price isn't", async () => {
    const { rehearsal, clock, one, other, see, alerts, actions, me } = await withTwo("bid");
    const told: string[] = [];
    alerts.onNotice(({ kind, instance }) => void told.push(`${kind} ${instance.id}`));
    assert.equal(rehearsal.outbid(one.id), true);
    const lost = await see(one.id);
    assert.equal(getPhase(lost), "scheduling");
    const least = lost.min_bid ?? 0;
    assert.ok(least > one.gpuPrice, `${least}`);
    assert.equal(getPhase(await see(other.id)), "running");
    assert.equal(rehearsal.outbid(one.id), false, "it has no GPU to lose");
    await see(one.id);
    await eventually(() => told.length > 0, "it is told");
    assert.deepEqual(told, [`outbid ${one.id}`]);
    await actions.changeBid(me(), InstanceId.parse(one.id), least);
    clock.advance(300);
    assert.equal(getPhase(await see(one.id)), "running");

    const fixed = await withTwo();
    assert.equal(fixed.rehearsal.outbid(fixed.one.id), false);
    assert.equal(getPhase(await fixed.see(fixed.one.id)), "running");
  });

  test("an hour that is skipped is billed, and everything was an hour longer ago", async () => {
    const { rehearsal, world, one, see } = await withTwo();
    const before = await see(one.id);
    const credit = world.calculateCredit();
    rehearsal.skip(3600);
    const after = await see(one.id);
    const rate = world.listInstances().reduce((sum, each) => sum + Number(world.toRecord(each).dph_total), 0);
    const charged = credit - world.calculateCredit();
    const volumes = world.volumes.calculateCost(world.getNow() - 3600, world.getNow());
    assert.ok(Math.abs(charged - rate - volumes) < 1e-6, `${charged} for ${rate} and ${volumes}`);
    assert.ok(Math.abs((before.start_date ?? 0) - (after.start_date ?? 0) - 3600) <= 1);
    assert.ok(world.readDate(after.start_date ?? 0) <= world.getNow());
    assert.equal(getPhase(after), "running");
  });

  test("an end that a machine keeps itself comes with the hours that are skipped, and not before", {
    skip,
  }, async () => {
    const { service } = await signedIn({ ssh: true });
    const { world, rehearsal } = service;
    const rent = (minutes: number) => {
      const offer = world.offers.find((one) => world.isRentable(one));
      assert.ok(offer);
      world.setFate(offer.id, "runs");
      const until = Date.now() + minutes * 60_000;
      const onstart = buildSelfStopScript({ base: service.url, until, ending: "destroy" });
      return createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", onstart });
    };
    const [soon, late] = [rent(30), rent(150)];
    await eventually(() => [soon, late].every(({ id }) => world.openPorts.has(id)), "both run");
    rehearsal.skip(3600);
    await eventually(() => world.findInstance(soon.id) === undefined, "the first ends itself");
    assert.ok(world.findInstance(late.id), "the other has an hour and a half to go");
    rehearsal.skip(3600);
    rehearsal.skip(3600);
    await eventually(() => world.findInstance(late.id) === undefined, "the other ends itself");
  });
});
