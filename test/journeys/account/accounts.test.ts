// Several accounts over real HTTP: at one service and at several, switched in one window, and never mixed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { editorWindow, makeUserData, pass, sandbox, serve } from "../support.ts";
import { together } from "./together.ts";

const isKind = (kind: string) => (error: unknown) => error instanceof AppError && error.kind === kind;

describe("two accounts at one service", () => {
  test("stand beside each other, each with its key under the same origin", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together(accounts);
    const { session, userData: at } = editorWindow();
    for (const { apiKey } of accounts) await session.signIn(url, apiKey);
    assert.deepEqual(
      session.profiles.list().map(({ name, base }) => [name, base]),
      [
        ["user 0", url],
        ["user 1", url],
      ],
    );
    assert.deepEqual([...at.keys.values()].sort(), accounts.map(({ apiKey }) => apiKey).sort());
    for (const slot of at.keys.keys()) assert.equal(slot.split(" ")[0], url);
    for (const { apiKey } of accounts)
      assert.ok(!JSON.stringify([...at.profiles]).includes(apiKey), "no key in the notes");
  });

  test("have names of one's own, which a new key and another window keep", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together(accounts);
    const { session, userData } = editorWindow();
    for (const { apiKey } of accounts) await session.signIn(url, apiKey);
    const [first, second] = session.profiles.list();
    assert.ok(first && second);
    let told = 0;
    session.profiles.onDidChange(() => (told += 1));
    session.profiles.rename(second.id, "  work ");
    assert.equal(told, 1);
    const current = session.requireSignedIn();
    assert.equal(session.profiles.nameOf(current), "work");
    session.name(current, { id: second.user, name: "renamed there" });
    await session.signIn(url, accounts[1]?.apiKey ?? "");
    assert.equal(session.profiles.nameOf(session.requireSignedIn()), "work");
    const other = editorWindow(userData);
    await other.session.restore();
    assert.equal(other.session.profiles.nameOf(other.session.requireSignedIn()), "work");
    assert.throws(() => session.profiles.rename(first.id, "work"), /already called work/);
    assert.throws(() => session.profiles.rename(first.id, "wo\u200brk"), /already called work/, "they look alike");
    assert.throws(() => session.profiles.rename(first.id, "n".repeat(61)), /at most 60 characters/);
    session.profiles.rename(first.id, "\u200b");
    assert.equal(session.profiles.list().find(({ id }) => id === first.id)?.alias, undefined, "nobody could see it");
    assert.throws(() => session.profiles.rename(`${url} none`, "x"), isKind("not-found"));
    session.profiles.rename(second.id, " ");
    assert.equal(session.profiles.nameOf(session.requireSignedIn()), "user 1");
    session.profiles.rename(second.id, "work");
    await session.signOut();
    await session.signIn(url, accounts[1]?.apiKey ?? "");
    assert.equal(session.profiles.nameOf(session.requireSignedIn()), "user 1", "signing out forgets the name as well");
  });

  test("are renamed in every window, and no other window changes its account for it", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together(accounts);
    const at = makeUserData();
    const [one, two] = [editorWindow(at).session, editorWindow(at).session];
    for (const { apiKey } of accounts) await one.signIn(url, apiKey);
    await two.restore();
    const [first] = one.profiles.list();
    one.profiles.onDidRename((profile) => two.profiles.learn(profile));
    let told = 0;
    two.profiles.onDidChange(() => (told += 1));
    one.profiles.rename(first?.id ?? "", "night job");
    assert.ok(told > 0, "whoever shows it draws it anew");
    assert.equal((await two.requireSignedIn().account())?.name, "user 1");
    two.profiles.learn({ id: `${url} none`, base: url, name: "x", user: undefined });
    assert.equal(two.profiles.list().length, 2, "a name makes no account");
  });

  test("the same account signing in again keeps its one place", async () => {
    const [one, two] = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together([one, two]);
    const { session, userData: at } = editorWindow();
    for (const { apiKey } of [one, two, one, two, one]) await session.signIn(url, apiKey);
    assert.equal(session.profiles.list().length, 2);
    assert.equal(at.keys.size, 2);
  });

  test("signing out of one leaves the other, and puts nobody in its place by itself", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together(accounts);
    const shared = makeUserData();
    const { session } = editorWindow(shared);
    for (const { apiKey } of accounts) await session.signIn(url, apiKey);
    await session.signOut();
    await session.restore();
    assert.equal(session.current.kind, "signed-out");
    assert.deepEqual(
      session.profiles.list().map(({ name }) => name),
      ["user 0"],
    );
    assert.deepEqual([...shared.keys.values()], [accounts[0]?.apiKey]);
    await session.switchTo(session.profiles.list()[0]?.id ?? "");
    assert.equal((await session.requireSignedIn().account())?.name, "user 0");
    const reopened = editorWindow(shared);
    await reopened.session.restore();
    assert.equal((await reopened.session.requireSignedIn().account())?.name, "user 0");
  });

  test("where the service does not say whose key it is, a new key takes the old one's place unless it is added", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const [one, two] = accounts.map(({ apiKey }) => apiKey);
    const url = await together(accounts, false);
    const { session, userData: at } = editorWindow();
    await session.signIn(url, one ?? "");
    await session.signIn(url, two ?? "");
    assert.deepEqual([...at.keys.values()], [two]);
    await session.signIn(url, one ?? "", undefined, true);
    assert.deepEqual([...at.keys.values()].sort(), [one, two].sort());
    await session.signIn(url, two ?? "");
    assert.equal(at.keys.size, 2, "a key that is there is recognised");
  });

  test("a key whose account can't be told never takes the place and the name of one that is known", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const [known = assert.fail(), hidden = assert.fail()] = accounts;
    hidden.faults.add("403@getCurrentUser");
    const url = await serve(async (request, body) => {
      const isKnown = request.headers.authorization === `Bearer ${known.apiKey}`;
      return pass(isKnown ? known.url : hidden.url, request, body);
    });
    const { session, userData: at } = editorWindow();
    await session.signIn(url, known.apiKey);
    session.profiles.rename(session.requireSignedIn().profile, "Prod");
    await session.signIn(url, hidden.apiKey);
    assert.deepEqual([...at.keys.values()], [known.apiKey, hidden.apiKey]);
    assert.equal(session.profiles.nameOf(session.requireSignedIn()), new URL(url).host);
    assert.deepEqual(
      session.profiles
        .list()
        .map(({ alias, user }) => [alias, user])
        .sort(),
      [
        [undefined, undefined],
        ["Prod", 4711],
      ].sort(),
    );
    // Once it is told to be another account's after all, the name a person gave goes as well.
    session.name({ profile: url, address: session.requireSignedIn().address }, { id: 9, name: "other" });
    assert.ok(session.profiles.list().every(({ alias }) => alias === undefined));
  });

  test("a sign-in or a switch whose settings can't be written changes nothing, now or at the next start", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 }), await sandbox({ seed: 3 })];
    const [first = "", second = "", third = ""] = accounts.map(({ apiKey }) => apiKey);
    const url = await together(accounts);
    const at = makeUserData();
    const { session } = editorWindow(at);
    await session.signIn(url, first);
    await session.signIn(url, second);
    const [zero] = session.profiles.list();
    const chosen = at.baseUrl;
    Object.defineProperty(at, "baseUrl", {
      get: () => chosen,
      set: () => {
        throw new Error("settings.json is read-only");
      },
    });
    await assert.rejects(session.switchTo(zero?.id ?? ""), /read-only/);
    await assert.rejects(session.signIn(url, third), /read-only/);
    for (const window of [session, editorWindow(at).session]) {
      await window.restore();
      assert.equal((await window.requireSignedIn().account())?.name, "user 1");
      assert.equal(window.profiles.list().length, 2);
    }
    assert.deepEqual([...at.keys.values()].sort(), [first, second].sort());
  });

  test("another window follows a switch and a sign-out by the broadcast alone", async () => {
    const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const url = await together(accounts);
    const first = editorWindow();
    for (const { apiKey } of accounts) await first.session.signIn(url, apiKey);
    // A window with its own, older notes.
    const second = editorWindow();
    second.userData.baseUrl = url;
    for (const [slot, key] of first.userData.keys) second.userData.keys.set(slot, key);
    for (const change of first.userData.announced) await second.session.follow(change);
    assert.equal((await second.session.requireSignedIn().account())?.name, "user 1");
    const [zero] = first.session.profiles.list();
    await first.session.switchTo(zero?.id ?? "");
    await second.session.follow(first.userData.announced.at(-1) ?? assert.fail());
    assert.equal((await second.session.requireSignedIn().account())?.name, "user 0");
    await first.session.signOut();
    await second.session.follow(first.userData.announced.at(-1) ?? assert.fail());
    assert.equal(second.session.current.kind, "signed-out");
    assert.deepEqual([...second.userData.keys.values()], [accounts[1]?.apiKey]);
    assert.doesNotMatch(JSON.stringify(first.userData.announced), /sandbox-/, "no key in the broadcast");
  });
});

