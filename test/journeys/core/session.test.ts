// Signing in and out over real HTTP: what is kept, what isn't, and how several windows and accounts stay apart.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import { renewAccount } from "../../../src/services/core/renew-account.ts";
import { editorWindow, eventually, makeUserData, middleman, pass, sandbox, serve } from "../support.ts";

describe("signing in", () => {
  test("a key that works is kept for its origin, the address is chosen", async () => {
    const { url, apiKey } = await sandbox();
    const window = editorWindow();
    await window.session.signIn(`${url}/`, ` Bearer ${apiKey}\n`);
    assert.equal(window.session.current.kind, "signed-in");
    assert.deepEqual([...window.userData.keys], [[url, apiKey]]);
    assert.equal(window.userData.baseUrl, url);
  });

  test("a key that is refused is not kept, and nothing changes", async () => {
    const { url } = await sandbox();
    const window = editorWindow();
    await assert.rejects(
      window.session.signIn(url, "wrong-key-0123456789"),
      (error) => error instanceof AppError && error.kind === "key-refused",
    );
    assert.equal(window.userData.keys.size, 0);
    assert.equal(window.userData.baseUrl, "");
    assert.equal(window.session.current.kind, "signed-out");
  });

  test("a service with the documented operations alone is enough", async () => {
    const { url, apiKey } = await sandbox();
    const address = await middleman(url, (path, status, text) =>
      path.startsWith("/api/v0/users/") ? { status: 404, text: "{}" } : { status, text },
    );
    const window = editorWindow();
    await window.session.signIn(address, apiKey);
    assert.equal(window.session.current.kind, "signed-in");
    await assert.rejects(window.session.signIn(address, "wrong-key-0123456789"));
  });

  test("an address without the service is said to be one, whatever its web server answers", async () => {
    const pages = ["<html><body>Not Found</body></html>", '{"detail":"Not Found"}', "{}", ""];
    for (const text of pages) {
      const address = await serve(async () => ({ status: 404, text }));
      const window = editorWindow();
      await assert.rejects(
        window.session.signIn(address, "some-key-0123456789"),
        (error: Error) => error.message === `There's no compatible service at ${address}. Check the address.`,
      );
      assert.equal(window.session.current.kind, "signed-out");
    }
  });

  test("the key of one origin is never sent to another", async () => {
    const one = await sandbox();
    let seen = 0;
    const other = createServer((_, response) => {
      seen += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const window = editorWindow();
    await window.session.signIn(one.url, one.apiKey);
    window.userData.baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await window.session.restore();
    await window.instances.collection.refresh();
    assert.equal(window.session.current.kind, "signed-out");
    assert.equal(seen, 0);
    window.userData.baseUrl = one.url;
    await window.session.restore();
    assert.equal(window.session.current.kind, "signed-in");
    other.close();
  });
});

describe("signing out", () => {
  test("and in again to the same account goes on with what was begun in it; another account doesn't", async () => {
    const [own, other] = [await sandbox(), await sandbox()];
    const { session } = editorWindow();
    const signIn = async ({ url, apiKey }: typeof own) => {
      await session.signIn(url, apiKey);
      return session.requireSignedIn();
    };
    const before = await signIn(own);
    assert.equal(renewAccount(session, before), before);
    await session.signOut();
    assert.equal(renewAccount(session, before), before, "which is refused");
    assert.throws(() => session.assertStill(renewAccount(session, before)));
    const again = await signIn(own);
    assert.notEqual(again, before);
    assert.equal(renewAccount(session, before), again);
    await signIn(other);
    assert.throws(() => session.assertStill(renewAccount(session, before)), /You switched accounts/);
  });

  test("leaves nothing behind: no key, no rows, and a late answer of before is dropped", async () => {
    const { url, apiKey } = await sandbox();
    const window = editorWindow();
    await window.session.signIn(url, apiKey);
    await window.templates.collection.refresh();
    assert.ok(window.templates.all.length > 10);
    const late = window.templates.collection.refresh();
    await window.session.signOut();
    await late;
    assert.deepEqual([window.userData.keys.size, window.templates.all.length], [0, 0]);
    assert.equal(window.templates.collection.store.current.state, "idle");
    assert.equal(window.instances.collection.store.current.state, "idle");
  });

  test("out of the sandbox leads back to the account signed in before", async () => {
    const [real, play] = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const window = editorWindow();
    await window.session.signIn(real.url, real.apiKey);
    await window.session.enterSandbox(play.url, play.apiKey);
    assert.equal(window.session.requireSignedIn().sandbox, true);
    assert.deepEqual([...window.userData.keys.keys()], [real.url]);
    await window.session.signOut();
    assert.equal(window.session.requireSignedIn().address.base, real.url);
    assert.deepEqual([...window.userData.keys.keys()], [real.url]);
  });

  test("is refused if another window switched and signed out meanwhile: the key that was asked about is still there", async () => {
    const [own, other] = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
    const shared = makeUserData();
    const [first, second] = [editorWindow(shared), editorWindow(shared)];
    await first.session.signIn(own.url, own.apiKey);
    const asked = first.session.requireSignedIn();
    await second.session.signIn(other.url, other.apiKey);
    await first.session.follow({ origin: other.url, signedIn: true });
    await second.session.signOut();
    await first.session.follow({ origin: other.url, signedIn: false });
    await assert.rejects(first.session.signOut(asked), /You switched accounts/);
    assert.deepEqual([...shared.keys.keys()], [own.url]);
  });
});

describe("a key store that can't remove a key", () => {
  /** Two windows of one account, and its key store, which can be locked. */
  async function locked() {
    const { url, apiKey } = await sandbox();
    const shared = makeUserData();
    const [first, second] = [editorWindow(shared), editorWindow(shared)];
    await first.session.signIn(url, apiKey);
    await second.session.restore();
    const { keys } = shared;
    const remove = keys.delete.bind(keys);
    keys.delete = () => {
      throw new Error(`the keyring is locked: ${apiKey}`);
    };
    const unlock = () => {
      keys.delete = remove;
    };
    return { url, apiKey, shared, first, second, unlock };
  }
  const isLeftKey = (error: unknown) => error instanceof AppError && error.message.includes("couldn't remove the key");

  test("is told, and everybody is signed out all the same, also windows opened later", async () => {
    const { url, apiKey, shared, first, second } = await locked();
    await assert.rejects(
      first.session.signOut(),
      (error) => isLeftKey(error) && !String((error as Error).stack).includes(apiKey),
    );
    assert.deepEqual(shared.announced.at(-1), { origin: url, signedIn: false });
    await second.session.follow({ origin: url, signedIn: false });
    const later = editorWindow(shared);
    for (const { session } of [first, second, later]) {
      await session.restore();
      assert.equal(session.current.kind, "signed-out");
      assert.deepEqual(session.profiles.list(), []);
    }
  });

  test("other windows are told before the key store answers, as the window may close first", async () => {
    const { url, shared, first } = await locked();
    shared.keys.delete = () => new Promise(() => {}) as never;
    void first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "the other windows are told");
    assert.deepEqual(shared.announced.at(-1), { origin: url, signedIn: false });
  });

  test("and hangs doesn't keep anybody from signing in again, also where the sign-out was followed", async () => {
    const { url, shared, first, second } = await locked();
    const other = await sandbox({ seed: 2 });
    shared.keys.delete = () => new Promise(() => {}) as never;
    void first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "it is signed out");
    void second.session.follow({ origin: url, signedIn: false });
    for (const { session } of [first, second]) {
      await session.signIn(other.url, other.apiKey);
      assert.equal(session.requireSignedIn().address.base, other.url);
    }
    assert.ok(first.session.profiles.isKeyLeft(url), "and the key that is left isn't used");
  });

  test("and answers late removes no key that was signed in with since", async () => {
    const { url, apiKey, shared, first, unlock } = await locked();
    const late = Promise.withResolvers<void>();
    unlock();
    const remove = shared.keys.delete.bind(shared.keys);
    shared.keys.delete = ((id: string) => late.promise.then(() => remove(id))) as never;
    const leaving = first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "it is signed out");
    await first.session.signIn(url, apiKey);
    late.resolve();
    await leaving.catch(() => undefined);
    const next = editorWindow(shared);
    await next.session.restore();
    assert.deepEqual([first.session.current.kind, next.session.current.kind], ["signed-in", "signed-in"]);
  });

  test("and whose answer to an earlier sign-out comes late doesn't make a key that is left be used", async () => {
    const { url, apiKey, shared, first, unlock } = await locked();
    const failing = shared.keys.delete;
    unlock();
    const late = Promise.withResolvers<void>();
    const remove = shared.keys.delete.bind(shared.keys);
    shared.keys.delete = ((id: string) => {
      remove(id);
      return late.promise;
    }) as never;
    const leaving = first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "it is signed out");
    await first.session.signIn(url, apiKey);
    shared.keys.delete = failing;
    await assert.rejects(first.session.signOut(), isLeftKey);
    late.resolve();
    await leaving.catch(() => undefined);
    assert.ok(shared.keys.has(url), "its key is left");
    const next = editorWindow(shared);
    await next.session.restore();
    assert.equal(next.session.current.kind, "signed-out");
  });

  test("and answers late removes no key that was signed in with in another window since", async () => {
    const { url, apiKey, shared, first, second, unlock } = await locked();
    const late = Promise.withResolvers<void>();
    unlock();
    const remove = shared.keys.delete.bind(shared.keys);
    shared.keys.delete = ((id: string) => late.promise.then(() => remove(id))) as never;
    const leaving = first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "it is signed out");
    await second.session.signIn(url, apiKey);
    await first.session.follow({ origin: url, signedIn: true });
    late.resolve();
    await leaving.catch(() => undefined);
    await first.session.restore();
    const next = editorWindow(shared);
    await next.session.restore();
    assert.deepEqual(
      [second, next].map(({ session }) => session.current.kind),
      ["signed-in", "signed-in"],
    );
  });

  test("and hangs when a key is kept doesn't keep anybody from signing out", async () => {
    const { url, apiKey, shared, first, unlock } = await locked();
    const late = Promise.withResolvers<void>();
    unlock();
    shared.keys.delete = (() => late.promise) as never;
    const leaving = first.session.signOut();
    await eventually(() => shared.announced.at(-1)?.signedIn === false, "it is signed out");
    await first.session.signIn(url, apiKey);
    shared.keys.set = () => new Promise(() => {}) as never;
    late.resolve();
    void leaving.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    void first.session.signOut().catch(() => undefined);
    await eventually(() => first.session.current.kind === "signed-out", "it is signed out again");
  });

  test("is asked again when the person signs out again", async () => {
    const { shared, first, unlock } = await locked();
    await assert.rejects(first.session.signOut(), isLeftKey);
    await assert.rejects(first.session.signOut(), isLeftKey);
    assert.equal(shared.keys.size, 1);
    unlock();
    await first.session.signOut();
    assert.equal(shared.keys.size, 0);
    assert.equal(shared.announced.length, 2, "signed in and out, each said once");
  });

  test("doesn't keep its owner from signing in again, here and in other windows", async () => {
    const { url, apiKey, first, second, unlock } = await locked();
    await assert.rejects(first.session.signOut(), isLeftKey);
    await second.session.follow({ origin: url, signedIn: false });
    unlock();
    await first.session.signIn(url, apiKey);
    await second.session.follow({ origin: url, signedIn: true });
    assert.equal(first.session.current.kind, "signed-in");
    assert.equal(second.session.current.kind, "signed-in");
  });
});

