// Which GPUs a template file names, also while it is being written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAskedGpus } from "../../../../src/domain/template/template-file-lint.ts";

test("the GPUs that a file names are read whatever else is wrong in it", () => {
  const filters = '"extra_filters": { "gpu_name": { "eq": "RTX 4090" } }';
  for (const [text, ...names] of [
    [`{ "name": "a", "image": "b", ${filters} }`, "RTX 4090"],
    ['{ "extra_filters": { "gpu_name": { "in": ["H100"], }, } }', "H100"],
    ['{ "extra_filters": { "gpu_name": { "in": [1, "H100"] } } }', "H100"],
    [`{ "private": "no", "made_up": 1, ${filters} }`, "RTX 4090"],
    [`{ "name": "a" ${filters}`, "RTX 4090"],
    [`{ "name": , ${filters}, "docker_login_pass": "x" }`, "RTX 4090"],
    ['{ "name": "a", "image": "b" }'],
    ['{ "extra_filters": { "gpu_name": { "eq": 4090, "in": [] } } }'],
    ['{ "extra_filters": { "gpu_name": "H100" } }'],
    ['{ "extra_filters": null }'],
    [`[${filters}]`],
    [""],
    [`{ "readme": "${"x".repeat(1_000_000)}", ${filters} }`],
  ] as const)
    assert.deepEqual(readAskedGpus(text), names, text.slice(0, 80));
});
