// The open forms of a window without a browser: drafts that survive closing, reloads, crashes and other windows, and
// accounts that are left.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asAppError } from "../../../src/domain/base/error.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { FoundDraft } from "../../../src/services/template/draft-store.ts";
import type { TemplateEdit } from "../../../src/services/template/template-edit.ts";
import type { EditPlace } from "../../../src/services/template/template-edits.ts";
import { findRefusedField } from "../../../src/services/template/template-saves.ts";
import { secretsInMemory } from "../editor-window.ts";
import { eventually, sandbox } from "../support.ts";
import { type Answers, atTemplate, find, MINE, restoredTab, templatePerson } from "./template-person.ts";

type Window = Awaited<ReturnType<Awaited<ReturnType<typeof atTemplate>>["open"]>>;

const described = (desc: string) => (drafts: readonly FoundDraft[]) => find(drafts, ({ form }) => form.desc === desc);
const SWITCHED = /You switched accounts\. Nothing was changed\./;

/** Opens the form of the template in a window, as its row does. */
async function openIn(window: Window, answers: Answers = {}, name = MINE) {
  const person = templatePerson(answers);
  await window.edits.openEdit(
    person,
    find(window.templates.all, ({ value }) => value.name === name),
  );
  return person;
}
const type = (edit: TemplateEdit, desc: string) => edit.change({ ...edit.form, desc }, false);
const isRestored = (edit: TemplateEdit) => edit.notice?.kind === "restored";

/** What the editor notes of a page. */
const placeOf = ({ account, key, root, stored }: TemplateEdit): EditPlace => ({
  account: account.tag,
  key,
  root,
  id: stored?.id,
  hash: stored?.hash,
});

describe("a form that is closed", () => {
  test("without changes says nothing and leaves nothing", async () => {
    const window = await atTemplate();
    const person = await openIn(window);
    await window.edits.close(person, person.edit());
    assert.deepEqual([person.told, await window.draftsOnDisk()], [[], []]);
  });

  test("with changes keeps them and offers them back: reopened, discarded, or left until the next time", async () => {
    const window = await atTemplate();
    const person = await openIn(window, { actions: ["reopen", undefined] });
    await type(person.edit(), "Typed.");
    await window.edits.close(person, person.edit());
    assert.deepEqual(person.told, [{ kind: "closed-unsaved", form: { name: MINE, isStored: true } }]);
    assert.deepEqual(person.offered[0], ["reopen", "discard"]);
    assert.equal(person.shown.length, 2);
    assert.deepEqual([person.edit().form.desc, isRestored(person.edit())], ["Typed.", true]);
    await window.edits.close(person, person.edit());
    assert.equal(person.shown.length, 2);
    const later = await openIn(window, { actions: ["discard"] });
    assert.deepEqual([later.edit().form.desc, isRestored(later.edit())], ["Typed.", true]);
    assert.deepEqual(later.chosenAmong, [], "one draft needs no question");
    await window.edits.close(later, later.edit());
    assert.deepEqual(await window.draftsOnDisk(), []);
    const again = await openIn(window);
    assert.deepEqual([again.edit().isUnsaved, again.edit().notice], [false, undefined]);
  });

  test("and opened again from its row: the question about it discards nothing later, and reopens nothing twice", async () => {
    for (const action of ["discard", "reopen"] as const) {
      const window = await atTemplate();
      const answer = Promise.withResolvers<typeof action>();
      const person = { ...templatePerson(), tell: () => answer.promise };
      await window.edits.openEdit(person, window.row());
      await type(person.edit(), "One.");
      const closing = window.edits.close(person, person.edit());
      await eventually(async () => (await window.draftsOnDisk()).length > 0, "it is kept");
      await sleep(5);
      const again = await openIn(window);
      assert.equal(again.edit().form.desc, "One.");
      await type(again.edit(), "Two.");
      answer.resolve(action);
      await closing;
      assert.deepEqual(
        (await window.draftsOnDisk()).map(({ form }) => form.desc),
        ["Two."],
      );
      if (action === "reopen") assert.equal(person.edit(), again.edit());
    }
  });

  test("while its save runs is saved all the same, and reopens as it is stored", async () => {
    const window = await atTemplate();
    const person = await openIn(window, { actions: ["reopen"] });
    const edit = person.edit();
    await type(edit, "Typed.");
    const saving = edit.save(edit.form);
    const closing = window.edits.close({ ...person, tell: (...said) => saving.then(() => person.tell(...said)) }, edit);
    await closing;
    assert.equal(window.stored().desc, "Typed.");
    assert.deepEqual([person.edit().form.desc, person.edit().isUnsaved], ["Typed.", false]);
    assert.deepEqual(await window.draftsOnDisk(), []);
  });
});