describe("two windows", () => {
  test("follow each other in and out", async () => {
    const { url, apiKey } = await sandbox();
    const shared = makeUserData();
    const [first, second] = [editorWindow(shared), editorWindow(shared)];
    await first.session.signIn(url, apiKey);
    await second.session.restore();
    assert.equal(second.session.current.kind, "signed-in");
    await second.instances.collection.refresh();
    await first.session.signOut();
    await second.session.restore();
    assert.equal(second.session.current.kind, "signed-out");
    assert.equal(getLast(second.instances.collection.store.current), undefined);
  });

  test("a window that keeps its own copy of the secrets follows a sign-out all the same", async () => {
    const { url, apiKey } = await sandbox();
    const [first, second] = [editorWindow(), editorWindow()];
    await first.session.signIn(url, apiKey);
    await second.session.signIn(url, apiKey);
    await first.session.signOut();
    assert.deepEqual(first.userData.announced, [
      { origin: url, signedIn: true },
      { origin: url, signedIn: false },
    ]);
    await second.session.follow({ origin: url, signedIn: false });
    assert.equal(second.session.current.kind, "signed-out");
    assert.equal(second.userData.keys.size, 0);
    assert.deepEqual(second.userData.announced.slice(1), [], "following is not announced again");
  });

  test("a window whose key store hangs follows a sign-out at once, and doesn't sign in with what it answers late", async () => {
    const { url, apiKey } = await sandbox();
    const [first, second] = [editorWindow(), editorWindow()];
    await first.session.signIn(url, apiKey);
    await second.session.signIn(url, apiKey);
    const { keys } = second.userData;
    const late = Promise.withResolvers<string>();
    keys.get = () => late.promise as never;
    const restoring = second.session.restore();
    await first.session.signOut();
    const following = second.session.follow({ origin: url, signedIn: false });
    assert.equal(second.session.current.kind, "signed-out");
    const was: string[] = [];
    second.session.onDidChange(({ kind }) => void was.push(kind));
    late.resolve(apiKey);
    await Promise.all([restoring, following]);
    assert.deepEqual([was, second.session.current.kind, keys.size], [[], "signed-out", 0]);
  });

  test("a window whose key store hangs removes no key that another one stored after it had signed out", async () => {
    const { url, apiKey } = await sandbox();
    const shared = makeUserData();
    const [first, second] = [editorWindow(shared), editorWindow(shared)];
    await first.session.signIn(url, apiKey);
    await second.session.restore();
    const { keys } = shared;
    const [late, read] = [Promise.withResolvers<string>(), keys.get.bind(keys)];
    keys.get = () => late.promise as never;
    const restoring = second.session.restore();
    await Promise.resolve();
    keys.get = read;
    await first.session.signOut();
    const out = second.session.follow({ origin: url, signedIn: false });
    await first.session.signIn(url, apiKey);
    const again = second.session.follow({ origin: url, signedIn: true });
    late.resolve(apiKey);
    await Promise.all([restoring, out, again]);
    assert.deepEqual([...keys], [[url, apiKey]]);
    assert.equal(second.session.current.kind, "signed-in");
  });

  test("a change in another window does not cut into a sign-in under way", async () => {
    const { url, apiKey } = await sandbox();
    const window = editorWindow();
    await Promise.all([window.session.signIn(url, apiKey), window.session.restore(), window.session.restore()]);
    await window.session.restore();
    assert.equal(window.session.current.kind, "signed-in");
  });
});

