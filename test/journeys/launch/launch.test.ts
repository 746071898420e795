// Renting over real HTTP: one request for one confirmation, lost answers found again, dead hosts told, lists kept.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withoutLaunchToken } from "../../../src/domain/instance/instance.ts";
import { anySearch, listRelaxations } from "../../../src/domain/offer/offer-search.ts";
import { stored } from "../../../src/ids.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { findReplacement } from "../../../src/services/launch/replacement.ts";
import { waitUntilRunning } from "../../../src/services/launch/wait-until-running.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, EMPTY_LIST, editorWindow, middleman, sandbox, signedIn, until } from "../support.ts";

describe("one confirmation", () => {
  test("rents one machine, shows it at once with its price, and sees it run", async () => {
    const window = await signedIn();
    const offer = await cheapest(window);
    window.service.world.setFate(offer.id, "runs");
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.equal(outcome.kind, "rented");
    if (window.instances.rows.length === 0) await window.instances.collection.refresh();
    const [row] = window.instances.rows;
    assert.ok(row && outcome.kind === "rented");
    assert.equal(row.value.id, outcome.ids[0]);
    assert.equal(row.launchPrice, offer.dph_total);
    assert.equal(withoutLaunchToken(row.value.label), "first run");
    assert.equal(window.userData.notes.size, 2, "its price, and its id");
    const polling = setInterval(() => void window.instances.collection.refresh(), 100);
    assert.equal(
      await waitUntilRunning(window, window.me(), row.value.id, () => {}).finally(() => clearInterval(polling)),
      "running",
    );
    assert.equal(window.creates().length, 1);
    assert.equal(await window.destroy(row.value.id), true);
    const kept = [...window.userData.notes.keys()];
    assert.deepEqual(kept, [stored.pastRentals(window.me().profile)], "nothing but what Launch Similar Instance needs");
    assert.equal(window.service.world.listInstances().length, 0);
  });

  test("a second click with the same intent is refused", async () => {
    const window = await signedIn();
    const [offer, intent] = [await cheapest(window), createIntent()];
    const both = await Promise.allSettled([window.rent(planFor(offer), intent), window.rent(planFor(offer), intent)]);
    assert.deepEqual(both.map((one) => one.status).sort(), ["fulfilled", "rejected"]);
    assert.equal(window.creates().length, 1);
  });

  for (const fault of ["create-lost", "create-502"] as const) {
    test(`an answer lost (${fault}) is found again by its label; nothing is sent twice`, async () => {
      const window = await signedIn({ faults: [fault] });
      const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
      assert.equal(outcome.kind, "rented");
      assert.equal(window.creates().length, 1);
      assert.deepEqual(
        outcome.kind === "rented" && outcome.ids,
        window.service.world.listInstances().map(({ id }) => id),
      );
    });
  }

  test("an answer lost is found again also where this computer's clock is two days ahead", async () => {
    const ahead: Clock = { ...realClock, now: () => Date.now() + 2 * 86_400_000 };
    const window = await signedIn({ faults: ["create-lost"] }, { clock: ahead });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.equal(outcome.kind, "rented");
    assert.equal(window.creates().length, 1);
  });

  test("an offer that is gone is told, nothing is rented, and it is not suggested again", async () => {
    const window = await signedIn();
    const offer = await cheapest(window);
    window.service.world.setFate(offer.id, "gone");
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "not-rented");
    assert.equal(outcome.error.kind, "gone");
    assert.ok(window.launches.tried.has(offer.id));
    assert.equal(window.service.world.listInstances().length, 0);
  });

  test("a price above the one confirmed stops it before anything is sent", async () => {
    const window = await signedIn();
    const offer = await cheapest(window);
    const outcome = await window.rent(planFor({ ...offer, dph_total: (offer.dph_total ?? 1) / 2 }), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.match(outcome.error.message, /price changed from/);
    assert.equal(window.creates().length, 0);
  });

  test("a bid below the minimum by now stops it before anything is sent", async () => {
    const window = await signedIn();
    const { offers } = await window.offers.search({ ...anySearch, type: "bid" });
    const offer = offers.find(({ min_bid }) => (min_bid ?? 0) > 0.02);
    assert.ok(offer?.min_bid !== undefined);
    const reviewed = { ...offer, min_bid: offer.min_bid / 3 };
    const outcome = await window.rent({ ...planFor(reviewed), type: "bid", bid: reviewed.min_bid }, createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.match(outcome.error.message, /changed since you reviewed it: minimum bid \$0\.\d+\/h\. Nothing was rented/);
    assert.equal(window.creates().length, 0);
  });

  test("an interruptible launch sends its bid, an on-demand one asks to fail fast and sends none", async () => {
    const window = await signedIn();
    const { offers } = await window.offers.search({ ...anySearch, type: "bid" });
    const offer = offers[0];
    assert.ok(offer?.min_bid !== undefined);
    await window.rent({ ...planFor(offer), type: "bid", bid: offer.min_bid * 2 }, createIntent());
    await window.rent(planFor(await cheapest(window, 3)), createIntent());
    const [bid, fixed] = window.creates().map((line) => line.body as Record<string, unknown>);
    assert.deepEqual([bid?.price, bid?.cancel_unavail], [offer.min_bid * 2, undefined]);
    assert.deepEqual([fixed?.price, fixed?.cancel_unavail], [undefined, true]);
  });
});

for (const fate of ["exited", "offline", "unknown"] as const) {
  test(`a host that turns ${fate} while we wait is dead`, async () => {
    const window = await signedIn();
    const offer = await cheapest(window);
    window.service.world.setFate(offer.id, fate);
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    const polling = setInterval(() => void window.instances.collection.refresh(), 100);
    assert.equal(
      await waitUntilRunning(window, window.me(), outcome.ids[0], () => {}).finally(() => clearInterval(polling)),
      "dead",
    );
    assert.equal(window.service.world.listInstances().length, 1, "it is not destroyed by itself");
  });
}

test("a list that leaves a machine out does not end the wait for it; the service's word on the machine does", async () => {
  const service = await sandbox({ speed: 1 });
  let lags = false;
  const url = await middleman(service.url, (path, status, text) =>
    lags && path.startsWith("/api/v1/instances/")
      ? {
          status: 200,
          text: EMPTY_LIST,
        }
      : { status, text },
  );
  const window = editorWindow();
  await window.session.signIn(url, service.apiKey);
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  const [id] = outcome.ids;
  lags = true;
  let end: string | undefined;
  const waiting = waitUntilRunning(window, window.me(), id, () => {}).then((how) => {
    end = how;
  });
  await window.instances.collection.refresh();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(end, undefined, "it is there");
  service.world.destroy(id);
  await window.instances.collection.refresh();
  await waiting;
  assert.equal(end, "gone");
});

test("who waits for a rental and leaves the account is not told that it is gone", async () => {
  const window = await signedIn({ speed: 1 });
  const other = await sandbox({ seed: 9 });
  const account = window.me();
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  const waiting = waitUntilRunning(window, account, outcome.ids[0], () => {});
  await window.session.signIn(other.url, other.apiKey);
  assert.equal(await waiting, "signed-out");
  assert.equal(await waitUntilRunning(window, account, outcome.ids[0], () => {}), "signed-out", "also who comes late");
});

test("leaving the wait leaves the rental", async () => {
  const window = await signedIn({ speed: 1 });
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  const abort = new AbortController();
  const waiting = waitUntilRunning(window, window.me(), outcome.ids[0], () => {}, abort.signal);
  abort.abort();
  await assert.rejects(waiting, /instance is still rented/);
  assert.equal(window.service.world.listInstances().length, 1);
});

describe("an empty search", () => {
  test("says which filter to loosen; the counts are those the service then gives", async () => {
    const window = await signedIn();
    const search = {
      ...anySearch,
      filters: { verified: { eq: true }, gpu_name: { in: ["H200"] }, dph_total: { lte: 0.2 } },
    };
    assert.equal((await window.offers.search(search)).offers.length, 0);
    const ways = listRelaxations(search.filters, await window.offers.readMarket(search));
    assert.ok(ways.length >= 3);
    for (const { field, condition, count } of ways) {
      const { [field as "verified"]: _, ...rest } = search.filters;
      const loosened = { ...search, filters: condition ? { ...rest, [field]: condition } : rest };
      assert.equal(
        (await window.offers.search(loosened)).offers.length,
        count,
        `${field} ${JSON.stringify(condition)}`,
      );
    }
  });
});

test("while the service is away the rows stay, with their age; when it is back they live again", async () => {
  const window = await signedIn();
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "rented");
  await window.instances.collection.refresh();
  const { store } = window.instances.collection;
  const before = getLast(store.current);
  await window.service.stop();
  const looked = new Emitter<void>();
  const refresher = new Refresher({
    id: "list",
    scheduler: window.scheduler,
    collection: window.instances.collection,
    session: window.session,
    attention: { visible: () => true, onDidChange: looked.event },
    unsettled: () => false,
    rhythm: { fast: () => 200, slow: () => 200 },
  });
  try {
    await refresher.refreshNow();
    assert.equal(store.current.state, "failed");
    assert.deepEqual(getLast(store.current), before);
    await sandbox({ world: window.service.world, port: window.service.port });
    await until(store, (now) => now.state === "ready");
    assert.equal(window.instances.rows.length, 1);
  } finally {
    refresher.dispose();
  }
});