test("a note that leads a key to another origin is not followed", async () => {
  const { url, apiKey } = await sandbox();
  let seen = 0;
  const evil = await serve(async () => {
    seen += 1;
    return { status: 200, text: "{}" };
  });
  const { session, userData: at } = editorWindow();
  await session.signIn(url, apiKey);
  for (const [id, base] of [
    [url, evil],
    [`${url} x`, evil],
    [`${evil} ${url}`, url],
    ["", evil],
    [url, "javascript:alert(1)"],
  ] as const) {
    at.profiles.set(`profile ${id}`, { base, name: "x" });
    await assert.rejects(session.switchTo(id), isKind("not-found"), id);
    at.profiles.delete(`profile ${id}`);
  }
  at.profiles.set(`profile-of ${evil}`, url);
  at.baseUrl = evil;
  await session.restore();
  assert.equal(session.current.kind, "signed-out");
  assert.equal(seen, 0);
});

test("a profile whose key is gone asks for a sign-in, and the account in use stays", async () => {
  const [one, two] = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
  const { session, userData: at } = editorWindow();
  await session.signIn(one.url, one.apiKey);
  await session.signIn(two.url, two.apiKey);
  at.keys.delete(one.url);
  await assert.rejects(session.switchTo(one.url), isKind("signed-out"));
  assert.equal(session.requireSignedIn().address.base, two.url);
});

