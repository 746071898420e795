// What an instance was rented with, read from its own record.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { type LaunchRecord, Prepared } from "../../../../src/domain/launch/launch-record.ts";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";
import type { SignedIn } from "../../../../src/services/core/session.ts";
import { rebuildPlan } from "../../../../src/services/launch/rebuild-plan.ts";
import type { TemplateSaves } from "../../../../src/services/template/template-saves.ts";
import { TEMPLATE } from "../../support.ts";

const RECORD = {
  id: 41,
  machine_id: 8,
  gpu_name: "RTX 4090",
  num_gpus: 2,
  dph_total: 0.8,
  disk_space: 20,
  label: "vsc-aaaaaaaaaaaaaaaa mine",
  image_uuid: "a/b:1",
  image_runtype: "ssh",
};

const ACCOUNT = { tag: "mine" } as SignedIn;

/** The account's templates: one, stored under its hash. */
const saves: Pick<TemplateSaves, "find"> = {
  find: async (_, { id, hash }) =>
    id === undefined && hash === TEMPLATE.hash_id ? { value: TEMPLATE, raw: {} } : undefined,
};

const launched = (login?: "launch" | "template"): LaunchRecord => ({
  token: "vsc-aaaaaaaaaaaaaaaa",
  prepared: Prepared.parse({
    ...{ version: 1, origin: "https://a.test", account: "mine", offer: 7, machine: "m", at: 1, tracked: true, login },
  }),
  ...{ facts: new Set(["claimed"] as const), ids: [InstanceId.parse(41)], late: new Set() },
});

const rebuild = (
  fields: Readonly<Record<string, unknown>> = {},
  reread: () => Promise<readonly LaunchRecord[]> = async () => [launched()],
) => {
  const raw = { ...RECORD, ...fields };
  return rebuildPlan({ saves, watch: { reread } }, ACCOUNT, { value: Instance.parse(raw), raw });
};

test("an on-demand machine with an image", async () => {
  const { plan, search } = await rebuild();
  const { offer, ...rest } = plan;
  assert.deepEqual(rest, {
    type: "ondemand",
    template: undefined,
    image: "a/b:1",
    runtype: "ssh_proxy",
    diskGb: 20,
    label: "mine",
    bid: undefined,
    overlay: undefined,
    configuration: undefined,
  });
  assert.deepEqual([offer.id, offer.machine_id, offer.gpu_name, offer.dph_total], [41, 8, "RTX 4090", 0.8]);
  const filters = { ...anySearch.filters, gpu_name: { eq: "RTX 4090" }, num_gpus: { eq: 2 } };
  assert.deepEqual(search, { ...anySearch, sort: "price", diskGb: 20, filters });
});

test("the overlay network that it was rented into stays its network", async () => {
  const { plan } = await rebuild({ extra_env: [["-n ring", "1"]] });
  assert.equal(plan.overlay, "ring");
});

test("what was configured goes on, without the network's option", async () => {
  const { plan } = await rebuild({
    extra_env: [
      ["-n ring", "1"],
      ["MODE", "train"],
      ["-p 80:80", "1"],
    ],
    onstart: "echo",
  });
  assert.deepEqual(plan.configuration, { env: { MODE: "train", "-p 80:80": "1" }, onstart: "echo" });
});

test("a registry login that the launch had is known to be lost; a template's only if the template is gone", async () => {
  const isLost = async (
    login: "launch" | "template" | undefined,
    fields: Readonly<Record<string, unknown>> = {},
    reread = async (): Promise<readonly LaunchRecord[]> => [launched(login)],
  ) => (await rebuild(fields, reread)).plan.lostLogin;
  const there = { template_hash_id: TEMPLATE.hash_id, image_uuid: undefined, image_runtype: undefined };
  assert.deepEqual([await isLost("launch"), await isLost("launch", there)], [true, true]);
  assert.deepEqual([await isLost("template"), await isLost("template", there)], [true, undefined]);
  assert.equal(await isLost(undefined), undefined);
  for (const label of ["mine", "vsc-bbbbbbbbbbbbbbbb mine", undefined])
    assert.equal(await isLost("launch", { label }), undefined, "nothing is known of what another computer rented");
  assert.equal(await isLost("launch", {}, () => Promise.reject(new AppError("rejected", "disk"))), undefined);
});

test("a bid is the one it was held with, or the lowest", async () => {
  const { plan, search } = await rebuild({ is_bid: true, min_bid: 0.3 });
  assert.deepEqual([plan.type, plan.bid, search.type], ["bid", 0.3, "bid"]);
  assert.equal((await rebuild({ is_bid: true })).plan.bid, 0.001);
  assert.equal((await rebuild({ is_bid: true, min_bid: 0 })).plan.bid, 0.001);
  assert.equal((await rebuild({ is_bid: false, min_bid: 0.3 })).plan.bid, undefined);
});

test("a template that is still there says what runs; else the image does", async () => {
  const { plan } = await rebuild({
    ...{ template_hash_id: TEMPLATE.hash_id, image_uuid: undefined, image_runtype: undefined },
  });
  assert.deepEqual([plan.template, plan.image, plan.runtype], [TEMPLATE, undefined, undefined]);
  for (const template_hash_id of ["gone", "", undefined])
    assert.equal((await rebuild({ template_hash_id })).plan.image, "a/b:1");
});

test("without either, that is said", async () => {
  for (const image_uuid of [undefined, "", "not an image"])
    await assert.rejects(
      rebuild({ image_uuid }),
      (error) =>
        error instanceof AppError && error.kind === "rejected" && /ran on instance 41\. Destroy/.test(error.message),
    );
});

describe("what is read from odd records", () => {
  test("the runtype, from the words services write", async () => {
    for (const [image_runtype, runtype] of [
      ["jupyter_direc ssh_direc ssh_proxy", "jupyter_direct"],
      ["jupyter", "jupyter_proxy"],
      ["ssh_direc ssh_proxy", "ssh_direct"],
      ["ssh_proxy", "ssh_proxy"],
      ["args", "args"],
      ["", "args"],
      [undefined, "args"],
    ])
      assert.equal((await rebuild({ image_runtype })).plan.runtype, runtype, image_runtype);
  });

  test("the disk in whole GB, never below the least", async () => {
    for (const [disk_space, gb] of [
      [20.6, 21],
      [3, 8],
      [undefined, 8],
    ])
      assert.equal((await rebuild({ disk_space })).plan.diskGb, gb);
  });

  test("the label without its mark, as long as one may be typed", async () => {
    assert.equal((await rebuild({ label: `vsc-aaaaaaaaaaaaaaaa ${"x".repeat(105)}` })).plan.label, "x".repeat(100));
    assert.equal((await rebuild({ label: undefined })).plan.label, "");
  });

  test("a search without what the record does not say", async () => {
    const { search } = await rebuild({ gpu_name: undefined, num_gpus: undefined });
    assert.deepEqual(search.filters, anySearch.filters);
  });
});
