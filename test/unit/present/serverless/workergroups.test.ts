// Workergroups in words: what is unknown, what is gone, and never their key.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Workergroup } from "../../../../src/domain/serverless/workergroup.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import {
  buildWorkergroupRow,
  listWorkergroupFacts,
  runsOlderTemplate,
} from "../../../../src/present/serverless/workergroups.ts";

describe("a workergroup's row", () => {
  const facts = (fields: object, template: Template | "gone" | "unknown" = "unknown") => {
    const { api_key, ...value } = Workergroup.parse({ id: 9, ...fields });
    return { value, template, hasKey: api_key !== undefined };
  };
  const template = Template.parse({ hash_id: "new", id: 3, name: "vLLM" });

  test("says that its template is older only where both hashes are known", () => {
    assert.equal(runsOlderTemplate(facts({ template_hash: "old" }, template)), true);
    assert.equal(runsOlderTemplate(facts({ template_hash: "new" }, template)), false);
    for (const unknown of ["gone", "unknown"] as const)
      assert.equal(runsOlderTemplate(facts({ template_hash: "old" }, unknown)), false);
    assert.equal(runsOlderTemplate(facts({}, template)), false);
  });

  test("says what the service no longer has, what is missing, and a search it cannot read", () => {
    const row = (fields: object, at: Template | "gone" | "unknown") => {
      const view = buildWorkergroupRow(facts(fields, at), { tag: "t", staleSince: undefined });
      return JSON.stringify([view, view.tooltip?.()]);
    };
    assert.match(row({ template_hash: "old", template_id: 3 }, "gone"), /old \(no longer on the service\)/);
    assert.match(row({ search_query: { gpu_ram: { near: 3 } } }, "unknown"), /unreadable; see the document/);
    assert.match(row({ search_query: '{"num_gpus":{"eq":2}}' }, "unknown"), /2 GPUs/);
    assert.doesNotMatch(row({ min_load: "x", target_util: null, cold_workers: 1.5 }, "unknown"), /NaN|undefined|null/);
  });

  test("shows VRAM in GB, whether the service sends MB or GB", () => {
    const vram = (gpu_ram: unknown) => listWorkergroupFacts(facts({ gpu_ram })).find(([name]) => name === "VRAM")?.[1];
    assert.deepEqual([24_000, 24, 81_920, 80, 0, null].map(vram), [
      "24 GB",
      "24 GB",
      "80 GB",
      "80 GB",
      undefined,
      undefined,
    ]);
  });

  test("knows whether there is a key, and holds none", () => {
    const made = facts({ api_key: "CANARY-workergroup-key" });
    assert.match(buildWorkergroupRow(made, { tag: "t", staleSince: undefined }).context, /canCopyKey/);
    assert.doesNotMatch(JSON.stringify(made), /CANARY/);
  });
});
