// What the status bar says while nobody is signed in, for money doesn't stop with the session, and where it leads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { buildSignedOutView, buildStatusView } from "../../../../src/present/account/status.ts";

test("signed out, what other accounts had rented is still said, with the way there", () => {
  assert.equal(buildSignedOutView([]), undefined);
  const view = buildSignedOutView([
    { name: "work", host: "a.example", count: 1, price: 0.539, at: 0 },
    { name: "home", host: "b.example", count: 2, price: undefined, at: 0 },
  ]);
  assert.equal(view?.text, "other accounts: 3 rented · $0.539 + $?/h");
  assert.match(
    view?.tooltip ?? "",
    /^You're signed out\. Switch to an account.*\nwork at a\.example: 1 instance at \$0\.539\/h/,
  );
  assert.equal(view?.warning, false);
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
  const others = [{ name: "work", host: "a.example", count: 1, price: 0.539, at: 0 }];
  assert.equal(buildStatusView({ ...facts, others, rows: [row] })?.bills, true);
  assert.equal(buildStatusView({ ...facts, others, rows: [{ ...row, gone: true }] })?.bills, false);
  assert.equal(buildStatusView({ ...facts, others, rows: [] })?.bills, false);
});
