// A template's hash may be any printable text: its file has a name of its own, and leads nowhere.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import { buildTemplatePath, readTemplatePath } from "../../../../src/domain/template/template-path.ts";
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
        const path = buildTemplatePath({ id: undefined, hash: hash.data }, text, "readme.md");
        assert.match(path, /^\/hash [^/\\]+\/([^/\\]{1,120} · )?readme\.md$/);
        assert.deepEqual(readTemplatePath(path), { id: undefined, hash: hash.data, file: "readme.md" });
      }),
    );
    const numbered = buildTemplatePath(
      { id: TemplateId.parse(7), hash: TemplateHash.parse("a/b") },
      "Fine-tune",
      "onstart.sh",
    );
    assert.equal(numbered, "/template 7/Fine-tune · onstart.sh");
    assert.equal(readTemplatePath(numbered)?.id, 7);
  });

  test("a name leads nowhere, and stands for nothing", () => {
    const seven = { id: TemplateId.parse(7), hash: TemplateHash.parse("7") };
    for (const name of ["", "..", "../../etc", "a\\b", "x · readme.md", "\u202e\n", "z".repeat(24_000)]) {
      const path = buildTemplatePath(seven, name, "onstart.sh");
      assert.deepEqual(path.split("/").slice(0, 2), ["", "template 7"], name);
      assert.equal(path.split("/").length, 3, name);
      assert.deepEqual(readTemplatePath(path), { ...seven, file: "onstart.sh" }, name);
    }
  });

  test("paths that nobody writes are none", () => {
    for (const path of [
      "",
      "/",
      "/hash /x",
      "/hash %/x",
      "/hash %zz/x",
      "/template 0/x",
      "/template x/x",
      "/hash a/b/c",
      "/hash a b/x",
      "/hash %00/x",
    ])
      assert.equal(readTemplatePath(path), undefined, path);
  });
});
