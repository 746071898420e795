// What is read of an instance's configuration from its own record.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSelfStopScript, withSelfStop } from "../../../../src/domain/instance/self-stop.ts";
import { type ConfiguredRecord, rebuildConfiguration } from "../../../../src/domain/launch/rebuild-configuration.ts";
import { Template } from "../../../../src/domain/template/template.ts";

const template = Template.parse({
  hash_id: "0123456789abcdef0123456789abcdef",
  env: "-e MODE=train -p 80:80",
  onstart: "echo template",
  args_str: "serve",
});
const EMPTY: ConfiguredRecord = { env: undefined, onstart: undefined, args: undefined, isVm: undefined };
const read = (record: Partial<ConfiguredRecord>, of?: Template) => rebuildConfiguration({ ...EMPTY, ...record }, of);
const env = (entries: Record<string, string>) => new Map(Object.entries(entries));

test("what is the template's isn't said again", () => {
  const same = { env: env({ MODE: "train", "-p 80:80": "1" }), onstart: "echo template", args: "serve" };
  assert.equal(read(same, template), undefined);
  assert.deepEqual(read({ ...same, env: env({ MODE: "test", MORE: "1", "-p 80:80": "1" }) }, template), {
    env: { MODE: "test", MORE: "1" },
  });
});

test("without a template, all of it is its own", () => {
  assert.deepEqual(read({ env: env({ MODE: "a" }), onstart: "echo", args: "b c", isVm: true }), {
    env: { MODE: "a" },
    onstart: "echo",
    args_str: "b c",
    vm: true,
  });
  assert.equal(read({}), undefined);
});

test("a network that it joined, and the lines that were to end it, aren't part of it", () => {
  const script = buildSelfStopScript({ base: "https://console.vast.ai", until: 1_800_000_000_000, ending: "destroy" });
  assert.deepEqual(read({ env: env({ "-n ring": "1" }), onstart: withSelfStop("#!/bin/bash\necho own", script) }), {
    onstart: "#!/bin/bash\necho own",
  });
  assert.equal(read({ onstart: withSelfStop("echo template", script) }, template), undefined);
});

test("what no request may say is left out, and the rest stays", () => {
  const cases: readonly [Partial<ConfiguredRecord>, unknown][] = [
    [{ env: env({ "a b": "1" }), args: "b" }, { args_str: "b" }],
    [{ env: env({ A: "\0" }), args: "b" }, { args_str: "b" }],
    [{ onstart: "x".repeat(4049), args: "b" }, { args_str: "b" }],
    [{ onstart: "echo", args: "'open" }, { onstart: "echo" }],
    [{ onstart: 7, args: ["a"], isVm: "yes" }, undefined],
  ];
  for (const [record, expected] of cases) assert.deepEqual(read(record), expected);
});
