// What counts as rented when limits are checked: rows, rentals no list shows yet, and launches whose end isn't known.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { realClock } from "../../../src/lib/clock.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { type About, readCommitments } from "../../../src/services/launch/commitments.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { signedIn } from "../support.ts";
import { type Facts, rentElsewhere, type Written, writeLaunch } from "../written.ts";

const MINUTE = 60_000;

/** A window whose wall clock stands still, and launches written down as another window would have. */
async function atDesk(options: SandboxOptions = {}) {
  const now = Date.now();
  const clock = { ...realClock, now: () => now };
  const window = await signedIn(options, { clock });
  const rented = () => rentElsewhere(window);
  const launched = (facts: Facts, how: Written & { readonly minutes?: number } = {}) => {
    const { minutes = 0, ...rest } = how;
    return writeLaunch(window, facts, { at: now - minutes * MINUTE, ...rest });
  };

  const held = async (about: Partial<About> = {}) => {
    const listing = await window.instances.list(window.me());
    const { prices } = await readCommitments({ ...window, clock }, window.me(), {
      listing,
      insteadOf: undefined,
      own: undefined,
      ...about,
    });
    return prices;
  };
  /** A complete list that shows nothing: lists lag. */
  const empty = async () => ({ ...(await window.instances.list(window.me())), rows: [] });
  return { ...window, clock, rented, launched, held, empty };
}

describe("a rental", () => {
  test("counts once, listed and written down, at the price the service says", async () => {
    const userData = await atDesk();
    const id = await userData.rented();
    await userData.launched(["claimed", ["rented", id]], { price: 77 });
    const [price, ...more] = await userData.held();
    assert.ok(price !== undefined && price < 77);
    assert.deepEqual(more, []);
  });

  test("that no list shows yet counts at its confirmed price, for ten minutes", async () => {
    const userData = await atDesk();
    const [id, older] = [await userData.rented(), await userData.rented()];
    await userData.launched(["claimed", ["rented", id]], { price: 0.5, minutes: 9.99 });
    await userData.launched(["claimed", ["rented", older]], { price: 0.7, minutes: 10 });
    assert.deepEqual(await userData.held({ listing: await userData.empty() }), [0.5]);
  });

  test("that no list shows counts until the service says that it is gone, not while it says nothing", async () => {
    const userData = await atDesk();
    const id = await userData.rented();
    await userData.launched(["claimed", ["rented", id]], { price: 0.5 });
    const listing = await userData.empty();
    userData.service.faults.add("500@getInstance");
    assert.deepEqual(await userData.held({ listing }), [0.5]);
    userData.service.faults.clear();
    userData.service.world.destroy(id);
    assert.deepEqual(await userData.held({ listing }), []);
  });

  test("that is gone isn't asked about for each launch: once, from a minute on", async () => {
    const asked: string[] = [];
    const userData = await atDesk({ requests: ({ path }) => void asked.push(path) });
    const [young, old] = [await userData.rented(), await userData.rented()];
    await userData.launched(["claimed", ["rented", young]], { price: 0.5, minutes: 0.9 });
    await userData.launched(["claimed", ["rented", old]], { price: 0.7, minutes: 1 });
    for (const id of [young, old]) userData.service.world.destroy(id);
    const listing = await userData.empty();
    asked.length = 0;
    for (let times = 0; times < 3; times += 1) assert.deepEqual(await userData.held({ listing }), []);
    const times = (id: number) => asked.filter((path) => path === `/api/v0/instances/${id}/`).length;
    assert.deepEqual([times(young), times(old)], [3, 1]);
  });

  test("that is destroyed first does not count, listed or not", async () => {
    const userData = await atDesk();
    const [id, other] = [await userData.rented(), await userData.rented()];
    await userData.launched(["claimed", ["rented", id]], { price: 0.5 });
    assert.equal((await userData.held({ insteadOf: id })).length, 1);
    assert.equal((await userData.held({ insteadOf: other })).length, 1);
    assert.deepEqual(await userData.held({ insteadOf: id, listing: await userData.empty() }), []);
  });
});

describe("a launch whose end is not known", () => {
  test("counts at the price at risk, however old; the launch that asks does not count itself", async () => {
    const userData = await atDesk();
    const own = await userData.launched(["claimed"], { price: 0.1 });
    await userData.launched(["claimed"], { price: 0.2, minutes: 10_000 });
    await userData.launched(["claimed", "refused"], { price: 0.3, minutes: 60 });
    await userData.launched([], { price: 0.4 });
    await userData.launched(["claimed", "not-sent"], { price: 0.5 });
    await userData.launched(["claimed"]);
    assert.deepEqual(new Set(await userData.held({ own })), new Set([0.2, 0.3, undefined]));
    assert.equal((await userData.held()).length, 4);
  });

  test("counts also where its file cannot be read, at a price nobody knows", async () => {
    const userData = await atDesk();
    const id = await userData.rented();
    const [claimed, refused, rented] = [createIntent().token, createIntent().token, createIntent().token];
    for (const name of [`${claimed}.claimed`, `${refused}.claimed`, `${refused}.refused`, `${rented}.rented-${id}`])
      await writeFile(join(userData.userData.folder, name), "");
    assert.deepEqual(await userData.held({ listing: await userData.empty() }), [undefined, undefined]);
  });

  test("that was refused counts for ten minutes where the service has no list, and longer if it was not", async () => {
    const userData = await atDesk();
    await userData.launched(["claimed", "refused"], { tracked: false, price: 0.1, minutes: 9.99 });
    await userData.launched(["claimed", "refused"], { tracked: false, price: 0.2, minutes: 10 });
    await userData.launched(["claimed"], { tracked: false, price: 0.3, minutes: 60 });
    assert.deepEqual(new Set(await userData.held()), new Set([0.1, 0.3]));
  });
});

test("without a list each tracked machine is read, and what cannot be read stops the launch", async () => {
  const userData = await atDesk({ onlyDocumented: true });
  const [id, gone] = [await userData.rented(), await userData.rented()];
  for (const one of [id, gone]) await userData.instances.track(one);
  userData.service.world.destroy(gone);
  const about: About = { listing: undefined, insteadOf: undefined, own: undefined };
  const read = () => readCommitments(userData, userData.me(), about);
  assert.equal((await read()).prices.length, 1);
  userData.service.faults.add("500@getInstance");
  await assert.rejects(read());
});
