// A request laid over its template, field by field, with where each value comes from (interface 4.3).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CREATE_FIELDS, mergeRequest } from "../../../../src/domain/launch/merge-request.ts";
import { Template } from "../../../../src/domain/template/template.ts";

const template = Template.parse({
  hash_id: "ab".repeat(16),
  name: "Base",
  image: "vendor/base",
  tag: "1.2",
  env: "-e MODE=train -e TOKEN=abc -p 8000:8000",
  onstart: "echo template",
  runtype: "jupyter",
  jup_direct: true,
  jupyter_dir: "/work",
  use_jupyter_lab: true,
  docker_login_user: "me",
  docker_login_repo: "r.example",
  recommended_disk_space: 40,
  extra_filters: { gpu_ram: { gte: 24_000 }, verified: { eq: true } },
});
/** One that says as little as it may. */
const bare = Template.parse({ hash_id: "cd".repeat(16), name: "Bare", image: "a/b" });

test("all eighteen fields of the request are there, from whatever they come", () => {
  assert.equal(CREATE_FIELDS.length, 18);
  for (const given of [undefined, template, bare])
    assert.deepEqual(Object.keys(mergeRequest(given, { image: "a/b" }).fields), CREATE_FIELDS);
});

describe("where a value comes from", () => {
  const volume = { volume_id: 1, mount_path: "/data" };
  const cases: readonly [
    string,
    Parameters<typeof mergeRequest>,
    Readonly<Record<string, readonly [string, unknown]>>,
  ][] = [
    [
      "nothing but an image",
      [undefined, { image: "a/b" }],
      {
        image: ["request", "a/b"],
        template_hash_id: ["default", undefined],
        label: ["default", undefined],
        disk: ["default", 8],
        runtype: ["default", undefined],
        target_state: ["default", "running"],
        price: ["default", undefined],
        env: ["default", {}],
        onstart: ["default", undefined],
        args_str: ["default", undefined],
        use_jupyter_lab: ["default", false],
        jupyter_dir: ["default", undefined],
        python_utf8: ["default", false],
        lang_utf8: ["default", false],
        image_login: ["default", undefined],
        cancel_unavail: ["default", false],
        vm: ["default", false],
        volume_info: ["default", undefined],
      },
    ],
    [
      "a template alone",
      [template, { template_hash_id: template.hash_id }],
      {
        image: ["template", "vendor/base:1.2"],
        template_hash_id: ["request", template.hash_id],
        disk: ["template", 40],
        runtype: ["template", "jupyter_direct"],
        env: ["template", { MODE: "train", TOKEN: "abc", "-p 8000:8000": "1" }],
        onstart: ["template", "echo template"],
        args_str: ["default", undefined],
        use_jupyter_lab: ["template", true],
        jupyter_dir: ["template", "/work"],
        image_login: ["template", undefined],
        volume_info: ["default", undefined],
      },
    ],
    [
      "a template that says little",
      [bare, {}],
      {
        image: ["template", "a/b"],
        runtype: ["template", "args"],
        disk: ["default", 8],
        env: ["default", {}],
        image_login: ["default", undefined],
        use_jupyter_lab: ["default", false],
      },
    ],
    [
      "a request over a template",
      [
        template,
        {
          ...{
            image: "c/d",
            disk: 12,
            runtype: "args",
            env: { MODE: "serve", NEW: "1" },
            onstart: "",
            args_str: "--x",
          },
          ...{ use_jupyter_lab: false, jupyter_dir: "/other", python_utf8: true, lang_utf8: true, vm: true },
          ...{ image_login: "-u a -p b c", cancel_unavail: true, volume_info: volume, target_state: "stopped" },
          ...{ label: "mine", price: 0.5 },
        },
      ],
      {
        image: ["request", "c/d"],
        disk: ["request", 12],
        runtype: ["request", "args"],
        env: ["request", { MODE: "serve", TOKEN: "abc", "-p 8000:8000": "1", NEW: "1" }],
        onstart: ["request", ""],
        args_str: ["request", "--x"],
        use_jupyter_lab: ["request", false],
        jupyter_dir: ["request", "/other"],
        python_utf8: ["request", true],
        lang_utf8: ["request", true],
        vm: ["request", true],
        image_login: ["request", "-u a -p b c"],
        cancel_unavail: ["request", true],
        volume_info: ["request", volume],
        target_state: ["request", "stopped"],
        label: ["request", "mine"],
        price: ["request", 0.5],
      },
    ],
    [
      "null, which isn't given",
      [template, { image: null, disk: null, env: null, onstart: null, image_login: null, vm: null }],
      {
        image: ["template", "vendor/base:1.2"],
        disk: ["template", 40],
        onstart: ["template", "echo template"],
        image_login: ["template", undefined],
        vm: ["default", false],
      },
    ],
  ];
  for (const [name, [base, request], expected] of cases)
    test(name, () => {
      const { fields } = mergeRequest(base, request);
      for (const [field, [from, value]] of Object.entries(expected))
        assert.deepEqual(fields[field as keyof typeof fields], { value, from }, field);
    });
});

test("each variable says where it comes from and what it replaces; those of the template come first", () => {
  const env = { NEW: "x", MODE: "serve", TOKEN: "abc", "-p 9000:9000": "1" };
  assert.deepEqual(mergeRequest(template, { env }).variables, [
    { name: "MODE", value: "serve", from: "request", replaces: "train" },
    { name: "TOKEN", value: "abc", from: "request" },
    { name: "-p 8000:8000", value: "1", from: "template" },
    { name: "NEW", value: "x", from: "request" },
    { name: "-p 9000:9000", value: "1", from: "request" },
  ]);
  assert.deepEqual(mergeRequest(undefined, { env: { constructor: "1" } }).variables, [
    { name: "constructor", value: "1", from: "request" },
  ]);
});

test("machine filters are merged by key (rule 6), and a template's volume is never attached (rule 8)", () => {
  const withVolume = { ...template, volume_info: { volume_id: 1 } };
  const merged = mergeRequest(withVolume, { extra_filters: { gpu_ram: { lte: 50_000 }, num_gpus: { eq: 1 } } });
  assert.deepEqual(merged.extraFilters, { gpu_ram: { lte: 50_000 }, verified: { eq: true }, num_gpus: { eq: 1 } });
  assert.deepEqual(merged.fields.volume_info, { value: undefined, from: "default" });
});
