// The programs of the sandbox's machines that stand before those of this computer.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { findSetup } from "../../../src/domain/run/environment.ts";
import { noteAhead, writeOwnPrograms } from "../../../src/sandbox/ssh/own-programs.ts";
import { hasPip, makeWheel, WHEEL } from "../../probe-wheel.ts";

const SYSTEM = "/usr/bin/python3";
/** Where the system manages its Python, pip refuses to install into it. */
const isManaged = globSync("/usr/lib/python3*/EXTERNALLY-MANAGED").length > 0 && hasPip(SYSTEM);
const setup = findSetup(["requirements.txt"]);

const skip = process.platform === "win32" && "needs a POSIX shell";
const folders: string[] = [];
let home: string;
let programs: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "it's a machine ")));
  folders.push(home);
  programs = join(home, ".local", "bin");
  mkdirSync(programs, { recursive: true });
});
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** In the machine's home; `path` are the programs of this computer. */
function run(command: string, path: string, more: Readonly<Record<string, string>> = {}) {
  const env = { HOME: home, PATH: path, PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", ...more };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { cwd: home, env, encoding: "utf8" });
  return { status, said: stdout.trim(), err: stderr };
}

function requireProbe(): void {
  makeWheel(join(home, WHEEL));
  writeFileSync(join(home, "requirements.txt"), `./${WHEEL}\n`);
}

const WHERE = `python3 -c 'import sandbox_probe; print(sandbox_probe.where)'`;
const pythons: readonly (readonly [name: string, path: string, skip: string | false])[] = [
  ["the usual Python", process.env.PATH ?? "", !hasPip() && "needs python3 with pip"],
  ["a Python that the system manages", "/usr/bin:/bin", !isManaged && "needs a python3 that the system manages"],
];

for (const [name, path, lacks] of pythons)
  describe(`${name} on a machine of the sandbox`, { skip: skip || lacks }, () => {
    const commands = [setup, `pip3 install ./${WHEEL}`];
    for (const command of commands)
      test(`installs into the machine's folder, and nowhere else: ${command}`, async () => {
        requireProbe();
        await writeOwnPrograms(programs, home, path);
        const { status, said, err } = run(`${command} >/dev/null && ${WHERE}`, `${programs}:${path}`);
        assert.equal(status, 0, err);
        assert.ok(said.startsWith(`${home}/`), said);
        assert.notEqual(run(WHERE, path, { HOME: dirname(home) }).status, 0, "others don't have it");
      });

    test("other calls are passed on as they are", async () => {
      await writeOwnPrograms(programs, home, path);
      const inside = `${programs}:${path}`;
      assert.equal(run(`python3 -c 'import sys; print(sys.argv[1:])' "a  b" '' '*'`, inside).said, "['a  b', '', '*']");
      assert.equal(run("echo 'print(7)' | python3", inside).said, "7");
      assert.equal(run("python3 -c 'raise SystemExit(5)'", inside).status, 5);
      assert.match(run("pip --version", inside).said, /^pip \d/);
    });

    test("an environment that was made there is installed into", async (t) => {
      requireProbe();
      await writeOwnPrograms(programs, home, path);
      const inside = `${programs}:${path}`;
      if (run("python3 -m venv own", inside).status !== 0) return t.skip("needs venv");
      const { said, err } = run(`. own/bin/activate && ${setup} && ${WHERE}`, inside);
      assert.ok(said.startsWith(`${home}/own/`), err || said);
    });
  });

test("on a rented machine, the suggested setup works where the system manages the Python", {
  skip: skip || (!isManaged && "needs a python3 that the system manages"),
}, () => {
  requireProbe();
  // Into the home, so that this computer's own stays as it is. Pip refuses that, too.
  const user = { PIP_USER: "1" };
  const refused = run(setup.replace(/^\S+=1 /, ""), "/usr/bin:/bin", user);
  assert.match(refused.err, /externally-managed-environment/);
  const { status, err } = run(setup, "/usr/bin:/bin", user);
  assert.equal(status, 0, err);
});

test("a computer without Python has none on its machines", { skip }, async () => {
  const bare = join(home, "bare");
  mkdirSync(bare);
  await writeOwnPrograms(programs, home, bare);
  assert.deepEqual(globSync("*", { cwd: programs }), []);
});

test("the clock of a machine is ahead by what was skipped", { skip }, async () => {
  await writeOwnPrograms(programs, home, "/usr/bin:/bin");
  const inside = `${programs}:/usr/bin:/bin`;
  const ahead = () => {
    const { said } = run("date +%s; /bin/date +%s", inside);
    const [machine = 0, computer = 0] = said.split("\n").map(Number);
    return Math.round((machine - computer) / 60);
  };
  assert.equal(ahead(), 0);
  await noteAhead(home, 3600);
  assert.equal(ahead(), 60);
  await noteAhead(home, 7200);
  assert.equal(ahead(), 120);
  assert.match(run("date", inside).said, /\d\d:\d\d/);
  assert.equal(run("date -u -r / +%Y >/dev/null && date '+%Y x'", inside).status, 0);
});
