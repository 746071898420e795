// What other extensions are told of instances.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { rememberSecret } from "../../../../src/lib/redact.ts";
import { buildExportedInstances } from "../../../../src/present/agent/exported-instances.ts";

const INSTANCE = Instance.parse({
  ...{ id: 7, actual_status: "running", intended_status: "running", dph_total: 0.4, ssh_host: "ssh.example.com" },
  ...{ label: "mine\u202e\n\u0000", onstart: "echo hidden", extra_env: [["TOKEN", "hidden"]], image_uuid: "a/b" },
});
const ROW = { value: INSTANCE, launchPrice: undefined, end: undefined };

test("an instance is told of without anything that leads to it", () => {
  assert.deepEqual(buildExportedInstances([ROW]), [{ id: 7, label: "mine", status: "running", pricePerHour: 0.4 }]);
});

test("an auto-stop that may not hold says so", () => {
  const told = (end: object) =>
    buildExportedInstances([{ ...ROW, end: { until: 5, ending: "destroy", ...end } }])[0]?.autoStop;
  assert.deepEqual(told({}), { action: "destroy", at: 5 });
  for (const doubt of [{ isDoubted: true }, { isLeft: true }, { second: "unsure" }])
    assert.deepEqual(told(doubt), { action: "destroy", at: 5, isUncertain: true });
});

test("a long label is cut, a key in it masked, and an unknown price left out", () => {
  const key = "0123456789abcdef".repeat(4);
  rememberSecret(key);
  const value = Instance.parse({ id: 8, label: `${key} ${"x".repeat(500)}` });
  const [one] = buildExportedInstances([{ ...ROW, value }]);
  assert.ok(one && one.label.length <= 80 && !one.label.includes(key), one?.label);
  assert.ok(!("pricePerHour" in one) && !("autoStop" in one));
});

test("nothing of it can be changed", () => {
  const list = buildExportedInstances([{ ...ROW, end: { until: 5, ending: "stop" } }]);
  for (const one of [list, list[0], list[0]?.autoStop]) assert.ok(Object.isFrozen(one));
});
