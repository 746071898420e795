// A template's row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Template } from "../../../../src/domain/template/template.ts";
import { formatDateTime } from "../../../../src/lib/text.ts";
import { buildTemplateRow } from "../../../../src/present/template/templates.ts";
import { TEMPLATE } from "../../support.ts";

test("what a template's icon says stands in its spoken name as well", () => {
  const row = (more: object) => buildTemplateRow(Template.parse({ ...TEMPLATE, ...more }), "t", undefined);
  const looks = [{}, { private: true }, { recommended: true }]
    .map(row)
    .map(({ icon, accessible }) => [icon, accessible]);
  assert.deepEqual(looks, [
    ["package", "T, template, image a/b:1"],
    ["lock", "T, template, image a/b:1, private"],
    ["star-full", "T, template, image a/b:1, recommended"],
  ]);
});

test("hovering over a template's row shows what only a stored one has", () => {
  const row = (more: object) => buildTemplateRow(Template.parse({ ...TEMPLATE, ...more }), "t", undefined);
  const named = (more: object) => new Map(row(more).tooltip?.().facts);
  const facts = named({
    ...{ creator_id: 42, count_created: 7, default_tag: "2.1-cuda12" },
    ...{ created_at: 1_700_000_000.5, recent_create_date: 1_800_000_000 },
  });
  assert.equal(facts.get("Creator"), "42");
  assert.equal(facts.get("Used"), "7 times");
  assert.equal(facts.get("Created"), formatDateTime(1_700_000_000_500));
  assert.equal(facts.get("When an instance was last created from the template"), formatDateTime(1_800_000_000_000));
  assert.equal(facts.get("The image's default tag"), "2.1-cuda12");
  assert.deepEqual(
    [...named({ created_at: 0, recent_create_date: -1, default_tag: null }).keys()].filter((name) =>
      /creat|default/i.test(name),
    ),
    [],
  );
});
