// The words of questions, messages and drafts while templates are edited.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TemplateId } from "../../../../src/domain/base/id.ts";
import { formOf, NEW_TEMPLATE } from "../../../../src/domain/template/template-form.ts";
import { draftChoice } from "../../../../src/present/template/drafts.ts";
import {
  editNoticeText,
  formTitle,
  templateMessage,
  templateQuestion,
} from "../../../../src/present/template/template-messages.ts";

test("a form's tab has a dot while there are unsaved changes, and a name even if none is typed", () => {
  assert.equal(formTitle({ name: "Mine", isStored: true }, true), "● Mine");
  assert.equal(formTitle({ name: "Mine", isStored: true }, false), "Mine");
  assert.equal(formTitle({ name: " ", isStored: true }, false), "Unnamed template");
  assert.equal(formTitle({ name: "", isStored: false }, false), "New Template");
});

test("a tab that the editor saves by itself has a button that doesn't save, which Enter presses", () => {
  const question = { kind: "save-text", field: "readme", name: "Mine" } as const;
  const byHand = templateQuestion({ ...question, isAutomatic: false });
  const automatic = templateQuestion({ ...question, isAutomatic: true });
  assert.deepEqual([byHand.go, byHand.keep, automatic.keep], ["Save", undefined, "Not Now"]);
  assert.match(byHand.message, /^Save the readme of “Mine” to the service\?$/);
  assert.match(automatic.detail, /Your editor saves by itself/);
});

test("a question before a template is created from a file says why, who sees it, and what is missing", () => {
  const { message, detail, go } = templateQuestion({
    kind: "push-new",
    why: "foreign",
    name: "Filed",
    isPrivate: true,
    needsToken: true,
  });
  assert.equal(message, "Create the template “Filed” from the file?");
  assert.match(detail, /somebody else's.* Only you will see it\. .*no registry token/);
  assert.equal(go, "Create");
});

test("deleting has a button that keeps the template", () => {
  assert.equal(templateQuestion({ kind: "delete", name: "", id: undefined }).keep, "Keep It");
});

test("a message has the first eight characters of a hash, and a warning is one", () => {
  assert.match(templateMessage({ kind: "pushed", name: "Mine", hash: "0123456789" }).text, /use hash 01234567\.$/);
  assert.equal(templateMessage({ kind: "lock-outdated", name: "Mine", hash: "0123456789" }).severity, "warning");
  assert.equal(templateMessage({ kind: "pulled", fields: [] }).text, "The file says what the service has.");
});

test("a form says what became of a save and of somebody else's change", () => {
  const existed = editNoticeText({ kind: "existed", id: TemplateId.parse(7) });
  assert.match(existed, /existed already, number 7\. Nothing was added; this is it\.$/);
  assert.match(editNoticeText({ kind: "followed" }), /was changed elsewhere\. It is shown as it is now\.$/);
});

test("a restored form names the secrets to type again", () => {
  assert.match(
    editNoticeText({ kind: "restored", at: 0, withheld: [] }),
    /^Restored your unsaved changes from [^.]+\.$/,
  );
  assert.match(
    editNoticeText({ kind: "restored", at: 0, withheld: ["A", "B"] }),
    /Type these secret values again: A, B\.$/,
  );
});

test("a draft is told apart by what was changed, and shows no value of a field that may hold a secret", () => {
  const base = formOf({ ...NEW_TEMPLATE, name: "Mine", image: "a/b" });
  const form = { ...base, desc: "Typed.", env: "-e TOKEN=canary" };
  assert.equal(draftChoice({ form, base: { form: base }, at: 0 }).detail, "desc: Typed., env");
  const unnamed = draftChoice({ form: { ...form, name: "" }, at: 0 });
  assert.deepEqual([unnamed.label, unnamed.detail], ["$(edit) a/b", undefined]);
});
