// A file appears whole or not at all: among racers, under kill -9, on a disk that is full, and where there are no links.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { publishFile, syncFolder } from "../../../../../src/services/core/book/publish.ts";

const PUBLISH = resolve(import.meta.dirname, "../../../../../src/services/core/book/publish.ts");
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-publish-"));
  folders.push(folder);
  return folder;
}

const refuse = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const listFiles = async (folder: string) => (await readdir(folder)).filter((name) => !name.startsWith("."));
const listUnfinished = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith("."));

/** What is written beyond the limit of a file's size fails, as on a full disk, once a part of it is there. */
const NO_LIMITS = process.platform === "win32";

/** @returns the lines that it said. */
async function runWithLimit(script: string, argument: string): Promise<readonly string[]> {
  const shell = `trap '' XFSZ; ulimit -f 100; exec "$0" --input-type=module -e "$1" "$2"`;
  const child = spawn("sh", ["-c", shell, process.execPath, script, argument], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  await once(child, "close");
  return said.trim().split("\n");
}

describe("a published file", () => {
  test("has one winner of fifty, and nobody ever reads less than all of it", async () => {
    const folder = await newFolder();
    const path = join(folder, "claim");
    const texts = Array.from({ length: 50 }, (_, at) => `${at} `.repeat(20_000));
    let isOver = false;
    const seen = new Set<string>();
    const reading = (async () => {
      while (!isOver) seen.add(await readFile(path, "utf8").catch(() => ""));
    })();
    const won = await Promise.all(texts.map((text) => publishFile(path, text)));
    isOver = true;
    await reading;
    assert.equal(won.filter(Boolean).length, 1);
    const winner = texts[won.indexOf(true)];
    assert.equal(await readFile(path, "utf8"), winner);
    for (const text of seen) assert.ok(text === "" || text === winner, `${text.length} characters were read`);
    assert.deepEqual(await listUnfinished(folder), []);
  });

  test("isn't replaced, and the one that is there stays", async () => {
    const path = join(await newFolder(), "claim");
    for (const text of ["", "first"]) {
      await rm(path, { force: true });
      assert.equal(await publishFile(path, text), true);
      assert.equal(await publishFile(path, "second"), false);
      assert.equal(await publishFile(path, ""), false);
      assert.equal(await readFile(path, "utf8"), text);
    }
  });

  test("is whole or isn't there when its window is killed", async () => {
    const folder = await newFolder();
    const text = "0123456789".repeat(30_000);
    const script = `import { publishFile } from ${JSON.stringify(PUBLISH)};
      // A test that is killed leaves no one who fills the disk.
      process.stdin.resume().on("end", () => process.exit());
      for (let at = 0; ; at += 1) {
        await publishFile(process.argv[1] + "/" + process.pid + "-" + at, "0123456789".repeat(30_000));
        if (at === 0) console.log("begun");
      }`;
    for (let time = 0; time < 8; time += 1) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      await new Promise((done) => setTimeout(done, time * 7));
      child.kill("SIGKILL");
      await once(child, "close");
    }
    const names = await listFiles(folder);
    assert.ok(names.length >= 8);
    for (const name of names) assert.equal((await stat(join(folder, name))).size, text.length, name);
  });

  test("isn't there where the disk takes only a part of it", { skip: NO_LIMITS }, async () => {
    const folder = await newFolder();
    const script = `import { publishFile } from ${JSON.stringify(PUBLISH)};
      import { link } from "node:fs/promises";
      const refuse = () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" }));
      for (const place of [link, refuse]) {
        const path = process.argv[1] + "/" + (place === link ? "linked" : "written");
        await publishFile(path, "x".repeat(300_000), { place }).then(() => process.exit(3), ({ code }) => console.log(code));
        console.log(await publishFile(path, "short", { place }));
      }`;
    const said = await runWithLimit(script, folder);
    assert.deepEqual(said, ["EFBIG", "true", "EFBIG", "true"]);
    for (const name of ["linked", "written"]) assert.equal(await readFile(join(folder, name), "utf8"), "short");
    assert.deepEqual(await listUnfinished(folder), []);
  });

  for (const code of ["EPERM", "ENOTSUP", "EISDIR", "EXDEV", "EMLINK"])
    test(`is created the old way where a file system answers ${code} to a link`, async () => {
      const folder = await newFolder();
      const path = join(folder, "claim");
      assert.equal(await publishFile(path, "mine", { place: refuse(code) }), true);
      assert.equal(await publishFile(path, "theirs", { place: refuse(code) }), false);
      assert.equal(await readFile(path, "utf8"), "mine");
      assert.deepEqual([await listFiles(folder), await listUnfinished(folder)], [["claim"], []]);
    });

  test("is believed where a network file system repeated the link and says that the name exists", async () => {
    const path = join(await newFolder(), "claim");
    const twice: typeof link = async (from, to) => {
      await link(from, to);
      await link(from, to);
    };
    assert.equal(await publishFile(path, "mine", { place: twice }), true);
    assert.equal(await publishFile(path, "theirs", { place: twice }), false);
    assert.equal(await readFile(path, "utf8"), "mine");
  });

  test("is believed where a network file system carried the link out and says that it failed", async () => {
    const path = join(await newFolder(), "claim");
    const failing: typeof link = async (from, to) => {
      await link(from, to);
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    assert.equal(await publishFile(path, "mine", { place: failing }), true);
    assert.equal(await publishFile(path, "theirs", { place: failing }), false);
    assert.equal(await readFile(path, "utf8"), "mine");
  });

  test("of another window stays where the disk has no room to write beside it", { skip: NO_LIMITS }, async () => {
    const folder = await newFolder();
    const path = join(folder, "claim");
    await publishFile(path, "theirs");
    const script = `import { publishFile } from ${JSON.stringify(PUBLISH)};
      console.log(await publishFile(process.argv[1], "x".repeat(300_000)));`;
    assert.deepEqual(await runWithLimit(script, path), ["false"]);
    assert.equal(await readFile(path, "utf8"), "theirs");
  });

  test("is taken back where its folder can't be synced, but a mark stays", async () => {
    const folder = await newFolder();
    const sync = () => Promise.reject(new Error("EIO"));
    await assert.rejects(publishFile(join(folder, "text"), "text", { sync }), /EIO/);
    await assert.rejects(publishFile(join(folder, "mark"), "", { sync }), /EIO/);
    assert.deepEqual(await listFiles(folder), ["mark"]);
  });

  test("leaves nothing of windows that are gone, and keeps what another one is writing", async () => {
    const folder = await newFolder();
    await publishFile(join(folder, "first"), "text");
    const [left, young] = ["a", "b"].map((one) => `.${one.repeat(36)}.new`) as [string, string];
    await Promise.all([left, young].map((name) => writeFile(join(folder, name), "half")));
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(folder, left), old, old);
    const script = `import { publishFile } from ${JSON.stringify(PUBLISH)}; await publishFile(process.argv[1], "text");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, join(folder, "second")]);
    await once(child, "close");
    assert.deepEqual(await listUnfinished(folder), [young]);
    assert.deepEqual((await listFiles(folder)).sort(), ["first", "second"]);
  });
});

/** Opens a folder whose sync answers with this code, as some mounts do. */
function answering(code: string): typeof open {
  return async (path, flags) => {
    const handle = await open(path, flags);
    handle.sync = () => Promise.reject(Object.assign(new Error(code), { code }));
    return handle;
  };
}

test("a file system that cannot sync folders does not block launching; a disk that fails does", async () => {
  const folder = await newFolder();
  for (const code of ["EINVAL", "ENOTSUP"]) await syncFolder(folder, answering(code));
  await assert.rejects(syncFolder(folder, answering("EIO")), /EIO/);
  await syncFolder(folder);
});
