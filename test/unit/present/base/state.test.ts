// A list that is empty or old says why.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { describeListCondition, findEmptyReason } from "../../../../src/present/base/state.ts";

describe("a list that is empty or old", () => {
  const offline = new AppError("offline", "Couldn't reach h: nobody answers there.");
  const base = { state: "ready", at: 1, count: 0, unreadable: 0, complete: true } as const;
  test("each reason has its own word", () => {
    assert.equal(findEmptyReason({ ...base, state: "idle" }), "signedOut");
    assert.equal(findEmptyReason({ ...base, state: "loading", at: undefined }), "loading");
    assert.equal(findEmptyReason({ ...base, state: "loading", rows: { kind: "partial" } }), "loading", "more may come");
    assert.equal(findEmptyReason(base), "empty");
    assert.equal(findEmptyReason({ ...base, complete: false }), "incomplete");
    assert.equal(findEmptyReason({ ...base, unreadable: 2 }), "incomplete");
    assert.equal(findEmptyReason({ ...base, count: 2 }), "rows");
    assert.equal(findEmptyReason({ ...base, state: "failed", error: offline }), "unreachable");
    assert.equal(findEmptyReason({ ...base, state: "loading", error: offline }), "unreachable");
    assert.equal(findEmptyReason({ ...base, state: "failed", error: new AppError("key-refused", "x") }), "refused");
    assert.equal(findEmptyReason({ ...base, state: "failed", error: new AppError("not-allowed", "x") }), "forbidden");
  });
  test("the line above tells the reason and the age, or what could not be read", () => {
    assert.match(
      describeListCondition({ ...base, count: 1, state: "failed", error: offline }) ?? "",
      /Couldn't reach.*Showing data from \d\d:\d\d/,
    );
    assert.match(describeListCondition({ ...base, count: 1, unreadable: 3 }) ?? "", /^Entries .*: 3\.$/);
    assert.equal(describeListCondition({ ...base, count: 1 }), undefined);
  });
});
