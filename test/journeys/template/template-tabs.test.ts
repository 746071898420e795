// Start scripts and readmes in tabs without an editor: what a save sends, conflicts, merges, reloads, and accounts that are
// left.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TemplateHash } from "../../../src/domain/base/id.ts";
import { unpackScript } from "../../../src/domain/template/packed-script.ts";
import type { TextField } from "../../../src/domain/template/template-path.ts";
import type { Stored } from "../../../src/services/template/template-saves.ts";
import { toStored } from "../../../src/services/template/template-saves.ts";
import type { TemplateTab, TemplateTabs } from "../../../src/services/template/template-tabs.ts";
import { eventually, sandbox } from "../support.ts";
import { type Answers, atTemplate, MINE, templatePerson } from "./template-person.ts";

const SWITCHED = /You switched accounts\. Nothing was changed\./;
const CONFLICT = /changed elsewhere\. Nothing was overwritten/;

/** A tab of an editor: its text, and what the editor was told to do with it. */
function editorTab(tag: string, { id, hash }: Pick<Stored, "id" | "hash">, field: TextField = "onstart") {
  const state = { text: "", isDirty: false, isAutosaved: false, takesText: true, revealed: 0 };
  const tab: TemplateTab = {
    key: `cloud-gpu://${tag}/${id ?? hash}/${field}`,
    address: { tag, id, hash, field },
    isDirty: () => state.isDirty,
    isAutosaved: () => state.isAutosaved,
    replaceText: async (text) => {
      if (state.takesText) Object.assign(state, { text, isDirty: true });
      return state.takesText;
    },
    reveal: async () => {
      state.revealed += 1;
    },
  };
  const type = (text: string) => Object.assign(state, { text, isDirty: true });
  return { ...tab, state, type };
}
type EditorTab = ReturnType<typeof editorTab>;

/** The tab of the template's start script, open in front of someone. */
async function atTab(answers: Answers = { confirms: [true] }, field: TextField = "onstart") {
  const window = await atTemplate();
  window.elsewhere({ onstart: "echo start\n", readme: "# Start\n" });
  await window.templates.collection.refresh();
  const person = templatePerson(answers);
  const tab = editorTab(window.me().tag, toStored(window.row()), field);
  /** As the editor does it: reads the file into its tab, or writes the tab's text. */
  const read = async (tabs: TemplateTabs = window.tabs, of: EditorTab = tab) => {
    const { text } = await tabs.read(of);
    if (!of.state.isDirty) of.state.text = text;
    return text;
  };
  const save = async (tabs: TemplateTabs = window.tabs, of: EditorTab = tab) => {
    await tabs.write(person, of, of.state.text);
    of.state.isDirty = false;
  };
  await read();
  return { ...window, person, tab, read, save };
}

