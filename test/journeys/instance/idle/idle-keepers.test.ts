// An instance that stops itself once it is idle: told over SSH, shown to look, told again of what is changed, and asked after a restart.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { InstanceId } from "../../../../src/domain/base/id.ts";
import type { IdleWish } from "../../../../src/domain/instance/idle-order.ts";
import { realClock } from "../../../../src/lib/clock.ts";
import { describeIdleWish } from "../../../../src/present/instance/idle-text.ts";
import { createIntent } from "../../../../src/services/launch/intent.ts";
import { newUserData, type Parts, planFor, removeUserData } from "../../editor-window.ts";
import { signInForRuns, skip } from "../../run-machine.ts";
import { cheapest, cleanUp, editorWindow, eventually } from "../../support.ts";

const SCRIPT = "/.cloud-gpu/idle/keeper.sh";

/** Seconds: no test waits for a minute, and what says how busy the GPUs are has long ended by then. */
const PACE = { every: 8, confirm: 8 };

/** What keeps idle timeouts on an instance of this service: others may have the same numbers. */
function findKeepers(id: InstanceId, service: string): readonly { readonly pid: number; readonly home: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const script = readFileSync(`/proc/${name}/cmdline`, "utf8")
        .split("\0")
        .find((one) => one.endsWith(SCRIPT));
      const env = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (script === undefined || !env.includes(`CONTAINER_ID=${id}`)) return [];
      if (!readFileSync(script, "utf8").includes(`${service}/`)) return [];
      return [{ pid: Number(name), home: script.slice(0, -SCRIPT.length) }];
    } catch {
      return [];
    }
  });
}

/** A window with a key of its own in the account, which rents an instance with this idle timeout. */
async function rented(idle: IdleWish, parts: Parts = {}) {
  const window = await signInForRuns({ idleRule: () => ({ minutes: 0, percent: 10 }), keeperPace: PACE, ...parts });
  await window.accountKeys.add(window.me(), window.mine);
  const outcome = await window.rent({ ...planFor(await cheapest(window)), idle }, createIntent());
  assert.ok(outcome.kind === "rented", JSON.stringify(outcome));
  const id = outcome.ids[0] as InstanceId;
  const beat = setInterval(() => void window.instances.collection.refresh(), 300).unref();
  const close = () => {
    clearInterval(beat);
    window.close();
  };
  cleanUp(() => clearInterval(beat));
  const guard = (by: Pick<typeof window, "idleOrders"> = window) => by.idleOrders.getWish({ id })?.guard;
  const keepers = () => findKeepers(id, window.service.url);
  const say = () => describeIdleWish(window.idleOrders.getWish({ id }), Date.now());
  const order = async (wish: IdleWish | undefined) => {
    await window.idleOrders.set(window.me(), id, wish);
    return await window.idleKeepers.update(window.me(), id);
  };
  const untilArmed = () => eventually(() => guard()?.kind === "armed", "it is armed");
  const instance = () => window.service.world.listInstances().find((one) => one.id === id);
  return { ...window, id, guard, keepers, say, order, untilArmed, instance, close };
}

/** A window of the same account and with the same key, on a computer that knows nothing of this one. */
async function openElsewhere({ userData }: Awaited<ReturnType<typeof rented>>, parts: Parts = {}) {
  const elsewhere = newUserData();
  cleanUp(() => removeUserData(elsewhere));
  await cp(join(userData.root, "ssh"), join(elsewhere.root, "ssh"), { recursive: true });
  const { keys, baseUrl, profiles } = userData;
  const idleRule = () => ({ minutes: 0, percent: 10 });
  const window = editorWindow({ ...elsewhere, keys, baseUrl, profiles }, { keeperPace: PACE, idleRule, ...parts });
  await window.session.restore();
  await window.instances.collection.refresh();
  return window;
}

const noProc = process.platform !== "linux" && "needs /proc";
const WISH = { minutes: 30, ending: "stop" } as const;

