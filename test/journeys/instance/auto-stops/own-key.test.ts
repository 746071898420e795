// The key that a machine has for itself is in no list of its processes, which every user of it may read: whoever has the key may stop or
// destroy the machine. The real scripts run by real shells, and the service looks before it answers.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { defineCall } from "../../../../src/domain/connection/own-call.ts";
import { buildSelfStopCommand } from "../../../../src/domain/connection/self-stop-command.ts";
import { buildSelfStopScript, SELF_END_FILE } from "../../../../src/domain/instance/self-stop.ts";
import { seeded } from "../../../fuzz/answers.ts";
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

/** A service that looks, while someone waits for its answer, which command lines name its address, and which the key. */
async function startWatching(home?: string) {
  keys += 1;
  const key = `canary-own-key-${process.pid}-${keys}`;
  const seen: { readonly asks: number; readonly shown: readonly string[]; readonly mode: number | undefined }[] = [];
  const look = async () => {
    // First of all: whoever waits too long for its response goes on to the next program.
    const file = home && (await stat(join(home, `${SELF_END_FILE}.k`)).catch(() => undefined));
    const mode = file ? file.mode % 0o1000 : undefined;
    seen.push({ asks: (await findArguments(base)).length, shown: await findArguments(key), mode });
  };
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
  return { base, key, assertHidden, findMode: () => seen[0]?.mode };
}

/** A folder for `PATH` with what scripts need, and one program that asks. */
async function makePath(tool: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-own-key-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const usual = ["sh", "mkdir", "rm", "rmdir", "mv", "cat", "sed", "tr", "grep", "date", "sleep"];
  for (const name of [...usual, tool]) await symlink(findProgram(name), join(folder, name));
  return folder;
}

/** Characters that a shell, a configuration of curl's or one of wget's could read otherwise, and plain ones. */
const DRAWN = [...`\\\\\\"""'$\`#%&;=:!*?[]{}()<>|~^,. abntrvx0019`];

function drawKey(seed: number): string {
  const random = seeded(seed);
  const any = () => DRAWN[Math.floor(random() * DRAWN.length)] ?? "";
  // Blanks at the end are no part of a header.
  return `k${Array.from({ length: 1 + Math.floor(random() * 40) }, any).join("")}k`;
}

/** What asks to be started, after `before`, and how that ended. */
async function callOnce(shell: readonly string[], tool: string, key: string, before = "") {
  const { base, asked } = await startService(fine);
  const path = await makePath(tool);
  const [program = "sh", ...rest] = shell;
  const env = { PATH: path, HOME: path, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
  const script = `${before}\n${defineCall({ instance: id, base })}\ncall running`;
  const child = spawn(findProgram(program), [...rest, "-c", script], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => {
      printed += bytes;
    });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, keys: asked.map((one) => one.key), printed, home: path };
}

