// A remembered row says what it said, how old that is, and offers nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRememberedRow, toSaidByRow } from "../../../../src/present/base/remembered.ts";
import type { RowView } from "../../../../src/present/base/row.ts";
import { describeListCondition } from "../../../../src/present/base/state.ts";

const AT = new Date(2026, 5, 1, 14, 2).getTime();
const ROW: RowView = {
  id: "instance x 7",
  label: "trainer",
  description: "starting · $0.40/h",
  icon: "sync~spin",
  color: "charts.green",
  context: "instance canDestroy canStop",
  accessible: "trainer, starting",
  tooltip: () => ({ title: "secret", facts: [] }),
  command: "cloudGpu.instance.show",
};

test("it is dimmed, dated and still, and no menu and no click applies to it", () => {
  assert.deepEqual(buildRememberedRow(toSaidByRow(ROW), { at: AT, now: AT + 60_000, isDated: true }), {
    id: "instance x 7",
    label: "trainer",
    description: "as of 14:02 · starting · $0.40/h",
    icon: "sync",
    color: "disabledForeground",
    context: "remembered",
    accessible: "trainer, starting, as of 14:02",
  });
  const later = buildRememberedRow(toSaidByRow(ROW), { at: AT, now: AT + 2 * 86_400_000, isDated: false });
  assert.equal(later.description, "starting · $0.40/h");
  assert.match(later.accessible, /2026/, "on another day, the time alone would lie");
});

test("the line above says how old the rows are and that they are on their way", () => {
  const base = { state: "loading", count: 1, unreadable: 0, complete: true } as const;
  const rows = { kind: "remembered", now: AT + 60_000 } as const;
  assert.equal(describeListCondition({ ...base, at: AT, rows }), "Showing data from 14:02. Loading…");
  assert.match(
    describeListCondition({ ...base, at: AT, rows: { ...rows, now: AT + 86_400_000 } }) ?? "",
    /2026.*Loading…$/,
  );
  assert.equal(describeListCondition({ ...base, rows: { kind: "partial" } }), "Loading more…");
});
