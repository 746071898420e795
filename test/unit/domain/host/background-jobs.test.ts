// The request for background jobs accepts what a form, a test or another caller may send, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BackgroundJobs, isVariableName } from "../../../../src/domain/host/background-jobs.ts";

const JOBS = { machine: 7, price_gpu: 4.8, price_inetu: 0, price_inetd: 0.02, image: "pytorch/pytorch:latest" };
const isRefused = (change: object) => !BackgroundJobs.safeParse({ ...JOBS, ...change }).success;

test("required fields are enough, and every optional one may be added", () => {
  assert.ok(BackgroundJobs.safeParse(JOBS).success);
  const rest = { args: ["a", "b c"], use_ssh: false, onstart: "run", env: { MODE: "fast", "a.b": "" } };
  assert.deepEqual(BackgroundJobs.parse({ ...JOBS, ...rest }), { ...JOBS, ...rest });
});

test("what can't be meant is refused", () => {
  for (const machine of [0, -1, 1.5, "7", Number.NaN, 1e20, undefined]) assert.ok(isRefused({ machine }), `${machine}`);
  for (const field of ["price_gpu", "price_inetu", "price_inetd"])
    for (const price of [-0.01, Number.NaN, Number.POSITIVE_INFINITY, 1_000_001, "1", undefined])
      assert.ok(isRefused({ [field]: price }), `${field} ${price}`);
  for (const image of ["", "Not An Image", "a b", "-a", undefined]) assert.ok(isRefused({ image }), `${image}`);
  assert.ok(isRefused({ args: ["a"], args_str: "a" }));
  assert.ok(isRefused({ args_str: "serve 'open" }));
  for (const text of ["a\0b", "half \ud83d"]) {
    assert.ok(isRefused({ onstart: text }));
    assert.ok(isRefused({ args: [text] }));
    assert.ok(isRefused({ env: { A: text } }));
  }
  assert.ok(isRefused({ env: { "1A": "x" } }));
  assert.ok(isRefused({ unknown: 1 }));
});

test("names of variables are those that shells know", () => {
  for (const name of ["A", "_a1", "HF_TOKEN", "a.b"]) assert.ok(isVariableName(name), name);
  for (const name of ["", "1A", "a b", "a-b", "a=b", "-p", "ä", "__proto__"]) assert.ok(!isVariableName(name), name);
});
