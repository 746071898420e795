// The template beside the launch: only what the launch changes differs, and no secret is in sight.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { compareWithTemplate } from "../../../../src/present/launch/effective.ts";
import { offerOf } from "../../support.ts";

const TEMPLATE = Template.parse({
  hash_id: "abc123",
  name: "T",
  image: "a/b",
  tag: "1",
  runtype: "ssh",
  ssh_direct: true,
  recommended_disk_space: 40,
  extra_filters: { gpu_ram: { gte: 24_000 } },
  docker_login_repo: "registry.example",
  docker_login_user: "me",
  env: "-e HF_TOKEN=verysecret -e MODE=fast -p 8080:8080 --gpus --token=verysecret",
});
const PLAN: LaunchPlan = {
  offer: offerOf({ id: 7, dph_total: 0.8, disk_space: 100 }),
  type: "ondemand",
  template: TEMPLATE,
  image: undefined,
  runtype: undefined,
  diskGb: 64,
  label: "run",
  bid: undefined,
};
const SCRIPT = "if true; then\n  export API_KEY=verysecret\nfi\n";

const texts = (plan: LaunchPlan) => {
  const found = compareWithTemplate(plan, "vsc-aaaaaaaaaaaaaaaa run", SCRIPT, 0);
  assert.ok(found);
  return { ...found, left: JSON.parse(found.template), right: JSON.parse(found.effective) };
};

describe("template and launch side by side", () => {
  test("differ in what the launch says and in nothing else", () => {
    const { left, right } = texts(PLAN);
    const differs = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
      (name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]),
    );
    assert.deepEqual(differs.sort(), ["cancel_unavail", "disk", "label", "target_state", "template_hash_id"]);
    assert.deepEqual([left.disk, right.disk], [40, 64]);
    assert.deepEqual([right.image, right.runtype], ["a/b:1", "ssh_direct"]);
    assert.deepEqual(right.extra_filters, { gpu_ram: { gte: 24_000 } });
  });

  test("a template without a disk does not seem to name one", () => {
    const { recommended_disk_space: _, ...rest } = TEMPLATE;
    const { left, right } = texts({ ...PLAN, template: { ...rest, recommended_disk_space: undefined } });
    assert.deepEqual([left.disk, right.disk], [undefined, 64]);
  });

  test("no secret is shown; a script keeps its lines and their indents", () => {
    const { template, effective, right } = texts(PLAN);
    assert.doesNotMatch(template + effective, /verysecret/);
    assert.deepEqual(right.onstart, ["if true; then", "  export API_KEY=••••", "fi", ""]);
    assert.deepEqual(right.env, { HF_TOKEN: "••••", MODE: "fast", "-p 8080:8080": "1" });
    assert.match(right.registry_login, /^me •••• registry\.example$/);
  });

  test("a launch without a template has nothing to be compared with", () => {
    assert.equal(compareWithTemplate({ ...PLAN, template: undefined, image: "a/b" }, "x", undefined, 0), undefined);
  });
});

test("over a template that everybody can read, a launch's own secrets stay masked, and the template's text is shown", () => {
  const template = {
    ...TEMPLATE,
    private: false,
    ...{ env: "-e API_KEY=canary-public -e HF_TOKEN=", onstart: "export TOKEN=canary-public", args_str: "" },
  };
  const configuration = {
    ...{ env: { HF_TOKEN: "canary-own" }, onstart: "export API_KEY=canary-script", args_str: "--token canary-args" },
    image_login: "-u me -p canary-login ghcr.io",
  };
  const plan = { ...PLAN, template, configuration };
  const compared = compareWithTemplate(plan, "label", template.onstart, 0);
  assert.equal(compared?.template.split("canary-public").length, 3);
  assert.doesNotMatch(compared?.effective ?? "", /canary-(?!public)/);
  assert.match(compared?.effective ?? "", /canary-public/);
  const before = compareWithTemplate({ ...plan, configuration: undefined }, "label", template.onstart, 0);
  assert.match(before?.effective ?? "", /export TOKEN=canary-public/);
});
