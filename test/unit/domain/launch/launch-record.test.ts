// What the files of a launch say about it: every combination of facts has one state, and a rental overrides them all.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import {
  belongsTo,
  getLaunchState,
  getPriceAtRisk,
  isLabelCopied,
  isLate,
  isRefused,
  isRentedLongAfter,
  isUnresolved,
  type LaunchFact,
  type LaunchRecord,
  Prepared,
  toBefore,
  toLoginNote,
  wasDenied,
} from "../../../../src/domain/launch/launch-record.ts";
import { TEMPLATE } from "../../support.ts";

const PREPARED = {
  version: 1,
  origin: "https://a.test",
  account: "tag",
  offer: 7,
  machine: "2× RTX",
  at: 1,
  tracked: true,
};

function record(facts: readonly LaunchFact[], ids: readonly number[] = [], fields: object = {}): LaunchRecord {
  return {
    token: "vsc-aaaaaaaaaaaaaaaa",
    prepared: Prepared.parse({ ...PREPARED, ...fields }),
    facts: new Set(facts),
    ids: ids as readonly InstanceId[],
    late: new Set(),
  };
}

test("the state: rentals first, then the person's word, then proof, then the search, then the claim", () => {
  const cases: readonly (readonly [facts: readonly LaunchFact[], ids: readonly number[], state: string])[] = [
    [[], [], "prepared"],
    [["told", "looked"], [], "prepared"],
    [["claimed"], [], "unresolved"],
    [["claimed", "refused"], [], "unresolved"],
    [["claimed", "absent"], [], "absent"],
    [["claimed", "absent", "not-sent"], [], "not-sent"],
    [["claimed", "absent", "not-sent", "dismissed"], [], "dismissed"],
    [["claimed", "absent", "not-sent", "dismissed", "refused"], [1], "rented"],
    [[], [1], "rented"],
    [["claimed"], [1, 2], "doubled"],
    [["claimed", "not-sent"], [1, 2, 3], "doubled"],
    [["claimed", "dismissed"], [1, 2], "rented"],
  ];
  for (const [facts, ids, state] of cases) {
    assert.equal(getLaunchState(record(facts, ids)), state, `${facts} ${ids}`);
    assert.equal(isUnresolved(record(facts, ids)), state === "unresolved", `${facts} ${ids}`);
  }
});

test("refused is an open launch that the service said no to; denied is whatever the person heard no about", () => {
  assert.ok(isRefused(record(["claimed", "refused"])));
  assert.ok(!isRefused(record(["claimed"])));
  assert.ok(!isRefused(record(["claimed", "refused"], [1])));
  assert.ok(!isRefused(record(["claimed", "refused", "absent"])));
  for (const fact of ["refused", "absent", "dismissed"] as const) assert.ok(wasDenied(record(["claimed", fact])), fact);
  assert.ok(!wasDenied(record(["claimed", "not-sent", "looked", "told"])));
});

test("the price at risk is the one confirmed, or unknown", () => {
  assert.equal(getPriceAtRisk(record([], [], { price: 0.4 })), 0.4);
  assert.equal(getPriceAtRisk(record([])), undefined);
  assert.equal(getPriceAtRisk(record([], [], { price: 0 })), undefined);
  assert.equal(getPriceAtRisk({ ...record([]), prepared: undefined }), undefined);
});

describe("a launch belongs to", () => {
  const account = { base: "https://a.test", tag: "tag", user: undefined };

  test("the key it was sent with, at its origin", () => {
    assert.ok(belongsTo(record([]), account));
    assert.ok(!belongsTo(record([]), { ...account, tag: "other" }));
    assert.ok(!belongsTo(record([]), { ...account, base: "https://b.test" }));
  });

  test("another key of the same account, if the service says who it is", () => {
    const named = record([], [], { user: 5 });
    assert.ok(belongsTo(named, { ...account, tag: "other", user: 5 }));
    assert.ok(!belongsTo(named, { ...account, tag: "other", user: 6 }));
    assert.ok(!belongsTo(named, { ...account, base: "https://b.test", user: 5 }));
    assert.ok(!belongsTo(record([]), { ...account, tag: "other" }), "two unknown accounts are not the same");
    assert.ok(!belongsTo(named, { ...account, user: 6 }), "two users that are known are two accounts");
    assert.ok(belongsTo(named, account), "the key decides where the user isn't known");
  });

  test("every account, if its file cannot be read", () =>
    assert.ok(belongsTo({ ...record([]), prepared: undefined }, { ...account, base: "https://b.test" })));
});

