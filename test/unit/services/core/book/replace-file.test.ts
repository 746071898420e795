// A file is replaced as a whole or not at all, and nothing is left beside it.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { replaceFile } from "../../../../../src/services/core/book/replace-file.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFile(text?: string): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-replace-"));
  folders.push(folder);
  const path = join(folder, "config");
  if (text !== undefined) await writeFile(path, text);
  return { folder, path };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const isPosix = process.platform !== "win32";

describe("a file that is replaced", () => {
  test("is created where there is none, for nobody else to read", async () => {
    const { folder, path } = await newFile();
    await replaceFile({ path, text: "new" });
    assert.equal(await readFile(path, "utf8"), "new");
    assert.deepEqual(await readdir(folder), ["config"]);
    if (isPosix) assert.equal(await modeOf(path), 0o600);
  });

  test("has the permissions that it's given, whatever the process masks", async () => {
    const { path } = await newFile("old");
    await chmod(path, 0o600);
    await replaceFile({ path, text: "new", mode: 0o666 });
    if (isPosix) assert.equal(await modeOf(path), 0o666);
  });

  test("stands as it was until the new text is on the disk, and is the new one then", async () => {
    const { folder, path } = await newFile("old");
    const seen: string[] = [];
    await replaceFile({
      path,
      text: "new",
      check: async () => {
        for (const name of (await readdir(folder)).sort()) seen.push(await readFile(join(folder, name), "utf8"));
      },
    });
    assert.deepEqual(seen, ["old", "new"]);
    assert.equal(await readFile(path, "utf8"), "new");
    assert.deepEqual(await readdir(folder), ["config"]);
  });

  test("stays, with nothing beside it, where the check objects", async () => {
    const { folder, path } = await newFile("old");
    const refuse = () => Promise.reject(new Error("changed meanwhile"));
    await assert.rejects(replaceFile({ path, text: "new", check: refuse }), /changed meanwhile/);
    assert.equal(await readFile(path, "utf8"), "old");
    assert.deepEqual(await readdir(folder), ["config"]);
  });

  test("leaves nothing behind where it can't take its place", async () => {
    const { folder, path } = await newFile();
    await mkdir(join(path, "inside"), { recursive: true });
    await assert.rejects(replaceFile({ path, text: "new" }));
    assert.deepEqual(await readdir(folder), ["config"]);
  });

  test("in a folder that isn't there is the disk's error", async () => {
    const { folder } = await newFile();
    await assert.rejects(replaceFile({ path: join(folder, "none", "config"), text: "new" }), { code: "ENOENT" });
  });
});

test("what another one left behind is removed once it is old, and nothing else", async () => {
  const { folder, path } = await newFile("old");
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
  const NAMES: readonly [name: string, age: number, stays: boolean][] = [
    ["config.cloud-gpu-0123456789ab", 1, false],
    ["config.cloud-gpu-ba9876543210", 0, true],
    ["config.cloud-gpu-0123456789a", 1, true],
    ["config.cloud-gpu-0123456789abc", 1, true],
    ["config.cloud-gpu-x0123456789ab", 1, true],
    ["config.cloud-gpu-0123456789aZ", 1, true],
    ["other.cloud-gpu-0123456789ab", 1, true],
    ["0123456789ab", 1, true],
    ["my-config.cloud-gpu-0123456789ab", 1, true],
  ];
  for (const [name, age] of NAMES) {
    await writeFile(join(folder, name), "");
    await utimes(join(folder, name), hours(age), hours(age));
  }
  await replaceFile({ path, text: "new" });
  const stayed = NAMES.filter(([, , stays]) => stays).map(([name]) => name);
  assert.deepEqual((await readdir(folder)).sort(), ["config", ...stayed].sort());
});

test("a folder in the place of what was left behind changes nothing", async () => {
  const { folder, path } = await newFile("old");
  const odd = join(folder, "config.cloud-gpu-0123456789ab");
  await mkdir(join(odd, "inside"), { recursive: true });
  await utimes(odd, new Date(0), new Date(0));
  await replaceFile({ path, text: "new" });
  assert.equal(await readFile(path, "utf8"), "new");
});
