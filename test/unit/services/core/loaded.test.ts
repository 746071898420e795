// A store keeps its last good value, and its failure while it is tried again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { getLast, getPart, Store } from "../../../../src/services/core/loaded.ts";

const offline = new AppError("offline", "Couldn't reach h: nobody answers there.");

test("while it is tried again nothing looks better than it is", () => {
  const store = new Store<number>();
  store.setReady(1);
  store.setFailed(offline);
  store.setLoading();
  const now = store.current;
  assert.ok(now.state === "loading" && now.error === offline && now.last?.value === 1);
  store.setReady(2);
  store.setLoading();
  assert.ok(store.current.state === "loading" && store.current.error === undefined);
});

test("what a first read has brought so far is shown, and never counts as the list", () => {
  const store = new Store<string>();
  store.setPart("nobody is reading");
  assert.equal(store.current.state, "idle");
  store.setLoading();
  store.setPart("a");
  store.amend((value) => `${value}b`);
  assert.equal(getPart(store.current)?.value, "ab");
  assert.equal(getLast(store.current), undefined);
  store.setFailed(offline);
  assert.equal(getPart(store.current)?.value, "ab", "a failure in the middle takes nothing away");
  store.setLoading();
  store.setReady("whole");
  assert.equal(getPart(store.current), undefined);
  store.setLoading();
  store.setPart("a");
  assert.equal(getPart(store.current), undefined, "what is there stays until the next read is complete");
  assert.equal(getLast(store.current)?.value, "whole");
});
