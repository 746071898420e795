// One open form without a browser: typed, saved, changed or deleted elsewhere, merged, refused; nothing is overwritten or
// lost.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asAppError } from "../../../src/domain/base/error.ts";
import type { TemplateForm } from "../../../src/domain/template/template-form.ts";
import { requireStored } from "../../../src/services/template/stored-for.ts";
import type { EditChange } from "../../../src/services/template/template-edit.ts";
import { findRefusedField } from "../../../src/services/template/template-saves.ts";
import { eventually } from "../support.ts";
import { type Answers, atTemplate, MINE, templatePerson } from "./template-person.ts";

/** The form of the template, and someone in front of it. */
async function atForm(answers: Answers = {}) {
  const window = await atTemplate();
  const person = templatePerson(answers);
  await window.edits.openEdit(person, window.row());
  const edit = person.edit();
  const changes: EditChange[] = [];
  edit.onDidChange((change) => void changes.push(change));
  const type = (change: Partial<TemplateForm>) => edit.change({ ...edit.form, ...change }, false);
  const save = (change: Partial<TemplateForm> = {}) => edit.save({ ...edit.form, ...change });
  /** Why a save was refused, and the field it was about. */
  const refusal = async (saving: Promise<void>) => {
    const error = asAppError(await saving.then(() => assert.fail("it was saved")).catch((thrown) => thrown));
    return { kind: error.kind, field: findRefusedField(error) };
  };
  return { ...window, person, edit, changes, type, save, refusal };
}

const keysOf = (body: unknown): string[] => Object.keys(Object(body)).sort();

describe("a form that is saved", () => {
  test("sends what was typed and nothing else; its draft is gone and the row follows", async () => {
    const { edit, type, save, stored, sent, draftsOnDisk, templates, changes } = await atForm();
    const before = edit.stored?.hash;
    await type({ desc: "Typed." });
    assert.deepEqual([edit.isUnsaved, (await draftsOnDisk()).length], [true, 1]);
    await save();
    assert.equal(stored().desc, "Typed.");
    assert.deepEqual(
      sent("PUT").map(({ body }) => keysOf(body)),
      [["desc", "hash_id"]],
    );
    assert.deepEqual([edit.isUnsaved, await draftsOnDisk()], [false, []]);
    assert.notEqual(edit.stored?.hash, before);
    assert.equal(edit.stored?.hash, stored().hash_id);
    assert.equal(templates.all.filter(({ value }) => value.hash_id === stored().hash_id).length, 1);
    assert.deepEqual([...new Set(changes)], ["title"], "the page knows the rest: it asked");
  });

  test("is launched as it is stored, and only once nothing is unsaved", async () => {
    const { edit, type, save, stored, sent } = await atForm();
    const refused = { kind: "rejected", message: "Save the template first." };
    await type({ desc: "Typed." });
    assert.throws(() => requireStored(edit, "launch"), refused);
    assert.equal(requireStored(edit, "saveToFile").hash, stored().hash_id);
    await save();
    assert.equal(requireStored(edit, "launch").hash, stored().hash_id);
    edit.noteDeleted();
    for (const use of ["launch", "previewReadme"] as const) assert.throws(() => requireStored(edit, use), refused);
    assert.equal(sent("POST").length, 0);
  });

  test("with something missing sends nothing and names the field", async () => {
    const window = await atTemplate();
    const person = templatePerson();
    await window.edits.openNew(person);
    const edit = person.edit();
    assert.deepEqual([edit.title, edit.isUnsaved], [{ name: "", isStored: false }, false]);
    const error = asAppError(await edit.save({ ...edit.form, name: "Named" }).catch((thrown) => thrown));
    assert.deepEqual([error.kind, findRefusedField(error)], ["rejected", "image"]);
    assert.deepEqual(window.sent("POST"), []);
    await edit.save({ ...edit.form, image: "a/b" });
    assert.deepEqual([window.sent("POST").length, edit.isUnsaved, edit.title.isStored], [1, false, true]);
  });

  test("and refused by the service names the field, keeps what was typed, and saves once it is put right", async () => {
    const { edit, type, save, refusal, stored, draftsOnDisk } = await atForm();
    await type({ name: "x".repeat(10_001) });
    assert.deepEqual(await refusal(save()), { kind: "rejected", field: "name" });
    assert.deepEqual([edit.form.name.length, edit.isUnsaved, edit.conflict], [10_001, true, undefined]);
    assert.equal((await draftsOnDisk()).length, 1);
    await save({ name: "Short" });
    assert.equal(stored().name, "Short");
  });

  test("while the service can't be reached keeps what was typed, and saves later", async () => {
    const { edit, type, save, refusal, stored, service, draftsOnDisk } = await atForm();
    await type({ desc: "Typed." });
    service.faults.add("down@editTemplate");
    assert.notEqual((await refusal(save())).kind, "rejected");
    assert.deepEqual([edit.form.desc, edit.isUnsaved], ["Typed.", true]);
    assert.equal((await draftsOnDisk())[0]?.form.desc, "Typed.");
    service.faults.delete("down@editTemplate");
    await save();
    assert.deepEqual([stored().desc, edit.isUnsaved], ["Typed.", false]);
  });

  test("typing goes on during the save, and is unsaved afterwards", async () => {
    const { edit, type, save, stored, sent, service, draftsOnDisk, templates } = await atForm();
    service.faults.add("slow@editTemplate");
    const saving = save({ desc: "First." });
    await type({ desc: "First. Second." });
    await eventually(() => sent("PUT").length === 1, "the save is under way");
    // A list that is read in the meantime may have the new version already. That is no change elsewhere.
    await templates.collection.refresh();
    await saving;
    assert.equal(stored().desc, "First.");
    assert.deepEqual([edit.form.desc, edit.base.desc, edit.isUnsaved], ["First. Second.", "First.", true]);
    assert.deepEqual([edit.conflict, (await draftsOnDisk())[0]?.form.desc], [undefined, "First. Second."]);
    service.faults.delete("slow@editTemplate");
    await save();
    assert.deepEqual([stored().desc, edit.isUnsaved], ["First. Second.", false]);
  });

  test("is open once in a window, and follows what another view of the window saves", async () => {
    const { edits, edit, row, me, saves, changes } = await atForm();
    const again = templatePerson();
    await edits.openEdit(again, row());
    assert.equal(again.edit(), edit, "an open form comes to the front");
    assert.ok(edit.stored);
    await saves.edit(me(), edit.stored, { ...edit.stored.draft, onstart: "from its tab" });
    assert.deepEqual([edit.form.onstart, edit.isUnsaved, changes.at(-1)], ["from its tab", false, "form"]);
  });
});