test("nothing is asked while nobody looks and nothing moves; looking asks at once", async () => {
  const lines: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void lines.push(line) });
  const window = editorWindow();
  let visible = false;
  const looked = new Emitter<void>();
  const refresher = new Refresher({
    id: "list",
    scheduler: window.scheduler,
    collection: window.instances.collection,
    session: window.session,
    attention: { visible: () => visible, onDidChange: looked.event },
    unsettled: () => window.instances.unsettled,
    rhythm: { fast: () => 50, slow: () => 50 },
  });
  await window.session.signIn(service.url, service.apiKey);
  const lists = () => lines.filter((line) => line.path === "/api/v1/instances/").length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(lists(), 0);
  visible = true;
  looked.fire();
  await until(window.instances.collection.store, (now) => now.state === "ready");
  assert.ok(lists() > 0);
  refresher.dispose();
});

test("an incomplete listing takes no row away and never says that nothing is rented", async () => {
  const service = await sandbox();
  let lagging = false;
  const url = await middleman(service.url, (path, status, text) =>
    lagging && path.startsWith("/api/v1/instances/")
      ? { status: 200, text: '{"success":true,"instances_found":1,"instances":[],"next_token":null}' }
      : { status, text },
  );
  const window = editorWindow();
  await window.session.signIn(url, service.apiKey);
  const { offers } = await window.offers.search(anySearch);
  assert.ok(offers[0]);
  const outcome = await window.rent(planFor(offers[0]), createIntent());
  assert.equal(outcome.kind, "rented");
  await window.instances.collection.refresh();
  lagging = true;
  await window.instances.collection.refresh();
  assert.equal(window.instances.rows.length, 1);
  assert.equal(getLast(window.instances.collection.store.current)?.value.complete, false);
  lagging = false;
  await window.instances.collection.refresh();
  assert.equal(getLast(window.instances.collection.store.current)?.value.complete, true);
});

