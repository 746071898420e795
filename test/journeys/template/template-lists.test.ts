// Searching and deleting templates over real HTTP: what is sent, what the lists show, and what is refused in which words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TemplateHash, TemplateId } from "../../../src/domain/base/id.ts";
import { NEW_TEMPLATE } from "../../../src/domain/template/template-form.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import type { Stored } from "../../../src/services/template/template-saves.ts";
import { currentSaves } from "../editor-window.ts";
import { editorWindow, middleman, sandbox } from "../support.ts";

const BROKEN = { status: 400, text: JSON.stringify({ success: false, error: "invalid_args", msg: "out of order" }) };
const isSearch = (path: string): boolean => path.startsWith("/api/v0/template/");

async function signedIn(between?: (url: string) => Promise<string>) {
  const requests: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void requests.push(line) });
  const window = editorWindow();
  await window.session.enterSandbox(between ? await between(service.url) : service.url, service.apiKey);
  const { templates } = window;
  const saves = currentSaves(window.session, templates);
  const sent = (method: string) =>
    requests.filter((line) => line.method === method && line.path === "/api/v0/template/");
  const made = async (name: string): Promise<Stored> => {
    const outcome = await saves.create({ ...NEW_TEMPLATE, name, image: "a/b" });
    assert.ok(outcome.kind === "saved");
    return outcome.stored;
  };
  const found = () => getLast(templates.collection.store.current)?.value.found;
  return { service, window, templates, saves, sent, made, found };
}

describe("looking at templates by their numbers (interface 4.5)", () => {
  test("one narrow search reads them, lists or none, and is good for a while", async () => {
    const { templates, sent, service } = await signedIn();
    const [first, second] = service.world.templates.list().map(({ id }) => TemplateId.parse(id));
    assert.ok(first && second);
    assert.equal(templates.findByNumber(first), undefined);
    await templates.look([first, second, first]);
    assert.deepEqual(
      sent("GET").map(({ query }) => JSON.parse((query as { select_filters: string }).select_filters)),
      [{ id: { in: [first, second] } }],
    );
    assert.deepEqual(
      [templates.findByNumber(first)?.value.id, templates.findByNumber(second)?.value.id],
      [first, second],
    );
    await templates.look([second]);
    assert.equal(sent("GET").length, 1);
    assert.deepEqual(templates.all, [], "the lists are left to those who open them");
  });

  test("a save while it is under way is not undone by it", async () => {
    const { templates, saves, made, sent, service } = await signedIn();
    const stored = await made("Mine");
    assert.ok(stored.id);
    const before = sent("GET").length;
    service.faults.add("slow@searchTemplates");
    let over = false;
    const looking = templates.look([stored.id]).then(() => {
      over = true;
    });
    while (sent("GET").length === before) await sleep(10);
    service.faults.delete("slow@searchTemplates");
    const outcome = await saves.edit(stored, { ...stored.draft, desc: "Newer." });
    assert.ok(outcome.kind === "saved" && !over, "the answer of before comes after the save");
    await looking;
    assert.equal(templates.findByNumber(stored.id)?.value.hash_id, outcome.stored.hash);
  });

  test("one that cannot be done leaves everything as it is", async () => {
    const { templates, service, window } = await signedIn();
    service.faults.add("500@searchTemplates");
    const [id] = service.world.templates.list().map((template) => TemplateId.parse(template.id));
    assert.ok(id);
    await templates.look([id]);
    assert.equal(templates.findByNumber(id), undefined);
    await window.session.signOut();
    await templates.look([id]);
  });
});

describe("searching (interface 4.5)", () => {
  test("the filters are sent as they are, and the answer is a list of its own", async () => {
    const { templates, sent, found } = await signedIn();
    const filters = { recommended: { eq: true }, count_created: { gte: 1 }, name: { notin: ["ComfyUI"] } };
    const count = await templates.search(filters);
    assert.ok(count !== undefined && count > 3);
    const query = sent("GET").at(-1)?.query as { select_filters: string };
    assert.deepEqual(JSON.parse(query.select_filters), filters);
    assert.equal(found()?.rows.length, count);
    assert.ok(found()?.rows.every(({ value }) => value.recommended && value.name !== "ComfyUI"));
  });

  test("it outlives a refresh, ends when it is cleared, and goes with its account", async () => {
    const { templates, found, window, service } = await signedIn();
    await templates.search({ recommended: { eq: true } });
    const before = found()?.rows.length;
    await templates.collection.refresh();
    assert.equal(found()?.rows.length, before);
    await templates.search(undefined);
    assert.equal(found(), undefined);
    await templates.search({ recommended: { eq: true } });
    await window.session.signOut();
    await window.session.enterSandbox(service.url, service.apiKey);
    await templates.collection.refresh();
    assert.equal(found(), undefined);
    assert.equal(templates.filters, undefined);
  });

  test("where the lists cannot be read either, the reason comes out, and no filters stay behind", async () => {
    const { templates, window, service } = await signedIn();
    const broken = await middleman(service.url, (path, status, text) => (isSearch(path) ? BROKEN : { status, text }));
    await window.session.enterSandbox(broken, service.apiKey);
    await assert.rejects(templates.search({ name: { eq: "x" } }), { name: "AppError", message: /out of order/ });
    assert.equal(templates.filters, undefined);
  });

  test("an account that changes meanwhile ends it without a count", async () => {
    const { templates, window, service } = await signedIn();
    service.faults.add("slow@searchTemplates");
    const searching = templates.search({ name: { eq: "nobody has this" } });
    await window.session.enterSandbox(service.url, service.apiKey);
    assert.equal(await searching, undefined);
    service.faults.clear();
    await templates.collection.refresh();
    service.faults.add("slow@searchTemplates");
    const later = templates.search({ nonsense: { eq: 1 } });
    await window.session.enterSandbox(service.url, service.apiKey);
    assert.equal(await later, undefined);
    assert.equal(templates.filters, undefined);
  });

  test("nothing found is an empty list, not an error; a refused search leaves the one before", async () => {
    const { templates, found } = await signedIn();
    assert.equal(await templates.search({ name: { eq: "nobody has this" } }), 0);
    assert.deepEqual(found()?.rows, []);
    await assert.rejects(templates.search({ nonsense: { eq: 1 } }));
    assert.deepEqual(Object.keys(found()?.filters ?? {}), ["name"]);
    assert.deepEqual(Object.keys(templates.filters ?? {}), ["name"]);
  });

  test("an edit changes the row in the search as well", async () => {
    const { templates, saves, made, found } = await signedIn();
    const base = await made("Searched");
    await templates.search({ name: { eq: "Searched" } });
    const outcome = await saves.edit(base, { ...base.draft, desc: "new" });
    assert.ok(outcome.kind === "saved");
    assert.deepEqual(
      found()?.rows.map(({ value }) => value.hash_id),
      [outcome.stored.hash],
    );
  });
});

