// The launch protocol step by step: what stops it before a byte leaves, what a window learns from another, what is told.
import assert from "node:assert/strict";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Limits } from "../../../src/domain/launch/limits.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { realClock, sleep } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { realDisk } from "../../../src/services/core/book/disk.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { LaunchJournal } from "../../../src/services/launch/launch-journal.ts";
import { findReplacement, isWithinPolicy } from "../../../src/services/launch/replacement.ts";
import { fastClock, planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, signedIn, until } from "../support.ts";

describe("before anything is sent", () => {
  const LIMITS: readonly (readonly [Limits, RegExp, string])[] = [
    [{ pricePerHour: 0.01 }, /^This costs .*, above your limit of \$0\.01\d*\/h per rental/, "pricePerHour"],
    [{ totalPerHour: 0.01 }, /limit for all rentals/, "totalPerHour"],
    [{ reliability: 0.9999 }, /host reliability of at least 99\.99%/, "reliability"],
  ];
  for (const [limits, says, name] of LIMITS) {
    test(`the limit ${name} refuses and is named`, async () => {
      const window = await signedIn({}, { limits });
      const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
      assert.ok(outcome.kind === "not-rented" && outcome.proven);
      assert.match(outcome.error.message, says);
      assert.equal(outcome.error.facts.limit, name);
      assert.equal(window.creates().length, 0);
    });
  }

  test("the number of rentals counts those whose end is not known", async () => {
    const window = await signedIn(
      { faults: ["reset-before@createInstance"] },
      // Its time to be searched for is real: it must not be over before the second launch.
      { limits: { instances: 1 }, clock: { ...fastClock, elapsed: realClock.elapsed } },
    );
    const first = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.equal(first.kind, "unknown");
    const second = await window.rent(planFor(await cheapest(window, 3)), createIntent());
    assert.ok(second.kind === "not-rented" && second.error.facts.limit === "instances", JSON.stringify(second));
    assert.equal(window.creates().length, 1);
  });

  test("a list with gaps, or none at all, stops it", async () => {
    for (const fault of ["truncated@listInstances", "500@listInstances", "null-body@listInstances"] as const) {
      const window = await signedIn({ faults: [fault] });
      const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
      assert.ok(outcome.kind === "not-rented" && outcome.proven, fault);
      assert.equal(window.creates().length, 0, fault);
    }
  });

  test("no durable claim, no launch: a folder that cannot be written, a disk that is full", async () => {
    const full = { ...realDisk, create: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) };
    const window = await signedIn({}, { disk: full });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.match(outcome.error.message, /couldn't save the launch \(ENOSPC\)/);
    assert.equal(window.creates().length, 0);
  });

  test("a claim that fails half way counts as not sent, and is not left open", async () => {
    let failing = true;
    const disk: typeof realDisk = {
      ...realDisk,
      create: async (path, text) => {
        if (!failing || !path.endsWith(".claimed")) return realDisk.create(path, text);
        failing = false;
        await writeFile(path, "");
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    };
    const window = await signedIn({}, { disk });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    await window.watch.reread();
    assert.deepEqual(window.watch.atRisk, []);
    assert.equal(window.creates().length, 0);
  });
});

describe("the journal", () => {
  test("is the person's own: folder 0700, files 0600, nothing secret inside", async (context) => {
    if (process.platform === "win32") return context.skip("no such modes");
    const window = await signedIn();
    await window.rent(planFor(await cheapest(window), "my own words"), createIntent());
    const names = await readdir(window.userData.folder);
    assert.ok(names.length >= 3);
    for (const name of names) {
      const path = join(window.userData.folder, name);
      assert.equal((await stat(path)).mode & 0o777, 0o600, name);
      const text = await realDisk.read(path);
      assert.ok(!text.includes(window.service.apiKey) && !text.includes("my own words"), name);
    }
  });

  test("files that are empty, damaged, from a newer version or somebody else's break nothing", async () => {
    const window = await signedIn();
    const { folder } = window.userData;
    const token = (letter: string) => `vsc-${letter.repeat(16)}`;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${token("a")}.prepared`), "");
    await writeFile(join(folder, `${token("b")}.prepared`), '{"version":2,"shape":"new"}');
    await writeFile(join(folder, `${token("b")}.claimed`), "");
    await writeFile(join(folder, `${token("c")}.prepared`), "\0\0{");
    await writeFile(join(folder, `${token("d")}.rented-9007199254740993`), "");
    await writeFile(join(folder, "README"), "hello");
    await writeFile(join(folder, "../escape.claimed"), "").catch(() => {});
    await window.watch.reread();
    // Claimed and unreadable: it counts, because it may have been sent.
    assert.deepEqual(
      window.watch.atRisk.map((record) => record.token),
      [token("b")],
    );
  });

  test("tidies away what is over and old, and nothing that is open", async () => {
    const window = await signedIn();
    const { folder } = window.userData;
    const journal = new LaunchJournal(folder);
    const prepared = (token: string, at: number) =>
      journal.prepare(token, {
        version: 1,
        origin: "o",
        account: "a",
        offer: 1 as never,
        machine: "m",
        at,
        tracked: true,
      });
    const [over, open, fresh] = ["a", "b", "c"].map((letter) => `vsc-${letter.repeat(16)}`) as [string, string, string];
    const now = Date.now();
    await prepared(over, now - 40 * 86_400_000);
    await journal.claim(over);
    await journal.note(over, ["rented", 7]);
    await prepared(open, now - 400 * 86_400_000);
    await journal.claim(open);
    await prepared(fresh, now);
    await journal.tidy(now);
    assert.deepEqual(
      (await journal.read()).map(({ token }) => token),
      [open, fresh],
    );
  });

  test("a folder that cannot be read is said, and nothing is launched", async () => {
    const locked = { ...realDisk, names: () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" })) };
    const window = await signedIn({}, { disk: locked });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.match(outcome.error.message, /couldn't save the launch \(EACCES\)/);
    assert.equal(window.creates().length, 0);
  });
});

describe("what another window or another day learns", () => {
  test("a window that was closed in the middle: the next one finds the rental and tells it", async () => {
    const window = await signedIn({ faults: ["create-lost", "500@listInstances"] }, { clock: fastClock });
    window.service.faults.delete("500@listInstances");
    const offer = await cheapest(window);
    const renting = window.rent(planFor(offer), createIntent());
    await eventually(() => window.creates().length === 1, "the request left");
    window.close();
    await renting.catch(() => {});
    const next = editorWindow(window.userData, { clock: fastClock });
    await next.session.restore();
    await eventually(() => next.watch.records.some((record) => record.ids.length > 0), "the rental was found");
    assert.deepEqual(
      next.watch.records[0]?.ids,
      window.service.world.listInstances().map(({ id }) => id),
    );
    assert.equal(window.creates().length, 1);
  });

  test("nothing found for long enough is said so; when it comes late, that is an alarm", async () => {
    const window = await signedIn({ faults: ["reset-before@createInstance"] }, { clock: fastClock });
    const offer = await cheapest(window);
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.equal(outcome.kind, "unknown");
    await eventually(() => window.notices.some(({ kind }) => kind === "absent"), "it was said that nothing was found");
    const body = window.creates()[0]?.body;
    createInstance(window.service.world, offer.id, body);
    await window.instances.collection.refresh();
    await eventually(() => window.notices.some(({ kind }) => kind === "late"), "the late rental was told");
    const [late] = window.notices.filter(({ kind }) => kind === "late");
    assert.deepEqual(
      late?.record.ids,
      window.service.world.listInstances().map(({ id }) => id),
    );
  });

  test("a request the network repeats is an alarm that names both, once", async () => {
    const window = await signedIn({ faults: ["twice"] }, { clock: fastClock });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.equal(outcome.kind, "rented");
    await eventually(() => window.notices.some(({ kind }) => kind === "doubled"), "the alarm was raised");
    await window.instances.collection.refresh();
    await window.watch.reread();
    const alarms = window.notices.filter(({ kind }) => kind === "doubled");
    assert.equal(alarms.length, 1);
    assert.deepEqual(
      alarms[0]?.record.ids,
      window.service.world.listInstances().map(({ id }) => id),
    );
    assert.equal(window.watch.doubled.length, 1);
    const [, second] = window.service.world.listInstances();
    assert.ok(second);
    await window.destroy(second.id as never);
    assert.deepEqual(window.watch.doubled, [], "with one of them gone nothing is left to settle");
  });

  test("launches of another account are not shown, and found again when it comes back", async () => {
    const window = await signedIn({ faults: ["reset-before@createInstance"] }, { clock: fastClock });
    await window.rent(planFor(await cheapest(window)), createIntent());
    assert.equal(window.watch.atRisk.length, 1);
    await window.session.signOut();
    assert.deepEqual(window.watch.atRisk, []);
    await window.session.signIn(window.service.url, window.service.apiKey);
    await window.watch.reread();
    assert.equal(window.watch.atRisk.length, 1);
  });
});

test("a start that waits for its GPU is called queued, and stopping takes it back", async () => {
  const window = await signedIn({}, { clock: fastClock });
  const offer = await cheapest(window);
  window.service.world.setFate(offer.id, "runs");
  const outcome = await window.rent(planFor(offer), createIntent());
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  const [id] = outcome.ids;
  await eventually(
    async () => (await window.actions.reread(window.me(), id))?.value.actual_status === "running",
    "it runs",
  );
  assert.equal(await window.stop(id), true);
  window.service.world.rentAway(offer.id);
  assert.equal(await window.actions.start(window.me(), id), "queued");
  assert.equal(await window.stop(id), true);
  window.service.world.giveBack(offer.id);
  assert.equal(await window.actions.start(window.me(), id), "done");
  assert.equal(await window.actions.rename(window.me(), id, "renamed"), true);
  assert.match(
    (await window.actions.reread(window.me(), id))?.value.label ?? "",
    /^vsc-[a-z2-7]{16} renamed$/,
    "the mark stays",
  );
  await assert.rejects(window.actions.changeBid(window.me(), id, 1), /on-demand: its price is fixed/);
});

test("the policy: price and tries hold, and what is not known is asked", async () => {
  const window = await signedIn();
  const plan = planFor(await cheapest(window));
  const price = plan.offer.dph_total ?? 0;
  const dearer = { ...plan, offer: { ...plan.offer, dph_total: price * 1.2 } };
  const policy = { automatic: true, priceRise: 0.1, tries: 2 };
  assert.equal(isWithinPolicy(policy, { price, tries: 0 }, plan), true);
  assert.equal(isWithinPolicy(policy, { price, tries: 0 }, dearer), false);
  assert.equal(isWithinPolicy({ ...policy, priceRise: 0.3 }, { price, tries: 0 }, dearer), true);
  assert.equal(isWithinPolicy(policy, { price, tries: 2 }, plan), false);
  assert.equal(isWithinPolicy({ ...policy, automatic: false }, { price, tries: 0 }, plan), false);
  assert.equal(isWithinPolicy(policy, { price: undefined, tries: 0 }, plan), false);
  const next = await findReplacement(window.offers, new Set([plan.offer.id]), { plan, search: anySearch });
  assert.ok(next === undefined || next.offer.id !== plan.offer.id);
});

test("a refused key ends the asking, until another one signs in", async () => {
  const window = await signedIn();
  const refresher = new Refresher({
    id: "list",
    scheduler: window.scheduler,
    collection: window.instances.collection,
    session: window.session,
    attention: { visible: () => true, onDidChange: new Emitter<void>().event },
    unsettled: () => true,
    rhythm: { fast: () => 20, slow: () => 20 },
  });
  try {
    await refresher.refreshNow();
    window.service.faults.add("401");
    await until(window.instances.collection.store, (now) => now.state === "failed");
    const before = window.lines.length;
    await sleep(400);
    assert.equal(window.lines.length, before);
    window.service.faults.clear();
    await window.session.signIn(window.service.url, window.service.apiKey);
    await until(window.instances.collection.store, (now) => now.state === "ready");
  } finally {
    refresher.dispose();
  }
});

test("a wall clock that jumps changes no end: what was not found is said after the same time", async () => {
  let jump = 0;
  let stoodAt: number | undefined;
  // While it stands, a busy machine can't make it later than the test thinks.
  const elapsed = () => stoodAt ?? fastClock.elapsed();
  const clock: Clock = { ...fastClock, now: () => Date.now() + jump, elapsed };
  const window = await signedIn({ faults: ["reset-before@createInstance"] }, { clock });
  const started = elapsed();
  stoodAt = started;
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "unknown");
  jump = 2 * 3_600_000;
  await window.watch.look();
  assert.deepEqual(window.notices, [], "two hours forward are no reason");
  jump = -2 * 3_600_000;
  stoodAt = undefined;
  await eventually(() => window.notices.some(({ kind }) => kind === "absent"), "it was said that nothing was found");
  assert.ok(elapsed() - started >= 270_000, "not before its time");
});
