// What a window leaves behind that was killed in the middle of a download.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Arrived } from "../../../src/services/transfer/download.ts";
import { createDownloadFolder, isDownloadFolder } from "../../../src/services/transfer/download-folder.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { settleDownload } from "../../../src/services/transfer/settle-download.ts";
import { removeUnpacked, Unpacker } from "../../../src/services/transfer/unpack-archive.ts";
import { cleanUp } from "../support.ts";

const NEVER = new AbortController().signal;

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-left-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A program that downloads into a folder, and has a part of it. It is started by `way`. */
async function beginElsewhere(into: string, way: readonly string[] = []) {
  const source = pathToFileURL(join(import.meta.dirname, "../../../src/services/transfer/download-folder.ts")).href;
  const script = `const { createDownloadFolder } = await import(process.argv[1]);
    process.stdout.write(await createDownloadFolder(process.argv[2])); setInterval(() => {}, 1e6);`;
  const [program = "", ...args] = [...way, process.execPath, "--input-type=module", "-e", script, source, into];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  cleanUp(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const folder = said.toString();
  await mkdir(join(folder, "files/deep"), { recursive: true });
  await writeFile(join(folder, "files/deep/model.bin"), "x");
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  };
  return { name: basename(folder), kill };
}

test("the folder of a killed download goes with the next one into that place, and nobody else's does", async () => {
  const into = await scratch();
  const [killed, living] = [await beginElsewhere(into), await beginElsewhere(into)];
  const own = basename(await createDownloadFolder(into));
  await killed.kill();
  const elsewhere = `.cloud-gpu-download-00000000-${killed.name.split("-").at(-2)}-abcdef`;
  const unknown = ".cloud-gpu-download-Ab12Cd";
  for (const name of [elsewhere, unknown, `${killed.name}-mine`]) await mkdir(join(into, name));
  const [file, link] = [`${killed.name.slice(0, -6)}aaaaaa`, `${killed.name.slice(0, -6)}bbbbbb`];
  await writeFile(join(into, file), "mine");
  const outside = await scratch();
  await writeFile(join(outside, "kept"), "");
  await symlink(outside, join(into, link));
  const next = basename(await createDownloadFolder(into));
  const left = [living.name, own, next, elsewhere, unknown, `${killed.name}-mine`, file, link];
  assert.deepEqual((await readdir(into)).sort(), left.sort());
  assert.deepEqual(await readdir(outside), ["kept"]);
});

/** Starts a program as if on a computer that was started another time: of the same name, with the same first namespace. */
const asOn = (number: string) => [
  ...["unshare", "--mount", "--map-root-user", "sh", "-c"],
  ...[`mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"`, number],
];

test("the folder of another computer stays, whatever its name and its numbers", {
  skip: spawnSync("unshare", ["--mount", "--map-root-user", "true"]).status !== 0 && "nothing else can be mounted here",
}, async () => {
  const [into, numbers] = [await scratch(), await scratch()];
  const kept: string[] = [];
  for (const number of ["one", "other"]) {
    const file = join(numbers, number);
    await writeFile(file, `${number}\n`);
    const there = await beginElsewhere(into, asOn(file));
    await there.kill();
    kept.push(there.name);
  }
  const here = await beginElsewhere(into);
  assert.deepEqual((await readdir(into)).sort(), [...kept, here.name].sort(), "of three computers");
  await here.kill();
  const next = basename(await createDownloadFolder(into));
  assert.deepEqual((await readdir(into)).sort(), [...kept, next].sort());
});

describe("what a person is told to find", () => {
  async function refuse(kind: Arrived["kind"], isBlocked: boolean) {
    const into = await scratch();
    const folder = await createDownloadFolder(into);
    const path = join(folder, "files");
    if (kind === "file") await writeFile(path, "new");
    else await mkdir(path);
    if (kind === "folder") for (const name of ["a", "b"]) await writeFile(join(path, name), "new");
    const paths = kind === "file" ? [["files"]] : [["a"], ["b"]];
    const report = { ...new Unpacker(path).report, paths: new Set(paths) };
    const arrived = { folder, path, name: "out.x", kind, complaint: "", report, remove: () => removeUnpacked(folder) };
    if (kind === "file") await mkdir(join(into, "out.x"));
    else if (isBlocked) await plantFile(join(into, "out.x", "b"));
    else await writeFile(join(into, "out.x"), "mine");
    const error = await settleDownload(arrived, into, []).catch((cause) => cause);
    const [, said = ""] = /(?:is|are) in (.+)\.$/.exec(error.message) ?? [];
    await createDownloadFolder(into);
    return { into, said, names: await readdir(into) };
  }
  async function plantFile(path: string) {
    await mkdir(dirname(path));
    await writeFile(path, "mine");
  }

  test("the rest of a folder is there under a plain name", async () => {
    const { into, said, names } = await refuse("folder", true);
    assert.equal(said, join(into, "out.x (rest)"));
    assert.equal(await readFile(join(said, "b"), "utf8"), "new");
    assert.equal(await readFile(join(into, "out.x/a"), "utf8"), "new");
    assert.equal(names.filter(isDownloadFolder).length, 1, "the next one's alone");
  });
  test("a whole folder is there", async () => {
    const { said } = await refuse("folder", false);
    assert.deepEqual((await readdir(said)).sort(), ["a", "b"]);
  });
  test("a file is there", async () => {
    const { into, said } = await refuse("file", true);
    assert.equal(said, join(into, "out (2).x"));
    assert.equal(await readFile(said, "utf8"), "new");
  });
});

test("no upload takes along what a download left, however deep it lies", async () => {
  const folder = await scratch();
  await mkdir(join(folder, "a/b"), { recursive: true });
  await writeFile(join(folder, "a/mine.txt"), "");
  for (const at of ["", "a", "a/b"]) await beginElsewhere(join(folder, at));
  await mkdir(join(folder, ".cloud-gpu-download-Ab12Cd"));
  const list = await listUpload(folder, NEVER);
  assert.deepEqual([list.files.map(({ path }) => path), list.folders], [["a/mine.txt"], ["a", "a/b"]]);
});