describe("drafts", () => {
  test("of two windows on one template: neither loses what it was told", async () => {
    const first = await atTemplate();
    const one = await openIn(first);
    await type(one.edit(), "First window.");
    const second = await first.open();
    const two = await openIn(second);
    assert.deepEqual([two.edit().form.desc, isRestored(two.edit())], ["First window.", true]);
    assert.notEqual(two.edit().key, one.edit().key);
    await type(two.edit(), "Second window.");
    await type(one.edit(), "First window, later.");
    assert.deepEqual((await first.draftsOnDisk()).map(({ form }) => form.desc).sort(), [
      "First window, later.",
      "Second window.",
    ]);
    // Each window sees what the other one left, and keeps its own form.
    const keeps = await openIn(first, { drafts: [() => "other"] });
    assert.deepEqual([keeps.chosenAmong[0]?.drafts.length, keeps.chosenAmong[0]?.other], [1, "open"]);
    assert.equal(keeps.edit(), one.edit());
    const third = await first.open();
    const chooses = await openIn(third, { drafts: [described("Second window.")] });
    assert.deepEqual([chooses.chosenAmong[0]?.drafts.length, chooses.chosenAmong[0]?.other], [2, "stored"]);
    assert.equal(chooses.edit().form.desc, "Second window.");
    const nothing = await openIn(await first.open(), { drafts: [() => undefined] });
    assert.deepEqual(nothing.shown, []);
    const asStored = await openIn(await first.open(), { drafts: [() => "other"] });
    assert.deepEqual([asStored.edit().isUnsaved, asStored.edit().notice], [false, undefined]);
  });

  test("of a window that died are there in the next one", async () => {
    const dead = await atTemplate();
    const person = await openIn(dead);
    await type(person.edit(), "Typed before the crash.");
    // Nothing of that window runs any longer: it isn't closed here.
    const next = await openIn(await dead.open());
    assert.deepEqual([next.edit().form.desc, isRestored(next.edit())], ["Typed before the crash.", true]);
  });

  test("that are reverted after two reloads do not come back, whichever window left them", async () => {
    const window = await atTemplate();
    await type((await openIn(window)).edit(), "Typed and to be discarded.");
    await openIn(await window.open());
    const last = await window.open();
    const person = await openIn(last, { confirms: [true] });
    assert.equal(person.edit().form.desc, "Typed and to be discarded.");
    await person.edit().revert(person);
    assert.deepEqual([person.edit().isUnsaved, await window.draftsOnDisk()], [false, []]);
    assert.equal((await openIn(await window.open())).edit().notice, undefined);
  });

  test("of a template that is gone are offered with New Template, and can be created", async () => {
    const window = await atTemplate();
    const person = await openIn(window);
    await type(person.edit(), "Typed before it was deleted.");
    await window.edits.close(person, person.edit());
    window.deletedElsewhere();
    await window.templates.collection.refresh();
    const empty = templatePerson({ drafts: [() => "other"] });
    await window.edits.openNew(empty);
    assert.deepEqual([empty.chosenAmong[0]?.other, empty.edit().isUnsaved], ["empty", false]);
    const back = templatePerson({ drafts: [described("Typed before it was deleted.")] });
    await window.edits.openNew(back);
    assert.deepEqual([isRestored(back.edit()), back.edit().conflict], [true, { kind: "deleted" }]);
    await back.edit().save(back.edit().form);
    const anew = window.service.world.templates.list().find(({ name }) => name === MINE);
    assert.equal(anew?.desc, "Typed before it was deleted.");
    assert.deepEqual(await window.draftsOnDisk(), []);
  });

  test("of an older version are in conflict with the one that is stored by now", async () => {
    const window = await atTemplate();
    const person = await openIn(window);
    await type(person.edit(), "Mine.");
    await window.edits.close(person, person.edit());
    window.elsewhere({ desc: "Theirs." });
    const later = await openIn(window);
    assert.deepEqual(later.edit().conflict, { kind: "changed", fields: ["desc"], both: ["desc"] });
    assert.equal(later.edit().form.desc, "Mine.");
  });

  test("keep text that can't be read yet", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    await edit.change({ ...edit.form, recommended_disk_space: "12," }, false);
    const next = await openIn(await window.open());
    assert.equal(next.edit().form.recommended_disk_space, "12,");
  });
});

