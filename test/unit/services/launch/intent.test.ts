// The token a launch is known by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLaunchToken, withoutLaunchToken } from "../../../../src/domain/instance/instance.ts";
import { createIntent, formatLaunchLabel } from "../../../../src/services/launch/intent.ts";

test("the launch token leads the label and never shows", () => {
  const intent = createIntent();
  assert.match(intent.token, /^vsc-[a-z2-7]{16}$/);
  const sent = formatLaunchLabel(intent, "my run");
  assert.equal(readLaunchToken(sent), intent.token);
  assert.equal(withoutLaunchToken(sent), "my run");
  assert.equal(formatLaunchLabel(intent, ""), intent.token);
  assert.equal(withoutLaunchToken(formatLaunchLabel(intent, "")), "");
  assert.equal(formatLaunchLabel(intent, "x".repeat(300)).length, 128);
  assert.equal(withoutLaunchToken("vsc-notours"), "vsc-notours");
});
test("no two intents are alike, and every letter may stand at every place", () => {
  const tokens = Array.from({ length: 2000 }, () => createIntent().token);
  assert.equal(new Set(tokens).size, 2000);
  for (let at = 4; at < 20; at += 1) assert.equal(new Set(tokens.map((token) => token[at])).size, 32, `${at}`);
});
