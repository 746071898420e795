// What another extension may ask for: every field of the published types is taken, and everything else is refused by name.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CloudGpuLaunchDraft } from "../../../../docs/cloud-gpu-api.d.ts";
import { readLaunchDraft, readOfferFilter } from "../../../../src/domain/agent/extension-draft.ts";
import { readLink } from "../../../../src/domain/agent/link.ts";

const template = "4e17788f74f075dd9aab7d0d4427968f";
const WHOLE: Required<CloudGpuLaunchDraft> = {
  ...{ template, gpu: "RTX_4090", gpus: 2, vram: 24, max: 0.6, reliability: 99, country: "DE", disk: 64, type: "bid" },
};
const { template: _, ...FILTER } = WHOLE;

const toQuery = (fields: object) => new URLSearchParams(fields as Record<string, string>).toString();

describe("what another extension asks for", () => {
  test("is read like the link that says the same", () => {
    assert.deepEqual(readLaunchDraft(WHOLE), readLink({ path: "/launch", query: toQuery(WHOLE), fragment: "" }));
    assert.deepEqual(readOfferFilter(FILTER), readLink({ path: "/explore", query: toQuery(FILTER), fragment: "" }));
    assert.deepEqual(readOfferFilter(undefined), readLink({ path: "/explore", query: "", fragment: "" }));
    assert.deepEqual(readLaunchDraft({ template, max: undefined }), readLaunchDraft({ template }));
  });

  for (const name of Object.keys(FILTER))
    test(`is refused with a wrong ${name}`, () => {
      for (const value of [null, true, {}, [], "", -1, 0, 1n, Symbol("x"), Number.POSITIVE_INFINITY, "=x", "a\u0000b"])
        assert.throws(() => readOfferFilter({ [name]: value }), new RegExp(`“${name}”`));
    });

  test("is read once, and never by its own code", () => {
    let reads = 0;
    const get = () => {
      reads += 1;
      return template;
    };
    assert.throws(
      () => readLaunchDraft(Object.defineProperty({}, "template", { get })),
      /“template”: It must be a string/,
    );
    assert.equal(reads, 0);
    assert.throws(() => readLaunchDraft(Object.create({ template })), /“template”: It has no value/);
    const getOwnPropertyDescriptor = (target: object, name: PropertyKey) => {
      reads += 1;
      return Reflect.getOwnPropertyDescriptor(target, name);
    };
    assert.equal(readLaunchDraft(new Proxy({ template }, { getOwnPropertyDescriptor })).kind, "launch");
    assert.equal(reads, 1);
  });

  test("is refused in one short line, whatever its fields are called", () => {
    for (const name of ["__proto__", "onstart", "\u202e\n", "x".repeat(1_000_000), "constructor"])
      assert.throws(
        () => readOfferFilter(Object.defineProperty({}, name, { value: 1, enumerable: true })),
        /^AppError: .{20,200}$/u,
      );
  });
});
