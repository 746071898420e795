// What a plan costs, and the request it becomes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchConfiguration } from "../../../../src/domain/launch/launch-configuration.ts";
import {
  calculatePlanPrice,
  findNoSelfStopInPlan,
  type LaunchPlan,
  readLaunchAccess,
  toLaunchRequest,
} from "../../../../src/domain/launch/launch-plan.ts";
import { PLAN as ANY_PLAN, OFFER, TEMPLATE } from "../../support.ts";

const NOW = 1_700_000_000_000;
const PLAN: LaunchPlan = { ...ANY_PLAN, image: undefined, diskGb: 72 };
const BID: LaunchPlan = { ...PLAN, type: "bid", bid: 0.4 };

test("an on-demand price includes the disk, a bid's disk is extra, and no part is guessed", () => {
  assert.equal(calculatePlanPrice(PLAN), 0.8);
  assert.equal(calculatePlanPrice({ ...PLAN, bid: 0.4 }), 0.8, "a bid means nothing on demand");
  assert.equal(calculatePlanPrice(BID), 0.4 + (0.15 * 72) / 720);
  assert.equal(calculatePlanPrice({ ...BID, bid: undefined }), undefined);
  assert.equal(calculatePlanPrice({ ...BID, bid: Number.NaN }), undefined);
  assert.equal(calculatePlanPrice({ ...BID, offer: { ...OFFER, storage_cost: undefined } }), undefined);
  assert.equal(calculatePlanPrice({ ...BID, offer: { ...OFFER, storage_cost: -1 } }), undefined);
  assert.equal(calculatePlanPrice({ ...BID, offer: { ...OFFER, storage_cost: 0 } }), 0.4);
});

test("the request holds what was chosen, and nothing that was not", () => {
  const always = { disk: 72, label: "token mine", target_state: "running" };
  assert.deepEqual(toLaunchRequest(PLAN, "token mine", NOW), { ...always, cancel_unavail: true });
  assert.deepEqual(toLaunchRequest({ ...PLAN, bid: 0.4 }, "token mine", NOW), { ...always, cancel_unavail: true });
  assert.deepEqual(toLaunchRequest(BID, "token mine", NOW), { ...always, price: 0.4 });
  assert.deepEqual(toLaunchRequest({ ...BID, bid: undefined }, "token mine", NOW), always);
  assert.deepEqual(toLaunchRequest({ ...BID, image: "a/b", runtype: "ssh" }, "token mine", NOW), {
    ...always,
    image: "a/b",
    runtype: "ssh",
    price: 0.4,
  });
  assert.deepEqual(toLaunchRequest({ ...PLAN, template: TEMPLATE }, "token mine", NOW), {
    ...always,
    template_hash_id: "abc123",
    cancel_unavail: true,
  });
});

