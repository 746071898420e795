// A template as a text: read back as it was written, and merged by a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatTemplate, isUndecided, readTemplateText } from "../../../../src/domain/template/template-text.ts";
import { drafts } from "../../drafts.ts";

test("draft to text to draft is the identity", () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      assert.deepEqual(readTemplateText(formatTemplate(draft)), draft);
    }),
    { numRuns: 2000 },
  );
});

test("a merged text is undecided while it keeps what both changed", () => {
  const texts = { base: "a\nb\nc", mine: "a\nB1\nc", theirs: "a\nB2\nc" };
  assert.equal(isUndecided(texts, texts.base), true);
  for (const merged of ["a\nB3\nc", "a\nc", "a\n<<<<<<< mine\nB1\n=======\nB2\n>>>>>>> theirs\nc"])
    assert.equal(isUndecided(texts, merged), true, merged);
  for (const merged of [texts.mine, texts.theirs, "a\nB1\nB2\nc"])
    assert.equal(isUndecided(texts, merged), false, merged);
  assert.equal(isUndecided({ ...texts, theirs: "a\nb\nC" }, "a\nB1\nC"), false, "changed in different places");
  const added = { base: "a", mine: "a\nx", theirs: "a\ny" };
  assert.equal(isUndecided(added, "a"), true);
  for (const merged of ["a\nx", "a\ny", "a\nx\ny"]) assert.equal(isUndecided(added, merged), false, merged);
});

test("a field that both sides changed is undecided while it is as it was, also where a line of it stays", () => {
  const textOf = (fields: object) => `${JSON.stringify(fields, null, 2)}\n`;
  const base = textOf({ name: "a", onstart: ["one", "two"], disk: 10 });
  const mine = textOf({ name: "a", onstart: ["one", "mine"], disk: 10 });
  const theirs = textOf({ name: "b", onstart: ["one", "two", "theirs"], disk: 10 });
  const versions = { base, mine, theirs };
  assert.equal(isUndecided(versions, textOf({ name: "b", onstart: ["one", "two"], disk: 10 })), true);
  for (const onstart of [
    ["one", "mine"],
    ["one", "two", "theirs"],
    ["one", "mine", "theirs"],
    ["other", "mine"],
  ])
    assert.equal(isUndecided(versions, textOf({ name: "b", onstart, disk: 10 })), false, onstart.join());
  assert.equal(isUndecided({ ...versions, theirs: mine }, mine), false, "both sides agree");
});

test("text that is no template says why", () => {
  assert.throws(() => readTemplateText("{"), /Invalid JSON/);
  assert.throws(() => readTemplateText('{"nmae": "x"}'), /nmae/);
  assert.throws(() => readTemplateText('{"recommended_disk_space": "x"}'), /recommended_disk_space/);
  assert.throws(() => readTemplateText('{"docker_login_pass": "x"}'), /docker_login_pass/);
});
