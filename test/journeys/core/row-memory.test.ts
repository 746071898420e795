// What lists said last, between windows and accounts, on a real disk; and lists that arrive one by one.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { KeptRow } from "../../../src/domain/base/kept-row.ts";
import { Instance } from "../../../src/domain/instance/instance.ts";
import { rememberServedSecret } from "../../../src/lib/redact.ts";
import { toSaidByRow } from "../../../src/present/base/remembered.ts";
import { buildInstanceRow } from "../../../src/present/instance/instances.ts";
import { getLast, getPart } from "../../../src/services/core/loaded.ts";
import type { UserData } from "../editor-window.ts";
import { editorWindow, eventually, makeUserData, pass, sandbox, serve, signedIn, until } from "../support.ts";

const LIST = "cloudGpu.instances";
const ROW: KeptRow = {
  id: "instance x 7",
  label: "trainer",
  description: "running · $0.40/h",
  icon: "vm-running",
  accessible: "trainer, running",
  rows: [],
};

/** The files of remembered rows, with what is in them. */
async function filesOf({ root }: UserData): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(root, "rows"), { recursive: true }).catch((): string[] => []);
  const paths = names.filter((name) => name.includes("cloudGpu")).map((name) => join(root, "rows", name));
  // One that is removed between the two looks is a file no more.
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => undefined)));
  return new Map(paths.flatMap((path, at) => (texts[at] === undefined ? [] : [[path, texts[at]]])));
}

async function restored(at: UserData) {
  const window = editorWindow(at);
  await window.session.restore();
  return window;
}

test("the next window knows what a list said; nobody else may read the file, and it holds no key", async () => {
  const window = await signedIn();
  await window.rowMemory.keep(window.me(), LIST, Date.now(), [ROW]);
  const next = await restored(window.userData);
  assert.deepEqual((await next.rowMemory.recall(next.me(), LIST))?.rows, [ROW]);
  assert.equal(await next.rowMemory.recall(next.me(), "cloudGpu.templates"), undefined);
  assert.deepEqual(next.instances.rows, [], "nothing that counts or acts knows of it");
  assert.equal(getLast(next.instances.collection.store.current), undefined);
  const [[path, text] = ["", ""], ...more] = await filesOf(window.userData);
  assert.equal(more.length, 0);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok(!text.includes(window.service.apiKey));
});

test("a token in somebody's label is not written down", async () => {
  const window = await signedIn();
  const secret = "hf_QkXwLmNoPqRsTuVwXyZ0123456789";
  rememberServedSecret(secret);
  const rows = [
    { ...ROW, label: secret, accessible: `HF_TOKEN=${secret}` },
    { ...ROW, id: `endpoint x ${secret}` },
  ];
  await window.rowMemory.keep(window.me(), LIST, Date.now(), rows);
  const [text = ""] = (await filesOf(window.userData)).values();
  assert.ok(text.includes("••••") && !text.includes(secret), text);
});

test("nor is a part of a token, where a row shows only the beginning of what the service says", async () => {
  const window = await signedIn();
  const token = "dckr_pat_QkXwLmNoPqRsTuVwXyZ0123456789";
  rememberServedSecret(token);
  const status_msg = `Error response from daemon: no login with ${token}`;
  const value = Instance.parse({ id: 7, label: `as ${token}`, actual_status: "exited", status_msg });
  const view = buildInstanceRow({ value, launchPrice: 1, staleSince: undefined, tag: "x" });
  const long = { ...ROW, id: "instance x 8", description: `${"x".repeat(280)} ${token}` };
  await window.rowMemory.keep(window.me(), LIST, Date.now(), [{ ...toSaidByRow(view), rows: [] }, long]);
  const [text = ""] = (await filesOf(window.userData)).values();
  assert.ok(text !== "" && !text.includes(token.slice(0, 16)), text);
});

test("another account sees nothing of it, behind a switch neither, nor does another key in the same place", async () => {
  const window = await signedIn();
  const first = window.me();
  await window.rowMemory.keep(first, LIST, Date.now(), [ROW]);
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  assert.equal(await window.rowMemory.recall(window.me(), LIST), undefined);
  await window.rowMemory.keep(first, LIST, Date.now() + 1, [{ ...ROW, label: "late" }]);
  await window.session.switchTo(first.profile);
  const [kept] = (await window.rowMemory.recall(window.me(), LIST))?.rows ?? [];
  assert.equal(kept?.label, "trainer", "what a window says of an account that it left is too late");
  const renewed = { ...window.me(), tag: "0123456789abcdef" };
  assert.equal(await window.rowMemory.recall(renewed, LIST), undefined);
});

