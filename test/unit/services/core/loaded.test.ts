// A store keeps its last good value, and its failure while it is tried again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { Store } from "../../../../src/services/core/loaded.ts";

const offline = new AppError("offline", "h cannot be reached: nobody answers there.");

test("while it is tried again nothing looks better than it is", () => {
  const store = new Store<number>();
  store.ready(1);
  store.failed(offline);
  store.loading();
  const now = store.current;
  assert.ok(now.state === "loading" && now.error === offline && now.last?.value === 1);
  store.ready(2);
  store.loading();
  assert.ok(store.current.state === "loading" && store.current.error === undefined);
});
