// What a window leaves behind that was killed in the middle of a download.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createDownloadFolder } from "../../../src/services/transfer/download-folder.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { cleanUp } from "../support.ts";

const NEVER = new AbortController().signal;

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-left-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A program that downloads into a folder, and has a part of it. */
async function beginElsewhere(into: string) {
  const source = pathToFileURL(join(import.meta.dirname, "../../../src/services/transfer/download-folder.ts")).href;
  const script = `const { createDownloadFolder } = await import(process.argv[1]);
    process.stdout.write(await createDownloadFolder(process.argv[2])); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, source, into], {
    stdio: ["ignore", "pipe", "inherit"],
  });
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

test("no upload takes along what a download left, however deep it lies", async () => {
  const folder = await scratch();
  await mkdir(join(folder, "a/b"), { recursive: true });
  await writeFile(join(folder, "a/mine.txt"), "");
  for (const at of ["", "a", "a/b"]) await beginElsewhere(join(folder, at));
  await mkdir(join(folder, ".cloud-gpu-download-Ab12Cd"));
  const list = await listUpload(folder, NEVER);
  assert.deepEqual([list.files.map(({ path }) => path), list.folders], [["a/mine.txt"], ["a", "a/b"]]);
});
