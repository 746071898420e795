// The words of questions, messages and drafts while templates are edited.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TemplateId } from "../../../../src/domain/base/id.ts";
import {
  NEW_TEMPLATE,
  type TemplateField,
  toForm,
  type WholeDraft,
} from "../../../../src/domain/template/template-form.ts";
import { buildDraftChoice } from "../../../../src/present/template/drafts.ts";
import {
  buildTemplateQuestion,
  describeEditNotice,
  describeTemplateMessage,
  formatFormTitle,
} from "../../../../src/present/template/template-messages.ts";

test("a form's tab has a dot while there are unsaved changes, and a name even if none is typed", () => {
  assert.equal(formatFormTitle({ name: "Mine", isStored: true }, true), "● Mine");
  assert.equal(formatFormTitle({ name: "Mine", isStored: true }, false), "Mine");
  assert.equal(formatFormTitle({ name: " ", isStored: true }, false), "Unnamed template");
  assert.equal(formatFormTitle({ name: "", isStored: false }, false), "New Template");
});

test("a tab that the editor saves by itself has a button that doesn't save, which Enter presses", () => {
  const question = { kind: "save-text", field: "readme", name: "Mine" } as const;
  const byHand = buildTemplateQuestion({ ...question, isAutomatic: false });
  const automatic = buildTemplateQuestion({ ...question, isAutomatic: true });
  assert.deepEqual([byHand.go, byHand.keep, automatic.keep], ["Save", undefined, "Not Now"]);
  assert.match(byHand.message, /^Save the readme of “Mine” to the service\?$/);
  assert.match(automatic.detail, /Auto Save is on, so changes are saved/);
});

test("a question before a template is created from a file says why, who sees it, and what is missing", () => {
  const { message, detail, go } = buildTemplateQuestion({
    kind: "push-new",
    why: "foreign",
    name: "Filed",
    isPrivate: true,
    needsToken: true,
    withoutValue: ["HF_TOKEN"],
  });
  assert.equal(message, "Create the template “Filed” from this file?");
  assert.match(
    detail,
    /belongs to someone else.* Only you will see this template\. .*don't contain registry tokens.*have no value: HF_TOKEN\./,
  );
  assert.equal(go, "Create");
});

test("a push says what it changes, value by value, without the values of secrets", () => {
  const from = {
    ...NEW_TEMPLATE,
    name: "Mine",
    image: "a/b",
    tag: "1",
    env: "-e HF_TOKEN=hf_old -e A=1",
    onstart: "a\nb",
  };
  const to = { ...from, tag: "2", env: "-e HF_TOKEN=hf_new -e A=1", onstart: "", use_ssh: true };
  const whole = { ...to, extra_filters: { gpu_ram: { gte: 24_000 } }, recommended_disk_space: 64 };
  const fields = ["tag", "env", "onstart", "use_ssh", "extra_filters", "recommended_disk_space"] as const;
  const { message, detail } = buildTemplateQuestion({ kind: "push-changes", fields, from, to: whole });
  assert.equal(message, "Push this file to the template “Mine”?");
  assert.deepEqual(detail.split("\n").slice(1, -1), [
    "tag: “1” → “2”",
    "env: changed",
    "onstart: 2 lines → empty",
    "use_ssh: no → yes",
    "extra_filters: no filters → VRAM ≥ 24 GB",
    "recommended_disk_space: 8 → 64",
  ]);
});