describe("secrets of an unsaved form", () => {
  const SECRET = "hf_canary_value_0018";
  const filesWith = (root: string, text: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));

  test("lie in no file, come back from the secret storage, or are asked for again before anything is sent", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    await edit.change({ ...edit.form, env: `-e HF_TOKEN=${SECRET}` }, false);
    assert.ok(filesWith(window.userData.root, '"withheld":["HF_TOKEN"]').length > 0, "its draft is kept");
    assert.deepEqual(filesWith(window.userData.root, SECRET), []);
    const back = (await openIn(await window.open())).edit();
    assert.deepEqual([back.form.env, isRestored(back)], [`-e HF_TOKEN=${SECRET}`, true]);
    window.secrets.kept.clear();
    const lost = (await openIn(await window.open())).edit();
    assert.ok(lost.notice?.kind === "restored");
    assert.deepEqual(lost.notice.withheld, ["HF_TOKEN"]);
    const error = asAppError(await lost.save(lost.form).catch((thrown) => thrown));
    assert.deepEqual([findRefusedField(error), window.sent("PUT").length], ["env", 0]);
    await lost.save({ ...lost.form, env: `-e HF_TOKEN=${SECRET}` });
    assert.equal(window.stored().env, `-e HF_TOKEN=${SECRET}`);
    assert.deepEqual([await window.draftsOnDisk(), window.secrets.kept.size], [[], 0]);
  });

  test("that were lost with flags which can't be read are told of until they are typed, however often the window is reloaded", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    await edit.change({ ...edit.form, env: `-p 80:80 -e "HF_TOKEN=${SECRET}` }, false);
    window.secrets.kept.clear();
    const reload = async () => (await openIn(await window.open())).edit();
    const lost = await reload();
    assert.ok(lost.notice?.kind === "restored");
    assert.deepEqual(lost.notice.withheld, ["…"]);
    await type(lost, "Typed.");
    const again = await reload();
    assert.ok(again.notice?.kind === "restored");
    assert.deepEqual([again.form.env, again.notice.withheld], ["-p 80:80", ["…"]]);
    const error = asAppError(await again.save(again.form).catch((thrown) => thrown));
    assert.deepEqual([findRefusedField(error), window.sent("PUT").length], ["env", 0]);
    assert.match(error.message, /^Enter the Docker flags again\./);
    await again.save({ ...again.form, env: "-p 80:80 -e MODE=fast" });
    assert.equal(window.stored().env, "-p 80:80 -e MODE=fast");
    await type(again, "Typed later.");
    const later = await reload();
    assert.ok(later.notice?.kind === "restored");
    assert.deepEqual(later.notice.withheld, []);
  });

  test("that were lost with all flags of a new template aren't asked for once the person discarded its changes", async () => {
    const window = await atTemplate();
    const first = templatePerson();
    await window.edits.openNew(first);
    const edit = first.edit();
    await edit.change({ ...edit.form, env: `-e "HF_TOKEN=${SECRET}`, desc: "Typed." }, false);
    window.secrets.kept.clear();
    const person = templatePerson({ drafts: [described("Typed.")] });
    await (await window.open()).edits.openNew(person);
    const lost = person.edit();
    assert.deepEqual([lost.form.env, lost.form.desc], ["", "Typed."]);
    assert.equal(await lost.revert({ ...person, confirm: async () => true } as never), true);
    await lost.save({ ...lost.form, name: "another", image: "a/b" });
    assert.ok(lost.stored);
  });

  test("that can't be read, and that the service has, are taken from there as long as the flags weren't edited", async () => {
    const window = await atTemplate();
    const env = `-p 80:80 -e "HF_TOKEN=${SECRET}`;
    window.elsewhere({ env });
    await window.templates.collection.refresh();
    await type((await openIn(window)).edit(), "Typed.");
    window.secrets.kept.clear();
    const back = (await openIn(await window.open())).edit();
    assert.deepEqual([back.form.desc, back.form.env], ["Typed.", env]);
    await back.save(back.form);
    assert.deepEqual([window.stored().desc, window.stored().env], ["Typed.", env]);
  });

  test("that were lost are asked for until they are typed, however often the window is reloaded", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    await edit.change({ ...edit.form, env: `-e HF_TOKEN=${SECRET} -e UNSET_TOKEN=` }, false);
    window.secrets.kept.clear();
    const reload = async () => (await openIn(await window.open())).edit();
    await type(await reload(), "Typed.");
    const lost = await reload();
    // The secret storage works again, and keeps what is typed from now on.
    await lost.change({ ...lost.form, env: `${lost.form.env} -e API_KEY=${SECRET}` }, false);
    await reload();
    const again = await reload();
    assert.equal(again.form.env, `-e HF_TOKEN= -e UNSET_TOKEN= -e API_KEY=${SECRET}`);
    assert.ok(again.notice?.kind === "restored");
    assert.deepEqual(again.notice.withheld, ["HF_TOKEN"]);
    const error = asAppError(await again.save(again.form).catch((thrown) => thrown));
    assert.deepEqual([findRefusedField(error), window.sent("PUT").length], ["env", 0]);
    await again.change({ ...again.form, env: again.form.env.replace("HF_TOKEN=", `HF_TOKEN=${SECRET}`) }, false);
    const back = await reload();
    assert.ok(back.notice?.kind === "restored");
    assert.deepEqual(back.notice.withheld, []);
    await back.save(back.form);
    assert.equal(window.stored().env, `-e HF_TOKEN=${SECRET} -e UNSET_TOKEN= -e API_KEY=${SECRET}`);
  });

  test("that the service has are still filled in, and never overwritten, though the changes were discarded before it answered", async () => {
    const window = await atTemplate();
    window.elsewhere({ env: `-e HF_TOKEN=${SECRET} -e MODE=fast` });
    await window.templates.collection.refresh();
    await type((await openIn(window)).edit(), "Typed.");
    window.secrets.kept.clear();
    const later = await window.open();
    const person = templatePerson();
    window.service.faults.add("500@searchTemplates");
    await assert.rejects(
      later.edits.openEdit(
        person,
        find(later.templates.all, ({ value }) => value.name === MINE),
      ),
    );
    window.service.faults.clear();
    const lost = person.edit();
    assert.equal(await lost.revert({ ...person, confirm: async () => true } as never), true);
    await later.templates.collection.refresh();
    const typed = { ...lost.form, env: lost.form.env.replace("MODE=fast", "MODE=slow") };
    await lost.save(typed).catch(() => undefined);
    assert.ok(String(window.stored().env).includes(SECRET), `the service keeps the value: ${window.stored().env}`);
  });

  test("that the service has are filled in from there", async () => {
    const window = await atTemplate();
    window.elsewhere({ env: `-e HF_TOKEN=${SECRET}` });
    await window.templates.collection.refresh();
    await type((await openIn(window)).edit(), "Typed.");
    window.secrets.kept.clear();
    const back = (await openIn(await window.open())).edit();
    assert.deepEqual([back.form.desc, back.form.env], ["Typed.", `-e HF_TOKEN=${SECRET}`]);
    await back.save(back.form);
    assert.deepEqual([window.stored().desc, window.stored().env], ["Typed.", `-e HF_TOKEN=${SECRET}`]);
  });
});