describe("a template that somebody else changed", () => {
  test("is shown as it is now in a form without changes", async () => {
    const { edit, elsewhere, templates, changes, stored } = await atForm();
    elsewhere({ desc: "Theirs." });
    await templates.collection.refresh();
    assert.deepEqual([edit.form.desc, edit.isUnsaved, edit.conflict], ["Theirs.", false, undefined]);
    assert.deepEqual(edit.notice, { kind: "followed" });
    assert.equal(edit.stored?.hash, stored().hash_id);
    assert.deepEqual(changes, ["form"]);
  });

  test("is a conflict in a form with changes: nothing is sent, what was typed stays, and it says what both changed", async () => {
    const { edit, type, save, elsewhere, stored, sent, draftsOnDisk } = await atForm();
    await type({ desc: "Mine.", recommended_disk_space: "64" });
    elsewhere({ desc: "Theirs.", onstart: "theirs" });
    await save();
    assert.deepEqual(edit.conflict, { kind: "changed", fields: ["desc", "onstart"], both: ["desc"] });
    assert.deepEqual([edit.form.desc, edit.isUnsaved, stored().desc], ["Mine.", true, "Theirs."]);
    assert.equal(sent("PUT").length, 0);
    assert.equal((await draftsOnDisk())[0]?.form.desc, "Mine.");
  });

  test("is a conflict as soon as a list shows it, and the page keeps what is typed", async () => {
    const { edit, type, elsewhere, templates, changes } = await atForm();
    await type({ desc: "Mine." });
    elsewhere({ tag: "theirs" });
    await templates.collection.refresh();
    assert.deepEqual(edit.conflict, { kind: "changed", fields: ["tag"], both: [] });
    assert.deepEqual(changes, ["title", "state"]);
  });

  test("mine on top: their other changes stay, and only mine are sent", async () => {
    const { edit, person, type, save, elsewhere, stored, sent, draftsOnDisk } = await atForm();
    await type({ desc: "Mine." });
    elsewhere({ desc: "Theirs.", tag: "theirs" });
    await save();
    assert.equal(await edit.settle(person, "mine"), true);
    assert.deepEqual([edit.notice, edit.conflict], [{ kind: "rebased" }, undefined]);
    assert.deepEqual([edit.form.desc, edit.form.tag, edit.isUnsaved], ["Mine.", "theirs", true]);
    assert.equal((await draftsOnDisk())[0]?.base?.hash, stored().hash_id, "the draft is an edit of theirs");
    await save();
    assert.deepEqual([stored().desc, stored().tag], ["Mine.", "theirs"]);
    assert.deepEqual(
      sent("PUT").map(({ body }) => keysOf(body)),
      [["desc", "hash_id"]],
    );
  });

  test("theirs: asked once more, and then mine are gone for good", async () => {
    const { edit, person, type, save, elsewhere, draftsOnDisk } = await atForm({ confirms: [false, true] });
    await type({ desc: "Mine." });
    elsewhere({ desc: "Theirs." });
    await save();
    assert.equal(await edit.settle(person, "theirs"), false);
    assert.deepEqual([edit.form.desc, edit.conflict?.kind], ["Mine.", "changed"]);
    assert.equal(await edit.settle(person, "theirs"), true);
    assert.deepEqual([edit.form.desc, edit.isUnsaved, edit.conflict], ["Theirs.", false, undefined]);
    assert.deepEqual(await draftsOnDisk(), []);
    assert.deepEqual(
      person.asked.map(({ kind }) => kind),
      ["discard", "discard"],
    );
  });

  test("merged: three versions are shown, and the merged one is in the form before it is saved", async () => {
    const { edit, person, type, save, elsewhere, stored, changes } = await atForm();
    await type({ desc: "Mine.", recommended_disk_space: "64" });
    elsewhere({ desc: "Theirs.", onstart: "theirs" });
    await save();
    assert.equal(await edit.settle(person, "compare"), false);
    const [merge] = person.merges;
    assert.ok(merge);
    const { base, mine, theirs } = merge;
    assert.match(mine, /"desc": "Mine\."/);
    assert.match(theirs, /"desc": "Theirs\."/);
    assert.doesNotMatch(base, /Mine\.|Theirs\./);
    assert.throws(() => merge.apply("{ not JSON"), /Invalid JSON/);
    assert.equal(edit.conflict?.kind, "changed", "a text that can't be read settles nothing");
    changes.length = 0;
    await merge.apply(
      theirs.replace("Theirs.", "Both.").replace(/"recommended_disk_space": \d+/, '"recommended_disk_space": 64'),
    );
    assert.deepEqual(changes, ["form"]);
    assert.deepEqual([edit.notice, edit.conflict], [{ kind: "merged" }, undefined]);
    assert.deepEqual([edit.form.desc, edit.form.onstart, edit.form.recommended_disk_space], ["Both.", "theirs", "64"]);
    await save();
    assert.deepEqual([stored().desc, stored().onstart, stored().recommended_disk_space], ["Both.", "theirs", 64]);
  });

  test("changed once more after it was settled is a conflict again", async () => {
    const { edit, person, type, save, elsewhere, stored } = await atForm();
    await type({ desc: "Mine." });
    elsewhere({ tag: "first" });
    await save();
    await edit.settle(person, "mine");
    elsewhere({ tag: "second" });
    await save();
    assert.deepEqual(edit.conflict, { kind: "changed", fields: ["tag"], both: [] });
    assert.notEqual(stored().desc, "Mine.");
  });

  test("a registry token typed before the conflict is sent after it", async () => {
    const { edit, person, elsewhere, stored, sent } = await atForm();
    const login = { docker_login_repo: "r.example", docker_login_user: "you" };
    const typed = { ...edit.form, ...login };
    await edit.change(typed, true);
    elsewhere({ desc: "Theirs." });
    // The page alone has the password, and hands it over with each save.
    await edit.save({ ...typed, docker_login_pass: "a-registry-token-19" });
    await edit.settle(person, "mine");
    assert.deepEqual([edit.form.desc, edit.form.docker_login_pass], ["Theirs.", ""]);
    await edit.save({ ...edit.form, docker_login_pass: "a-registry-token-19" });
    assert.equal(stored().docker_login_pass, "a-registry-token-19");
    assert.ok(!keysOf(sent("PUT").at(-1)?.body).includes("desc"), "what they changed is not sent again");
    assert.deepEqual([edit.isUnsaved, edit.form.docker_login_pass, edit.mayHavePassword], [false, "", true]);
  });
});