for (const [name, shell] of Object.entries(SHELLS)) {
  const isThere = spawnSync("sh", ["-c", `command -v ${shell[0]}`]).status === 0;
  const skip = (process.platform !== "linux" || !isThere) && `${shell[0]} isn't installed`;
  const [program, ...rest] = shell;

  describe(`the key of a machine is in no list of processes, by ${name}`, { skip, concurrency: true }, () => {
    for (const tool of TOOLS) {
      test(`when it ends itself by ${tool}`, async (t) => {
        for (const ending of ["stop", "destroy"] as const) {
          const home = await mkdtemp(join(tmpdir(), "cloud-gpu-own-key-"));
          cleanUp(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
          const { base, key, assertHidden, findMode } = await startWatching(home);
          const machine = await boot(t, shell, buildSelfStopScript({ base, until: 1000, ending }), [tool], home, key);
          await assertHidden(ending);
          assert.equal(findMode(), tool === "curl" ? undefined : 0o600, "only its owner reads it");
          machine.end();
        }
      });

      test(`when it asks to be stopped or started by ${tool}`, async () => {
        const { base, key, assertHidden } = await startWatching();
        const path = await makePath(tool);
        const env = { PATH: path, HOME: path, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
        const script = `${defineCall({ instance: id, base })}\ncall running && call stopped`;
        const child = spawn(findProgram(program), [...rest, "-c", script], { env, stdio: "ignore" });
        const exit = new Promise((resolve) => child.once("close", resolve));
        await assertHidden("it");
        assert.equal(await exit, 0, "the service took it");
        assert.deepEqual(
          (await readdir(path)).filter((one) => one.startsWith(".")),
          [],
          "and no file with the key is left",
        );
      });

      test(`when it is asked for its end, and asks by ${tool}`, async (t) => {
        const { base, key, assertHidden } = await startWatching();
        const until = Date.now() + 3_600_000;
        const machine = await boot(
          t,
          shell,
          buildSelfStopScript({ base, until, ending: "stop" }),
          ["tr", "sed", "grep", "cat", tool],
          undefined,
          key,
        );
        await machine.exit;
        await machine.lookAgain();
        const env = { PATH: await makePath(tool), HOME: machine.folder, CONTAINER_ID: "31245", CONTAINER_API_KEY: key };
        const inside = buildSelfStopCommand({ instance: id, base }).replace(/^exec sh -c /, "");
        spawn(findProgram(program), [...rest, "-c", `eval ${inside}`], { env, stdio: "ignore" });
        await assertHidden("it");
        machine.end();
      });
    }
  });

  describe(`the key of a machine, by ${name},`, { skip, concurrency: true }, () => {
    for (const tool of TOOLS) {
      const isMissing = spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0;
      const without = isMissing && `${tool} isn't installed`;

      test(`comes to the service as it is by ${tool}, whatever is in it`, { skip: without }, async () => {
        const keys = [
          'a"b',
          "a\\b",
          "a\\nb",
          'a\\"b',
          "a\\\\",
          ...Array.from({ length: 8 }, (_, seed) => drawKey(seed + 1)),
        ];
        for (const key of keys) {
          const { code, keys: came } = await callOnce(shell, tool, key);
          assert.deepEqual({ code, came }, { code: 0, came: [`Bearer ${key}`] });
        }
      });

      test(`adds no line to what ${tool} is told`, { skip: without }, async () => {
        for (const key of ["k\nuser-agent = x", 'k"\nurl = "http://127.0.0.1:9', "k\r\nX-Other: 1", "k\n"]) {
          const { code, keys } = await callOnce(shell, tool, key);
          assert.deepEqual({ isRefused: code !== 0, keys }, { isRefused: true, keys: [] }, JSON.stringify(key));
        }
      });

      test(`isn't printed by a shell that traces, asking by ${tool}`, { skip: without }, async () => {
        const key = "canary-own-key-traced";
        const { code, printed } = await callOnce(shell, tool, key, "set -x");
        assert.deepEqual([code, printed.includes(key)], [0, false], printed);
      });
    }

    const PLANTED: Readonly<Record<string, (outside: string) => string>> = {
      "a link to a file": (outside) => `ln -s ${outside}/kept`,
      "a link to nothing": (outside) => `ln -s ${outside}/made`,
      "another name of a file": (outside) => `ln ${outside}/kept`,
      "a file that all may read": (outside) => `cp ${outside}/kept`,
    };
    for (const [what, plant] of Object.entries(PLANTED))
      test(`isn't written into ${what}`, async () => {
        const outside = await mkdtemp(join(tmpdir(), "cloud-gpu-own-key-"));
        cleanUp(() => rm(outside, { recursive: true, force: true }));
        await writeFile(join(outside, "kept"), "mine", { mode: 0o644 });
        const before = `(PATH=$PATH:/bin:/usr/bin; ${plant(outside)} "$HOME/.cloud-gpu-call.$$")`;
        const { code, keys } = await callOnce(shell, "wget", "canary-own-key-file", before);
        assert.deepEqual({ code, keys }, { code: 0, keys: ["Bearer canary-own-key-file"] });
        assert.deepEqual(await readdir(outside), ["kept"]);
        assert.equal(await readFile(join(outside, "kept"), "utf8"), "mine");
      });

    test("isn't written through a link when it ends itself", async (t) => {
      const { base, key, assertHidden } = await startWatching();
      const home = await mkdtemp(join(tmpdir(), "cloud-gpu-own-key-"));
      cleanUp(() => rm(home, { recursive: true, force: true }));
      await writeFile(join(home, "kept"), "mine");
      await symlink("kept", join(home, `${SELF_END_FILE}.k`));
      const machine = await boot(
        t,
        shell,
        buildSelfStopScript({ base, until: 1000, ending: "stop" }),
        ["wget"],
        home,
        key,
      );
      await assertHidden("it");
      machine.end();
      assert.equal(await readFile(join(home, "kept"), "utf8"), "mine");
    });
  });
}