describe("an account that is left", () => {
  async function typedIn() {
    const window = await atTemplate();
    const person = await openIn(window);
    const edit = person.edit();
    let ends = 0;
    edit.onDidEnd(() => {
      ends += 1;
    });
    await type(edit, "Typed.");
    return { ...window, person, edit, ends: () => ends };
  }

  test("closes its forms without a question, and keeps what was typed for when it is back", async () => {
    const { session, service, edits, person, edit, ends, ...window } = await typedIn();
    await session.signOut();
    assert.equal(ends(), 1);
    // The panel closes because of it.
    await edits.close(person, edit);
    assert.deepEqual(person.told, []);
    await session.signIn(service.url, service.apiKey);
    await window.templates.collection.refresh();
    const back = templatePerson();
    await edits.openEdit(back, window.row());
    assert.deepEqual([back.edit().form.desc, isRestored(back.edit())], ["Typed.", true]);
  });

  test("keeps what was typed though the secret storage takes its time", async () => {
    const draftSecrets = secretsInMemory();
    const window = await atTemplate({
      draftSecrets: {
        ...draftSecrets,
        remove: async (name) => await sleep(1500).then(() => draftSecrets.remove(name)),
      },
    });
    const person = await openIn(window);
    const typing = type(person.edit(), "Typed.");
    const other = await sandbox({ seed: 7 });
    await window.session.enterSandbox(other.url, other.apiKey);
    await window.session.signIn(window.service.url, window.service.apiKey);
    await window.templates.collection.refresh();
    const back = await openIn(window);
    assert.deepEqual([back.edit().form.desc, isRestored(back.edit())], ["Typed.", true]);
    await typing;
  });

  test("for another one: no save, running or later, goes there, and no draft is offered there", async () => {
    const { session, service, edits, edit, templates, stored, ends } = await typedIn();
    const before = stored().hash_id;
    const other = await sandbox({ seed: 7 });
    const theirs = () => other.world.templates.list().map(({ hash_id, desc }) => [hash_id, desc]);
    const untouched = theirs();
    // The save compares before it sends, and is still waiting for that answer.
    service.faults.add("slow@searchTemplates");
    const failed = assert.rejects(edit.save(edit.form));
    await session.enterSandbox(other.url, other.apiKey);
    await failed;
    assert.equal(ends(), 1);
    await assert.rejects(edit.save(edit.form), SWITCHED);
    await templates.collection.refresh();
    const there = templatePerson();
    await edits.openEdit(
      there,
      find(templates.all, ({ value }) => value.name === MINE),
    );
    assert.deepEqual([there.edit().isUnsaved, there.edit().notice], [false, undefined]);
    await edits.openNew(there);
    assert.deepEqual(there.chosenAmong, []);
    assert.deepEqual([theirs(), stored().hash_id], [untouched, before]);
  });

  test("while a question is open: what is chosen then is not done", async () => {
    const { session, edits, row, open, ...window } = await typedIn();
    const other = await sandbox({ seed: 7 });
    const leave = async (drafts: readonly FoundDraft[]) => {
      await session.enterSandbox(other.url, other.apiKey);
      return drafts[0];
    };
    const elsewhere = await open();
    await type((await openIn(elsewhere)).edit(), "Of another window.");
    const person = templatePerson({ drafts: [leave] });
    await assert.rejects(edits.openEdit(person, row()), SWITCHED);
    assert.deepEqual(person.shown, []);
    const descs = (await window.drafts.list(elsewhere.me().tag)).map(({ form }) => form.desc);
    assert.ok(descs.includes("Of another window."), "it is kept");
  });
});