test("a file of another version, or with texts no launch has, is not read", () => {
  const isRead = (fields: object) => Prepared.safeParse({ ...PREPARED, ...fields }).success;
  assert.ok(isRead({ machine: "x".repeat(200), owner: "x".repeat(100), user: 3, price: 0.4 }));
  assert.ok(!isRead({ version: 2 }));
  assert.ok(!isRead({ machine: "x".repeat(201) }));
  assert.ok(!isRead({ owner: "x".repeat(101) }));
  assert.ok(!isRead({ user: 0.5 }));
});

describe("a label with the launch's token was copied", () => {
  const DAY = 86_400;
  const judge = (launch: LaunchRecord, id: number, start_date?: number) =>
    isLabelCopied({ id: InstanceId.parse(id), start_date }, launch);

  test("to what was there before it", () => {
    const launch = record(["claimed"], [], { before: [7] });
    assert.deepEqual([judge(launch, 7), judge(launch, 8)], [true, false]);
    assert.equal(judge(record(["claimed"], [7], { before: [7] }), 7), true);
  });

  test("to what came late and was rented long after it, and to nothing else", () => {
    const launch = record(["looked"], [7], { at: 0 });
    assert.deepEqual([judge(launch, 8, DAY + 1), judge(launch, 8, DAY), judge(launch, 8)], [true, false, false]);
    assert.equal(judge(launch, 7, 9 * DAY), false);
    assert.equal(judge(record(["claimed"], [7], { at: 0 }), 8, 9 * DAY), false);
    assert.equal(judge({ ...record(["claimed"]), prepared: undefined }, 8), false);
  });
});

test("late is what came after a launch had what it rented and was checked for a second one", () => {
  const [late, first] = [InstanceId.parse(8), InstanceId.parse(7)];
  const judge = (launch: LaunchRecord, id: InstanceId) => isLate({ id }, launch);
  assert.deepEqual([judge(record(["looked"], [7]), late), judge(record(["looked"], [7]), first)], [true, false]);
  assert.equal(judge(record(["claimed"], [7]), late), false);
  assert.equal(judge(record(["looked"]), late), false);
  assert.equal(judge({ ...record(["looked"], [7, 8]), late: new Set([late]) }, late), true);
});

test("an instance was rented long after a launch only if that has an earlier one, and by more than two clocks may differ", () => {
  const DAY = 86_400;
  const judge = (ids: readonly number[], start_date: number | undefined, fields = {}) =>
    isRentedLongAfter({ id: InstanceId.parse(8), start_date }, record(["claimed"], ids, { at: 1000, ...fields }));
  assert.deepEqual(
    [undefined, 1, DAY + 1, DAY + 2].map((date) => judge([7], date)),
    [false, false, false, true],
  );
  assert.deepEqual([judge([], 9 * DAY), judge([8], 9 * DAY), judge([7, 8], 9 * DAY)], [false, false, true]);
  assert.equal(
    isRentedLongAfter({ id: InstanceId.parse(8), start_date: 1 }, { ...record([], [7]), prepared: undefined }),
    false,
  );
});

test("a launch is written down with where its registry login comes from, and nothing of the login", () => {
  const configuration = { image_login: "-u me -p secret ghcr.io" };
  const template = { ...TEMPLATE, docker_login_repo: "ghcr.io" };
  assert.deepEqual(toLoginNote({ template: undefined, configuration }), { login: "launch" });
  assert.deepEqual(toLoginNote({ template, configuration }), { login: "launch" });
  assert.deepEqual(toLoginNote({ template, configuration: { env: {} } }), { login: "template" });
  for (const none of [undefined, TEMPLATE, { ...TEMPLATE, docker_login_repo: "" }])
    assert.deepEqual(toLoginNote({ template: none, configuration: undefined }), {});
});

test("a launch is written down with what was listed before it, unless that is unknown or too much to keep", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ value: { id: InstanceId.parse(at + 1) } }));
  assert.deepEqual([toBefore(undefined), toBefore([]), toBefore(rows(2))], [{}, { before: [] }, { before: [1, 2] }]);
  assert.deepEqual([toBefore(rows(2000)).before?.length, toBefore(rows(2001))], [2000, {}]);
});
