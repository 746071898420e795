// An idle timeout that is chosen before the instance is rented: it holds for what the launch comes to be, and for nothing else.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { createInstance } from "../../../../src/sandbox/handlers/create-instance.ts";
import { createIntent, formatLaunchLabel } from "../../../../src/services/launch/intent.ts";
import { planFor } from "../../editor-window.ts";
import { cheapest } from "../../support.ts";
import { MINUTE, withIdleWindows } from "./idle-windows.ts";

const OFF = { minutes: 0, percent: 10 };
const WISH = { minutes: 20, ending: "destroy" } as const;
const DAY = 1440 * MINUTE;

type Stage = Awaited<ReturnType<typeof withIdleWindows>>;

/** What the service has of a launch, without the window that sent it. */
function createLaunched({ service: { world } }: Stage, label: string): InstanceId {
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const { id } = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label });
  world.setGpuLoad(id, 0);
  return InstanceId.parse(id);
}

/** The files that begin with a name, in the folder of idle orders. */
const listFiles = ({ userData }: Stage, pattern: RegExp) =>
  readdirSync(join(userData.root, "idle-orders")).filter((name) => pattern.test(name));

describe("an idle timeout of a launch", () => {
  test("holds for what was rented, in all windows, and is carried out by one of them", async () => {
    const stage = await withIdleWindows({ rule: OFF });
    const { first, windows, during, passUntil, service, kinds, sent } = stage;
    const offer = await during(cheapest(first));
    service.world.setFate(offer.id, "runs");
    const outcome = await during(first.rent({ ...planFor(offer), idle: WISH }, createIntent()));
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    const [id] = outcome.ids;
    service.world.setGpuLoad(id, 0);
    const isSeen = () => windows.every(({ idleOrders }) => idleOrders.getWish({ id })?.minutes === 20);
    await passUntil(isSeen, "both windows show it");
    await passUntil(() => kinds().includes("ended done"), "it is carried out");
    assert.deepEqual([kinds(), sent], [["soon", "ended done"], ["DELETE"]]);
    assert.ok(service.world.listInstances().every((one) => one.id !== id));
  });

  test("is given by the next window where the one that launched died, and not to what was there before", async () => {
    const stage = await withIdleWindows({ rule: OFF, count: 1 });
    const { first, open, passUntil, id: other } = stage;
    const intent = createIntent();
    const label = formatLaunchLabel(intent, "night");
    const copied = createLaunched(stage, label);
    await first.idleOrders.setOfLaunch(first.me(), { token: intent.token, before: [other, copied] }, WISH);
    first.close();
    const id = createLaunched(stage, label);
    const later = await open("window-1");
    await passUntil(() => later.idleOrders.getWish({ id }) !== undefined, "it has its order");
    assert.deepEqual(
      [copied, other].map((one) => later.idleOrders.getWish({ id: one })),
      [undefined, undefined],
    );
  });

  test("gives way to what the person orders of the instance, and never comes back", async () => {
    const stage = await withIdleWindows({ rule: OFF });
    const { first, windows, passUntil, clock, pass } = stage;
    const intent = createIntent();
    await first.idleOrders.setOfLaunch(first.me(), { token: intent.token, before: [] }, WISH);
    const id = createLaunched(stage, formatLaunchLabel(intent, ""));
    const show = (minutes: number | undefined) => () =>
      windows.every(({ idleOrders }) => idleOrders.getWish({ id })?.minutes === minutes);
    await passUntil(show(20), "it has its order");
    await first.idleOrders.set(first.me(), id, undefined);
    await passUntil(show(undefined), "it is taken back");
    const now = clock.now();
    await first.idleJournal.tidy(now + 8 * DAY);
    first.idleOrders.wake();
    await pass(3);
    assert.ok(show(undefined)(), "tidying brings nothing back");
    assert.equal(listFiles(stage, /\.launch$/).length, 1);
    stage.sleepFor(31 * DAY);
    await first.idleOrders.setOfLaunch(first.me(), { token: createIntent().token, before: [] }, WISH);
    await first.idleJournal.tidy(clock.now());
    assert.equal(listFiles(stage, /\.launch$/).length, 1, "the old one is gone, and the new one stays");
    assert.deepEqual(listFiles(stage, /\.of-\d+$/), []);
  });

  test("that the disk refuses is no launch", async () => {
    const stage = await withIdleWindows({ rule: OFF, count: 1 });
    const { first, during, service, userData, kinds } = stage;
    const offer = await during(cheapest(first));
    const before = service.world.listInstances().length;
    // A file where the folder should be.
    const full = join(userData.root, "idle-orders");
    rmSync(full, { recursive: true, force: true });
    writeFileSync(full, "");
    const outcome = await during(first.rent({ ...planFor(offer), idle: WISH }, createIntent()));
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.equal(service.world.listInstances().length, before);
    assert.deepEqual(kinds(), []);
  });

  test("of another account is none of an instance with the same label", async () => {
    const stage = await withIdleWindows({ rule: OFF, count: 1 });
    const { first, pass, service } = stage;
    const intent = createIntent();
    await first.idleOrders.setOfLaunch(first.me(), { token: intent.token }, WISH);
    const [name = ""] = listFiles(stage, /\.launch$/);
    const path = join(stage.userData.root, "idle-orders", name);
    const written = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...written, origin: "http://127.0.0.1:9", account: "0".repeat(20), user: 1 }));
    const fresh = await stage.open("window-1");
    const id = createLaunched(stage, formatLaunchLabel(intent, ""));
    await pass(5);
    assert.equal(fresh.idleOrders.getWish({ id }), undefined);
    assert.equal(service.world.listInstances().length, 2);
  });
});
