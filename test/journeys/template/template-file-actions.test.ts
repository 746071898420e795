// Template files without an editor: whose turn it is, what is asked and sent, and what becomes of the file; and deleting.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSendable } from "../../../src/domain/template/template-file.ts";
import { deleteTemplate } from "../../../src/services/template/delete-template.ts";
import type { OpenTemplateFile } from "../../../src/services/template/template-file-actions.ts";
import { getSyncOwner, toTemplateFile } from "../../../src/services/template/template-file-sync.ts";
import { toStored } from "../../../src/services/template/template-saves.ts";
import { sandbox } from "../support.ts";
import { type Answers, atTemplate, MINE, templatePerson } from "./template-person.ts";

const SWITCHED = /You switched accounts\. Nothing was changed\./;

/** A file in an editor, and what it was told to do with it. */
function editorFile(text: string) {
  const state = { text, onDisk: text, takesText: true };
  const differences: { id: unknown; text: string }[] = [];
  const file: OpenTemplateFile = {
    readText: () => state.text,
    replaceText: async (next) => {
      if (state.takesText) state.text = next;
      return state.takesText;
    },
    save: async () => {
      state.onDisk = state.text;
    },
    showDifference: async ({ id }, other) => void differences.push({ id, text: other }),
  };
  const type = (next: string) => {
    state.text = next;
  };
  return { ...file, state, type, differences, isSaved: () => state.onDisk === state.text };
}

/** The template as a file of the workspace, open in front of someone. */
async function atFile(answers: Answers = {}) {
  const window = await atTemplate();
  const stored = toStored(window.row());
  const file = editorFile(`// Ours.\n${toTemplateFile(stored, getSyncOwner(window.templates, window.me(), stored))}`);
  const replace = (from: string | RegExp, to: string) => file.type(file.state.text.replace(from, to));
  const describeAs = (desc: string) => replace(/"desc": ".*"/, `"desc": "${desc}"`);
  return { ...window, person: templatePerson(answers), file, replace, describeAs };
}

const lockOf = ({ state }: ReturnType<typeof editorFile>) => readSendable(state.text).sync;
const keysOf = (body: unknown): string[] => Object.keys(Object(body)).sort();

