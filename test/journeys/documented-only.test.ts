// A server with the thirteen documented operations alone is a supported server: what it lacks is known once, the rest works.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../src/domain/base/error.ts";
import { InstanceId } from "../../src/domain/base/id.ts";
import { getLast } from "../../src/services/core/loaded.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import { waitUntilRunning } from "../../src/services/launch/wait-until-running.ts";
import { planFor } from "./editor-window.ts";
import { cheapest, editorWindow, signedIn } from "./support.ts";

const WITHOUT = { withoutTracking: true };

async function documentedOnly(faults: readonly ("create-lost" | "reset-before@createInstance")[] = []) {
  return signedIn({ onlyDocumented: true, faults });
}

const rowIds = (window: { instances: { rows: readonly { value: { id: number } }[] } }) =>
  window.instances.rows.map(({ value }) => value.id);

describe("without a list of instances", () => {
  test("a launch needs the person's consent; with it, it is rented, shown and waited for", async () => {
    const window = await documentedOnly();
    const offer = await cheapest(window);
    window.service.world.setFate(offer.id, "runs");
    assert.equal((await window.launches.mayRent(window.me(), planFor(offer))).withoutTracking, true);
    const refused = await window.rent(planFor(offer), createIntent());
    assert.ok(refused.kind === "not-rented" && refused.proven && refused.error.kind === "unsupported");
    assert.equal(window.creates().length, 0);
    const outcome = await window.rent(planFor(offer), createIntent(), WITHOUT);
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    assert.deepEqual(rowIds(window), outcome.ids);
    const polling = setInterval(() => void window.instances.collection.refresh(), 100);
    assert.equal(
      await waitUntilRunning(window, window.me(), outcome.ids[0], () => {}).finally(() => clearInterval(polling)),
      "running",
    );
    const now = getLast(window.instances.collection.store.current)?.value;
    assert.equal(now?.listed, false);
  });

  test("rentals are still there after a reload, and the missing list is not asked for at every refresh", async () => {
    const window = await documentedOnly();
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), WITHOUT);
    assert.ok(outcome.kind === "rented");
    const reloaded = editorWindow(window.userData);
    await reloaded.session.restore();
    const before = window.lines.length;
    for (let turn = 0; turn < 5; turn += 1) await reloaded.instances.collection.refresh();
    assert.deepEqual(rowIds(reloaded), outcome.ids);
    const lists = window.lines.slice(before).filter(({ path }) => /^\/api\/v[01]\/instances\/$/.test(path));
    assert.deepEqual(
      lists.map(({ status }) => status),
      Array<number>(6).fill(404),
      "the paged list and the older one, in one refresh, until each is believed missing",
    );
    reloaded.session.retryMissingEndpoints();
    await reloaded.instances.collection.refresh();
    assert.equal(
      window.lines.filter(({ path }) => path === "/api/v1/instances/").length > 1,
      true,
      "a refresh by hand asks anew",
    );
  });

  test("another key of the same account finds them again; a key of another one does not", async () => {
    const window = await documentedOnly();
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), WITHOUT);
    assert.ok(outcome.kind === "rented");
    const [key] = [...window.userData.keys.values()];
    const renewed = "sandbox-renewed-key-0123456789";
    window.service.world.addKey(renewed, ["user_read", "instance_read"]);
    await window.session.signIn(window.service.url, renewed);
    assert.notEqual(window.userData.keys.get(window.service.url), key);
    await window.watch.reread();
    await window.watch.orphans;
    assert.deepEqual(rowIds(window), outcome.ids);
    const elsewhere = await documentedOnly();
    const other = editorWindow({ ...elsewhere.userData, folder: window.userData.folder });
    await other.session.restore();
    await other.watch.reread();
    await other.watch.orphans;
    assert.deepEqual(rowIds(other), []);
  });

  test("a lost answer stays unknown until the person says its id, which is compared, or that there is none", async () => {
    const window = await documentedOnly(["create-lost"]);
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), WITHOUT);
    assert.equal(outcome.kind, "unknown");
    const [record] = window.watch.atRisk;
    const [held] = window.service.world.listInstances();
    assert.ok(record && held);
    const other = await window.rent(planFor(await cheapest(window, 4)), createIntent(), WITHOUT);
    assert.equal(other.kind, "unknown");
    const wrong = window.service.world.listInstances()[1];
    assert.ok(wrong);
    await assert.rejects(
      window.verdicts.settleAs(window.me(), record, InstanceId.parse(wrong.id)),
      /doesn't contain the launch ID/,
    );
    await assert.rejects(window.verdicts.settleAs(window.me(), record, InstanceId.parse(12345)), /has no instance/);
    await window.verdicts.settleAs(window.me(), record, InstanceId.parse(held.id));
    assert.deepEqual(rowIds(window), [held.id]);
    const [left] = window.watch.atRisk;
    assert.ok(left && left.token !== record.token);
    await window.verdicts.dismiss(window.me(), left);
    assert.deepEqual(window.watch.atRisk, []);
    assert.equal(window.creates().length, 2);
  });

  test("another open launch of the same offer stops a new one", async () => {
    const window = await documentedOnly(["create-lost"]);
    const offer = await cheapest(window);
    assert.equal((await window.rent(planFor(offer), createIntent(), WITHOUT)).kind, "unknown");
    const second = await window.rent(planFor(offer), createIntent(), WITHOUT);
    assert.ok(second.kind === "not-rented" && second.proven);
    assert.match(second.error.message, /earlier launch of this offer/);
    assert.equal(window.creates().length, 1);
  });

  test("an instance is added by its id; one that is gone stays until it is forgotten", async () => {
    const window = await documentedOnly();
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), WITHOUT);
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    const [id] = outcome.ids;
    window.instances.untrack(id);
    await window.instances.collection.refresh();
    assert.deepEqual(rowIds(window), []);
    await assert.rejects(
      window.instances.track(InstanceId.parse(999)),
      (error) => error instanceof AppError && error.kind === "not-found",
    );
    assert.equal((await window.instances.track(id)).value.id, id);
    await window.instances.collection.refresh();
    assert.deepEqual(rowIds(window), [id]);
    window.service.world.destroy(id);
    await window.instances.collection.refresh();
    assert.equal(window.instances.find(id)?.gone, true);
    window.instances.untrack(id);
    await window.instances.collection.refresh();
    assert.deepEqual(rowIds(window), []);
  });

  test("destroying says that this service cannot, and the row stays", async () => {
    const window = await documentedOnly();
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), WITHOUT);
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    const row = window.instances.find(outcome.ids[0]);
    assert.ok(row);
    const [end] = await window.orders.carryOut(window.me(), "destroy", [row]);
    assert.equal(end?.outcome, "failed");
    assert.match(end?.reason ?? "", /doesn't support that/);
    await window.instances.collection.refresh();
    assert.deepEqual(rowIds(window), outcome.ids);
  });
});
