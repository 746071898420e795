// How long the balance lasts: said only if it is known, and rounded down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { buildBalanceView } from "../../../../src/present/account/balance-text.ts";
import { buildStatusView } from "../../../../src/present/account/status.ts";

const HOUR = 3_600_000;

test("what is left is said below a day, and warned of below half an hour", () => {
  const left = (credit: number, rate: number | undefined = 1) => buildBalanceView({ credit, rate, at: 0 }, 1, 0);
  assert.equal(left(30).left, undefined);
  assert.deepEqual(left(30).lines, ["Balance: $30.00, enough for about 30 h."]);
  assert.deepEqual(left(300).lines, ["Balance: $300.00, enough for about 12 days."]);
  assert.equal(left(7.99).left, "7 h left");
  assert.equal(left(0.66).left, "39 min left");
  assert.equal(left(0.66).isLow, false);
  const low = left(0.4);
  assert.ok(low.isLow && low.left === "24 min left");
  assert.match(low.lines.join(" "), /the service may stop your instances and keep billing their disks/);
  assert.equal(left(0).left, "0 min left");
});

test("time goes on after the reading", () => {
  assert.equal(buildBalanceView({ credit: 3, rate: 1, at: 0 }, 1, HOUR).left, "2 h left");
  assert.equal(buildBalanceView({ credit: 3, rate: 1, at: HOUR }, 1, 0).left, "3 h left", "a clock that was set back");
});

test("nothing is guessed", () => {
  assert.deepEqual(buildBalanceView(undefined, 1, 0), { left: undefined, lines: [], isLow: false });
  const unknown = buildBalanceView({ credit: 3, rate: undefined, at: 0 }, undefined, 0);
  assert.deepEqual(unknown, { left: undefined, lines: ["Balance: $3.00."], isLow: false });
  assert.equal(buildBalanceView({ credit: 3, rate: undefined, at: 0 }, 1.5, 0).left, "2 h left", "by the rows' sum");
  assert.equal(
    buildBalanceView({ credit: 3, rate: 0.01, at: 0 }, 1.5, 0).left,
    "2 h left",
    "one that is still starting",
  );
  assert.equal(buildBalanceView({ credit: 3, rate: 0, at: 0 }, 1.5, 0).left, undefined, "nothing is billed");
});

test("what the service bills is said where it differs from the rows", () => {
  const lines = buildBalanceView({ credit: 100, rate: 1.86, at: 0 }, 1.5, 0).lines;
  assert.deepEqual(lines.slice(1), ["Right now, the service bills $1.86/h in total, including disks and volumes."]);
  assert.equal(buildBalanceView({ credit: 100, rate: 1.51, at: 0 }, 1.5, 0).lines.length, 1);
});

test("the status bar has it behind the price, only while something is rented", () => {
  const balance = { credit: 0.1, rate: 0.5, at: 0 };
  const value = Instance.parse({ id: 1, actual_status: "running", dph_total: 0.5 });
  const rest = {
    atRisk: [],
    doubled: [],
    sandbox: false,
    at: 0,
    stale: false,
    isWhole: true,
    others: [],
    passed: [],
    watchedPrices: 0,
    today: undefined,
    now: 0,
  };
  const view = buildStatusView({ ...rest, rows: [{ value, launchPrice: undefined }], balance });
  assert.equal(view?.text, "1 · $0.50/h · 12 min left");
  assert.ok(view?.isUrgent && !view.warning);
  assert.equal(buildStatusView({ ...rest, rows: [], balance }), undefined);
  const late = buildStatusView({
    ...rest,
    rows: [{ value, launchPrice: undefined }],
    balance: undefined,
    today: undefined,
    passed: [value],
  });
  assert.ok(late?.isUrgent);
  assert.match(late.tooltip, /^Should have ended by now: 1$/m);
});