describe("a template that somebody else deleted", () => {
  test("exists only in its form, which can create it anew", async () => {
    const { edit, type, save, deletedElsewhere, service, draftsOnDisk, sent } = await atForm();
    const before = edit.stored?.id;
    await type({ desc: "Survives." });
    deletedElsewhere();
    await save();
    assert.deepEqual([edit.conflict, edit.isUnsaved, edit.mayHavePassword], [{ kind: "deleted" }, true, false]);
    assert.deepEqual([edit.form.desc, sent("PUT").length], ["Survives.", 0]);
    assert.equal((await draftsOnDisk()).length, 1);
    await save();
    assert.equal(edit.conflict, undefined);
    assert.notEqual(edit.stored?.id, before);
    const anew = service.world.templates.list().find(({ id }) => id === Number(edit.stored?.id));
    assert.deepEqual([anew?.name, anew?.desc], [MINE, "Survives."]);
    assert.deepEqual(await draftsOnDisk(), []);
  });

  test("in another view of this window closes its form quietly if nothing was typed", async () => {
    const { edit, edits, person, saves, me, changes, draftsOnDisk } = await atForm();
    assert.ok(edit.stored);
    let ended = 0;
    edit.onDidEnd(() => {
      ended += 1;
    });
    await saves.remove(me(), edit.stored);
    assert.deepEqual([ended, edit.conflict, edit.isUnsaved, changes], [1, undefined, false, []]);
    await edits.close(person, edit);
    assert.deepEqual([person.kinds(), await draftsOnDisk()], [[], []]);
  });

  test("in another view of this window keeps the form with what was typed", async () => {
    const { edit, type, person, saves, me, changes } = await atForm({ confirms: [true] });
    assert.ok(edit.stored);
    await type({ desc: "Typed." });
    edit.onDidEnd(() => assert.fail("the form stays"));
    await saves.remove(me(), edit.stored);
    assert.deepEqual([edit.conflict, edit.isUnsaved, changes.at(-1)], [{ kind: "deleted" }, true, "state"]);
    await edit.revert(person);
    assert.deepEqual(edit.conflict, { kind: "deleted" }, "there is nothing to return to");
  });
});

