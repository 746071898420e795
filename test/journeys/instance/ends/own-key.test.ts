// The key that a machine has for itself is in no list of its processes, which every user of it may read: whoever has the key may stop or
// destroy the machine. The real scripts run by real shells, and the service looks before it answers.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { defineCall } from "../../../../src/domain/connection/own-call.ts";
import { buildSelfEndCommand } from "../../../../src/domain/connection/self-end-command.ts";
import { buildSelfEndScript, SELF_END_FILE } from "../../../../src/domain/instance/self-end.ts";
import { cleanUp, eventually, shareBetweenTests } from "../../support.ts";
import { boot, findProgram, fine, startService } from "./started-machine.ts";

shareBetweenTests();

const SHELLS = { sh: ["sh"], bash: ["bash"], dash: ["dash"], "busybox ash": ["busybox", "ash"] } as const;
const TOOLS = ["curl", "wget", "python3"] as const;
const id = InstanceId.parse(31245);

/** The command lines of this computer that hold a word. */
async function findArguments(word: string): Promise<readonly string[]> {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = processes.map((one) => readFile(`/proc/${one}/cmdline`, "latin1").catch(() => ""));
  return (await Promise.all(lines)).filter((line) => line.includes(word));
}

let keys = 0;

/** A service that looks, while somebody waits for its answer, which command lines name its address, and which the key. */
async function startWatching() {
  keys += 1;
  const key = `canary-own-key-${process.pid}-${keys}`;
  const seen: { readonly asks: number; readonly shown: readonly string[] }[] = [];
  const look = async () => seen.push({ asks: (await findArguments(base)).length, shown: await findArguments(key) });
  const { base, asked } = await startService((response) => void look().then(() => fine(response)));
  const assertHidden = async (what: string) => {
    await eventually(() => seen.length > 0, `${what} asks`);
    assert.equal(asked[0]?.key, `Bearer ${key}`, what);
    assert.ok((seen[0]?.asks ?? 0) > 0, `${what}: whoever asks is found`);
    assert.deepEqual(
      seen.flatMap(({ shown }) => shown),
      [],
      what,
    );
  };
  return { base, key, assertHidden };
}

/** A folder for `PATH` with what scripts need, and one program that asks. */
async function makePath(tool: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-own-key-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const usual = ["sh", "mkdir", "rm", "rmdir", "mv", "cat", "sed", "tr", "grep", "date", "sleep"];
  for (const name of [...usual, tool]) await symlink(await findProgram(name), join(folder, name));
  return folder;
}

for (const [name, shell] of Object.entries(SHELLS)) {
  const isThere = spawnSync("sh", ["-c", `command -v ${shell[0]}`]).status === 0;
  const skip = (process.platform !== "linux" || !isThere) && `${shell[0]} isn't installed`;
  const [program, ...rest] = shell;

  describe(`the key of a machine is in no list of processes, by ${name}`, { skip, concurrency: true }, () => {
    for (const tool of TOOLS) {
      test(`when it ends itself by ${tool}`, async () => {
        for (const ending of ["stop", "destroy"] as const) {
          const { base, key, assertHidden } = await startWatching();
          const machine = await boot(shell, buildSelfEndScript({ base, until: 1000, ending }), [tool], undefined, key);
          await assertHidden(ending);
          const file = await stat(join(machine.folder, `${SELF_END_FILE}.k`)).catch(() => undefined);
          assert.equal(file && file.mode & 0o777, tool === "curl" ? undefined : 0o600);
          machine.end();
        }
      });

      test(`when it asks to be stopped or started by ${tool}`, async () => {
        const { base, key, assertHidden } = await startWatching();
        const path = await makePath(tool);
        const env = { PATH: path, HOME: path, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
        const script = `${defineCall({ instance: id, base })}\ncall running && call stopped`;
        const child = spawn(await findProgram(program), [...rest, "-c", script], { env, stdio: "ignore" });
        const exit = new Promise((resolve) => child.once("close", resolve));
        await assertHidden("it");
        assert.equal(await exit, 0, "the service took it");
        assert.deepEqual(
          (await readdir(path)).filter((one) => one.startsWith(".")),
          [],
          "and no file with the key is left",
        );
      });

      test(`when it is asked for its end, and asks by ${tool}`, async () => {
        const { base, key, assertHidden } = await startWatching();
        const until = Date.now() + 3_600_000;
        const machine = await boot(
          shell,
          buildSelfEndScript({ base, until, ending: "stop" }),
          ["tr", "sed", "grep", "cat", tool],
          undefined,
          key,
        );
        await machine.exit;
        await machine.lookAgain();
        const env = { PATH: await makePath(tool), HOME: machine.folder, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
        const inside = buildSelfEndCommand({ instance: id, base }).replace(/^exec sh -c /, "");
        spawn(await findProgram(program), [...rest, "-c", `eval ${inside}`], { env, stdio: "ignore" });
        await assertHidden("it");
        machine.end();
      });
    }
  });
}
