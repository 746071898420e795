// What the status bar says while no one is signed in, for money doesn't stop with the session, and where it leads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  buildOtherAccountWarning,
  buildSignedOutView,
  buildStatusView,
  describeNamedReading,
  describeReading,
} from "../../../../src/present/account/status.ts";

const READING = {
  ...{ key: "k", base: "https://a.example", isLeft: false },
  ...{ count: 1, price: undefined, at: 0 },
};

test("signed out, what other accounts had rented is still said, with the way there", () => {
  assert.equal(buildSignedOutView([]), undefined);
  const view = buildSignedOutView([
    { ...READING, name: "work", base: "https://a.example", price: 0.539 },
    { ...READING, name: "home", base: "https://b.example", count: 2 },
  ]);
  assert.equal(view?.text, "signed out with 3 rented · $0.539 + $?/h");
  assert.match(
    view?.tooltip ?? "",
    /^You're signed out\. Switch to an account.*\nwork at a\.example: 1 instance at \$0\.539\/h/,
  );
  assert.equal(view?.warning, false);
});

test("what an account had rented that was signed out of is said as such, and signing in is the way there", () => {
  const left = { ...READING, name: "work", base: "https://a.example", price: 0.539, isLeft: true };
  const alone = buildSignedOutView([left]);
  assert.equal(alone?.text, "signed out with 1 rented · $0.539/h");
  assert.match(
    alone?.tooltip ?? "",
    /^You're signed out\. Sign in to see .*\nwork at a\.example \(signed out, needs its API key\): 1 instance at \$0\.539\/h/,
  );
  const both = buildSignedOutView([{ ...READING, name: "home" }, left]);
  assert.match(both?.text ?? "", /^signed out with 2 rented · /, "one of them still has its key, and no one is in it");
  assert.match(
    both?.tooltip ?? "",
    /^You're signed out\. Switch .*\nhome at a\.example: 1 instance .*\nwork at a\.example \(signed out, needs its API key\): 1/,
  );
});

test("a row beside an account's name doesn't repeat it, and an address that is the name is said once", () => {
  const left = { ...READING, name: "work", price: 0.539, isLeft: true };
  const rest = /1 instance at \$0\.539\/h \(as of .*\)$/.source;
  assert.match(describeNamedReading(left), new RegExp(`^a\\.example · signed out, needs its API key · ${rest}`));
  assert.match(describeNamedReading({ ...left, isLeft: false }), new RegExp(`^a\\.example · ${rest}`));
  const unnamed = { ...left, name: "a.example" };
  assert.match(describeNamedReading(unnamed), new RegExp(`^signed out, needs its API key · ${rest}`));
  assert.match(describeReading(unnamed), /^a\.example \(signed out, needs its API key\): 1 instance/);
});

test("the key of another account than the one that was wanted: whose it is, and what that one still has", () => {
  const left = { ...READING, name: "alpha", isLeft: true };
  assert.equal(buildOtherAccountWarning("beta", left), "This key belongs to beta. alpha still has 1 instance.");
  assert.equal(
    buildOtherAccountWarning("beta", { ...left, count: 2 }),
    "This key belongs to beta. alpha still has 2 instances.",
  );
});

test("leads to what bills only if a rental is certain", () => {
  const row = { value: Instance.parse({ id: 1, actual_status: "running", dph_total: 0.5 }), launchPrice: undefined };
  const shown = {
    sandbox: false,
    at: 0,
    stale: false,
    isWhole: true,
    balance: undefined,
    today: undefined,
    passed: [],
    watchedPrices: 0,
    now: 0,
  };
  const facts = { ...shown, atRisk: [], doubled: [] };
  const others = [{ ...READING, name: "work", price: 0.539 }];
  assert.equal(buildStatusView({ ...facts, others, rows: [row] })?.bills, true);
  assert.equal(buildStatusView({ ...facts, others, rows: [{ ...row, gone: true }] })?.bills, false);
  assert.equal(buildStatusView({ ...facts, others, rows: [] })?.bills, false);
});

test("an instance that failed stays in sight until it is gone: it may still be billed", () => {
  const facts = {
    ...{ sandbox: false, at: 0, stale: false, isWhole: true, balance: undefined, today: undefined },
    ...{ passed: [], watchedPrices: 0, now: 0, atRisk: [], doubled: [], others: [] },
  };
  const view = (fields: object, gone = false) => {
    const value = Instance.parse({ id: 7, label: "train", dph_total: 0.5, ...fields });
    return buildStatusView({ ...facts, rows: [{ value, launchPrice: undefined, gone }] });
  };
  const failed = view({ actual_status: "exited", intended_status: "running" });
  assert.equal(failed?.isUrgent, true);
  assert.match(failed?.tooltip ?? "", /^Failed, but may still be billed: train \(7\)$/m);
  for (const fields of [{ actual_status: "running" }, { actual_status: "exited", intended_status: "stopped" }])
    assert.equal(view(fields)?.isUrgent, false);
  assert.equal(view({ actual_status: "exited", intended_status: "running" }, true), undefined);
});