test("switching accounts at random never mixes rows", async () => {
  const [one, two] = [await sandbox({ seed: 1 }), await sandbox({ seed: 2 })];
  const window = editorWindow();
  const own = new Map<string, Set<string>>();
  for (const { url, apiKey } of [one, two]) {
    await window.session.signIn(url, apiKey);
    await window.templates.collection.refresh();
    own.set(url, new Set(window.templates.all.map((row) => row.value.hash_id)));
  }
  const tags = new Set<string>();
  window.templates.collection.store.onDidChange((now) => {
    const rows = getLast(now)?.value;
    const session = window.session.current;
    if (!rows || session.kind !== "signed-in") return;
    tags.add(session.tag);
    for (const row of rows.own) assert.ok(own.get(session.address.base)?.has(row.value.hash_id));
  });
  for (let turn = 0; turn < 20; turn += 1) {
    const next = turn % 2 === 0 ? one : two;
    await window.session.signIn(next.url, next.apiKey);
    const reading = window.templates.collection.refresh();
    if (turn % 3 === 0) await reading;
  }
  assert.equal(tags.size, 2);
});

test("two paths of an address are two accounts, each with a key of its own", async () => {
  const [one, two] = [await sandbox({ keySeed: "one" }), await sandbox({ keySeed: "two" })];
  const keys: string[] = [];
  const url = await serve((request, body) => {
    const isFirst = request.url?.startsWith("/a/") ?? false;
    const isOwn = request.headers.authorization?.endsWith(isFirst ? one.apiKey : two.apiKey);
    keys.push(`${isFirst ? "a" : "b"} ${isOwn ? "own" : "other"}`);
    request.url = request.url?.replace(/^\/[ab]\//, "/") ?? "/";
    return pass(isFirst ? one.url : two.url, request, body);
  });
  const userData = makeUserData();
  const { session } = editorWindow(userData);
  await session.signIn(`${url}/a`, one.apiKey);
  const { profile } = session.requireSignedIn();
  await session.signIn(`${url}/b`, two.apiKey);
  assert.notEqual(session.requireSignedIn().profile, profile, "the other account has a place of its own");
  for (const [path, service] of [
    ["a", one],
    ["b", two],
  ] as const) {
    userData.baseUrl = `${url}/${path}`;
    const next = editorWindow(userData);
    await next.session.restore();
    await next.session.requireSignedIn().client.getCurrentUser();
    assert.equal(next.session.requireSignedIn().address.base, `${url}/${path}`);
    assert.ok([...userData.keys.values()].includes(service.apiKey));
  }
  assert.deepEqual([...new Set(keys)].sort(), ["a own", "b own"]);
});
