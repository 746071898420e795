// The token a launch is known by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { launchToken, ownLabel } from "../../../../src/domain/instance/instance.ts";
import { labelFor, mintIntent } from "../../../../src/services/launch/intent.ts";

test("the launch token leads the label and never shows", () => {
  const intent = mintIntent();
  assert.match(intent.token, /^vsc-[a-z2-7]{16}$/);
  const sent = labelFor(intent, "my run");
  assert.equal(launchToken(sent), intent.token);
  assert.equal(ownLabel(sent), "my run");
  assert.equal(ownLabel(labelFor(intent, "")), "");
  assert.equal(labelFor(intent, "x".repeat(300)).length, 128);
  assert.equal(ownLabel("vsc-notours"), "vsc-notours");
});
test("no two intents are alike", () =>
  assert.equal(new Set(Array.from({ length: 1000 }, () => mintIntent().token)).size, 1000));