test("a replacement is of the same kind, untried, on another host, and a bid rises to what it asks", async () => {
  const window = await signedIn();
  const { offers } = await window.offers.search(anySearch);
  const dead = offers.find(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  assert.ok(dead);
  window.launches.tried.add(dead.id);
  const found = { plan: planFor(dead), search: { ...anySearch, sort: "reliability" as const } };
  const next = await findReplacement(window.offers, window.launches.tried, found);
  assert.ok(next && next.offer.id !== dead.id && next.offer.machine_id !== dead.machine_id);
  assert.deepEqual([next.offer.gpu_name, next.offer.num_gpus], ["RTX 3090", 1]);
  const cheapestOther = offers.filter(
    (offer) => offer.gpu_name === "RTX 3090" && offer.num_gpus === 1 && offer.machine_id !== dead.machine_id,
  )[0];
  assert.equal(next.offer.id, cheapestOther?.id);
  const bid = await findReplacement(window.offers, window.launches.tried, {
    plan: { ...planFor(dead), type: "bid", bid: 0.001 },
    search: { ...anySearch, type: "bid" },
  });
  assert.ok(bid?.bid !== undefined && bid.bid >= (bid.offer.min_bid ?? Number.POSITIVE_INFINITY));
  for (const offer of offers) window.launches.tried.add(offer.id);
  assert.equal(await findReplacement(window.offers, window.launches.tried, found), undefined);
});

test("leaving the wait before it began leaves it at once", async () => {
  const window = await signedIn({ speed: 1 });
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  await assert.rejects(
    waitUntilRunning(window, window.me(), outcome.ids[0], () => {}, AbortSignal.abort()),
    /instance is still rented/,
  );
});

test("what was noted for an account goes when it is forgotten, and only that", async () => {
  const window = await signedIn();
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "rented");
  window.userData.notes.set("price other 1", 1);
  window.instances.forget(window.session.requireSignedIn());
  const left = [...window.userData.notes.keys()].map((key) => key.split(" ")[0]);
  assert.deepEqual(left.sort(), ["price", "tracked"], "the id stays: it may be billed when its owner comes back");
  assert.ok(window.userData.notes.has("price other 1"));
});