describe("a start script in its tab", () => {
  test("is saved after one question in the window, and sends that field and nothing else", async () => {
    const { tab, save, stored, sent, person } = await atTab();
    assert.equal(tab.state.text, "echo start\n");
    tab.type("echo one\r\necho two\r\n");
    await save();
    assert.equal(stored().onstart, "echo one\necho two\n");
    tab.type("echo three\n");
    await save();
    assert.equal(stored().onstart, "echo three\n");
    assert.deepEqual(
      sent("PUT").map(({ body }) => Object.keys(Object(body)).sort()),
      [
        ["hash_id", "onstart"],
        ["hash_id", "onstart"],
      ],
    );
    assert.deepEqual(person.asked, [
      { kind: "save-text", field: "onstart", name: "My nightly fine-tune", isAutomatic: false },
    ]);
  });

  test("that is saved as it is stored sends nothing and asks nothing", async () => {
    const { save, sent, person } = await atTab();
    await save();
    assert.deepEqual([sent("PUT"), person.asked], [[], []]);
  });

  test("is not sent after a no, and the next save asks again", async () => {
    const { tab, save, sent, stored, person } = await atTab({ confirms: [false, true] });
    Object.assign(tab.state, { isAutosaved: true });
    tab.type("echo mine\n");
    await assert.rejects(save(), /You chose not to save/);
    assert.deepEqual([sent("PUT"), tab.state.isDirty], [[], true]);
    await save();
    assert.equal(stored().onstart, "echo mine\n");
    assert.ok(person.asked[0]?.kind === "save-text" && person.asked[0].isAutomatic);
  });

  test("saved together with the readme shares its question", async () => {
    let answer = (_: boolean) => {};
    const agreeing = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const { tab, save, read, stored, person, me, row, tabs } = await atTab({ confirms: [() => agreeing] });
    const readme = editorTab(me().tag, toStored(row()), "readme");
    await read(tabs, readme);
    tab.type("echo both\n");
    readme.type("# Both\n");
    const saving = [save(), save(tabs, readme)];
    await eventually(() => person.asked.length === 1, "it is asked");
    answer(true);
    await Promise.all(saving);
    assert.equal(person.asked.length, 1);
    assert.deepEqual([stored().onstart, stored().readme], ["echo both\n", "# Both\n"]);
  });

  test("that is too long is refused until it may be stored packed; opened again, it is as it was typed", async () => {
    const { tab, save, read, stored, tabs, open } = await atTab();
    const script = `#!/bin/bash\n${"pip install --quiet something-useful\n".repeat(150)}echo ready\n`;
    tab.type(script);
    await assert.rejects(save(), /has 5,\d{3} characters\. The maximum is 4,048/);
    assert.equal(stored().onstart, "echo start\n");
    let allowed = 0;
    tabs.onDidAllowPacking(() => {
      allowed += 1;
    });
    await tabs.allowPacking(tab, script);
    await save();
    assert.equal(allowed, 1);
    assert.equal(await unpackScript(stored().onstart), script);
    const again = await open();
    assert.equal(await read(again.tabs), script);
    assert.equal((await again.tabs.read(tab)).mayPack, true);
  });

  test("of others can be read, not saved", async () => {
    const { row, me, tabs, person, sent } = await atTab();
    const tab = editorTab(me().tag, toStored(row("ComfyUI")));
    const { isOwn, name } = await tabs.read(tab);
    assert.deepEqual([isOwn, name], [false, "ComfyUI"]);
    await assert.rejects(tabs.write(person, tab, "echo mine\n"), /Only the creator can change this template/);
    assert.deepEqual([sent("PUT"), person.asked], [[], []]);
  });

  test("of a template that was deleted stays in its tab, and no such tab opens again", async () => {
    const { tab, save, sent, deletedElsewhere, open } = await atTab();
    tab.type("echo mine\n");
    deletedElsewhere();
    await assert.rejects(save(), /deleted\. Copy your text before you close the tab/);
    assert.deepEqual([sent("PUT"), tab.state.text], [[], "echo mine\n"]);
    const { tabs } = await open();
    await assert.rejects(tabs.read(tab), { kind: "gone", message: /no longer exists/ });
  });
});

