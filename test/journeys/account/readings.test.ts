// What other accounts pay for, and what is asked before leaving one that pays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { realClock } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { buildSignOutQuestion } from "../../../src/present/account/sign-out.ts";
import { buildStatusView } from "../../../src/present/account/status.ts";
import { readBilling } from "../../../src/services/account/billing-check.ts";
import { type SignOutPerson, signOut } from "../../../src/services/account/sign-out.ts";
import { Refresher } from "../../../src/services/core/refresher.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, middleman, sandbox, signedIn } from "../support.ts";

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

test("an account that was signed out of is still remembered, until it is signed in to again or forgotten", async () => {
  const window = await signedIn();
  const { url, apiKey } = window.service;
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  await window.session.signOut();
  assert.deepEqual(window.session.profiles.list(), []);
  const [left] = window.readings.others;
  assert.deepEqual([left?.base, left?.isLeft, left?.count], [url, true, 1]);
  assert.ok(
    !JSON.stringify(window.userData.notes.keys().map((key) => window.userData.notes.get(key))).includes(apiKey),
  );
  await window.session.signIn(url, apiKey, undefined, true);
  assert.deepEqual(window.readings.others, [], "it is the account in use");
  window.readings.forget(left?.profile ?? "");
  await window.session.signOut();
  assert.equal(window.readings.others.length, 1, "only what was signed out of can be forgotten");
  const again = editorWindow(window.userData);
  await again.session.restore();
  assert.equal(again.readings.others[0]?.isLeft, true, "a new window knows it, too");
  again.readings.forget(left?.profile ?? "");
  assert.deepEqual([again.readings.others, window.readings.others], [[], []]);
});

test("a damaged note of an account leads nowhere", async () => {
  const window = await signedIn();
  const { notes } = window.userData;
  const reading = { base: "https://a.example", name: "me", count: 1, price: 1, at: 1 };
  const damaged: Readonly<Record<string, unknown>> = {
    "https://a.example": "text",
    "https://b.example": reading,
    "https://c.example": { ...reading, base: "no address" },
    "https://d.example": { ...reading, base: "https://d.example", name: 7 },
    "https://e.example": { ...reading, base: "https://e.example", count: "many" },
    "file:///x": { ...reading, base: "file:///x" },
  };
  for (const [profile, note] of Object.entries(damaged)) notes.set(`reading ${profile}`, note);
  assert.deepEqual(window.readings.others, []);
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
  const others = [{ ...{ profile: base, name: "me", base, isLeft: false }, count: 1, price: 1, at: 1 }];
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
