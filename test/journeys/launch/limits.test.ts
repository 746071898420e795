// The person's limits are checked against a listing read for the purpose, whatever view was ever opened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { calculatePlanPrice } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { fastClock, planFor } from "../editor-window.ts";
import { cheapest, EMPTY_LIST, editorWindow, eventually, middleman, sandbox, signedIn } from "../support.ts";

const names = (limit: string) => (error: unknown) => error instanceof AppError && error.facts.limit === limit;

describe("a limit counts", () => {
  test("what is rented although no view was ever opened, before the question and before the request", async () => {
    const window = await signedIn();
    await window.rent(planFor(await cheapest(window)), createIntent());
    const fresh = editorWindow(window.userData, { limits: { instances: 1 } });
    await fresh.session.restore();
    assert.deepEqual(fresh.instances.rows, [], "nothing was read");
    const plan = planFor(await cheapest(fresh, 3));
    await assert.rejects(fresh.launches.mayRent(fresh.me(), plan), names("instances"));
    const outcome = await fresh.rent(plan, createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven && names("instances")(outcome.error));
    assert.equal(window.service.world.listInstances().length, 1);
  });

  test("what another window rented a moment ago, not what this window's rows still say", async () => {
    const limits: { totalPerHour?: number } = {};
    const window = await signedIn({}, { limits });
    await window.instances.collection.refresh();
    const other = editorWindow(window.userData);
    await other.session.restore();
    const { offers } = await other.offers.search(anySearch);
    const dear = offers.find(({ dph_total = 0 }) => dph_total > 0.4);
    assert.ok(dear);
    window.service.world.setFate(dear.id, "runs");
    const outcome = await other.rent(planFor(dear), createIntent());
    assert.ok(outcome.kind === "rented", JSON.stringify(outcome));
    assert.equal(window.instances.rows.length, 0, "this window's rows are old");
    limits.totalPerHour = dear.dph_total ?? 0;
    await assert.rejects(
      window.launches.mayRent(window.me(), planFor(await cheapest(window, 5))),
      names("totalPerHour"),
    );
  });

  test("a rental that the list does not show yet", async () => {
    const service = await sandbox();
    let lagging = false;
    const url = await middleman(service.url, (path, status, text) =>
      lagging && path.startsWith("/api/v1/instances/")
        ? {
            status: 200,
            text: EMPTY_LIST,
          }
        : { status, text },
    );
    const window = editorWindow(undefined, { limits: { instances: 1 } });
    await window.session.signIn(url, service.apiKey);
    assert.equal((await window.rent(planFor(await cheapest(window)), createIntent())).kind, "rented");
    lagging = true;
    const plan = planFor(await cheapest(window, 3));
    await assert.rejects(window.launches.mayRent(window.me(), plan), names("instances"));
    const [held] = service.world.listInstances();
    assert.ok(held);
    service.world.destroy(held.id);
    await window.launches.mayRent(window.me(), plan);
  });

  test("a launch that was refused, until the service's lists show that it was", async () => {
    const window = await signedIn({ faults: ["403@createInstance"] }, { clock: fastClock, limits: { instances: 1 } });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && !outcome.proven);
    assert.equal(window.watch.atRisk.length, 1);
    window.service.faults.clear();
    const plan = planFor(await cheapest(window, 3));
    await assert.rejects(window.launches.mayRent(window.me(), plan), names("instances"));
    await eventually(() => window.watch.atRisk.length === 0, "it was made sure of");
    await window.launches.mayRent(window.me(), plan);
    assert.deepEqual(window.notices, [], "that nothing came of a refusal is not told");
  });

  test("what is tracked where the service has no list", async () => {
    const window = await signedIn({ onlyDocumented: true }, { limits: { instances: 1 } });
    const consent = { withoutTracking: true };
    assert.equal((await window.rent(planFor(await cheapest(window)), createIntent(), consent)).kind, "rented");
    const fresh = editorWindow(window.userData, { limits: { instances: 1 } });
    await fresh.session.restore();
    await assert.rejects(fresh.launches.mayRent(fresh.me(), planFor(await cheapest(fresh, 3))), names("instances"));
  });

  test("what another window is about to rent at this very moment", async () => {
    const limits = { instances: 1 };
    const one = await signedIn({}, { limits });
    const two = editorWindow(one.userData, { limits });
    await two.session.restore();
    const ends = await Promise.all([
      one.rent(planFor(await cheapest(one)), createIntent()),
      two.rent(planFor(await cheapest(two, 4)), createIntent()),
      one.rent(planFor(await cheapest(one, 7)), createIntent()),
    ]);
    assert.ok(one.service.world.listInstances().length <= 1);
    for (const end of ends)
      assert.ok(end.kind === "rented" || (end.kind === "not-rented" && end.proven && names("instances")(end.error)));
  });

  test("a refused launch where the service has no list, but not for ever", async () => {
    const faults = ["404-html@listInstances", "404-html@listInstancesV0", "403@createInstance"] as const;
    const clock: Clock = { ...fastClock, now: () => Date.now() + late };
    let late = 0;
    const window = await signedIn({ faults: [...faults] }, { clock, limits: { instances: 1 } });
    const consent = { withoutTracking: true };
    const first = await window.rent(planFor(await cheapest(window)), createIntent(), consent);
    assert.ok(first.kind === "not-rented" && !first.proven);
    window.service.faults.delete("403@createInstance");
    const plan = planFor(await cheapest(window, 3));
    await assert.rejects(window.launches.mayRent(window.me(), plan), names("instances"));
    late = 11 * 60_000;
    assert.equal((await window.rent(plan, createIntent(), consent)).kind, "rented");
  });

  test("what a machine may cost for a run, which only narrows the person's own limit", async () => {
    const limits: { pricePerHour?: number } = {};
    const window = await signedIn({}, { limits });
    const plan = planFor(await cheapest(window));
    const price = calculatePlanPrice(plan) ?? 0;
    const dear = { ...plan, mostPerHour: price - 0.001 };
    const ofRun = (error: unknown) =>
      error instanceof AppError && error.facts.limit === undefined && /above the run's limit of/.test(error.message);
    await assert.rejects(window.launches.mayRent(window.me(), dear), ofRun);
    const outcome = await window.rent(dear, createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven && ofRun(outcome.error));
    const find = await window.offerLimits.read(window.me());
    assert.match(find(dear)?.message ?? "", /^This costs .* above the run's limit of/, "it is marked in the list");
    await window.launches.mayRent(window.me(), { ...plan, mostPerHour: price });
    limits.pricePerHour = price - 0.001;
    await assert.rejects(window.launches.mayRent(window.me(), { ...plan, mostPerHour: 100 }), names("pricePerHour"));
    assert.deepEqual(window.service.world.listInstances(), []);
  });

  test("not the dead machine that is destroyed first", async () => {
    const window = await signedIn({}, { limits: { instances: 1 } });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "rented");
    await window.launches.mayRent(window.me(), planFor(await cheapest(window, 3)), outcome.ids[0]);
  });
});

