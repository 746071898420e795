// A template's row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Template } from "../../../../src/domain/template/template.ts";
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
