// What the status bar says while nobody is signed in: money doesn't stop with the session.
import assert from "node:assert/strict";
import { test } from "node:test";
import { signedOutView } from "../../../../src/present/account/status.ts";

test("signed out, what other accounts had rented is still said, with the way there", () => {
  assert.equal(signedOutView([]), undefined);
  const view = signedOutView([
    { name: "work", host: "a.example", count: 1, price: 0.539, at: 0 },
    { name: "home", host: "b.example", count: 2, price: undefined, at: 0 },
  ]);
  assert.equal(view?.text, "other accounts: 3 · $0.539 + $?/h");
  assert.match(
    view?.tooltip ?? "",
    /^You're signed out\. Switch to an account.*\nwork at a\.example rented 1 instance for \$0\.539\/h/,
  );
  assert.equal(view?.warning, false);
});
