// A command on a machine, by the real `ssh` and a real shell: it runs once, outlives its connection, and brings its files back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { buildRunScript, buildStartCommand } from "../../../src/domain/run/run-script.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { createLazy } from "../../../src/lib/task.ts";
import { askMachine } from "../../../src/services/connection/ask-machine.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { readRunState, startRun } from "../../../src/services/run/machine-run.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { hasPip, makeWheel, WHEEL } from "../../probe-wheel.ts";
import { readScript } from "../../unit/support.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const HAS_PIP = hasPip();
const openOnce = createLazy(async () => await openMachine(await signInForRuns()));
const project = async (files: Readonly<Record<string, string>>, command: string) =>
  await makeProject(await openOnce(), files, command);

/** Programs of this machine's user: its home folder is theirs, too. */
function listProcesses(home: string): readonly { readonly pid: number; readonly line: readonly string[] }[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const [line, environment] = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${name}/${file}`, "utf8"));
      const isThere = environment?.split("\0").includes(`HOME=${home}`);
      return isThere && line ? [{ pid: Number(name), line: line.split("\0") }] : [];
    } catch {
      return [];
    }
  });
}

describe("a run", { skip }, () => {
  test("uploads, runs in its folder, and brings back what it made, its log and its exit code", async () => {
    const files = {
      "train.sh": "cat data/in.txt\nmkdir -p out && echo model > out/model.bin\nexit 3\n",
      "data/in.txt": "hello\n",
    };
    const { start, printed, folder, kinds } = await project(files, "bash train.sh");
    const run = await start();
    assert.equal(ended(run).exit, 3);
    assert.equal(printed(), "$ bash train.sh\nhello\n");
    assert.deepEqual(kinds(), ["uploading", "starting", "running", "fetching"]);
    const { place, files: count, isWhole } = fetched(run);
    assert.deepEqual([count, isWhole, dirname(place)], [1, true, join(folder, ".cloud-gpu", "runs")]);
    assert.equal(await readFile(join(place, "out/model.bin"), "utf8"), "model\n");
    assert.equal(await readFile(join(place, "run.log"), "utf8"), printed());
    assert.deepEqual((await readdir(place)).sort(), ["out", "run.log"], "and nothing that was uploaded");
    assert.equal((await listUpload(folder, NEVER)).files.length, 2, "results aren't uploaded again");
  });

  test("whose command doesn't exist, has a mistake, or can't be set up says so in its log, with its code", async () => {
    const none = await project({ "a.py": "" }, "no-such-command --now");
    assert.equal(ended(await none.start()).exit, 127);
    assert.match(none.printed(), /no-such-command.*not found/);
    const odd = await project({ "a.py": "" }, "echo 'open");
    assert.notEqual(ended(await odd.start()).exit, 0);
    const unset = await project({ "a.py": "" }, "echo never");
    const { exit, isSetupFailure } = ended(await unset.start({ ...unset.plan, setup: "sh -c 'exit 9'" }));
    assert.deepEqual([exit, isSetupFailure], [9, true]);
    assert.doesNotMatch(unset.printed(), /^never/m);
  });

  test("uploads what is left where the connection is lost in the middle, and begins once", async () => {
    const files = { "a.sh": "echo again >> count; ls > names\n", "b.txt": "b", "c/d.txt": "d" };
    const { machine, runs, me, plan, list, following, remote, kinds } = await project(files, "sh a.sh");
    let isCut = false;
    const startCut = (program: string, args: readonly string[]) => {
      const ssh = startSsh(program, args);
      if (!readScript(args.at(-1) ?? "").includes("tar -xf")) return ssh;
      isCut = true;
      ssh.stop();
      return ssh;
    };
    const prepared = await runs.prepare(me(), machine.id, plan, undefined);
    const run = await runs.start({ ...machine, start: startCut }, prepared, list, following);
    assert.equal(ended(run).exit, 0);
    assert.deepEqual(kinds(), ["uploading", "disconnected", "starting", "running", "fetching"]);
    assert.deepEqual([isCut, await readFile(join(remote, "count"), "utf8")], [true, "again\n"]);
    assert.equal(await readFile(join(remote, "names"), "utf8"), "a.sh\nb.txt\nc\ncount\nnames\n");
  });

  test("is followed by one process, which comes to its end with it", async (context) => {
    if (process.platform !== "linux") return context.skip("processes can't be found");
    if (spawnSync("tail", ["--pid=1", "-c", "0", "/dev/null"]).status !== 0) return context.skip("tail knows no --pid");
    const script = "echo one; while [ ! -e go ]; do sleep 0.1; done; echo two; head -c 300000 /dev/zero | tr '\\0' x\n";
    const { start, printed, remote, home } = await project({ "a.sh": script }, "sh a.sh");
    const running = start();
    await eventually(() => printed().includes("one"), "it prints");
    const readers = () => listProcesses(home).filter(({ line }) => line[0] === "tail" && line.includes("-f"));
    await eventually(() => readers().length === 1, "it is read");
    // Whoever looks again and again is another process each time.
    const others = () => listProcesses(home).filter(({ line }) => !/^(?:sh|bash|sleep)$/.test(line[0] ?? ""));
    const before = new Set(others().map(({ pid }) => pid));
    const later = new Map<number, string>();
    for (let look = 0; look < 40; look += 1) {
      for (const { pid, line } of others()) if (!before.has(pid)) later.set(pid, line.join(" "));
      await sleep(25);
    }
    await writeFile(join(remote, "go"), "");
    assert.equal(ended(await running).exit, 0);
    assert.equal(printed(), `$ sh a.sh\none\ntwo\n${"x".repeat(300_000)}`);
    await eventually(() => readers().length === 0, "nobody is left");
    assert.deepEqual([...later.values()], []);
  });

  test("begins once, however often it is ordered", async () => {
    const { start, machine, remote } = await project({ "count.sh": "echo again >> count\n" }, "sh count.sh");
    const run = await start();
    await startRun(machine, run, Date.now(), NEVER);
    await startRun(machine, run, Date.now(), NEVER);
    assert.equal(await readFile(join(remote, "count"), "utf8"), "again\n");
  });

  test("goes on without anybody; whoever comes back sees all of it, from the first byte", async () => {
    const script = "echo one; while [ ! -e go ]; do sleep 0.1; done; echo two; echo done > result\n";
    const { start, leave, following, runs, alone, me, printed, remote } = await project({ "a.sh": script }, "sh a.sh");
    const running = start();
    await eventually(() => printed().includes("one"), "it prints");
    leave();
    await assert.rejects(running, { name: "AbortError" });
    const [left] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(left?.state.kind === "started");
    await writeFile(join(remote, "go"), "");
    let again = "";
    const output = (bytes: Uint8Array) => {
      again += Buffer.from(bytes).toString();
    };
    const watch = { ...following.watch, output };
    const run = await runs.follow(alone, left, { ...following, watch, signal: NEVER });
    assert.equal(ended(run).exit, 0);
    assert.equal(again, "$ sh a.sh\none\ntwo\n");
    assert.equal(await readFile(join(fetched(run).place, "result"), "utf8"), "done\n");
  });

  test("is stopped with all that it started, and its exit code says so", async () => {
    const { start, printed, machine, runs, me, remote } = await project(
      { "a.sh": "sleep 600 & echo $! > child; echo up; wait\n" },
      "exec sh a.sh",
    );
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    await runs.stop(machine, run, "TERM", NEVER);
    assert.equal(ended(await running).exit, 143);
    const child = Number(await readFile(join(remote, "child"), "utf8"));
    await eventually(() => !isAlive(child), "its child ended");
  });

  for (const [how, command] of [
    ["a session of its own", "setsid sh late.sh > /dev/null 2>&1 < /dev/null &"],
    ["a session whose parent is gone", "(setsid nohup sh late.sh > /dev/null 2>&1 < /dev/null &)"],
    ["a daemon that forks twice", `python3 daemon.py`],
  ] as const)
    test(`sees what went on in ${how}, and its stop reaches that`, async (context) => {
      if (command.startsWith("python3") && spawnSync("python3", ["-V"]).status !== 0) return context.skip("no Python");
      const files = {
        "late.sh": "trap 'echo saved > result; exit' TERM\necho $$ > late\nwhile :; do sleep 0.1; done\n",
        "daemon.py":
          "import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nos.execlp('sh', 'sh', 'late.sh')\n",
        "a.sh": `${command}\nwhile [ ! -s late ]; do sleep 0.1; done; [ -e stay ] || exit 0\necho up; while :; do sleep 0.1; done\n`,
      };
      const one = await project(files, "sh a.sh");
      assert.equal(ended(await one.start()).hasLeft, true, "it is left behind");
      const pid = Number(await readFile(join(one.remote, "late"), "utf8"));
      assert.ok(isAlive(pid));
      process.kill(pid, "SIGKILL");
      const other = await project({ ...files, stay: "" }, "sh a.sh");
      const running = other.start();
      await eventually(() => other.printed().includes("up"), "it runs");
      const [run] = (await other.runs.readAll(other.me())).filter(({ plan }) => plan.remote === other.remote);
      assert.ok(run);
      await other.runs.stop(other.machine, run, "TERM", NEVER);
      const over = await running;
      assert.equal(await readFile(join(fetched(over).place, "result"), "utf8"), "saved\n");
      assert.equal(ended(over).hasLeft, undefined);
    });

  for (const [what, profile] of [
    ["starts tmux for whoever logs in", '[ -z "$SSH_CONNECTION" ] || { tmux attach || exit 1; }'],
    ["puts another shell in its place", "exec sh"],
    ["ends the shell", "exit 4"],
    ["ends the shell well", "exit"],
    ["goes elsewhere, and prints", "cd /; set -- a b; echo greetings; HOME=/nowhere"],
  ] as const)
    test(`begins once on a machine whose profile ${what}`, async () => {
      const { start, remote, home } = await project({ "a.sh": "echo again >> count; pwd > where\n" }, "sh a.sh");
      const file = join(home, ".profile");
      const before = await readFile(file, "utf8");
      await writeFile(file, `${profile}\n`);
      try {
        assert.equal(ended(await start()).exit, 0);
      } finally {
        await writeFile(file, before);
      }
      assert.equal(await readFile(join(remote, "count"), "utf8"), "again\n");
      assert.equal(await readFile(join(remote, "where"), "utf8"), `${remote}\n`);
    });

  test("that is asked to stop may save its work first, also behind a second command", async () => {
    const saves = "trap 'sleep 1; echo saved > checkpoint; exit 3' TERM\necho up\nwhile :; do sleep 0.1; done\n";
    const { start, printed, machine, runs, me, remote } = await project({ "a.sh": saves }, "sh a.sh && echo then");
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    await runs.stop(machine, run, "TERM", NEVER);
    const over = await running;
    assert.notEqual(ended(over).exit, 0);
    assert.equal(await readFile(join(fetched(over).place, "checkpoint"), "utf8"), "saved\n");
  });

  test("that doesn't stop is killed, and its exit code says so", async () => {
    const stubborn = "trap : TERM\necho up\nwhile :; do sleep 0.1; done\n";
    const { start, printed, machine, runs, me, remote } = await project({ "a.sh": stubborn }, "sh a.sh; true");
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    await runs.stop(machine, run, "TERM", NEVER);
    await runs.stop(machine, run, "KILL", NEVER);
    assert.ok([137, 143].includes(ended(await running).exit ?? 0));
  });

  test("isn't begun by an order that arrived in part, and can be ordered again", async () => {
    const { me, runs, machine, plan, remote } = await project({ "a.sh": "" }, "echo whole > whole");
    const run = await runs.prepare(me(), machine.id, plan);
    const script = buildRunScript(run.id, plan);
    const order = buildStartCommand(run.id, Buffer.byteLength(script));
    await assert.rejects(askMachine(machine, order, NEVER, script.slice(0, -20)));
    await assert.rejects(askMachine(machine, order, NEVER));
    assert.deepEqual(await readRunState(machine, run.id, NEVER), { kind: "missing" });
    await mkdir(remote, { recursive: true });
    await startRun(machine, run, Date.now(), NEVER);
    await eventually(async () => (await readRunState(machine, run.id, NEVER)).kind === "ended", "it ends");
    assert.equal(await readFile(join(remote, "whole"), "utf8"), "whole\n");
    await runs.forget(run.id);
  });

  test("whose setup fails, or ends the shell, never gets to its command; one that says nothing changes nothing", async () => {
    const { start, printed, plan } = await project({ "a.sh": "" }, "echo command");
    const tell = async (setup: string, command = plan.command) => {
      const { exit, isSetupFailure } = ended(await start({ ...plan, setup, command }));
      return [exit, isSetupFailure];
    };
    assert.deepEqual(await tell("set -e\nfalse\ntrue"), [1, true]);
    assert.deepEqual(await tell("exit 0"), [1, true]);
    assert.deepEqual(await tell("echo 'open"), [2, true]);
    assert.doesNotMatch(printed(), /^command/m);
    for (const setup of [" ", "# none"]) assert.deepEqual(await tell(setup), [0, undefined]);
    assert.match(printed(), /^command/m);
    assert.deepEqual(await tell("true", "exit 5"), [5, undefined], "the command failed, not the setup");
    assert.deepEqual(await tell("set -e; export PATH=/nowhere", "exit 5"), [5, undefined]);
    const lies = 'echo cloud-gpu-answer ended 1 1 setup; : > "$CLOUD_GPU_RUN_FOLDER/setup"; exit 5';
    assert.deepEqual(await tell("true", lies), [5, undefined], "whatever the command says");
  });

  test("that is stopped in its setup was stopped: the setup hasn't failed", async () => {
    const { start, printed, machine, runs, me, plan, remote } = await project({ "a.sh": "" }, "echo command");
    const running = start({ ...plan, setup: "echo set; sleep 600" });
    await eventually(() => /^set$/m.test(printed()), "it is set up");
    const [run] = (await runs.readAll(me())).filter((one) => one.plan.remote === remote);
    assert.ok(run);
    await runs.stop(machine, run, "TERM", NEVER);
    const { exit, isSetupFailure } = ended(await running);
    assert.deepEqual([exit, isSetupFailure], [143, undefined]);
    assert.doesNotMatch(printed(), /^command/m);
  });

  test("of an earlier version, which left no word of its setup, is read as before", async () => {
    const { machine, home, start } = await project({ "a.sh": "" }, "exit 4");
    const { id } = await start();
    const folder = join(home, ".cloud-gpu", "runs", id);
    await writeFile(join(folder, "exit"), "1 2\n");
    await rm(join(folder, "ready"), { force: true });
    const state = { kind: "ended", exit: 1, seconds: 2, hasLeft: false, isLimited: false, isSetupFailure: false };
    assert.deepEqual(await readRunState(machine, id, NEVER), state);
    // A machine that went down in the middle can leave an empty file.
    await writeFile(join(folder, "exit"), "");
    await writeFile(join(folder, "setup"), "");
    assert.deepEqual(await readRunState(machine, id, NEVER), { kind: "lost" });
  });

  /** pip is asked for real, and installs nothing. */
  const PIP = { PIP_DRY_RUN: "1", PIP_NO_INDEX: "1", PIP_NO_BUILD_ISOLATION: "0", PIP_DISABLE_PIP_VERSION_CHECK: "1" };
  const FLAT = { "train.py": "print('trained')\n", "prepare.py": "" };
  const NAMED = '[project]\nname = "job"\nversion = "1"\n';
  for (const [what, files] of Object.entries({
    "several modules side by side": { ...FLAT, "pyproject.toml": NAMED },
    "several packages side by side": { ...FLAT, "pyproject.toml": NAMED, "a/__init__.py": "", "b/__init__.py": "" },
    "a build system that isn't there": {
      ...FLAT,
      "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "no"\n',
    },
    "settings of tools alone": { ...FLAT, "pyproject.toml": "[tool.ruff]\nline-length = 100\n" },
    "a mistake in the file": { ...FLAT, "pyproject.toml": "[project\n" },
    "a requirement that nobody has": {
      ...FLAT,
      "pyproject.toml": `${NAMED}dependencies = ["no-such-package-of-anybody"]\n`,
    },
  }))
    test(`begins although its project can't be installed: ${what}`, { skip: !HAS_PIP }, async () => {
      const { start, printed, plan } = await project(files, "python3 train.py");
      assert.equal(ended(await start({ ...plan, variables: PIP })).exit, 0, printed());
      assert.match(
        printed(),
        /^Installing the project failed, so the command runs without it\.\n\$ python3 train\.py\ntrained$/m,
      );
    });

  test("ends before its command if what a list names can't be installed", { skip: !HAS_PIP }, async () => {
    const files = { ...FLAT, "pyproject.toml": NAMED, "requirements.txt": "no-such-package-of-anybody\n" };
    const { start, printed, plan } = await project(files, "python3 train.py");
    assert.equal(ended(await start({ ...plan, variables: PIP })).exit, 1, printed());
    assert.doesNotMatch(printed(), /^trained/m);
  });

  test("installs what a list names on its machine alone", { skip: !HAS_PIP }, async () => {
    const files = {
      "requirements.txt": `./${WHEEL}\n`,
      "train.py": "import sandbox_probe\nprint(sandbox_probe.where)\n",
    };
    const { start, printed, plan, folder, home } = await project(files, "python3 train.py");
    makeWheel(join(folder, WHEEL));
    assert.equal(ended(await start({ ...plan, variables: { PIP_NO_INDEX: "1" } })).exit, 0, printed());
    assert.ok(printed().includes(`\n${home}/.local/`), printed());
  });

  test("has a record, however long its name is", async () => {
    const { runs, me, machine, plan } = await project({ "a.sh": "" }, "true");
    const run = await runs.prepare(me(), machine.id, { ...plan, name: `${"n".repeat(250)}.py` });
    assert.ok((await runs.readAll(me())).some(({ id }) => id === run.id));
    await runs.forget(run.id);
  });

  test("uploads only what the machine doesn't have as it is here", async () => {
    const files = { "data.bin": "x".repeat(1_500_000), "a.sh": "echo one > made\n", "touched.txt": "here\n" };
    const { start, uploaded, folder, remote, list } = await project(
      files,
      "sh a.sh; sleep 1.1; echo there > touched.txt",
    );
    await start();
    assert.equal(uploaded(), 3);
    const old = await stat(join(folder, "a.sh"));
    await writeFile(join(folder, "a.sh"), "echo two > made\n");
    await utimes(join(folder, "a.sh"), old.atime, new Date(old.mtimeMs - 60_000));
    await start();
    assert.equal(uploaded(), 2, "the script of the same length, and what the command had changed");
    assert.equal(await readFile(join(remote, "made"), "utf8"), "two\n");
    await chmod(join(folder, "data.bin"), 0o755);
    await start();
    assert.equal(uploaded(), 2, "what may be run now, and what the command had changed");
    assert.equal((await stat(join(remote, "data.bin"))).mode & 0o111, 0o111);
    assert.equal(list.files.length, 3);
  });

  test("uploads files of odd times once: from before 1970 and after 2038", async () => {
    const files = { "data.bin": "x".repeat(1_500_000), "old.txt": "old", "new.txt": "new", "far.txt": "far" };
    const { start, uploaded, folder } = await project(files, "true");
    for (const [name, seconds] of [
      ["old.txt", -86_400],
      ["new.txt", 2 ** 31 + 86_400],
      ["far.txt", 2 ** 33],
    ] as const)
      await utimes(join(folder, name), seconds, seconds);
    await start();
    await start();
    assert.equal(uploaded(), 0);
  });

  test("prints bytes as they are, megabytes of them", async () => {
    const { start, printed } = await project(
      { "a.sh": "yes 0123456789 | head -c 3000000; printf '\\377\\000\\033[31m'\n" },
      "sh a.sh",
    );
    await start();
    const text = printed();
    assert.equal(text.length, "$ sh a.sh\n".length + 3_000_000 + 7);
    assert.ok(text.endsWith("\u00ff\u0000\u001b[31m"));
  });

  test("brings names of any kind back, but none that leads elsewhere or that can't be told", async () => {
    const script = [
      "touch -- '-x' 'a b' 'ü' '*'",
      "mkdir -p __pycache__ sub && touch __pycache__/c sub/d",
      "ln -s /etc/hostname link",
      "touch 'new\nline'",
    ];
    const { start } = await project({ "a.sh": `${script.join("\n")}\n` }, "sh a.sh");
    const results = fetched(await start());
    assert.deepEqual((await readdir(results.place)).sort(), ["*", "-x", "a b", "run.log", "sub", "ü"]);
    assert.equal(results.isWhole, false, "one name can't be told");
  });

  test("doesn't follow a link in the place of its results", async () => {
    const { start, folder } = await project({ "a.sh": "echo a > a\n" }, "sh a.sh");
    const elsewhere = await mkdtemp(join(tmpdir(), "cloud-gpu-elsewhere-"));
    cleanUp(() => rm(elsewhere, { recursive: true, force: true }));
    await symlink(elsewhere, join(folder, ".cloud-gpu"));
    const { results } = ended(await start());
    assert.ok(results?.kind === "failed");
    assert.match(results.why, /can't be written/);
    assert.deepEqual(await readdir(elsewhere), []);
  });

  test("whose window was closed during the upload never began, and says so", async () => {
    const { start, runs, leave, me, remote } = await project({ "a.sh": "true\n" }, "sh a.sh");
    leave();
    await assert.rejects(start());
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.match((run && ended(run).why) ?? "", /^Stopped during the upload/);
  });
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