test("a refusal that was a rental after all is taken back aloud, also in a window opened later", async () => {
  const window = await signedIn({ faults: ["403@createInstance"] }, { clock: fastClock });
  const offer = await cheapest(window);
  const outcome = await window.rent(planFor(offer), createIntent());
  assert.ok(outcome.kind === "not-rented" && !outcome.proven);
  window.service.faults.clear();
  const { createInstance } = await import("../../../src/sandbox/handlers/create-instance.ts");
  createInstance(window.service.world, offer.id, window.creates()[0]?.body);
  await window.watch.look();
  await eventually(() => window.notices.some(({ kind }) => kind === "late"), "it was told");
  const [record] = await window.journal.read();
  await eventually(async () => (await window.journal.read())[0]?.facts.has("told") ?? false, "that was noted");
  assert.equal(record?.ids.length, 1);
});

test("whoever found it and died before saying so: the next window tells", async () => {
  const window = await signedIn({ faults: ["403@createInstance"] }, { clock: fastClock });
  const offer = await cheapest(window);
  await window.rent(planFor(offer), createIntent());
  const { createInstance } = await import("../../../src/sandbox/handlers/create-instance.ts");
  createInstance(window.service.world, offer.id, window.creates()[0]?.body);
  const [held] = window.service.world.listInstances();
  const [record] = await window.journal.read();
  assert.ok(held && record);
  window.close();
  await window.journal.note(record.token, ["rented", held.id]);
  const next = editorWindow(window.userData, { clock: fastClock });
  await next.session.restore();
  await eventually(() => next.notices.some(({ kind }) => kind === "late"), "the next window told");
});
