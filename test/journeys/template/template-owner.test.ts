// Whose template it is, over real HTTP: where the service doesn't say whose account it is, saves tell, and what is unknown is allowed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NEW_TEMPLATE } from "../../../src/domain/template/template-form.ts";
import { toContent } from "../../../src/sandbox/world/templates.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import { type Stored, toStored } from "../../../src/services/template/template-saves.ts";
import { currentSaves } from "../editor-window.ts";
import { editorWindow, middleman, sandbox, signedIn } from "../support.ts";

const DRAFT = { ...NEW_TEMPLATE, name: "Ours", image: "a/b" };

function hands(window: Pick<ReturnType<typeof editorWindow>, "session" | "templates">) {
  const saves = currentSaves(window.session, window.templates);
  const made = async (draft = DRAFT): Promise<Stored> => {
    const outcome = await saves.create(draft);
    assert.ok(outcome.kind === "saved");
    return outcome.stored;
  };
  const mine = () => getLast(window.templates.collection.store.current)?.value.own.map(({ value }) => value.name);
  return { saves, made, mine };
}

async function documentedOnly() {
  const window = await signedIn({ onlyDocumented: true });
  return { ...window, ...hands(window) };
}

/** A service with the documented operations alone whose records don't say who made them. */
async function nameless() {
  const service = await sandbox({ onlyDocumented: true });
  const between = await middleman(service.url, (_path, status, text) => ({
    status,
    text: text.replaceAll(/"creator_id":\d+,?/g, ""),
  }));
  const window = editorWindow();
  await window.session.signIn(between, service.apiKey);
  return { ...window, ...hands(window), service };
}

describe("where the service does not say whose account it is", () => {
  test("nothing is known to be somebody else's; the service refuses, and is told in its words", async () => {
    const { templates, saves } = await documentedOnly();
    await templates.collection.refresh();
    const foreign = templates.all.find(({ value }) => value.recommended);
    assert.ok(foreign);
    assert.equal(templates.isOwn(foreign.value.hash_id), true);
    assert.equal(templates.listOwned([])(foreign), true, "its row offers what its commands do");
    const base = toStored(foreign);
    await assert.rejects(saves.edit(base, { ...base.draft, desc: "mine?" }), /Only the Template Creator may Update/);
    await assert.rejects(saves.remove(base), { message: "Only the creator can delete this template." });
  });

  test("one made here tells who we are: it stays under Mine, with those made before", async () => {
    const { templates, made, mine, saves } = await documentedOnly();
    await templates.collection.refresh();
    assert.deepEqual(mine(), []);
    const stored = await made();
    assert.deepEqual(mine(), ["Ours"]);
    await templates.collection.refresh();
    assert.ok(mine()?.includes("Ours"));
    assert.ok((mine()?.length ?? 0) > 1, "the account's templates of before are found as well");
    assert.equal(templates.isOwn(stored.hash), true);
    const foreign = templates.all.find(({ value }) => value.recommended);
    assert.ok(foreign);
    assert.equal(templates.isOwn(foreign.value.hash_id), false);
    assert.equal(templates.listOwned([])(foreign), false);
    const outcome = await saves.edit(stored, { ...stored.draft, desc: "new" });
    assert.ok(outcome.kind === "saved");
    await templates.search({ name: { eq: "Ours" } });
    assert.equal(templates.isOwn(outcome.stored.hash), true);
    await saves.remove(outcome.stored);
    await templates.collection.refresh();
    assert.ok(!mine()?.includes("Ours"));
  });

  test("it is still known after a reload, and not to another account", async () => {
    const window = await documentedOnly();
    await window.made();
    const reloaded = editorWindow(window.userData);
    await reloaded.session.restore();
    await reloaded.templates.collection.refresh();
    assert.ok(hands(reloaded).mine()?.includes("Ours"));
    const elsewhere = await documentedOnly();
    await elsewhere.templates.collection.refresh();
    assert.deepEqual(elsewhere.mine(), []);
  });

  test("one that was edited here tells it too", async () => {
    const { templates, saves, mine, service } = await documentedOnly();
    const before = service.world.templates.list().find(({ creator_id }) => creator_id === service.world.account.id);
    assert.ok(before);
    await templates.search({ hash_id: { eq: before.hash_id } });
    const row = templates.all.find(({ value }) => value.id === before.id);
    assert.ok(row);
    const base = toStored(row);
    assert.equal((await saves.edit(base, { ...base.draft, desc: "new" })).kind, "saved");
    await templates.collection.refresh();
    assert.ok(mine()?.includes(before.name));
  });

  test("content that existed already is listed, and tells nothing: it may be anybody's", async () => {
    const { templates, made, mine, service } = await documentedOnly();
    const world = service.world.templates;
    const foreign = world.create({ ...(await plainContent()) }, 4711, 0).template;
    const stored = await made();
    assert.equal(stored.id, foreign.id, "the service found the same content");
    await templates.collection.refresh();
    assert.deepEqual(mine(), ["Ours"]);
    const recommended = templates.all.find(({ value }) => value.recommended);
    assert.ok(recommended && templates.isOwn(recommended.value.hash_id));
  });

  test("records that do not say who made them: those saved here stay listed, by their number", async () => {
    const { templates, saves, made, mine } = await nameless();
    const first = await made();
    await made({ ...DRAFT, name: "Second" });
    await templates.collection.refresh();
    assert.deepEqual(mine(), ["Ours", "Second"]);
    const outcome = await saves.edit(first, { ...first.draft, name: "First" });
    assert.ok(outcome.kind === "saved");
    await templates.collection.refresh();
    assert.deepEqual(mine(), ["First", "Second"]);
    await saves.remove(outcome.stored);
    await templates.collection.refresh();
    assert.deepEqual(mine(), ["Second"]);
  });
});

test("where it does say, what others made is not ours", async () => {
  const service = await sandbox();
  const window = editorWindow();
  await window.session.signIn(service.url, service.apiKey);
  const { made, mine } = hands(window);
  const stored = await made();
  await window.templates.collection.refresh();
  assert.ok(mine()?.includes("Ours"));
  assert.equal(window.templates.isOwn(stored.hash), true);
  const foreign = window.templates.all.find(({ value }) => value.recommended);
  assert.ok(foreign);
  assert.equal(window.templates.isOwn(foreign.value.hash_id), false);
});

/** What the service makes of the draft above, as someone else had it first. */
async function plainContent() {
  const { service, made } = await documentedOnly();
  const { hash } = await made();
  const kept = service.world.templates.findByHash(hash);
  assert.ok(kept);
  return toContent(kept);
}