describe("revert", () => {
  test("asks with the form's name, and only a yes gives up what was typed", async () => {
    const { edit, person, type, draftsOnDisk } = await atForm({ confirms: [false, true] });
    const before = edit.form.desc;
    await type({ desc: "Typed." });
    assert.equal(await edit.revert(person), false);
    assert.deepEqual([edit.form.desc, (await draftsOnDisk()).length], ["Typed.", 1]);
    assert.equal(await edit.revert(person), true);
    assert.deepEqual([edit.form.desc, edit.isUnsaved, await draftsOnDisk()], [before, false, []]);
    assert.deepEqual(person.asked[0], { kind: "discard", form: { name: MINE, isStored: true } });
  });

  test("of a typed password alone counts as a change as well", async () => {
    const { edit, person } = await atForm({ confirms: [true] });
    await edit.change(edit.form, true);
    assert.equal(edit.isUnsaved, true);
    await edit.revert(person);
    assert.equal(edit.isUnsaved, false);
  });
});

describe("a copy", () => {
  test("is new, private and unsaved; an identical one is found, not doubled", async () => {
    const { edits, row, service, templates } = await atTemplate();
    const person = templatePerson();
    edits.openCopy(person, row("ComfyUI"));
    const first = person.edit();
    assert.deepEqual(first.title, { name: "ComfyUI (copy)", isStored: false });
    assert.deepEqual([first.form.private, first.isUnsaved, first.notice], [true, true, undefined]);
    await first.save(first.form);
    edits.openCopy(person, row("ComfyUI"));
    const second = person.edit();
    await second.save(second.form);
    assert.deepEqual(second.notice, { kind: "existed", id: first.stored?.id });
    assert.equal(service.world.templates.list().filter(({ name }) => name === "ComfyUI (copy)").length, 1);
    assert.equal(templates.all.filter(({ value }) => value.name === "ComfyUI (copy)").length, 1);
  });

  test("of a template with a registry login says that the token is missing", async () => {
    const { edits, row, elsewhere, templates } = await atTemplate();
    elsewhere({ docker_login_repo: "r.example", docker_login_user: "me", docker_login_pass: "a-registry-token-20" });
    await templates.collection.refresh();
    const person = templatePerson();
    edits.openCopy(person, row());
    assert.deepEqual(person.edit().notice, { kind: "copied-without-token" });
    assert.ok(!JSON.stringify(person.edit().form).includes("a-registry-token-20"));
  });

  test("is offered in place of editing what belongs to others", async () => {
    const { edits, row } = await atTemplate();
    const declines = templatePerson();
    await edits.openEditOrCopy(declines, row("ComfyUI"));
    assert.deepEqual([declines.told, declines.shown], [[{ kind: "not-own", name: "ComfyUI" }], []]);
    const copies = templatePerson({ actions: ["duplicate"] });
    await edits.openEditOrCopy(copies, row("ComfyUI"));
    assert.equal(copies.edit().title.name, "ComfyUI (copy)");
    const own = templatePerson();
    await edits.openEditOrCopy(own, row());
    assert.deepEqual([own.told, own.edit().title.isStored], [[], true]);
  });
});