describe("a tab that the editor restores", () => {
  test("has its draft again under a key of its own, so that two windows that restore it are two drafts", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    await type(edit, "Typed.");
    const second = await window.open();
    const tab = restoredTab(templatePerson());
    await second.edits.restore(tab, placeOf(edit));
    assert.deepEqual([tab.edit().form.desc, isRestored(tab.edit()), tab.drawn], ["Typed.", true, []]);
    assert.notEqual(tab.edit().key, edit.key);
    // The other window found no draft any longer: it shows the template as it is stored.
    const third = restoredTab(templatePerson());
    await (await window.open()).edits.restore(third, placeOf(edit));
    assert.deepEqual([third.edit().isUnsaved, third.edit().stored?.hash], [false, window.stored().hash_id]);
  });

  test("without changes shows the template as it is by now, and closes if it is gone", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    window.elsewhere({ desc: "By now." });
    const tab = restoredTab(templatePerson());
    await (await window.open()).edits.restore(tab, placeOf(edit));
    assert.deepEqual([tab.edit().form.desc, tab.edit().notice], ["By now.", undefined]);
    window.deletedElsewhere();
    const gone = restoredTab(templatePerson());
    await (await window.open()).edits.restore(gone, placeOf(edit));
    assert.deepEqual([gone.drawn, gone.shown], [["closed"], []]);
  });

  test("of an empty form is an empty form", async () => {
    const window = await atTemplate();
    const person = templatePerson();
    await window.edits.openNew(person);
    const tab = restoredTab(templatePerson());
    await (await window.open()).edits.restore(tab, placeOf(person.edit()));
    assert.deepEqual([tab.edit().stored, tab.edit().isUnsaved], [undefined, false]);
  });

  test("of another account closes", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    const other = await sandbox({ seed: 7 });
    await window.session.enterSandbox(other.url, other.apiKey);
    const tab = restoredTab(templatePerson());
    await window.edits.restore(tab, placeOf(edit));
    assert.deepEqual([tab.drawn, tab.shown], [["closed"], []]);
  });

  test("waits for its account to be signed in to, unless it is closed before", async () => {
    const { session, service, edits, ...window } = await atTemplate();
    const edit = (await openIn({ ...window, session, edits })).edit();
    await type(edit, "Typed.");
    await session.signOut();
    const [waits, closed] = [restoredTab(templatePerson()), restoredTab(templatePerson())];
    await edits.restore(waits, placeOf(edit));
    await edits.restore(closed, placeOf(edit));
    closed.closeByHand();
    assert.deepEqual([waits.drawn, waits.shown], [["sign in"], []]);
    await session.signIn(service.url, service.apiKey);
    await eventually(() => waits.shown.length === 1, "it is restored");
    assert.deepEqual([waits.edit().form.desc, closed.shown], ["Typed.", []]);
  });

  test("while its template is opened from its row is one form with what was typed, whichever comes first", async () => {
    for (let between = 0; between < 12; between += 1) {
      const dead = await atTemplate();
      const edit = (await openIn(dead)).edit();
      await type(edit, "Typed.");
      const window = await dead.open();
      const tab = restoredTab(templatePerson());
      const person = templatePerson();
      const open = () => window.edits.openEdit(person, dead.row(MINE, window.templates));
      const restore = () => window.edits.restore(tab, placeOf(edit));
      const [first, second] = between % 2 === 0 ? [restore, open] : [open, restore];
      const begun = first();
      for (let at = 0; at < between; at += 1) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([begun, second()]);
      const edits = new Set([...tab.shown, ...person.shown]);
      assert.deepEqual(
        [...edits].map(({ form }) => form.desc),
        ["Typed."],
      );
      assert.deepEqual(person.chosenAmong, [], "there is nothing to choose among");
      assert.equal((await dead.draftsOnDisk()).length, 1);
    }
  });

  test("without changes, while its template is opened from its row, is one form as well; and so are two clicks", async () => {
    for (const isRestoredFirst of [true, false]) {
      const dead = await atTemplate();
      const place = placeOf((await openIn(dead)).edit());
      const window = await dead.open();
      const [tab, person] = [restoredTab(templatePerson()), templatePerson()];
      const open = () => window.edits.openEdit(person, dead.row(MINE, window.templates));
      const restore = () => window.edits.restore(tab, place);
      await Promise.all(isRestoredFirst ? [restore(), open(), open()] : [open(), open(), restore()]);
      assert.equal(new Set([...tab.shown, ...person.shown]).size, 1);
      assert.equal(tab.drawn.includes("closed"), tab.shown.length === 0);
    }
  });

  test("says that its template can't be read while the service doesn't answer", async () => {
    const window = await atTemplate();
    const edit = (await openIn(window)).edit();
    const reloaded = await window.open();
    window.service.faults.add("500@searchTemplates");
    const tab = restoredTab(templatePerson());
    await reloaded.edits.restore(tab, placeOf(edit));
    assert.deepEqual([tab.drawn, tab.shown], [["failure"], []]);
  });
});