test("an instance that is to end itself has that before its template's start script, and nothing is lost", () => {
  const base = "https://gpu.example.com";
  const template = { ...TEMPLATE, runtype: "ssh", extra_filters: undefined, onstart: "#!/bin/bash\necho hi\n" };
  const plan = { ...PLAN, template, end: { hours: 4, ending: "destroy", byItself: base } } as const;
  const { onstart = "" } = toLaunchRequest(plan, "token mine", NOW);
  assert.match(onstart, /^#!\/bin\/bash\n\(L=.*echo 1700014400 DELETE[\s\S]*\necho hi\n$/);
  assert.equal(toLaunchRequest({ ...plan, end: { hours: 4, ending: "destroy" } }, "x", NOW).onstart, undefined);
  assert.equal(toLaunchRequest({ ...plan, end: { ...plan.end, ending: "remind" } }, "x", NOW).onstart, undefined);
  assert.equal(toLaunchRequest({ ...plan, runtype: "args" }, "x", NOW).onstart, undefined);
  assert.deepEqual(findNoSelfStopInPlan({ ...plan, runtype: "args" }, base), { kind: "no-start" });
  const vm = { ...template, extra_filters: { vms_enabled: { eq: true } } };
  assert.deepEqual(findNoSelfStopInPlan({ ...plan, template: vm }, base), { kind: "no-start" });
  assert.equal(findNoSelfStopInPlan(plan, base), undefined);
  assert.equal(findNoSelfStopInPlan({ ...plan, template: undefined, runtype: "ssh" }, base), undefined);
  const long = { ...plan, template: { ...template, onstart: "x".repeat(4000) } };
  assert.equal(findNoSelfStopInPlan(long, base)?.kind, "too-long");
  assert.ok((toLaunchRequest(long, "x", NOW).onstart ?? "").endsWith("x".repeat(4000)), "shown whole, and refused");
});

test("a launch has SSH unless its image runs its own entrypoint, and a virtual machine always", () => {
  const ssh = (plan: Partial<LaunchPlan>) => readLaunchAccess({ ...PLAN, ...plan }).hasSsh;
  assert.deepEqual([ssh({ runtype: "ssh_direct" }), ssh({ runtype: "args" }), ssh({})], [true, false, false]);
  const template = { ...TEMPLATE, runtype: "ssh", extra_filters: undefined };
  assert.deepEqual([ssh({ template }), ssh({ template: { ...template, runtype: "args" } })], [true, false]);
  assert.equal(ssh({ template, runtype: "args" }), false, "this launch's own choice goes first");
  const vm = { ...template, runtype: "args", extra_filters: { vms_enabled: { eq: true } } };
  assert.deepEqual(readLaunchAccess({ ...PLAN, template: vm }), { hasSsh: true, isVm: true });
  for (const vms_enabled of [{ eq: false }, { neq: true }, {}])
    assert.equal(readLaunchAccess({ ...PLAN, template: { ...template, extra_filters: { vms_enabled } } }).isVm, false);
});

describe("what was configured", () => {
  const sent = (plan: Partial<LaunchPlan>) => toLaunchRequest({ ...PLAN, ...plan }, "l", NOW);

  test("goes before the defaults, field by field", () => {
    const configuration: LaunchConfiguration = {
      ...{ cancel_unavail: false, target_state: "stopped", onstart: "", args_str: "", vm: true, python_utf8: true },
      ...{ image_login: "-u a -p b c", volume_info: { volume_id: 1, mount_path: "/data" }, env: { A: "1" } },
    };
    assert.deepEqual(sent({ configuration }), { disk: 72, label: "l", ...configuration });
    assert.deepEqual(sent({ configuration: {} }), sent({}));
  });

  test("a network joins the variables", () => {
    const request = sent({ configuration: { env: { A: "1" } }, overlay: "net" });
    assert.deepEqual(request.env, { A: "1", "-n net": "1" });
  });

  test("an instance that ends itself runs the configured script, and not the template's", () => {
    const end = { hours: 1, ending: "destroy", byItself: "https://gpu.example.com" } as const;
    const template = { ...TEMPLATE, onstart: "echo template" };
    const own = sent({ template, end, configuration: { onstart: "echo own" } }).onstart ?? "";
    assert.match(own, /\necho own$/);
    assert.doesNotMatch(own, /echo template/);
    assert.match(sent({ template, end, configuration: {} }).onstart ?? "", /\necho template$/);
    const vm = sent({ template, end, configuration: { vm: true, onstart: "echo own" } });
    assert.equal(vm.onstart, "echo own", "a virtual machine can't end itself");
  });

  test("a virtual machine is one by the request, whatever the template searches for", () => {
    const template = { ...TEMPLATE, runtype: "args", extra_filters: { vms_enabled: { eq: true } } };
    const access = (vm: boolean | undefined, of = template) =>
      readLaunchAccess({ ...PLAN, template: of, configuration: vm === undefined ? {} : { vm } });
    assert.deepEqual(access(undefined), { hasSsh: true, isVm: true });
    assert.deepEqual(access(false), { hasSsh: false, isVm: false });
    assert.deepEqual(access(true, { ...template, extra_filters: {} } as typeof template), { hasSsh: true, isVm: true });
  });
});
