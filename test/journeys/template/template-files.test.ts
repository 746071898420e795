// Template files against a service over real HTTP: push, drift, pull, re-pin; what is hostile sends nothing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSendable, readTemplateFile } from "../../../src/domain/template/template-file.ts";
import { NEW_TEMPLATE, type WholeDraft } from "../../../src/domain/template/template-form.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import {
  compareWithSync,
  toTemplateFile,
  withPinnedVersion,
  withPulledContent,
} from "../../../src/services/template/template-file-sync.ts";
import type { Stored } from "../../../src/services/template/template-saves.ts";
import { type CurrentSaves, currentSaves } from "../editor-window.ts";
import { editorWindow, sandbox } from "../support.ts";

const DRAFT: WholeDraft = { ...NEW_TEMPLATE, name: "Filed", image: "a/b", readme: "# a\n\nb\n", onstart: "env\nrun &" };

async function signedIn() {
  const requests: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void requests.push(line) });
  const { session, templates } = editorWindow();
  await session.enterSandbox(service.url, service.apiKey);
  const saves = currentSaves(session, templates);
  const sent = (method: string) =>
    requests.filter((line) => line.method === method && line.path === "/api/v0/template/");
  const elsewhere = (hash: string, change: Record<string, unknown>) =>
    service.world.templates.edit(hash, change, service.world.account.id);
  return { service, saves, sent, elsewhere, requests };
}

/** Files that don't say whose template they are in step with. */
const OLDER = {};

/** As a person pushes: what is seen is sent, and the file is brought in step. */
async function pushed(saves: CurrentSaves, file: string): Promise<{ file: string; stored: Stored }> {
  const seen = await saves.compare(file);
  assert.ok(seen.kind !== "drifted");
  const outcome = await saves.push(seen);
  assert.ok(outcome.kind === "saved");
  return { file: withPulledContent(file, outcome.stored, OLDER), stored: outcome.stored };
}

describe("push", () => {
  test("a file without a lock creates a template and gets one; then it is in step", async () => {
    const { saves, service } = await signedIn();
    const { file, stored } = await pushed(saves, '{\n  // mine\n  "name": "Filed",\n  "image": "a/b"\n}\n');
    assert.deepEqual(readSendable(file).sync, { id: stored.id, hash: stored.hash });
    assert.match(file, /\/\/ mine/);
    assert.equal(service.world.templates.findByHash(stored.hash)?.private, true);
    const seen = await saves.compare(file);
    assert.deepEqual([seen.kind, "fields" in seen && seen.fields], ["in-step", []]);
  });

  test("a change in the file is one changed field, and the lock follows the hash", async () => {
    const { saves, sent } = await signedIn();
    const first = await pushed(saves, JSON.stringify({ name: "Filed", image: "a/b", onstart: ["a", "b"] }));
    const second = await pushed(saves, first.file.replace('"b"', '"c"'));
    assert.deepEqual(
      sent("PUT").map(({ body }) => body),
      [{ hash_id: first.stored.hash, onstart: "a\nc" }],
    );
    assert.notEqual(second.stored.hash, first.stored.hash);
    assert.equal(readSendable(second.file).sync?.hash, second.stored.hash);
  });

  test("a registry login saved with the template stays through a push from a file, which never holds its token", async () => {
    const { saves, service } = await signedIn();
    const login = { docker_login_repo: "r.example", docker_login_user: "me", docker_login_pass: "a-registry-token-18" };
    const outcome = await saves.create({ ...DRAFT, ...login });
    assert.ok(outcome.kind === "saved");
    const file = toTemplateFile(outcome.stored, OLDER);
    assert.doesNotMatch(file, /a-registry-token-18|docker_login_pass/);
    await pushed(saves, file.replace("Filed", "Filed anew"));
    const now = service.world.templates.list().find(({ id }) => id === outcome.stored.id);
    assert.deepEqual([now?.name, now?.docker_login_pass], ["Filed anew", "a-registry-token-18"]);
  });

  test("a registry is sent as a host, and one that is stored otherwise stays as it is", async () => {
    const { saves, sent } = await signedIn();
    const login = { docker_login_repo: "https://r.example/v2/", docker_login_user: "me" };
    const first = await pushed(saves, JSON.stringify({ name: "Filed", image: "a/b", ...login }));
    assert.equal(first.stored.draft.docker_login_repo, "r.example");
    const again = await saves.compare(first.file.replace('"r.example"', '"https://r.example/v2/"'));
    assert.deepEqual("fields" in again && again.fields, []);
    const outcome = await saves.create({ ...DRAFT, ...login });
    assert.ok(outcome.kind === "saved");
    await pushed(saves, toTemplateFile(outcome.stored, OLDER).replace("Filed", "Filed anew"));
    assert.deepEqual(Object.keys(Object(sent("PUT").at(-1)?.body)).sort(), ["hash_id", "name"]);
  });

  test("values of secrets stay on the service and are in no file, unless somebody typed them there", async () => {
    const { saves } = await signedIn();
    const env = "-e HF_TOKEN=hf_stored -e  MODE=fast -p 8080:8080";
    const outcome = await saves.create({ ...DRAFT, env });
    assert.ok(outcome.kind === "saved");
    const file = toTemplateFile(outcome.stored, OLDER);
    assert.match(file, /-e HF_TOKEN= -e/);
    assert.doesNotMatch(file, /hf_stored/);
    const seen = await saves.compare(file);
    assert.deepEqual("fields" in seen && seen.fields, [], "as stored, however it is worded");
    const faster = await pushed(saves, file.replace("fast", "faster"));
    assert.match(faster.stored.draft.env, /HF_TOKEN=hf_stored .*MODE=faster/);
    assert.doesNotMatch(faster.file, /hf_stored/);
    const typed = await pushed(saves, faster.file.replace("HF_TOKEN=", "HF_TOKEN=hf_typed"));
    assert.match(typed.stored.draft.env, /HF_TOKEN=hf_typed/);
    assert.match(typed.file, /HF_TOKEN=hf_typed/);
    const without = await pushed(saves, typed.file.replace("-e HF_TOKEN=hf_typed ", ""));
    assert.doesNotMatch(without.stored.draft.env, /HF_TOKEN/);
  });

  test("flags that can't be read one by one are in the file as they are, and come back as they are", async () => {
    const { saves } = await signedIn();
    const outcome = await saves.create({ ...DRAFT, env: '-e A=1 --login hf_QkXwLmNoPqRsTuVwXyZ0123456789 "open' });
    assert.ok(outcome.kind === "saved");
    const seen = await saves.compare(toTemplateFile(outcome.stored, OLDER));
    assert.deepEqual("fields" in seen && seen.fields, []);
  });

  test("gone on the service: it is created anew", async () => {
    const { saves, service } = await signedIn();
    const first = await pushed(saves, toTemplateFile(await made(saves), OLDER));
    service.world.templates.delete(first.stored.id, service.world.account.id);
    assert.equal((await saves.compare(first.file)).kind, "gone");
    const again = await pushed(saves, first.file);
    assert.notEqual(again.stored.id, first.stored.id);
  });
});