describe("what a push changes is said flag by flag, and never less than it changes", () => {
  for (const [from, to, says] of [
    [
      "-p 22:22 -p 8080:8080 -e JUPYTER_DIR=/workspace -e A=1",
      "-p 22:22 -p 8080:8080 -e JUPYTER_DIR=/workspace",
      "“-e A=1” removed",
    ],
    ["-e A=1", "-e A=1 -e B=2", "“-e B=2” added"],
    ["-e MODE=fast", "-e MODE=", "“-e MODE=fast” → “-e MODE=”"],
    ["-e HF_TOKEN= -e A=1", "-e HF_TOKEN= -p 9:9", "“-e A=1” → “-p 9:9”"],
    ["-e HF_TOKEN=hf_a", "-e HF_TOKEN=hf_b -e B=2", "“-e HF_TOKEN=••••” → “-e HF_TOKEN=•••• -e B=2”"],
    ["-e HF_TOKEN=hf_a", "-e HF_TOKEN=", "“-e HF_TOKEN=••••” → “-e HF_TOKEN=”"],
    ["-e A=1 -e B=2", "-e B=2 -e A=1", "changed"],
    ["-e A='1", "-e A='2", "changed"],
    ["", "-e A='1", "“…” added"],
    ["-e A=https://me:hunter2@x.example", "", "“-e A=https://me:••••@x.example” removed"],
  ] as const)
    test(`${from} → ${to}`, () => assert.equal(changes(["env"], { env: from }, { env: to })[0], `env: ${says}`));

  test("what isn't understood is said to change, and nothing else", () => {
    const filters = { extra_filters: { gpu_ram: { gte: 24_000 }, later: { kind: 1 } } };
    assert.deepEqual(changes(["extra_filters"], {}, filters), ["extra_filters: changed"]);
    const command = { onstart: "HF_TOKEN= ./run.sh" };
    assert.deepEqual(changes(["onstart"], { onstart: "./run.sh" }, command), ["onstart: changed"]);
  });
});

function changes(fields: readonly TemplateField[], from: Partial<WholeDraft>, to: Partial<WholeDraft>): string[] {
  const question = {
    kind: "push-changes",
    fields,
    from: { ...NEW_TEMPLATE, ...from },
    to: { ...NEW_TEMPLATE, ...to },
  } as const;
  return buildTemplateQuestion(question).detail.split("\n").slice(1, -1);
}

test("deleting has a button that keeps the template", () => {
  assert.equal(buildTemplateQuestion({ kind: "delete", name: "", id: undefined }).keep, "Keep");
});

test("a message has the first eight characters of a hash, and a warning is one", () => {
  assert.match(
    describeTemplateMessage({ kind: "pushed", name: "Mine", hash: "0123456789" }).text,
    /use hash 01234567\.$/,
  );
  assert.equal(
    describeTemplateMessage({ kind: "lock-outdated", name: "Mine", hash: "0123456789" }).severity,
    "warning",
  );
  assert.equal(describeTemplateMessage({ kind: "pulled", fields: [] }).text, "The file matches the service.");
});

test("a form says what became of a save and of somebody else's change", () => {
  const existed = describeEditNotice({ kind: "existed", id: TemplateId.parse(7) });
  assert.match(existed, /already exists \(number 7\), so no new template was created\. This is the existing one\.$/);
  assert.match(
    describeEditNotice({ kind: "followed" }),
    /was changed elsewhere\. You're seeing the current version\.$/,
  );
});

test("a restored form names the secrets to type again", () => {
  assert.match(
    describeEditNotice({ kind: "restored", at: 0, withheld: [] }),
    /^Restored your unsaved changes from [^.]+\.$/,
  );
  assert.match(
    describeEditNotice({ kind: "restored", at: 0, withheld: ["A", "B"] }),
    /Enter these secret values again: A, B\.$/,
  );
});

test("a draft is told apart by what was changed, and shows no value of a field that may hold a secret", () => {
  const base = toForm({ ...NEW_TEMPLATE, name: "Mine", image: "a/b" });
  const form = { ...base, desc: "Typed.", env: "-e TOKEN=canary" };
  assert.equal(buildDraftChoice({ form, base: { form: base }, at: 0 }).detail, "desc: Typed., env");
  const unnamed = buildDraftChoice({ form: { ...form, name: "" }, at: 0 });
  assert.deepEqual([unnamed.label, unnamed.detail], ["$(edit) a/b", undefined]);
});
