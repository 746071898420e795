// Saving templates over real HTTP: what is sent, whose change wins, what follows a new hash, and what the draft store keeps.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { asAppError } from "../../../src/domain/base/error.ts";
import { TemplateHash, TemplateId } from "../../../src/domain/base/id.ts";
import { listChangedFields } from "../../../src/domain/template/template-changes.ts";
import { NEW_TEMPLATE, toForm, type WholeDraft } from "../../../src/domain/template/template-form.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { DraftStore, isOf, type StoredDraft } from "../../../src/services/template/draft-store.ts";
import { toTemplateFile } from "../../../src/services/template/template-file-sync.ts";
import { findRefusedField, type Stored } from "../../../src/services/template/template-saves.ts";
import { type CurrentSaves, currentSaves, secretsInMemory } from "../editor-window.ts";
import { editorWindow, middleman, sandbox } from "../support.ts";

const FULL: WholeDraft = {
  ...NEW_TEMPLATE,
  name: "Everything",
  image: "registry.example:5000/a/b",
  tag: "1.2",
  desc: "What it is",
  readme: "# Everything\n\nAll of it.\n",
  env: "-e A='b c' -p 8080:8080 --gpus all",
  onstart: "env >> /etc/environment\nrun &",
  runtype: "jupyter",
  ssh_direct: true,
  use_ssh: true,
  jup_direct: true,
  jupyter_dir: "/workspace",
  use_jupyter_lab: true,
  docker_login_repo: "registry.example:5000",
  docker_login_user: "me",
  docker_login_pass: "a-registry-token-17",
  href: "https://example.com/a",
  repo: "a/b",
  extra_filters: { gpu_ram: { gte: 24_000 }, gpu_name: { in: ["RTX 4090"] } },
  recommended_disk_space: 40.5,
  volume_info: { mount_path: "/data" },
};

async function signedIn() {
  const requests: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void requests.push(line) });
  const one = editorWindow();
  await one.session.enterSandbox(service.url, service.apiKey);
  const two = editorWindow();
  await two.session.enterSandbox(service.url, service.apiKey);
  const saves = currentSaves(one.session, one.templates);
  const others = currentSaves(two.session, two.templates);
  const sent = (method: string) =>
    requests.filter((line) => line.method === method && line.path === "/api/v0/template/");
  return { service, saves, others, one, two, sent };
}

async function created(saves: CurrentSaves, draft: WholeDraft): Promise<Stored> {
  const outcome = await saves.create(draft);
  assert.equal(outcome.kind, "saved");
  return outcome.stored;
}