test("what was signed in to before there were profiles gets a name as soon as the service says it", async () => {
  const { url, apiKey } = await sandbox();
  const at = makeUserData();
  at.baseUrl = url;
  at.keys.set(url, apiKey);
  const { session } = editorWindow(at);
  await session.restore();
  assert.deepEqual(
    session.profiles.list().map(({ name }) => name),
    [new URL(url).host],
  );
  await session.requireSignedIn().account();
  assert.deepEqual(
    session.profiles.list().map(({ name, user }) => [name, user]),
    [["sandbox", 4711]],
  );
});

/** A word in everything the account owns, so that each row says whose it is. */
function mark({ world }: Sandbox, word: string): void {
  for (const hook of world.webhooks) Object.assign(hook, { name: `${word} hook` });
  for (const group of world.workergroups) Object.assign(group, { endpoint_name: `${word} endpoint` });
  for (const template of world.templates.list()) Object.assign(template, { name: `${word} ${template.name}` });
}

test("200 random switches with slow answers: no row of another account is ever there", async () => {
  const accounts = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 }), await sandbox({ seed: 3 })];
  const words = ["alpha", "beta", "gamma"];
  for (const [place, account] of accounts.entries()) mark(account, words[place] ?? "");
  const slow = (service: string) =>
    serve(async (request, body) => {
      const answer = await pass(service, request, body);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      return answer;
    });
  const [one, two, three] = accounts;
  assert.ok(one && two && three);
  const alone = await slow(one.url);
  const both = await slow(await together([two, three]));
  const { session, templates, webhooks, workergroups, instances, host } = editorWindow();
  await session.signIn(alone, one.apiKey);
  await session.signIn(both, two.apiKey);
  await session.signIn(both, three.apiKey);
  const ownWords: Readonly<Record<string, string>> = { "user 0": "beta", "user 1": "gamma" };
  const owner = new Map(session.profiles.list().map(({ id, name }) => [id, ownWords[name] ?? "alpha"]));
  assert.deepEqual([...owner.values()].sort(), words);

  let looks = 0;
  const seen = new Map<string, number>();
  const strangers: string[] = [];
  const look = (names: () => readonly (string | undefined)[]) => () => {
    const now = session.current;
    const mine = now.kind === "signed-in" ? owner.get(now.profile) : undefined;
    for (const name of names()) {
      looks += 1;
      if (mine && name?.startsWith(mine)) seen.set(mine, (seen.get(mine) ?? 0) + 1);
      else strangers.push(`${name} while ${mine}`);
    }
  };
  const looking = [
    [templates.collection.store, look(() => templates.all.map(({ value }) => value.name))],
    [webhooks.collection.store, look(() => webhooks.rows.map(({ value }) => value.name))],
    [workergroups.collection.store, look(() => workergroups.rows.map(({ value }) => value.endpoint_name))],
  ] as const;
  for (const [store, now] of looking) store.onDidChange(now);
  session.onDidChange(() => {
    for (const [, now] of looking) now();
  });

  const ids = [...owner.keys()];
  const lists = [templates, webhooks, workergroups, instances, host];
  // On a busy machine fewer lists arrive before the next switch.
  for (let turn = 0; turn < 200 || (looks <= 500 && turn < 2000); turn += 1) {
    await session.switchTo(ids[Math.floor(Math.random() * ids.length)] ?? "");
    const reading = lists.map(({ collection }) => collection.refresh());
    const wait = Math.random();
    if (wait < 0.1) await Promise.all(reading);
    else if (wait < 0.8) await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
  }
  await Promise.all(lists.map(({ collection }) => collection.refresh()));
  assert.deepEqual(strangers, []);
  assert.ok(looks > 500, `${looks} rows were looked at`);
  assert.deepEqual([...seen.keys()].sort(), words, "every account's rows were there at some time");
});
