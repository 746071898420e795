// A key that lies anywhere on this computer is listed once it was chosen.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { listLocalKeys, rememberKeyFile } from "../../../src/services/connection/ssh/local-keys.ts";

const PLACES = { agent: undefined, files: [] };
const LINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGlzIG5vIHJlYWwga2V5IGF0IGFsbCBidXQgbG9uZw me@here";

let root: string;
let ours: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "cloud-gpu-keys-"));
  ours = join(root, "cloud-gpu");
  await mkdir(join(root, "elsewhere"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => join(root, "elsewhere", name);
async function write(name: string, line = LINE): Promise<void> {
  await writeFile(at(name), "private half\n", { mode: 0o600 });
  await writeFile(at(`${name}.pub`), `${line}\n`);
}
const list = async () => (await listLocalKeys([ours], PLACES)).map(({ file, comment }) => [file, comment]);

describe("a key file that was chosen", { skip: process.platform === "win32" && "needs links" }, () => {
  for (const half of ["", ".pub"])
    test(`is listed from then on by its own path, chosen by ${half || "its private half"}`, async () => {
      await write("work key");
      assert.equal((await rememberKeyFile(ours, at(`work key${half}`)))?.line, LINE);
      assert.deepEqual(await list(), [[at("work key"), "me@here"]]);
      await rememberKeyFile(ours, at("work key.pub"));
      assert.equal((await list()).length, 1, "chosen twice, listed once");
    });

  test("is read again each time, and no longer listed once either half is gone", async () => {
    await write("key");
    await rememberKeyFile(ours, at("key"));
    await write("key", LINE.replace("me@here", "renamed"));
    assert.deepEqual(await list(), [[at("key"), "renamed"]]);
    await rm(at("key"));
    assert.deepEqual(await list(), []);
  });

  test("is told from a link of the person's own with such a name", async () => {
    await write("key");
    await mkdir(ours);
    const theirs = ["key-work", "key-0123456789abcdef"];
    for (const name of theirs)
      for (const half of ["", ".pub"]) await symlink(join("..", "elsewhere", `key${half}`), join(ours, name + half));
    await rememberKeyFile(ours, at("key"));
    assert.deepEqual((await list()).length, 1, "it's one key");
    await rm(
      join(ours, (await readdir(ours)).find((name) => !theirs.includes(name) && !name.endsWith(".pub")) ?? "none"),
    );
    const [left] = await listLocalKeys([ours], PLACES);
    assert.ok(left?.file !== undefined && isAbsolute(left.file), "no path depends on where ssh is started");
  });

  test("is read even where no link can be made", async () => {
    await write("key");
    await writeFile(ours, "a file where the folder should be");
    assert.equal((await rememberKeyFile(ours, at("key")))?.file, at("key"));
  });

  test("is refused if it is no key, or its other half isn't beside it", async () => {
    await writeFile(at("lonely.pub"), LINE);
    await write("certificate", LINE.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com"));
    await write("notes", "Remember the milk");
    for (const name of ["lonely.pub", "certificate", "notes", "missing"])
      assert.equal(await rememberKeyFile(ours, at(name)), undefined, name);
    assert.deepEqual(await list(), []);
  });
});
