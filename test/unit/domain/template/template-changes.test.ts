// Only what changed is sent, and what two people changed is named.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { listChangedFields, mergeChanges, pickChanges } from "../../../../src/domain/template/template-changes.ts";
import {
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type WholeDraft,
} from "../../../../src/domain/template/template-form.ts";
import { drafts } from "../../drafts.ts";

describe("only what changed", () => {
  test("the body of an edit holds the changed fields, all of them, and nothing else", () => {
    fc.assert(
      fc.property(drafts, drafts, fc.subarray(TEMPLATE_DRAFT_FIELDS), (base, other, picked) => {
        const mine = { ...base, ...Object.fromEntries(picked.map((name) => [name, other[name]])) } as WholeDraft;
        const sent = pickChanges(base, mine);
        for (const name of TEMPLATE_DRAFT_FIELDS) {
          const differs = JSON.stringify(base[name]) !== JSON.stringify(mine[name]);
          if (!picked.includes(name) || !differs) assert.ok(!(name in sent) || differs, name);
          if (name in sent) assert.deepEqual(sent[name], mine[name]);
        }
        assert.deepEqual(listChangedFields({ ...base, ...sent } as WholeDraft, mine), []);
        assert.ok(Object.keys(sent).every((name) => picked.includes(name as TemplateField)));
      }),
      { numRuns: 1000 },
    );
  });

  test("three drafts merged: mine where I changed it, theirs elsewhere, both named where they differ", () => {
    fc.assert(
      fc.property(
        drafts,
        drafts,
        drafts,
        fc.subarray(TEMPLATE_DRAFT_FIELDS),
        fc.subarray(TEMPLATE_DRAFT_FIELDS),
        (base, a, b, mineOf, theirsOf) => {
          const from = (other: WholeDraft, fields: TemplateField[]) =>
            ({ ...base, ...Object.fromEntries(fields.map((name) => [name, other[name]])) }) as WholeDraft;
          const [mine, theirs] = [from(a, mineOf), from(b, theirsOf)];
          const { merged: draft, both } = mergeChanges(base, mine, theirs);
          const changedByMe = listChangedFields(base, mine);
          for (const name of TEMPLATE_DRAFT_FIELDS)
            assert.deepEqual(draft[name], changedByMe.includes(name) ? mine[name] : theirs[name], name);
          for (const name of both)
            assert.ok(changedByMe.includes(name) && listChangedFields(theirs, mine).includes(name));
        },
      ),
      { numRuns: 500 },
    );
  });
});
