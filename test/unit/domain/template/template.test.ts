// A template and a request merged into what is rented.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mergeConfiguration, withTag } from "../../../../src/domain/template/template.ts";

describe("template and request merged (interface 4.3, rules 6 to 8)", () => {
  const template = {
    image: "a/b",
    tag: "1",
    runtype: "ssh",
    ssh_direct: true,
    env: "-e A=t -e B=t -p 1:1",
    onstart: "echo t",
    recommended_disk_space: 40,
    extra_filters: { gpu_ram: { gte: 1 }, verified: { eq: true } },
  };
  test("the template alone", () => {
    const got = mergeConfiguration(template, {});
    assert.equal(got.image, "a/b:1");
    assert.equal(got.runtype, "ssh_direct");
    assert.equal(got.disk, 40);
    assert.deepEqual(got.env, { A: "t", B: "t", "-p 1:1": "1" });
  });
  test("scalars of the request win; null means not given", () => {
    const got = mergeConfiguration(template, { image: "c/d:2", disk: 9, onstart: null });
    assert.deepEqual([got.image, got.disk, got.onstart], ["c/d:2", 9, "echo t"]);
  });
  test("env is merged, the request's value wins", () => {
    assert.deepEqual(mergeConfiguration(template, { env: { B: "r", C: "r" } }).env, {
      A: "t",
      B: "r",
      C: "r",
      "-p 1:1": "1",
    });
  });
  test("extra_filters are merged by key, the request's value wins", () => {
    const got = mergeConfiguration(template, { extra_filters: { gpu_ram: { gte: 2 } } });
    assert.deepEqual(got.extra_filters, { gpu_ram: { gte: 2 }, verified: { eq: true } });
  });
  test("a template's volume_info has no effect", () => {
    const withVolume = { ...template, volume_info: { volume_id: 1 } };
    assert.equal(mergeConfiguration(withVolume, {}).volume_info, undefined);
    assert.deepEqual(mergeConfiguration(template, { volume_info: { volume_id: 2 } }).volume_info, { volume_id: 2 });
  });
  test("without a template the disk defaults to 8 GB", () =>
    assert.equal(mergeConfiguration(undefined, { image: "x" }).disk, 8));
  test("a tag is added once, and a registry's port is none", () => {
    assert.equal(withTag("a/b", "1"), "a/b:1");
    assert.equal(withTag("a/b:2", "1"), "a/b:2");
    assert.equal(withTag("r:5000/b", "1"), "r:5000/b:1");
    assert.equal(withTag("a/b@sha256:0", "1"), "a/b@sha256:0");
  });
});