async function made(saves: CurrentSaves): Promise<Stored> {
  const outcome = await saves.create(DRAFT);
  assert.ok(outcome.kind === "saved");
  return outcome.stored;
}

describe("drift", () => {
  test("a save elsewhere in this window that brings what the file says is none: only its lock is old", async () => {
    const { saves } = await signedIn();
    const first = await pushed(saves, JSON.stringify({ name: "Filed", image: "a/b", onstart: ["a", "b"] }));
    const edited = first.file.replace('"b"', '"c"');
    const outcome = await saves.edit(first.stored, { ...first.stored.draft, onstart: "a\nc" });
    assert.ok(outcome.kind === "saved");
    const behind = await saves.compare(first.file);
    assert.equal(behind.kind, "drifted", "a file that says something else is behind");
    const seen = await saves.compare(edited);
    assert.deepEqual([seen.kind, "fields" in seen && seen.fields], ["in-step", []]);
    const { draft, sync } = readSendable(edited);
    assert.ok(sync);
    assert.equal(compareWithSync(draft, sync, outcome.stored), "lock");
    const after = readSendable(withPinnedVersion(edited, outcome.stored, OLDER));
    assert.ok(after.sync);
    assert.equal(compareWithSync(after.draft, after.sync, outcome.stored), "none");
  });

  test("changed on the service: nothing is pushed; pull takes it, re-pin lets the file go over it", async () => {
    const { saves, elsewhere, sent } = await signedIn();
    const stored = await made(saves);
    const file = toTemplateFile(stored, OLDER);
    const theirs = elsewhere(stored.hash, { desc: "theirs" });
    const seen = await saves.compare(file);
    assert.ok(seen.kind === "drifted");
    assert.deepEqual(seen.fields, ["desc"]);
    const taken = withPulledContent(file, seen.stored, OLDER);
    assert.deepEqual([readSendable(taken).draft.desc, readSendable(taken).sync?.hash], ["theirs", theirs.hash_id]);
    const over = await pushed(saves, withPinnedVersion(file, seen.stored, OLDER));
    assert.equal(over.stored.draft.desc, "");
    assert.deepEqual(
      sent("PUT").map(({ body }) => body),
      [{ hash_id: theirs.hash_id, desc: "" }],
    );
  });

  test("changed between the look and the push: the hash is the lock", async () => {
    const { saves, elsewhere, sent } = await signedIn();
    const stored = await made(saves);
    const seen = await saves.compare(toTemplateFile(stored, OLDER).replace("Filed", "Mine"));
    assert.ok(seen.kind === "in-step");
    elsewhere(stored.hash, { desc: "theirs" });
    assert.equal((await saves.push(seen)).kind, "changed");
    assert.equal(sent("PUT").length, 0);
  });
});

test("a hostile file is refused before anything is asked or sent", async () => {
  const { saves, requests } = await signedIn();
  const before = requests.length;
  for (const file of [
    '{ "name": "a", "image": "b", "__proto__": {} }',
    '{ "name": "a", "image": "b", "docker_login_pass": "x" }',
    '{ "name": 5, "image": "b" }',
    `{ "name": "a", "image": "b", "onstart": "${"x".repeat(4049)}" }`,
    `{ "name": "${"a".repeat(5_000_000)}" }`,
    '{ "name": "a", "image": "b", "$sync": { "id": "1 or 1", "hash": "x" } }',
  ]) {
    assert.ok(readTemplateFile(file).problems.length > 0);
    await assert.rejects(saves.compare(file), /^AppError: \d+:\d+: .*Nothing was sent/);
  }
  assert.equal(requests.length, before);
});
