// docs/cloud-gpu-api.d.ts says what `activate` returns, and the example beside it is one that compiles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { CloudGpuApi, CloudGpuInstance } from "../../../docs/cloud-gpu-api.d.ts";
import type { Api } from "../../../src/ui/agent/late-api.ts";

const DOCS = resolve(import.meta.dirname, "../../../docs");

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Published = Api extends CloudGpuApi ? true : false;

test("the compiler finds the published types in what is exported, and nothing more", () => {
  const found = [true, true, true] satisfies [
    Published,
    Same<keyof Api, keyof CloudGpuApi>,
    Same<Api["instances"][number], CloudGpuInstance>,
  ];
  assert.equal(found.length, 3);
});

test("the example for authors is one that the compiler reads", () => {
  const [, example = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(DOCS, "extensions.md"), "utf8")) ?? [];
  const compiled = readFileSync(join(import.meta.dirname, "extension-example.ts"), "utf8");
  assert.match(example, /openSummary/);
  assert.equal(compiled.split("\n").slice(1).join("\n"), example.replace('"./cloud', '"../../../docs/cloud'));
});
