// What other accounts pay for, and what is asked before leaving one that pays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { realClock } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { buildSignOutQuestion } from "../../../src/present/account/sign-out.ts";
import { buildStatusView } from "../../../src/present/account/status.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { readBilling } from "../../../src/services/account/billing-check.ts";
import { type SignOutPerson, signOut } from "../../../src/services/account/sign-out.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, makeUserData, middleman, sandbox, signedIn } from "../support.ts";
import { together } from "./together.ts";

test("an account that is left is remembered with what it had rented, and when that was read", async () => {
  const window = await signedIn();
  const other = await sandbox({ seed: 2 });
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  assert.equal(window.readings.others.length, 0, "one's own account is none of the others");
  await window.session.signIn(other.url, other.apiKey);
  const [reading] = window.readings.others;
  assert.equal(window.readings.others.length, 1);
  assert.equal(reading?.count, 1);
  assert.ok((reading?.price ?? 0) > 0 && (reading?.at ?? 0) > 0);
  const view = buildStatusView({
    rows: [],
    atRisk: [],
    doubled: [],
    sandbox: false,
    at: 1,
    stale: false,
    isWhole: true,
    others: window.readings.others,
    balance: undefined,
    today: undefined,
    passed: [],
    watchedPrices: 0,
    now: 1,
  });
  assert.match(view?.text ?? "", /^other accounts: 1 rented · \$/);
  assert.match(view?.tooltip ?? "", /Nothing is rented in this account\.\n.*: 1 instance at \$[\d.]+\/h \(as of/s);
  assert.equal(view?.warning, false);
  await window.session.signIn(window.service.url, window.service.apiKey);
  const [held] = window.service.world.listInstances();
  assert.ok(held);
  await window.destroy(held.id as never);
  await window.session.signIn(other.url, other.apiKey);
  assert.deepEqual(window.readings.others, [], "what is gone is not remembered");
});

/** A window in which the account of a sandbox has one machine, at a service that it may share. */
async function renting(url: string, { apiKey }: Sandbox, add = false, at = makeUserData()) {
  const window = editorWindow(at);
  await window.session.signIn(url, apiKey, undefined, add);
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  return window;
}

const readAll = (window: Pick<ReturnType<typeof editorWindow>, "readings">) =>
  window.readings.others.map(({ name, count, isLeft }) => `${name}: ${count}${isLeft ? ", left" : ""}`);

test("an account that was signed out of is still remembered, until it is signed in to again or forgotten", async () => {
  const service = await sandbox();
  const window = await renting(service.url, service);
  const { session, readings, userData } = window;
  await session.signOut();
  assert.deepEqual(session.profiles.list(), []);
  const [left] = readings.others;
  assert.deepEqual([left?.base, left?.isLeft, left?.count], [service.url, true, 1]);
  const notes = JSON.stringify(userData.notes.keys().map((key) => userData.notes.get(key)));
  assert.ok(!notes.includes(service.apiKey));
  await session.signIn(service.url, service.apiKey, undefined, true);
  assert.deepEqual(readings.others, [], "it is the account in use");
  await session.signOut();
  const again = editorWindow(userData);
  await again.session.restore();
  const [reading] = again.readings.others;
  assert.equal(reading?.isLeft, true, "a new window knows it, too");
  again.readings.forget(reading);
  assert.deepEqual([again.readings.others, readings.others], [[], []]);
});

test("whoever signs in at the same service afterward neither has nor hides what an account left there", async () => {
  const [first, second] = [await sandbox(), await sandbox({ seed: 2 })];
  const window = await renting(await together([first, second]), first);
  const { session, instances } = window;
  const { base } = session.requireSignedIn().address;
  await session.signOut();
  await session.signIn(base, second.apiKey);
  assert.deepEqual(readAll(window), ["user 0: 1, left"], "before its first list");
  await instances.collection.refresh();
  assert.deepEqual(readAll(window), ["user 0: 1, left"], "although it has nothing");
  const elsewhere = await sandbox({ seed: 3 });
  await session.signIn(elsewhere.url, elsewhere.apiKey);
  assert.deepEqual(readAll(window), ["user 0: 1, left"], "and it isn't taken for the second one's");
});

test("an account that came back in another place is remembered once, with what it has now", async () => {
  const [first, second] = [await sandbox(), await sandbox({ seed: 2 })];
  const window = await renting(await together([first, second]), first);
  const { session, instances } = window;
  const { base } = session.requireSignedIn().address;
  const two = await renting(base, second, true, window.userData);
  await two.session.signOut();
  assert.deepEqual(readAll(two), ["user 0: 1", "user 1: 1, left"]);
  await two.session.signIn(base, second.apiKey, undefined, true);
  await two.instances.collection.refresh();
  await two.session.signOut();
  assert.deepEqual(readAll(two), ["user 0: 1", "user 1: 1, left"]);
  await two.session.signIn(base, second.apiKey, undefined, true);
  const [held] = second.world.listInstances();
  await two.destroy(held?.id as never);
  await two.instances.collection.refresh();
  await two.session.signOut();
  assert.deepEqual(readAll(two), ["user 0: 1"], "what was destroyed doesn't come back");
  assert.ok(instances.rows.length === 1);
});

test("where the service doesn't say whose a key is, another key's machines aren't taken for one's own", async () => {
  const [first, second] = [await sandbox(), await sandbox({ seed: 2 })];
  const window = await renting(await together([first, second], false), first);
  const { base, host } = window.session.requireSignedIn().address;
  const two = await renting(base, second, true, window.userData);
  await two.session.signOut();
  await two.session.switchTo(new URL(base).origin);
  assert.deepEqual(readAll(two), [`${host}: 1, left`]);
});

const leftOf = ({ readings }: Pick<ReturnType<typeof editorWindow>, "readings">) =>
  readings.others.find(({ isLeft }) => isLeft) ?? assert.fail("none was left");

test("whoever returns to an account with another one's key is told so, and what it has stays in sight", async () => {
  const [first, second] = [await sandbox(), await sandbox({ seed: 2 })];
  const window = await renting(await together([first, second]), first);
  const { session, readings } = window;
  const { base } = session.requireSignedIn().address;
  await session.signOut();
  const left = leftOf(window);
  await session.signIn(base, second.apiKey, undefined, true);
  assert.equal(readings.findOther(left), "user 1");
  assert.deepEqual(readAll(window), ["user 0: 1, left"]);
  await session.signIn(base, first.apiKey, undefined, true);
  assert.equal(readings.findOther(left), undefined);
});

test("where the service doesn't say whose a key is, what was left stays in sight", async () => {
  const [service, other] = [await sandbox(), await sandbox({ seed: 2 })];
  const window = await renting(await together([service, other], false), service);
  const { session, readings } = window;
  const { base, host } = session.requireSignedIn().address;
  await session.signOut();
  await session.signIn(base, other.apiKey, undefined, true);
  assert.equal(readings.findOther(leftOf(window)), undefined);
  await window.instances.collection.refresh();
  assert.deepEqual(readAll(window), [`${host}: 1, left`]);
});

test("what one window forgets of an account, the others forget, although their notes are older", async () => {
  const service = await sandbox();
  const window = await renting(service.url, service);
  await window.session.signOut();
  const other = editorWindow({ ...makeUserData(), notes: new Map(window.userData.notes) });
  const left = leftOf(other);
  const told: string[] = [];
  let drawn = 0;
  window.readings.onDidForget(({ key }) => void told.push(key));
  other.readings.onDidForget(() => assert.fail("it would be told from window to window forever"));
  other.readings.onDidChange(() => (drawn += 1));
  window.readings.forget(leftOf(window));
  assert.deepEqual(told, [left.key]);
  other.readings.learnForgotten(left.key);
  assert.deepEqual([other.readings.others, drawn], [[], 1]);
});

test("a damaged note of an account leads nowhere", async () => {
  const window = await signedIn();
  const { notes } = window.userData;
  const whole = { origin: "https://a.example", account: "0", name: "me", count: 1, price: 1, at: 1 };
  const damaged = ["text", null, { ...whole, origin: "no address" }, { ...whole, origin: "file:///x" }];
  const more = [
    { ...whole, name: 7 },
    { ...whole, count: "many" },
    { ...whole, count: 0 },
    { ...whole, at: undefined },
  ];
  for (const [at, note] of [...damaged, ...more].entries()) notes.set(`reading ${at}`, note);
  assert.deepEqual(window.readings.others, []);
  notes.set("reading whole", whole);
  assert.deepEqual(readAll(window), ["me: 1, left"]);
});

/** Answers the question about signing out and keeps what it said. */
function leaver(answer: boolean) {
  const asked: string[] = [];
  const who: SignOutPerson = {
    wait: (reading) => reading(),
    confirm: async (billing) => {
      asked.push(buildSignOutQuestion(billing, "me").detail);
      return answer;
    },
  };
  return { ...who, asked };
}

test("signing out asks where something bills, or where that cannot be read, and only there", async () => {
  const window = await signedIn();
  await window.rent(planFor(await cheapest(window)), createIntent());
  const fresh = editorWindow(window.userData);
  await fresh.session.restore();
  const stays = leaver(false);
  await signOut(fresh, stays);
  assert.match(stays.asked[0] ?? "", /^1 instance still costs \$/, "although its list was never opened");
  assert.equal(fresh.session.current.kind, "signed-in");
  window.service.faults.add("down");
  const leaves = leaver(true);
  await signOut(fresh, leaves);
  assert.match(leaves.asked[0] ?? "", /couldn't check what is rented/);
  assert.equal(fresh.session.current.kind, "signed-out");
});

test("signing out of an account that pays for nothing asks nothing, and neither does the sandbox", async () => {
  const window = await signedIn();
  const who = leaver(false);
  await signOut(window, who);
  assert.equal(window.session.current.kind, "signed-out");
  await window.session.enterSandbox(window.service.url, window.service.apiKey);
  await window.rent(planFor(await cheapest(window)), createIntent());
  await signOut(window, who);
  assert.deepEqual(who.asked, []);
  await signOut(window, who);
  assert.equal(window.session.current.kind, "signed-out");
});

test("the account that was asked about is the one that is left", async () => {
  const window = await signedIn();
  const other = await sandbox({ seed: 7 });
  await window.rent(planFor(await cheapest(window)), createIntent());
  const who: SignOutPerson = {
    wait: (reading) => reading(),
    confirm: async () => {
      await window.session.signIn(other.url, other.apiKey);
      return true;
    },
  };
  await assert.rejects(signOut(window, who), /You switched accounts/);
  assert.ok(window.session.current.kind === "signed-in" && window.session.current.address.base === other.url);
});

test("signed in, the list is read once although nobody looks, and again only while something is rented", async () => {
  const window = await signedIn();
  const { collection } = window.instances;
  const refresher = new Refresher({
    id: "list",
    scheduler: window.scheduler,
    collection,
    session: window.session,
    attention: { visible: () => false, onDidChange: new Emitter<void>().event },
    unsettled: () => window.instances.unsettled,
    keeps: () => window.instances.rows.length > 0 || collection.store.current.state === "idle",
    rhythm: { fast: () => 50, slow: () => 50 },
  });
  try {
    refresher.plan();
    await eventually(() => collection.store.current.state === "ready", "it was read once");
    const lists = () => window.lines.filter(({ path }) => path === "/api/v1/instances/").length;
    assert.equal(lists(), 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(lists(), 1, "with nothing rented it is left alone");
  } finally {
    refresher.dispose();
  }
});

test("a list with gaps and without rows is no proof that nothing is billed", async () => {
  const service = await sandbox();
  const url = await middleman(service.url, (path, status, text) =>
    path.startsWith("/api/v1/instances/")
      ? {
          status: 200,
          text: '{"success":true,"total_instances":3,"instances_found":3,"instances":[],"next_token":null}',
        }
      : { status, text },
  );
  const window = editorWindow();
  await window.session.signIn(url, service.apiKey);
  const billing = await readBilling({ ...window, clock: realClock });
  assert.equal(billing.isCurrent, false);
  assert.match(buildSignOutQuestion(billing, "me").detail, /couldn't check what is rented/);
  const base = "https://gpu.example";
  const others = [{ ...{ key: "k", name: "me", base, isLeft: false }, count: 1, price: 1, at: 1 }];
  const facts = {
    rows: [],
    atRisk: [],
    doubled: [],
    sandbox: false,
    at: 1,
    stale: false,
    isWhole: false,
    others,
    balance: undefined,
    today: undefined,
    passed: [],
    watchedPrices: 0,
    now: 1,
  };
  assert.doesNotMatch(buildStatusView(facts)?.tooltip ?? "", /Nothing is rented/);
});