test("signing out removes it, also while it is being written, and also what another window writes meanwhile", async () => {
  const window = await signedIn();
  const { userData, service } = window;
  const other = await restored(userData);
  const [left, leaving] = [window.me(), other.me()];
  const writing = window.rowMemory.keep(left, LIST, Date.now(), [ROW]);
  await window.session.signOut();
  await writing;
  assert.equal(await window.rowMemory.recall(left, LIST), undefined, "it is removed");
  assert.equal((await filesOf(userData)).size, 0);
  await other.rowMemory.keep(leaving, LIST, Date.now(), [ROW]);
  assert.equal((await filesOf(userData)).size, 1, "the other window does not know yet");
  for (const change of userData.announced) await other.session.follow(change);
  await eventually(async () => (await filesOf(userData)).size === 0, "it is removed as well");
  await other.rowMemory.keep(leaving, LIST, Date.now(), [ROW]);
  assert.equal((await filesOf(userData)).size, 0);
  await window.session.signIn(service.url, service.apiKey);
  assert.equal(await window.rowMemory.recall(window.me(), LIST), undefined);
  await window.rowMemory.keep(window.me(), LIST, Date.now(), [ROW]);
  assert.equal((await filesOf(userData)).size, 1, "it is written again, though it says what it said before");
});

test("the sandbox leaves nothing behind", async () => {
  const service = await sandbox();
  const window = editorWindow();
  await window.session.enterSandbox(service.url, service.apiKey);
  await window.rowMemory.keep(window.me(), LIST, Date.now(), [ROW]);
  assert.equal((await filesOf(window.userData)).size, 0);
  assert.equal(await window.rowMemory.recall(window.me(), LIST), undefined);
});

test("a file that is damaged, foreign or huge counts as none, and a disk that fails costs nothing else", async () => {
  const window = await signedIn();
  const { rowMemory, userData } = window;
  await rowMemory.keep(window.me(), LIST, Date.now(), [ROW]);
  const [path = ""] = (await filesOf(userData)).keys();
  const good = await readFile(path, "utf8");
  for (const text of ["", good.slice(0, -5), good.replace('"trainer"', "7"), "x".repeat(2_000_000)]) {
    await writeFile(path, text);
    assert.equal(await rowMemory.recall(window.me(), LIST), undefined);
  }
  await writeFile(path, good);
  assert.ok(await rowMemory.recall(window.me(), LIST));
  await rm(join(path, ".."), { recursive: true });
  await writeFile(join(path, ".."), "a file where the folder should be");
  await rowMemory.keep(window.me(), LIST, Date.now(), [{ ...ROW, label: "new" }]);
  assert.equal(await rowMemory.recall(window.me(), LIST), undefined);
});

test("a start removes what belongs to no account and what was left half written, and keeps the rest", async () => {
  const window = await signedIn();
  await window.rowMemory.keep(window.me(), LIST, Date.now(), [ROW]);
  const [path = ""] = (await filesOf(window.userData)).keys();
  await writeFile(`${path}.half`, "x");
  const stranger = join(window.userData.root, "rows", "0123456789abcdef");
  await mkdir(stranger);
  await writeFile(join(stranger, `${LIST}.json`), "x");
  const next = await restored(window.userData);
  await next.rowMemory.tidy();
  assert.deepEqual([...(await filesOf(window.userData)).keys()], [path]);
});

test("two windows that write at once leave one whole file", async () => {
  const window = await signedIn();
  const other = await restored(window.userData);
  await Promise.all(
    [window, other].flatMap((one) =>
      Array.from({ length: 20 }, (_, at) =>
        one.rowMemory.keep(one.me(), LIST, Date.now(), [{ ...ROW, description: `${at}`.repeat(at * 10) }]),
      ),
    ),
  );
  assert.equal((await filesOf(window.userData)).size, 1);
  assert.equal((await window.rowMemory.recall(window.me(), LIST))?.rows.length, 1);
});

test("templates are there list by list, and those that are there can be used", async () => {
  const service = await sandbox();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const url = await serve(async (request, body) => {
    if (decodeURIComponent(request.url ?? "").includes("count_created")) await held;
    return pass(service.url, request, body);
  });
  const window = editorWindow(makeUserData());
  await window.session.signIn(url, service.apiKey);
  const { store } = window.templates.collection;
  const reading = window.templates.collection.refresh();
  await until(store, (now) => (getPart(now)?.value.recommended.length ?? 0) > 0);
  assert.equal(getLast(store.current), undefined, "a part is not the list");
  const [row] = getPart(store.current)?.value.recommended ?? [];
  assert.ok(row);
  assert.equal(window.templates.find(row.value.hash_id), row);
  assert.equal(window.templates.isOwn(row.value.hash_id), false);
  window.templates.drop({ id: row.value.id, hash: row.value.hash_id });
  assert.equal(window.templates.find(row.value.hash_id), undefined);
  release();
  await reading;
  assert.equal(getPart(store.current), undefined);
  assert.ok((getLast(store.current)?.value.popular.length ?? 0) > 0);
  assert.equal(window.templates.find(row.value.hash_id), undefined, "what was deleted meanwhile stays deleted");
});

test("a template list that fails takes nothing away from those that arrived", async () => {
  const service = await sandbox();
  const url = await serve(async (request, body) =>
    decodeURIComponent(request.url ?? "").includes("count_created")
      ? { status: 500, text: "{}" }
      : pass(service.url, request, body),
  );
  const window = editorWindow(makeUserData());
  await window.session.signIn(url, service.apiKey);
  await window.templates.collection.refresh();
  const { current } = window.templates.collection.store;
  assert.equal(current.state, "failed");
  assert.ok((getPart(current)?.value.recommended.length ?? 0) > 0);
});
