// A template's hash may be any printable text: what is named by it stays one name, apart from every other, and leads nowhere.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TemplateHash, TemplateId } from "../../src/domain/base/id.ts";
import { readTemplatePath, templatePath } from "../../src/domain/template/template-path.ts";
import { DraftKey, keyOf } from "../../src/services/template/draft-store.ts";

const ODD = [
  "a/b",
  "../../x",
  "..",
  ".",
  "a b",
  "%2F",
  "%",
  "ä漢😀",
  "a:b",
  "a\\b",
  "A",
  "a",
  "x".repeat(256),
  "?q#f",
  "hash-a",
  "$(x)",
];

describe("template hashes", () => {
  test("are any printable text of 1 to 256 characters", () => {
    for (const hash of ODD) assert.equal(TemplateHash.parse(hash), hash);
    assert.equal(TemplateHash.safeParse("😀".repeat(256)).success, true);
    for (const none of ["", "x".repeat(257), "a\nb", "a\0", "\u202ea", "\ud800", "\u2028", "\u200b", 7, null])
      assert.equal(TemplateHash.safeParse(none).success, false, JSON.stringify(none));
  });

  test("name a file of their own in the virtual file system, and are read back", () => {
    const hashes = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }));
    fc.assert(
      fc.property(hashes, (text) => {
        const hash = TemplateHash.safeParse(text);
        if (!hash.success) return;
        const path = templatePath({ id: undefined, hash: hash.data }, "readme.md");
        assert.match(path, /^\/hash-[^/\\]+\/readme\.md$/);
        assert.deepEqual(readTemplatePath(path), { id: undefined, hash: hash.data, file: "readme.md" });
      }),
    );
    const numbered = templatePath({ id: TemplateId.parse(7), hash: TemplateHash.parse("a/b") }, "onstart.sh");
    assert.equal(numbered, "/id-7/onstart.sh");
    assert.equal(readTemplatePath(numbered)?.id, 7);
  });

  test("paths that nobody writes are none", () => {
    for (const path of [
      "",
      "/",
      "/hash-/x",
      "/hash-%/x",
      "/hash-%zz/x",
      "/id-0/x",
      "/id-x/x",
      "/hash-a/b/c",
      "/hash-a b/x",
      "/hash-%00/x",
    ])
      assert.equal(readTemplatePath(path), undefined, path);
  });

  test("name drafts by keys that are file names, each hash by another", () => {
    const keys = ODD.map((hash) => keyOf({ id: undefined, hash: TemplateHash.parse(hash) }));
    for (const key of keys) assert.equal(DraftKey.parse(key), key);
    assert.equal(new Set(keys).size, ODD.length);
    assert.equal(keyOf({ id: TemplateId.parse(7), hash: TemplateHash.parse("a") }), "id-7");
  });
});