describe("creating (interface 4.6)", () => {
  test("every field arrives, the row is there at once, the password is nowhere", async () => {
    const { saves, one } = await signedIn();
    await one.templates.collection.refresh();
    const stored = await created(saves, FULL);
    assert.deepEqual(listChangedFields(stored.draft, { ...FULL, docker_login_pass: "" }), []);
    assert.equal(one.templates.find(stored.hash)?.value.name, "Everything");
    assert.ok(!JSON.stringify(stored).includes("a-registry-token-17"));
  });

  test("whatever a draft holds comes back from the service as it was", async () => {
    const { saves } = await signedIn();
    const text = fc.string({ unit: "grapheme", maxLength: 30 }).map((part) => part.replaceAll("\0", ""));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          desc: text,
          env: text,
          onstart: text,
          readme: text,
          href: text,
          private: fc.boolean(),
          recommended_disk_space: fc.integer({ min: 1, max: 999 }),
        }),
        text.filter((name) => name.trim() !== ""),
        async (parts, name) => {
          const draft = { ...NEW_TEMPLATE, ...parts, name: name.trim(), image: "a/b", repo: "a/b" };
          const { draft: back } = await created(saves, draft);
          assert.deepEqual(listChangedFields({ ...draft, use_ssh: back.use_ssh }, back), []);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("the same content again is the template that exists, and it is said so", async () => {
    const { saves, one } = await signedIn();
    const first = await created(saves, FULL);
    const again = await saves.create(FULL);
    assert.deepEqual([again.kind, again.kind === "saved" && again.existing], ["saved", true]);
    assert.equal(again.kind === "saved" && again.stored.id, first.id);
    await one.templates.collection.refresh();
    assert.equal(one.templates.all.filter(({ value }) => value.id === first.id).length, 1);
  });

  test("what the service refuses names its field", async () => {
    const { saves } = await signedIn();
    const refused = async (draft: WholeDraft) => {
      const error = asAppError(await saves.create(draft).catch((thrown) => thrown));
      return [error.kind, findRefusedField(error)];
    };
    assert.deepEqual(await refused({ ...FULL, name: "x".repeat(10_001) }), ["rejected", "name"]);
    assert.deepEqual(await refused({ ...FULL, readme: "x".repeat(500_001) }), ["rejected", "readme"]);
    assert.deepEqual(await refused({ ...FULL, onstart: "x".repeat(4049) }), ["rejected", "onstart"]);
  });
});

describe("editing (interface 4.7)", () => {
  test("only the changed fields are sent; the new hash stands for the same template everywhere", async () => {
    const { saves, one, sent } = await signedIn();
    await one.templates.collection.refresh();
    const base = await created(saves, FULL);
    const heard: unknown[] = [];
    saves.onDidSave(({ from, stored }) => heard.push([from, stored.hash]));
    const outcome = await saves.edit(base, { ...base.draft, env: "-e A=c", volume_info: null });
    assert.equal(outcome.kind, "saved");
    const { stored } = outcome as Extract<typeof outcome, { kind: "saved" }>;
    const body = sent("PUT").map((line) => line.body as Record<string, unknown>);
    assert.deepEqual(
      body.map((one) => Object.keys(one).sort()),
      [["env", "hash_id", "volume_info"]],
    );
    assert.notEqual(stored.hash, base.hash);
    assert.equal(stored.id, base.id);
    assert.deepEqual(heard, [[base.hash, stored.hash]]);
    assert.equal(one.templates.find(base.hash)?.value.hash_id, stored.hash);
    assert.deepEqual(
      one.templates.all.filter(({ value }) => value.id === base.id).map(({ value }) => value.hash_id),
      [stored.hash],
    );
  });

  test("a read that began before the save does not bring the old hash back", async () => {
    const { saves, one } = await signedIn();
    const base = await created(saves, FULL);
    const reading = one.templates.collection.refresh();
    const outcome = await saves.edit(base, { ...base.draft, desc: "after" });
    await reading;
    const hash = outcome.kind === "saved" ? outcome.stored.hash : undefined;
    assert.deepEqual(
      one.templates.all.filter(({ value }) => value.id === base.id).map(({ value }) => value.hash_id),
      [hash],
    );
  });

  test("back to what it was: the old hash again, without going in a circle", async () => {
    const { saves, one } = await signedIn();
    await one.templates.collection.refresh();
    const base = await created(saves, FULL);
    const there = await saves.edit(base, { ...base.draft, desc: "x" });
    assert.ok(there.kind === "saved");
    const back = await saves.edit(there.stored, base.draft);
    assert.ok(back.kind === "saved");
    assert.equal(back.stored.hash, base.hash);
    assert.equal(one.templates.find(there.stored.hash)?.value.hash_id, base.hash);
  });

  test("nothing changed: nothing is sent", async () => {
    const { saves, sent } = await signedIn();
    const base = await created(saves, FULL);
    assert.equal((await saves.edit(base, base.draft)).kind, "saved");
    assert.equal(sent("PUT").length, 0);
  });

  test("a typed password is sent, one that is not typed stays", async () => {
    const { saves, sent, service } = await signedIn();
    const base = await created(saves, FULL);
    const one = await saves.edit(base, { ...base.draft, desc: "x" });
    assert.ok(one.kind === "saved");
    const kept = () => service.world.templates.list().find(({ id }) => id === base.id)?.docker_login_pass;
    assert.equal(kept(), "a-registry-token-17");
    await saves.edit(one.stored, { ...one.stored.draft, docker_login_pass: "another-token" });
    assert.equal(kept(), "another-token");
    assert.deepEqual(
      sent("PUT").map((line) => Object.keys(line.body as object).length),
      [2, 2],
    );
  });

  test("changed elsewhere: nothing is sent, and what others made of it is handed over", async () => {
    const { saves, others, sent } = await signedIn();
    const base = await created(saves, FULL);
    await others.edit(base, { ...base.draft, desc: "theirs" });
    const before = sent("PUT").length;
    const outcome = await saves.edit(base, { ...base.draft, env: "" });
    assert.equal(outcome.kind === "changed" && outcome.theirs.draft.desc, "theirs");
    assert.equal(sent("PUT").length, before);
  });

  test("changed between the look and the save: the hash in the request is the lock", async () => {
    const { service, others, one } = await signedIn();
    const base = await created(others, FULL);
    let meddled = false;
    const between = await middleman(service.url, (path, status, text) => {
      // The look has been answered; someone is faster than the save that follows it.
      if (!meddled && path.startsWith("/api/v0/template/?")) {
        meddled = true;
        service.world.templates.edit(base.hash, { desc: "theirs" }, service.world.account.id);
      }
      return { status, text };
    });
    await one.session.enterSandbox(between, service.apiKey);
    meddled = false;
    const saves = currentSaves(one.session, one.templates);
    const outcome = await saves.edit(base, { ...base.draft, env: "" });
    assert.equal(outcome.kind === "changed" && outcome.theirs.draft.desc, "theirs");
  });

  test("what is read of a template is in the lists as well: they are never older than what is open", async () => {
    const { saves, others, one } = await signedIn();
    await one.templates.collection.refresh();
    const base = await created(saves, FULL);
    const theirs = await others.edit(base, { ...base.draft, desc: "theirs" });
    assert.ok(theirs.kind === "saved");
    await saves.read(base);
    assert.equal(one.templates.find(base.hash)?.value.hash_id, theirs.stored.hash);
  });

  test("deleted elsewhere is said so", async () => {
    const { saves, one, two } = await signedIn();
    await one.templates.collection.refresh();
    const base = await created(saves, FULL);
    assert.ok(base.id);
    await two.session.requireSignedIn().client.deleteTemplate(base.id);
    assert.deepEqual(await saves.edit(base, { ...base.draft, env: "" }), { kind: "deleted" });
    assert.equal(one.templates.find(base.hash), undefined, "its row is gone as well");
  });

  test("there but not readable isn't said to be deleted: not by an edit, a delete, or a file that would be pushed anew", async () => {
    const { service, one, sent } = await signedIn();
    let isSpoiled = false;
    const between = await middleman(service.url, (path, status, text) => {
      const reply = JSON.parse(text);
      if (!isSpoiled || !path.startsWith("/api/v0/template") || !Array.isArray(reply.templates))
        return { status, text };
      const templates = reply.templates.map((template: object) => ({ ...template, hash_id: null }));
      return { status, text: JSON.stringify({ ...reply, templates }) };
    });
    await one.session.enterSandbox(between, service.apiKey);
    await one.templates.collection.refresh();
    const saves = currentSaves(one.session, one.templates);
    const base = await created(saves, FULL);
    const removed: Stored[] = [];
    saves.onDidRemove((gone) => void removed.push(gone));
    isSpoiled = true;
    const tries = [
      () => saves.edit(base, { ...base.draft, desc: "after" }),
      () => saves.remove(base),
      () => saves.compare(toTemplateFile(base, {})),
    ];
    for (const attempt of tries)
      await assert.rejects(attempt, (thrown) => asAppError(thrown).kind === "unexpected-reply");
    assert.deepEqual([removed, sent("PUT"), sent("DELETE")], [[], [], []]);
    assert.ok(one.templates.find(base.hash), "its row stays");
  });

  test("an answer that is lost after the edit was done is found out by reading", async () => {
    const { service, one } = await signedIn();
    const between = await middleman(service.url, (path, status, text) =>
      path === "/api/v0/template/" && text.includes("Updated") ? { status: 500, text: "{}" } : { status, text },
    );
    await one.session.enterSandbox(between, service.apiKey);
    const saves = currentSaves(one.session, one.templates);
    const base = await created(saves, FULL);
    const outcome = await saves.edit(base, { ...base.draft, desc: "after" });
    assert.equal(outcome.kind === "saved" && outcome.stored.draft.desc, "after");
  });

  test("the service's own no to an edit of somebody else's template is an error, not a conflict", async () => {
    const { saves, one } = await signedIn();
    await one.templates.collection.refresh();
    const foreign = one.templates.all.find(({ value }) => value.recommended);
    assert.ok(foreign);
    const base = await saves.read({ id: foreign.value.id, hash: foreign.value.hash_id });
    assert.ok(base);
    const error = asAppError(await saves.edit(base, { ...base.draft, desc: "mine" }).catch((thrown) => thrown));
    assert.match(error.message, /Creator/);
  });
});

describe("the draft store", () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  const makeStore = async () => {
    const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-drafts-"));
    folders.push(folder);
    const secrets = secretsInMemory();
    return { folder, secrets, store: new DraftStore(folder, secrets, silentLog) };
  };
  const form = toForm({ ...FULL });
  const draft = (key: string, at: number) => ({ key, at, form });

  test("a draft comes back whole but for the password, which is not on disk either", async () => {
    const { folder, secrets, store: one } = await makeStore();
    await one.put("abc", draft("new-1", 5));
    const back = await new DraftStore(folder, secrets, silentLog).get("abc", "new-1");
    assert.deepEqual(back?.form, { ...form, docker_login_pass: "" });
    const [name = ""] = await readdir(join(folder, "abc"));
    const path = join(folder, "abc", name);
    assert.ok(!(await readFile(path, "utf8")).includes("a-registry-token-17"));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test("accounts do not see one another's; the latest comes first; removing removes", async () => {
    const { store: one } = await makeStore();
    await Promise.all([
      one.put("abc", draft("new-1", 5)),
      one.put("abc", draft("new-2", 9)),
      one.put("def", draft("new-3", 7)),
    ]);
    assert.deepEqual(
      (await one.list("abc")).map(({ key }) => key),
      ["new-2", "new-1"],
    );
    await one.remove("abc", "new-2");
    assert.deepEqual(
      (await one.list("abc")).map(({ key }) => key),
      ["new-1"],
    );
    assert.deepEqual((await one.list("none")).length, 0);
  });

  test("a renewed key of the same account finds what was typed under the old one; another account does not", async () => {
    const { store: one } = await makeStore();
    await one.put("abc", { ...draft("draft-1", 5), whose: "https://a.example 7" });
    await one.put("abc", draft("draft-2", 6));
    assert.deepEqual(await one.list("def", "https://a.example 8"), []);
    assert.deepEqual(await one.list("def"), []);
    const [found] = await one.list("def", "https://a.example 7");
    assert.equal(found?.key, "draft-1");
    const taken = await one.takeOver("def", found);
    assert.deepEqual(
      (await one.list("def", "https://a.example 7")).map(({ key, folder }) => [key, folder]),
      [[taken.key, "def"]],
    );
    assert.deepEqual(
      (await one.list("abc")).map(({ key }) => key),
      ["draft-2"],
    );
  });

  test("two windows of one template are two drafts, and none writes over the other", async () => {
    const { store: one } = await makeStore();
    const at = (id: number, hash: string) => ({ id: TemplateId.parse(id), hash: TemplateHash.parse(hash) });
    const base = { ...at(7, "h"), form: { ...form, docker_login_pass: "" as const } };
    const edit = (key: string, when: number, desc: string) => ({ key, at: when, form: { ...form, desc }, base });
    await one.put("abc", edit("draft-1", 5, "first"));
    await one.put("abc", { ...draft("draft-9", 6), base: { ...base, ...at(8, "g") } });
    const [found] = (await one.list("abc")).filter((each) => isOf(each, at(7, "changed-since")));
    assert.ok(found);
    const taken = await one.takeOver("abc", found);
    assert.equal(await one.get("abc", "draft-1"), undefined);
    await one.put("abc", edit("draft-1", 8, "the first window goes on"));
    await one.put("abc", edit(taken.key, 9, "the second"));
    assert.deepEqual(
      (await one.list("abc")).filter((each) => isOf(each, at(7, "h"))).map((each) => each.form.desc),
      ["the second", "the first window goes on"],
    );
  });

  test("of many quick changes the last one stays", async () => {
    const { store: one } = await makeStore();
    const all = Array.from({ length: 40 }, (_, at) =>
      one.put("abc", { ...draft("new-1", at), form: { ...form, desc: `${at}` } }),
    );
    await Promise.all(all);
    assert.equal((await one.get("abc", "new-1"))?.form.desc, "39");
  });

  test("damaged files are passed over and left alone; a disk that fails stops nobody", async () => {
    const { folder, secrets, store: one } = await makeStore();
    await one.put("abc", draft("new-1", 5));
    for (const [name, content] of [
      ["empty", ""],
      ["half", '{"key":"ha'],
      ["other", '{"key":"other","at":1,"form":{}}'],
      ["pass", JSON.stringify(draft("pass", 1))],
    ])
      await writeFile(join(folder, "abc", `${name}.json`), content ?? "");
    assert.deepEqual(
      (await one.list("abc")).map(({ key }) => key),
      ["new-1"],
    );
    assert.equal((await readdir(join(folder, "abc"))).length, 5);
    await writeFile(join(folder, "file"), "");
    await new DraftStore(join(folder, "file"), secrets, silentLog).put("abc", draft("new-1", 5));
  });

  test("values of secret variables are not on disk: they come back from the secret storage, or are asked for again", async () => {
    const { folder, secrets, store: one } = await makeStore();
    const env = "-e MODE=fast -e OPENAI_KEY=sk-canary-17 -e AWS_ACCESS_KEY_ID='AKIA canary 18' -p 80:80";
    const base = { hash: TemplateHash.parse("abc"), form: { ...form, docker_login_pass: "" as const, env } };
    await one.put("abc", { ...draft("new-1", 5), form: { ...form, env: env.replace("fast", "slow") }, base });
    const text = await readFile(join(folder, "abc", "new-1.json"), "utf8");
    assert.ok(!/canary/.test(text) && text.includes("MODE=slow"), text);
    const back = await one.get("abc", "new-1");
    assert.equal(back?.form.env, env.replace("fast", "slow"));
    assert.equal(back?.base?.form.env, env);
    assert.equal(back?.withheld, undefined);
    const taken = await one.takeOver("abc", back as StoredDraft);
    assert.equal((await one.get("abc", taken.key))?.form.env, env.replace("fast", "slow"));
    assert.equal(secrets.kept.size, 1, "the secrets move with the draft");
    secrets.kept.clear();
    const lost = await one.get("abc", taken.key);
    assert.deepEqual(lost?.withheld, ["OPENAI_KEY", "AWS_ACCESS_KEY_ID"]);
    await one.discard("abc", { ...taken, at: Date.now() });
    assert.equal(secrets.kept.size, 0);
  });

  test("what is discarded takes its copies along, those of a window that died too, and leaves what is newer", async () => {
    const { store: one } = await makeStore();
    await one.put("abc", draft("new-1", 5));
    const first = await one.takeOver("abc", draft("new-1", 5) as StoredDraft);
    const second = await one.takeOver("abc", first);
    // The window of before writes once more as it closes, and so does the one before it.
    await one.put("abc", draft("new-1", 5));
    await one.put("abc", { ...first, at: 6 });
    await one.put("abc", { ...first, key: "draft-newer", at: 99 });
    await one.put("abc", draft("other", 1));
    await one.discard("abc", { ...second, at: 10 });
    assert.deepEqual((await one.list("abc")).map(({ key }) => key).sort(), ["draft-newer", "other"]);
  });

  test("no key or account leads out of the folder", async () => {
    const { store: one } = await makeStore();
    for (const key of ["../x", "a/b", "", "A", "x".repeat(65)]) assert.throws(() => one.put("abc", draft(key, 1)));
    for (const account of ["..", "a/b", ""]) assert.throws(() => one.put(account, draft("new-1", 1)));
  });
});

test("signed out meanwhile: the late answer is dropped", async () => {
  const { saves, one } = await signedIn();
  const base = await created(saves, FULL);
  const saving = saves.edit(base, { ...base.draft, desc: "x" });
  await one.session.signOut();
  await assert.rejects(saving);
  assert.equal(one.templates.all.length, 0);
});