describe("push", () => {
  test("of a file that was never pushed creates a template after a question, and the file gets its lock", async () => {
    const { person, fileActions, sent, service } = await atFile({ confirms: [false, true] });
    const file = editorFile('{\n  // mine\n  "name": "Filed",\n  "image": "a/b",\n  "docker_login_user": "me"\n}\n');
    await fileActions.push(person, file);
    assert.deepEqual([sent("POST"), file.isSaved(), lockOf(file)], [[], true, undefined]);
    file.type(file.state.text.replace(/,\n {2}"docker_login_user": "me"/, ""));
    await fileActions.push(person, file);
    const made = service.world.templates.list().find(({ name }) => name === "Filed");
    assert.deepEqual([lockOf(file)?.hash, file.isSaved()], [made?.hash_id, true]);
    assert.match(file.state.text, /\/\/ mine/);
    const question = { kind: "push-new", why: "new", name: "Filed", isPrivate: true, withoutValue: [] } as const;
    assert.deepEqual(person.asked, [
      { ...question, needsToken: true },
      { ...question, needsToken: false },
    ]);
    assert.deepEqual(person.told, [{ kind: "pushed", name: "Filed", hash: made?.hash_id }]);
  });

  test("of a changed file says what it changes, sends that, moves the lock and keeps comments", async () => {
    const { person, fileActions, file, describeAs, stored, sent } = await atFile({ confirms: [true] });
    const before = stored().hash_id;
    describeAs("From the file.");
    await fileActions.push(person, file);
    const [asked] = person.asked;
    assert.ok(asked?.kind === "push-changes" && person.asked.length === 1);
    assert.deepEqual([asked.fields, asked.from.name, asked.to.desc], [["desc"], MINE, "From the file."]);
    assert.deepEqual(
      sent("PUT").map(({ body }) => keysOf(body)),
      [["desc", "hash_id"]],
    );
    assert.equal(stored().desc, "From the file.");
    assert.notEqual(stored().hash_id, before);
    assert.deepEqual([lockOf(file)?.hash, file.isSaved()], [stored().hash_id, true]);
    assert.match(file.state.text, /^\/\/ Ours\./);
  });

  test("of a file that is in step asks nothing, sends nothing and says so", async () => {
    const { person, fileActions, file, sent } = await atFile();
    await fileActions.push(person, file);
    assert.deepEqual([person.asked, person.kinds(), sent("PUT")], [[], ["nothing-to-push"], []]);
  });

  test("what is typed during the push stays unsaved; only the lock moves", async () => {
    const { person, fileActions, file, describeAs, stored } = await atFile({
      confirms: [
        async () => {
          describeAs("Meanwhile.");
          return true;
        },
      ],
    });
    describeAs("Pushed.");
    await fileActions.push(person, file);
    assert.equal(stored().desc, "Pushed.");
    assert.deepEqual([lockOf(file)?.hash, readSendable(file.state.text).draft.desc], [stored().hash_id, "Meanwhile."]);
    assert.equal(file.isSaved(), false);
  });

  test("what can't be read after the push keeps its old lock, and that is said", async () => {
    const { person, fileActions, file, describeAs, stored } = await atFile({
      confirms: [
        async () => {
          file.type(`${file.state.text.slice(0, -3)},`);
          return true;
        },
      ],
    });
    describeAs("Pushed.");
    await fileActions.push(person, file);
    assert.deepEqual(person.kinds().sort(), ["lock-outdated", "pushed"]);
    assert.ok(!file.state.text.includes(stored().hash_id));
  });

  test("that the editor doesn't write down is an error, and the template has it", async () => {
    const { person, fileActions, file, describeAs, stored } = await atFile({ confirms: [true] });
    describeAs("Pushed.");
    file.state.takesText = false;
    await assert.rejects(fileActions.push(person, file), /The editor didn't apply the change/);
    assert.equal(stored().desc, "Pushed.");
  });

  test("of someone else's template creates a private copy of it", async () => {
    const { person, fileActions, row, sent, service } = await atFile({ confirms: [true] });
    const file = editorFile(toTemplateFile(toStored(row("ComfyUI")), {}));
    file.type(file.state.text.replace(/"desc": ".*"/, '"desc": "Mine."'));
    await fileActions.push(person, file);
    assert.ok(person.asked[0]?.kind === "push-new" && person.asked[0].why === "foreign" && person.asked[0].isPrivate);
    const copies = service.world.templates.list().filter(({ name }) => name === "ComfyUI");
    assert.deepEqual([copies.length, sent("PUT"), copies.at(-1)?.private], [2, [], true]);
  });

  test("of what was deleted creates it anew; deleted while it is asked about, nothing is sent", async () => {
    const { person, fileActions, file, describeAs, deletedElsewhere, sent, service } = await atFile({
      confirms: [
        async () => {
          deletedElsewhere();
          return true;
        },
        true,
      ],
    });
    describeAs("From the file.");
    await assert.rejects(fileActions.push(person, file), /deleted on the service, so nothing was sent/);
    assert.deepEqual([sent("PUT"), sent("POST")], [[], []]);
    await fileActions.push(person, file);
    assert.ok(person.asked[1]?.kind === "push-new" && person.asked[1].why === "gone");
    assert.equal(service.world.templates.list().find(({ name }) => name === MINE)?.desc, "From the file.");
  });

  test("of what was deleted says which variables the file leaves without a value", async () => {
    const { person, fileActions, file, replace, deletedElsewhere } = await atFile();
    replace(/"env": ".*"/, '"env": "-e DATABASE_URL= -e A=1"');
    deletedElsewhere();
    await fileActions.push(person, file);
    assert.ok(person.asked[0]?.kind === "push-new");
    assert.deepEqual(person.asked[0].withoutValue, ["DATABASE_URL"]);
  });

  test("confirmed after the account was switched is done in neither account", async () => {
    const other = await sandbox({ seed: 7 });
    const count = other.world.templates.list().length;
    const { person, fileActions, session, sent } = await atFile({
      confirms: [
        async () => {
          await session.enterSandbox(other.url, other.apiKey);
          return true;
        },
      ],
    });
    const file = editorFile('{ "name": "Filed", "image": "a/b" }\n');
    await assert.rejects(fileActions.push(person, file), SWITCHED);
    assert.deepEqual([sent("POST"), other.world.templates.list().length, lockOf(file)], [[], count, undefined]);
  });
});

describe("a template that changed on the service", () => {
  test("gets nothing pushed over it; Pull takes it into the file, which stays unsaved", async () => {
    const { person, fileActions, file, describeAs, elsewhere, sent, stored } = await atFile({ actions: ["pull"] });
    describeAs("Mine.");
    elsewhere({ desc: "Theirs." });
    await fileActions.push(person, file);
    assert.deepEqual([sent("PUT"), person.asked, person.kinds()], [[], [], ["drifted", "pulled"]]);
    assert.deepEqual(person.offered[0], ["diff", "pull", "repin"]);
    assert.deepEqual(person.told[1], { kind: "pulled", fields: ["desc"] });
    const { draft, sync } = readSendable(file.state.text);
    assert.deepEqual([draft.desc, sync?.hash, file.isSaved()], ["Theirs.", stored().hash_id, false]);
    assert.match(file.state.text, /^\/\/ Ours\./);
  });

  test("with flags that can't be read: Pull takes them as they are, says so, and brings no other secret", async () => {
    const { person, fileActions, file, elsewhere } = await atFile();
    elsewhere({ env: "-e HF_TOKEN=hf_theirs -e MODE='open" });
    await fileActions.pull(person, file);
    assert.equal(readSendable(file.state.text).draft.env, "-e HF_TOKEN= -e MODE='open");
    assert.deepEqual(person.kinds(), ["pulled", "may-hold-secrets"]);
    await fileActions.pull(person, file);
    assert.equal(person.kinds().length, 3, "said once");
  });

  test("while the push is asked about: nothing is pushed over it either", async () => {
    const { person, fileActions, file, describeAs, elsewhere, sent } = await atFile({
      confirms: [
        async () => {
          elsewhere({ desc: "Theirs." });
          return true;
        },
      ],
    });
    describeAs("Mine.");
    await fileActions.push(person, file);
    assert.deepEqual([sent("PUT"), person.kinds()], [[], ["drifted"]]);
  });

  test("is not taken over from another account, whatever is chosen after a switch", async () => {
    for (const action of ["pull", "repin", "diff"] as const) {
      const { person, fileActions, file, session, describeAs, elsewhere } = await atFile();
      const other = await sandbox({ seed: 1 });
      describeAs("Mine.");
      elsewhere({ desc: "Theirs." });
      const before = file.state.text;
      const tell: typeof person.tell = async (_, actions) => {
        if (actions.length === 0) return undefined;
        await session.signIn(other.url, other.apiKey);
        return action;
      };
      await assert.rejects(fileActions.push({ ...person, tell }, file), SWITCHED, action);
      assert.deepEqual([file.state.text, file.differences.length], [before, 0], action);
    }
  });

  test("Diff shows what a pull would make of the file, and changes nothing", async () => {
    const { person, fileActions, file, describeAs, elsewhere } = await atFile({ actions: ["diff"] });
    describeAs("Mine.");
    elsewhere({ desc: "Theirs." });
    const before = file.state.text;
    await fileActions.push(person, file);
    assert.equal(readSendable(file.differences[0]?.text ?? "").draft.desc, "Theirs.");
    assert.match(file.differences[0]?.text ?? "", /^\/\/ Ours\./);
    assert.equal(file.state.text, before);
  });

  test("Re-pin moves the file's lock, and neither file nor template; the next push goes over theirs", async () => {
    const { person, fileActions, file, elsewhere, sent, stored } = await atFile({
      actions: ["repin"],
      confirms: [true],
    });
    const { draft, sync } = readSendable(file.state.text);
    elsewhere({ desc: "Theirs." });
    await fileActions.push(person, file);
    const now = readSendable(file.state.text);
    assert.notEqual(sync?.hash, stored().hash_id);
    assert.deepEqual([now.draft, now.sync?.hash, file.isSaved()], [draft, stored().hash_id, true]);
    assert.deepEqual([stored().desc, sent("PUT")], ["Theirs.", []]);
    await fileActions.push(person, file);
    assert.equal(stored().desc, draft.desc);
  });
});

describe("a file", () => {
  test("without a counterpart can't be pulled, compared or re-pinned", async () => {
    const { person, fileActions, file, deletedElsewhere } = await atFile();
    const unpushed = editorFile('{ "name": "Filed", "image": "a/b" }\n');
    await assert.rejects(fileActions.pull(person, unpushed), /This file was never pushed\. Push it first\./);
    deletedElsewhere();
    await assert.rejects(fileActions.compare(person, file), /The template this file came from no longer exists/);
    await assert.rejects(fileActions.repin(person, file), /The template this file came from no longer exists/);
  });

  test("says whose template it is in step with: an own one's service and user, and another's service", async () => {
    const { person, fileActions, file, me, row } = await atFile();
    const base = me().address.base;
    assert.deepEqual([lockOf(file)?.base, lockOf(file)?.user], [base, me().user()]);
    assert.ok(me().user() !== undefined);
    const theirs = editorFile(toTemplateFile(toStored(row("ComfyUI")), {}));
    await fileActions.pull(person, theirs);
    assert.deepEqual([lockOf(theirs)?.base, lockOf(theirs)?.user], [base, undefined]);
  });

  test("of before files said whose they are works as it did, and says it after a pull", async () => {
    const { person, fileActions, file, replace, me } = await atFile();
    replace(/,\s*"base": "[^"]*",\s*"user": \d+/, "");
    assert.deepEqual([lockOf(file)?.base, lockOf(file)?.user], [undefined, undefined]);
    await fileActions.pull(person, file);
    assert.deepEqual([lockOf(file)?.base, lockOf(file)?.user], [me().address.base, me().user()]);
  });

  for (const [whose, lock] of [
    ["of another service", (text: string) => text.replace(/"base": "[^"]*"/, '"base": "https://other.example"')],
    ["of another user", (text: string) => text.replace(/"user": \d+/, '"user": 987654')],
  ] as const) {
    test(`${whose} isn't pulled, compared or re-pinned, and what can be done is offered`, async () => {
      const { person, fileActions, file, requests } = await atFile();
      file.type(lock(file.state.text));
      const [text, before] = [file.state.text, requests.length];
      await fileActions.pull(person, file);
      await fileActions.compare(person, file);
      await fileActions.repin(person, file);
      assert.deepEqual(person.kinds(), ["of-other-account", "of-other-account", "of-other-account"]);
      assert.deepEqual(person.offered[0], ["switch-account"]);
      assert.deepEqual([file.state.text, file.differences.length, requests.length], [text, 0, before]);
    });

    test(`${whose} is pushed as a new template of this account, and is this account's from then on`, async () => {
      const { person, fileActions, file, describeAs, sent, stored, me } = await atFile({
        confirms: [true],
      });
      const { hash_id: before } = stored();
      file.type(lock(file.state.text));
      describeAs("From another account.");
      await fileActions.push(person, file);
      assert.ok(person.asked[0]?.kind === "push-new" && person.asked[0].why === "other-account");
      assert.deepEqual([sent("PUT"), sent("POST").length, stored().hash_id], [[], 1, before]);
      assert.deepEqual([lockOf(file)?.base, lockOf(file)?.user], [me().address.base, me().user()]);
      assert.notEqual(lockOf(file)?.hash, before);
    });
  }

  test("of another user of the same service is launched if everybody can read it; of another service it isn't", async () => {
    const { person, fileActions, file, requests, stored } = await atFile();
    file.type(file.state.text.replace(/"user": \d+/, '"user": 987654'));
    assert.equal(await fileActions.findLaunchable(person, file), stored().hash_id);
    file.type(file.state.text.replace(/"base": "[^"]*"/, '"base": "https://other.example"'));
    const before = requests.length;
    assert.equal(await fileActions.findLaunchable(person, file), undefined);
    assert.deepEqual(person.told, [{ kind: "launch-differs", why: "other-account" }]);
    assert.equal(requests.length, before);
  });

  test("that says what the service has is launched; any other is pushed first", async () => {
    const { person, fileActions, file, describeAs, stored } = await atFile({
      actions: [undefined, "push-and-launch"],
      confirms: [true],
    });
    assert.equal(await fileActions.findLaunchable(person, file), stored().hash_id);
    describeAs("From the file.");
    assert.equal(await fileActions.findLaunchable(person, file), undefined);
    assert.notEqual(stored().desc, "From the file.");
    const before = stored().hash_id;
    const launched = await fileActions.findLaunchable(person, file);
    assert.deepEqual([launched, stored().desc], [stored().hash_id, "From the file."]);
    assert.notEqual(launched, before);
    assert.deepEqual(person.kinds(), ["launch-differs", "launch-differs"]);
    assert.equal(await fileActions.findLaunchable(person, file), stored().hash_id);
  });

  test("with a mistake is refused before anything is asked or sent", async () => {
    const { person, fileActions, requests } = await atFile();
    const before = requests.length;
    const file = editorFile('{ "name": "a", "image": "b", "docker_login_pass": "stolen" }\n');
    const none: unknown[] = [];
    await assert.rejects(fileActions.push(person, file), /^AppError: \d+:\d+: .*Nothing was sent/);
    await assert.rejects(fileActions.findLaunchable(person, file), /^AppError: \d+:\d+: .*Nothing was sent/);
    assert.deepEqual([requests.length, person.asked], [before, none]);
  });
});

describe("delete", () => {
  test("names the template as it is by now, and deletes exactly that one, after a yes", async () => {
    const window = await atTemplate();
    const person = templatePerson({ confirms: [false, true] });
    const { id } = window.stored();
    window.elsewhere({ name: "Renamed" });
    await deleteTemplate(window, person, window.me(), window.row());
    assert.deepEqual([person.asked, window.sent("DELETE")], [[{ kind: "delete", name: "Renamed", id }], []]);
    await deleteTemplate(window, person, window.me(), window.row("Renamed"));
    assert.deepEqual(
      window.sent("DELETE").map(({ body }) => body),
      [{ template_id: id }],
    );
    const row = { value: { ...window.row("ComfyUI").value }, raw: {} };
    await assert.rejects(deleteTemplate(window, person, window.me(), row), /Only the creator can delete “ComfyUI”/);
  });

  test("of what is gone already says so", async () => {
    const window = await atTemplate();
    const [row, person] = [window.row(), templatePerson()];
    window.deletedElsewhere();
    await deleteTemplate(window, person, window.me(), row);
    assert.deepEqual([person.kinds(), person.asked], [["already-deleted"], []]);
  });

  test("confirmed after signing out is not done", async () => {
    const window = await atTemplate();
    const leave = async () => {
      await window.session.signOut();
      return true;
    };
    const person = templatePerson({ confirms: [leave] });
    await assert.rejects(deleteTemplate(window, person, window.me(), window.row()), SWITCHED);
    assert.deepEqual(window.sent("DELETE"), []);
  });
});