describe("a first read of which a part fails", () => {
  async function partly() {
    const one = await signedIn();
    let broken = true;
    const between = await middleman(one.service.url, (path, status, text) =>
      broken && path.includes("count_created") ? BROKEN : { status, text },
    );
    await one.window.session.enterSandbox(between, one.service.apiKey);
    await one.templates.collection.refresh();
    const heal = () => {
      broken = false;
    };
    return { ...one, heal };
  }

  test("whose template it is counts as one's own until it can be told, and is told as soon as it can", async () => {
    const { templates, heal, service } = await partly();
    const strange = service.world.templates.list().find(({ recommended, creator_id }) => {
      return !recommended && creator_id !== service.world.account.id;
    });
    assert.ok(strange);
    const hash = TemplateHash.parse(strange.hash_id);
    assert.equal(templates.isOwn(hash, TemplateId.parse(strange.id)), true);
    heal();
    await templates.collection.refresh();
    assert.equal(templates.isOwn(hash, TemplateId.parse(strange.id)), false);
  });
});

describe("deleting (interface 4.8)", () => {
  test("by its number, read just before; the row is gone and stays gone", async () => {
    const { templates, saves, made, sent, service } = await signedIn();
    await templates.collection.refresh();
    const base = await made("Doomed");
    const removed: unknown[] = [];
    saves.onDidRemove(({ id }) => removed.push(id));
    const reading = templates.collection.refresh();
    await saves.remove(base);
    await reading;
    assert.deepEqual(
      sent("DELETE").map(({ body }) => body),
      [{ template_id: base.id }],
    );
    assert.deepEqual(removed, [base.id]);
    assert.equal(templates.find(base.hash), undefined);
    assert.ok(!service.world.templates.list().some(({ id }) => id === base.id));
  });

  test("what was changed since it was shown is not deleted", async () => {
    const { saves, made, sent, service } = await signedIn();
    const base = await made("Changed");
    service.world.templates.edit(base.hash, { desc: "theirs" }, service.world.account.id);
    await assert.rejects(saves.remove(base), /has changed, so it wasn't deleted/);
    assert.equal(sent("DELETE").length, 0);
  });

  test("gone already is gone", async () => {
    const { saves, made, sent, service } = await signedIn();
    const base = await made("Gone");
    service.world.templates.delete(base.id, service.world.account.id);
    await saves.remove(base);
    assert.equal(sent("DELETE").length, 0);
  });

  test("somebody else's: the service's no, in words, and the key is not called bad", async () => {
    const { saves, templates } = await signedIn();
    await templates.collection.refresh();
    const foreign = templates.all.find(({ value }) => value.recommended);
    assert.ok(foreign);
    const shown = await saves.read({ id: foreign.value.id, hash: foreign.value.hash_id });
    assert.ok(shown);
    await assert.rejects(saves.remove(shown), {
      kind: "not-allowed",
      message: "Only the creator can delete this template.",
    });
  });

  test("others still use it: it stays, and the reason is said", async () => {
    const text = JSON.stringify({
      success: false,
      error: "invalid_args",
      msg: "Cannot Delete Template. Other Users are still using it.",
    });
    const one = await signedIn();
    await one.templates.collection.refresh();
    // One the sandbox refuses to delete for another reason: what matters is that it is still there.
    const kept = one.templates.all.find(({ value }) => value.recommended);
    assert.ok(kept);
    const shown = await one.saves.read({ id: kept.value.id, hash: kept.value.hash_id });
    assert.ok(shown);
    const between = await middleman(one.service.url, (path, status, said) =>
      path === "/api/v0/template/" ? { status: 400, text } : { status, text: said },
    );
    await one.window.session.enterSandbox(between, one.service.apiKey);
    await assert.rejects(one.saves.remove(shown), /Other people still use this template/);
    assert.ok(one.service.world.templates.findByHash(shown.hash));
  });

  test("a lost answer is settled by reading", async () => {
    const one = await signedIn();
    const base = await one.made("Lost");
    const between = await middleman(one.service.url, (path, status, text) =>
      path === "/api/v0/template/" && text.includes("Deleted") ? { status: 500, text: "{}" } : { status, text },
    );
    await one.window.session.enterSandbox(between, one.service.apiKey);
    await one.saves.remove(base);
    assert.equal(one.templates.find(base.hash), undefined);
  });
});