describe("a script that somebody else changed", () => {
  test("is overwritten by nobody: three versions are shown, and the merged one is saved next", async () => {
    const { tab, save, stored, elsewhere, sent, person } = await atTab();
    tab.type("echo mine\n");
    elsewhere({ onstart: "echo theirs\n" });
    await assert.rejects(save(), CONFLICT);
    assert.deepEqual([stored().onstart, sent("PUT").length, tab.state.isDirty], ["echo theirs\n", 0, true]);
    const [merge] = person.merges;
    assert.ok(merge);
    const { name, base, mine, theirs } = merge;
    assert.deepEqual(
      { name, base, mine, theirs },
      { name: "onstart.sh", base: "echo start\n", mine: "echo mine\n", theirs: "echo theirs\n" },
    );
    tab.state.takesText = false;
    await assert.rejects(Promise.resolve(merge.apply("echo both\n")), /Couldn't put the merged text/);
    await assert.rejects(save(), CONFLICT, "the text is still an edit of the older version");
    tab.state.takesText = true;
    await merge.apply("echo both\n");
    assert.deepEqual([tab.state.text, tab.state.revealed, stored().onstart], ["echo both\n", 1, "echo theirs\n"]);
    await save();
    assert.equal(stored().onstart, "echo both\n");
  });

  test("in another part is no conflict: the save goes on top of theirs", async () => {
    const { tab, save, stored, elsewhere, person } = await atTab();
    tab.type("echo mine\n");
    elsewhere({ desc: "Theirs.", readme: "# Theirs\n" });
    await save();
    assert.deepEqual([stored().onstart, stored().desc, stored().readme], ["echo mine\n", "Theirs.", "# Theirs\n"]);
    assert.deepEqual(person.merges, []);
  });

  test("to the very same text is no conflict either", async () => {
    const { tab, save, stored, elsewhere, person } = await atTab();
    tab.type("echo same\n");
    elsewhere({ onstart: "echo same\n" });
    await save();
    assert.deepEqual([stored().onstart, person.merges], ["echo same\n", []]);
  });

  test("is shown as it is now in a tab without unsaved text; unsaved text stays and is compared when it is saved", async () => {
    const { tab, read, save, elsewhere, templates, tabs } = await atTab();
    const changed: string[] = [];
    tabs.onDidChange(({ key }) => void changed.push(key));
    const before = (await tabs.read(tab)).changedAt;
    elsewhere({ onstart: "echo theirs\n" });
    await templates.collection.refresh();
    await eventually(() => changed.length === 1, "the tab follows");
    assert.deepEqual([changed, await read()], [[tab.key], "echo theirs\n"]);
    assert.ok((await tabs.read(tab)).changedAt > before);
    tab.type("echo mine\n");
    elsewhere({ onstart: "echo theirs again\n" });
    await templates.collection.refresh();
    await assert.rejects(save(), CONFLICT);
    assert.equal(changed.length, 1);
  });

  test("while its tab was reloaded: the restored text is still an edit of what it began with", async () => {
    const { tab, read, save, stored, elsewhere, open } = await atTab();
    tab.type("echo typed before the reload\n");
    elsewhere({ onstart: "echo as long as it needs to be\n" });
    const { tabs } = await open();
    await read(tabs);
    await assert.rejects(save(tabs), CONFLICT);
    assert.equal(stored().onstart, "echo as long as it needs to be\n");
  });

  test("while its tab was closed is what the tab opens with", async () => {
    const { tab, read, elsewhere, tabs, workspaceNotes } = await atTab();
    assert.equal(workspaceNotes.size, 1);
    tabs.close(tab.key);
    assert.equal(workspaceNotes.size, 0);
    elsewhere({ onstart: "echo theirs\n" });
    assert.equal(await read(), "echo theirs\n");
  });
});

describe("a script whose template is saved in its form", () => {
  test("in another field: the tab's text is an edit of the new version, and is saved without a conflict", async () => {
    const { tab, read, save, stored, edits, row, person, tabs } = await atTab();
    await edits.openEdit(person, row());
    const form = person.edit();
    const changed: string[] = [];
    tabs.onDidChange(({ key }) => void changed.push(key));
    await form.save({ ...form.form, desc: "First." });
    await read();
    assert.deepEqual(changed, [], "the script is the same");
    tab.type("echo mine\n");
    await form.save({ ...form.form, desc: "Saved in the form." });
    await save();
    assert.deepEqual([stored().onstart, stored().desc], ["echo mine\n", "Saved in the form."]);
    assert.deepEqual([form.form.onstart, form.isUnsaved], ["echo mine\n", false], "the form follows the tab");
  });

  test("in the script itself: unsaved text is a conflict, other text follows", async () => {
    const { tab, read, save, stored, edits, row, person, tabs } = await atTab();
    await edits.openEdit(person, row());
    const form = person.edit();
    const changed: string[] = [];
    tabs.onDidChange(({ key }) => void changed.push(key));
    await form.save({ ...form.form, onstart: "echo from the form\n" });
    await eventually(() => changed.length === 1, "the tab follows");
    assert.equal(await read(), "echo from the form\n");
    tab.type("echo mine\n");
    await form.save({ ...form.form, onstart: "echo from the form again\n" });
    await assert.rejects(save(), CONFLICT);
    assert.equal(stored().onstart, "echo from the form again\n");
  });
});

describe("a tab of an account that is left", () => {
  test("can't be read or saved in another account, or signed out", async () => {
    const { tab, save, session, tabs, sent } = await atTab();
    tab.type("echo mine\n");
    await session.signOut();
    await assert.rejects(save(), /Sign in to see this template/);
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
    await assert.rejects(tabs.read(tab), /belongs to another account/);
    await assert.rejects(save(), /belongs to another account/);
    assert.deepEqual(sent("PUT"), []);
  });

  test("while its question is open: what is confirmed then is done in neither account", async () => {
    const other = await sandbox({ seed: 7 });
    const before = other.world.templates.list().map(({ hash_id }) => hash_id);
    const leave = async () => {
      await session.enterSandbox(other.url, other.apiKey);
      return true;
    };
    const { tab, save, session, sent, stored } = await atTab({ confirms: [leave] });
    tab.type("echo mine\n");
    await assert.rejects(save(), SWITCHED);
    assert.deepEqual([sent("PUT"), stored().onstart], [[], "echo start\n"]);
    assert.deepEqual(
      other.world.templates.list().map(({ hash_id }) => hash_id),
      before,
    );
  });
});

test("a NUL in a readme is refused before anything is asked", async () => {
  const { tab, save, person, sent } = await atTab({}, "readme");
  tab.type("# A\0B\n");
  await assert.rejects(save(), /Remove the invalid character \(NUL\)/);
  assert.deepEqual([person.asked, sent("PUT")], [[], []]);
});

describe("while the account is being switched", () => {
  test("the unsaved text of one account is not saved into a template of the other", async () => {
    const { session, service, tabs, row, me, stored } = await atTemplate();
    const { id, hash } = toStored(row());
    const other = await sandbox({ seed: 1 });
    // A window whose lists aren't read yet, as after a reload.
    await session.signOut();
    await session.signIn(service.url, service.apiKey);
    const who = templatePerson({ confirms: [true] });
    const saving = tabs.write(who, editorTab(me().tag, { id, hash }), "echo text of the first account\n");
    await Promise.all([assert.rejects(saving), session.signIn(other.url, other.apiKey)]);
    assert.doesNotMatch(stored().onstart, /first account/);
    const theirs = other.world.templates.list().filter(({ name }) => name === MINE);
    assert.equal(theirs.length, 1);
    assert.doesNotMatch(theirs[0]?.onstart ?? "", /first account/);
  });

  test("a yes to a question of one account is none in the other", async () => {
    const { session, tabs, row, me } = await atTemplate();
    const other = await sandbox({ seed: 1 });
    const answer = Promise.withResolvers<boolean>();
    const first = templatePerson({ confirms: [() => answer.promise] });
    const mine = tabs.write(first, editorTab(me().tag, toStored(row())), "echo one\n");
    const refused = assert.rejects(mine, SWITCHED);
    await eventually(() => first.asked.length === 1, "the first question is open");
    await session.signIn(other.url, other.apiKey);
    const second = templatePerson({ confirms: [false] });
    const theirs = other.world.templates.list().find(({ name }) => name === MINE);
    assert.ok(theirs);
    const hash = TemplateHash.parse(theirs.hash_id);
    const saving = tabs.write(second, editorTab(me().tag, { id: undefined, hash }), "echo two\n");
    const declined = assert.rejects(saving, /You chose not to save/);
    await eventually(() => second.asked.length === 1, "the other account is asked as well");
    answer.resolve(true);
    await Promise.all([refused, declined]);
    assert.doesNotMatch(other.world.templates.findByHash(theirs.hash_id)?.onstart ?? "", /two/);
  });
});
