// A template's draft, its form and its wire are the same thing, and nothing that is stored gets lost between them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Template } from "../../../../src/domain/template/template.ts";
import { listChangedFields, pickChanges } from "../../../../src/domain/template/template-changes.ts";
import { TemplateDraft } from "../../../../src/domain/template/template-draft.ts";
import {
  FIRST_TEMPLATE,
  NEW_TEMPLATE,
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  TemplateForm,
  toDraft,
  toForm,
  toTemplateDraft,
} from "../../../../src/domain/template/template-form.ts";
import { lintForm } from "../../../../src/domain/template/template-lint.ts";
import { drafts } from "../../drafts.ts";

describe("one template, three dresses", () => {
  test("draft to form to draft is the identity, and the form has no complaint", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const form = TemplateForm.parse(JSON.parse(JSON.stringify(toForm(draft))));
        const read = readForm(form);
        assert.deepEqual(read.problems, []);
        assert.deepEqual(listChangedFields(draft, read.draft), []);
        assert.deepEqual(read.draft, draft);
      }),
      { numRuns: 2000 },
    );
  });

  test("draft to wire to draft is the identity", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const record = JSON.parse(JSON.stringify({ ...draft, hash_id: "abc", id: 7, creator_id: 1, count_created: 3 }));
        assert.deepEqual(toDraft(record), draft);
        const sent = JSON.parse(JSON.stringify(toTemplateDraft(draft)));
        assert.ok(TemplateDraft.safeParse(sent).success);
        assert.deepEqual(listChangedFields(toDraft({ ...sent, hash_id: "abc" }), draft), []);
      }),
      { numRuns: 2000 },
    );
  });

  test("the form's fields are the schema's, and a new template is valid but for what must be typed", () => {
    assert.deepEqual(Object.keys(TemplateForm.shape).sort(), [...TEMPLATE_DRAFT_FIELDS].sort());
    for (const empty of [NEW_TEMPLATE, FIRST_TEMPLATE])
      assert.deepEqual(
        readForm(toForm(empty)).problems.map(({ field }) => field),
        ["name", "image"],
      );
  });

  test("an empty form begins with SSH and says nothing but that name and image are missing", () => {
    assert.deepEqual(
      lintForm(toForm(FIRST_TEMPLATE)).map(({ field, severity }) => [field, severity]),
      [
        ["name", "error"],
        ["image", "error"],
      ],
    );
    const { runtype, use_ssh, ssh_direct, recommended_disk_space } = toTemplateDraft({
      ...FIRST_TEMPLATE,
      name: "a",
      image: "b",
    });
    assert.deepEqual([runtype, use_ssh, ssh_direct, recommended_disk_space], ["ssh", true, true, 32]);
  });

  test("a record full of nonsense is read as far as it goes", () => {
    const draft = toDraft({
      name: 7,
      image: null,
      runtype: "jupyter_direc ssh_proxy",
      extra_filters: '{"num_gpus":{"gte":2}}',
      volume_info: 5,
      private: "x",
    });
    assert.deepEqual([draft.name, draft.runtype, draft.volume_info, draft.private], ["", "jupyter", null, false]);
    assert.deepEqual(draft.extra_filters, { num_gpus: { gte: 2 } });
  });

  test("machine filters that are not understood stay: not sent by another save, sent along by an edit, said in the form", () => {
    const extra_filters = {
      gpu_ram: { gte: 24_000 },
      " verified": { eq: true },
      type: "bid",
      order: [["dph_total", "asc"]],
      limit: 5,
    };
    const record = { name: "n", image: "a/b", hash_id: "abc", extra_filters };
    for (const raw of [record, { ...record, extra_filters: JSON.stringify(extra_filters) }]) {
      const base = toDraft(raw);
      assert.deepEqual(Template.parse(raw).extra_filters, { gpu_ram: { gte: 24_000 } });
      const form = toForm(base);
      assert.deepEqual(pickChanges(base, readForm({ ...form, desc: "d" }).draft), { desc: "d" });
      const added = [...form.extra_filters, { field: "num_gpus", operator: "gte", value: "2" } as const];
      const read = readForm({ ...form, extra_filters: added });
      assert.deepEqual(pickChanges(base, read.draft), { extra_filters: { ...extra_filters, num_gpus: { gte: 2 } } });
      assert.deepEqual(read.problems, []);
      const said = lintForm(form).find(({ field }) => field === "extra_filters")?.message ?? "";
      assert.match(said, /These filters aren't recognized.*: verified, type, order, limit\.$/);
      const twice = [...form.extra_filters, { field: "type", operator: "eq", value: "x" } as const];
      assert.match(readForm({ ...form, extra_filters: twice }).problems[0]?.message ?? "", /type is listed twice/);
    }
  });
});
