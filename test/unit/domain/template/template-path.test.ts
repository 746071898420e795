// A template's hash may be any printable text: its file has a name of its own, and leads nowhere.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import { readTemplatePath, templatePath } from "../../../../src/domain/template/template-path.ts";
import { ODD_HASHES } from "../../support.ts";

describe("paths of templates", () => {
  test("name a file of their own in the virtual file system, and are read back", () => {
    const hashes = fc.oneof(
      fc.constantFrom(...ODD_HASHES),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    );
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
});
