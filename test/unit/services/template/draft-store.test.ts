// Drafts are kept under names that are file names.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import { DraftKey, toTemplateKey } from "../../../../src/services/template/draft-store.ts";
import { ODD_HASHES } from "../../support.ts";

describe("template hashes", () => {
  test("name drafts by keys that are file names, each hash by another", () => {
    const keys = ODD_HASHES.map((hash) => toTemplateKey({ id: undefined, hash: TemplateHash.parse(hash) }));
    for (const key of keys) assert.equal(DraftKey.parse(key), key);
    assert.equal(new Set(keys).size, ODD_HASHES.length);
    assert.equal(toTemplateKey({ id: TemplateId.parse(7), hash: TemplateHash.parse("a") }), "id-7");
  });
});
