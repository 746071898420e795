// What a launch changes of its template, in a few words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  describeConfigured,
  listConfigured,
  readVolumeHint,
} from "../../../../src/domain/launch/launch-configuration.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { TEMPLATE } from "../../support.ts";

const NOTHING = { template: TEMPLATE, image: undefined, runtype: undefined };

describe("what is changed", () => {
  test("nothing", () => {
    assert.deepEqual(listConfigured(NOTHING), []);
    assert.deepEqual(listConfigured({ ...NOTHING, configuration: {} }), []);
  });

  test("every field by a name of its own, entries by theirs, and a volume by its own line", () => {
    const names = listConfigured({
      ...{ template: TEMPLATE, image: "c/d", runtype: "args" },
      configuration: {
        ...{
          env: { MODE: "x", "-p 8000:80/udp": "1", "-h": "box" },
          onstart: "",
          args_str: "",
          use_jupyter_lab: false,
        },
        ...{ jupyter_dir: "", python_utf8: false, lang_utf8: false, image_login: "-u a -p b c", vm: false },
        volume_info: { volume_id: 1, mount_path: "/data" },
        ...{ target_state: "stopped", cancel_unavail: false },
      },
    });
    assert.deepEqual(names.slice(0, 5), ["image", "launch mode", "MODE", "port 8000", "-h"]);
    assert.deepEqual(names.slice(5), [
      ...["start script", "arguments", "JupyterLab", "Jupyter directory", "Python locale", "locale"],
      ...["registry login", "virtual machine", "start", "waiting"],
    ]);
  });

  test("an image in place of a template is no change of one", () =>
    assert.deepEqual(listConfigured({ template: undefined, image: "c/d", runtype: "ssh_direct" }), []));
});

test("three are named, and the rest is counted", () => {
  const described: readonly [readonly string[], string][] = [
    [[], "as in the template"],
    [["MODE"], "1 change: MODE"],
    [["a", "b"], "2 changes: a, b"],
    [["a", "b", "c"], "3 changes: a, b, c"],
    [["a", "b", "c", "d"], "4 changes: a, b, c and 1 more"],
    [[..."abcdef"], "6 changes: a, b, c and 3 more"],
  ];
  for (const [names, text] of described) assert.equal(describeConfigured(names, "as in the template"), text);
});

test("a hint of a volume is taken for what it is, whatever a service has there", () => {
  const hintOf = (volume_info: unknown) => readVolumeHint(Template.parse({ ...TEMPLATE, volume_info }));
  const none = { path: "", size: "" };
  assert.deepEqual(hintOf({ mount_path: "/data", size: 20 }), { path: "/data", size: "20" });
  assert.deepEqual(hintOf({ mount_path: "/data" }), { path: "/data", size: "" });
  for (const odd of [
    null,
    undefined,
    {},
    "x",
    { mount_path: 7, size: "20" },
    { size: 0 },
    { size: -1 },
    { size: Number.NaN },
  ])
    assert.deepEqual(hintOf(odd), none);
  assert.deepEqual(readVolumeHint(undefined), none);
});
