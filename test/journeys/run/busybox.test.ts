// A run on a machine that has nothing but BusyBox: its `grep` reads up to the first NUL, its `find` compares whole seconds, its `tar`
// reads no list, and there is no bash.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { RUN_NEEDS } from "../../../src/domain/run/run-script.ts";
import { createLazy } from "../../../src/lib/task.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const pathOf = (name: string): string =>
  String(spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout).trim();
const BUSYBOX = skip ? "" : pathOf("busybox");
const options = { skip: skip || (BUSYBOX === "" && "BusyBox is not installed") };

/** A `PATH` with BusyBox' programs, and what this computer needs to log in. */
async function makePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-busybox-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const ours = ["ssh", "ssh-keygen", "ssh-agent", "ssh-add"].map((name) => [name, pathOf(name)] as const);
  const { stdout } = spawnSync(BUSYBOX, ["--list"], { encoding: "utf8" });
  const applets = stdout.trim().split("\n");
  assert.ok(applets.includes("tar") && !applets.includes("bash"));
  for (const [name, path] of [...applets.map((name) => [name, BUSYBOX] as const), ...ours])
    if (path !== "") await symlink(path, join(folder, name));
  return folder;
}

before(async () => {
  if (!options.skip) process.env.PATH = await makePath();
});

const openOnce = createLazy(async () => await openMachine(await signInForRuns()));
/** A second is all that tells a file that was uploaded from one that was made. */
async function project(files: Readonly<Record<string, string>>, command: string) {
  const made = await makeProject(await openOnce(), files, command);
  for (const name of Object.keys(files)) await utimes(join(made.folder, name), 1e9, 1e9);
  return made;
}

test("brings back what a short run made, in folders and with odd names", options, async () => {
  const { start, printed } = await project(
    {
      "a.sh": "cat in.txt; mkdir -p out/deep; echo model > out/deep/model.bin; echo > 'two  words'; echo > -x\n",
      "in.txt": "in\n",
    },
    "sh a.sh",
  );
  const run = await start();
  const { place, isWhole } = fetched(run);
  assert.deepEqual([ended(run).exit, isWhole, printed()], [0, true, "$ sh a.sh\nin\n"]);
  assert.equal(await readFile(join(place, "out/deep/model.bin"), "utf8"), "model\n");
  assert.deepEqual((await readdir(place)).sort(), ["-x", "out", "run.log", "two  words"]);
});

test("says that it was the setup which failed, and only then", options, async () => {
  const { start, plan, printed } = await project({ "a.sh": "exit 5\n" }, "sh a.sh");
  const failed = ended(await start({ ...plan, setup: "sh -c 'exit 9'" }));
  assert.deepEqual([failed.exit, failed.isSetupFailure], [9, true]);
  assert.doesNotMatch(printed(), /^\$ sh a\.sh/m);
  const other = ended(await start({ ...plan, setup: "true" }));
  assert.deepEqual([other.exit, other.isSetupFailure], [5, undefined]);
});

test("is stopped with all that it started, also what left its session", options, async () => {
  const { start, printed, machine, runs, me, remote } = await project(
    {
      "a.sh": "setsid sh late.sh & sleep 600 & echo $! > child; echo up; wait\n",
      "late.sh": "echo $$ > late; sleep 601\n",
    },
    "exec sh a.sh",
  );
  const running = start();
  await eventually(() => printed().includes("up"), "it runs");
  const readPid = async (name: string) => Number(await readFile(join(remote, name), "utf8").catch(() => "0"));
  await eventually(async () => (await readPid("late")) > 0, "the other runs");
  const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
  assert.ok(run);
  await runs.stop(machine, run, "TERM", NEVER);
  assert.equal(ended(await running).exit, 143);
  for (const name of ["child", "late"]) {
    const pid = await readPid(name);
    const isGone = () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    await eventually(isGone, `${name} ended`);
  }
});

test("says what it left behind", options, async () => {
  const { start, remote } = await project(
    {
      "a.sh": "setsid sh late.sh > /dev/null 2>&1 & while [ ! -s late ]; do sleep 0.1; done\n",
      "late.sh": "echo $$ > late; sleep 600\n",
    },
    "sh a.sh",
  );
  assert.equal(ended(await start()).hasLeft, true);
  process.kill(Number(await readFile(join(remote, "late"), "utf8")), "SIGKILL");
});

for (const missing of ["tar", "mkdir", ...RUN_NEEDS])
  test(`without ${missing}, says so before anything is uploaded`, options, async () => {
    const { start, kinds, remote, machine } = await project({ "a.sh": "echo up\n" }, "sh a.sh");
    // Stands in for a login to a machine that lacks the program: BusyBox' own shell would find it in itself.
    const bare = await mkdtemp(join(tmpdir(), "cloud-gpu-bare-"));
    cleanUp(() => rm(bare, { recursive: true, force: true }));
    for (const name of await readdir(process.env.PATH ?? ""))
      if (name !== missing) await symlink(name === "sh" ? "/bin/sh" : BUSYBOX, join(bare, name));
    const program = join(bare, "ssh-there");
    await writeFile(program, `#!/bin/sh\nfor last; do :; done\nPATH="${bare}" /bin/sh -c "$last"\n`, { mode: 0o755 });
    await assert.rejects(start(undefined, { ...machine, program }), new RegExp(`has no ${missing} program`));
    assert.deepEqual([kinds(), existsSync(remote)], [["uploading"], false]);
  });