describe("an instance that stops itself once it is idle", { skip: skip || noProc }, () => {
  test("is told once it runs, is promised only once it has looked, and obeys changes", async () => {
    const window = await rented(WISH);
    await eventually(() => window.idleOrders.isOrdered(window.id), "it is ordered");
    assert.equal(window.say(), "stops after 30 min idle (if VS Code is open and signed in)");
    await window.untilArmed();
    assert.equal(window.say(), "stops itself after 30 min idle (checked 1 min ago)");
    const [keeper] = window.keepers();
    assert.ok(keeper && window.keepers().length === 1);
    const state = async () => await readFile(join(keeper.home, ".cloud-gpu/idle/state"), "utf8").catch(() => "");
    assert.match(await state(), /^idle-keeper 1 \d+-[0-9a-f]{20} \d+ \d+ \d+ \w+ yes 0 \.\n$/);
    assert.ok(window.instance()?.intended === "running");

    assert.equal(await window.order({ minutes: 45, ending: "destroy" }), "reached");
    assert.notEqual(window.guard()?.kind, "armed", "the new one hasn't looked yet");
    await eventually(() => window.keepers().length === 1 && window.keepers()[0]?.pid !== keeper.pid, "another one");
    await window.untilArmed();
    assert.equal(window.say(), "destroys itself after 45 min idle (checked 1 min ago)");
    const mayDestroy = async () => (await readFile(join(keeper.home, SCRIPT), "utf8")).includes("act=destroyed");

    assert.equal(await window.order({ ...WISH, orDestroy: true }), "reached");
    await window.untilArmed();
    assert.equal(window.say(), "stops itself after 30 min idle, or destroys itself if that fails (checked 1 min ago)");
    assert.equal(await mayDestroy(), true);
    assert.equal(await window.order(WISH), "reached");
    await window.untilArmed();
    assert.equal(window.say(), "stops itself after 30 min idle (checked 1 min ago)");
    assert.equal(await mayDestroy(), false, "it is taken back");

    assert.equal(await window.order(undefined), "reached");
    await eventually(() => window.keepers().length === 0, "it has ended");
    assert.equal(window.say(), undefined);
    assert.deepEqual([existsSync(join(keeper.home, SCRIPT)), await state()], [false, ""]);
    const key = window.service.world.getInstanceKey(window.instance() as never);
    const files = readdirSync(window.userData.root, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath, one.name), "utf8"));
    assert.ok(key.length > 30 && texts.length > 0 && !texts.some((text) => text.includes(key)));
    window.close();
  });

  test("that can't be reached may follow what was set before, and is told of the change once it can", async () => {
    const window = await rented(WISH);
    await window.untilArmed();
    window.sharedConnections.dispose();
    await rename(window.key, `${window.key}.away`);
    assert.equal(await window.order(undefined), "unreached");
    assert.equal(window.keepers().length, 1);
    assert.equal(window.say(), undefined, "nothing is promised");
    await rename(`${window.key}.away`, window.key);
    // Another window knows what is still to be done.
    window.close();
    const next = editorWindow(window.userData, { keeperPace: PACE });
    await next.session.restore();
    await next.instances.collection.refresh();
    await eventually(() => window.keepers().length === 0, "it has ended");
    next.close();
  });

  test("follows the order that was given last, on whichever computer", async () => {
    const window = await rented(WISH);
    await window.untilArmed();
    assert.equal(await window.order({ ...WISH, minutes: 40 }), "reached");
    const other = await openElsewhere(window);
    await other.idleOrders.set(other.me(), window.id, { ...WISH, minutes: 50 });
    await eventually(() => window.guard(other)?.kind === "armed", "it keeps the other computer's order");
    assert.equal(await window.order({ ...WISH, minutes: 45 }), "reached");
    await window.untilArmed();
    assert.equal(window.say(), "stops itself after 45 min idle (checked 1 min ago)");
    other.close();
    window.close();
  });

  test("of a computer whose clock is behind keeps the other one's order, and that is said", async () => {
    const window = await rented(WISH);
    await window.untilArmed();
    const behind = { ...realClock, now: () => realClock.now() - 3_600_000 };
    const other = await openElsewhere(window, { clock: behind });
    await other.idleOrders.set(other.me(), window.id, { ...WISH, minutes: 50 });
    const doubt = () => {
      const guard = window.guard(other);
      return guard?.kind === "unverified" && guard.doubt;
    };
    await eventually(() => doubt() === "other", "it is said");
    await other.idleOrders.set(other.me(), window.id, { ...WISH, minutes: 55 });
    assert.equal(await other.idleKeepers.update(other.me(), window.id), "other");
    assert.equal(window.say(), "stops itself after 30 min idle (checked 1 min ago)");
    other.close();
    window.close();
  });

  test("is asked again by a window that was just opened, and begun again where nothing keeps it any longer", async () => {
    const window = await rented(WISH);
    await window.untilArmed();
    window.close();
    for (const { pid } of window.keepers()) process.kill(pid, "SIGKILL");
    const next = editorWindow(window.userData, { keeperPace: PACE });
    await next.session.restore();
    await next.instances.collection.refresh();
    await eventually(() => next.idleOrders.isOrdered(window.id), "it is read");
    assert.notEqual(window.guard(next)?.kind, "armed", "what another window saw before says nothing of now");
    await eventually(() => window.keepers().length === 1, "it is begun again");
    await eventually(() => window.guard(next)?.kind === "armed", "it is armed again");
    next.close();
  });
});
