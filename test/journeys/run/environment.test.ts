// A project's environment stands beside what an image has, and never in its place: tried with the Python and pip of this computer, without
// a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { ProjectEnvironment } from "../../../src/domain/run/environment.ts";
import { buildEnvironmentScript } from "../../../src/domain/run/environment-script.ts";
import { hasPip, makeWheel, WHEEL } from "../../probe-wheel.ts";

const hasVenv = spawnSync("python3", ["-c", "import venv, ensurepip"], { stdio: "ignore" }).status === 0;
const skip = !(hasPip() && hasVenv) && "needs python3 with pip and venv";
const root = realpathSync(mkdtempSync(join(tmpdir(), "it's an image ")));
after(() => rmSync(root, { recursive: true, force: true }));

const ENV = { PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", PATH: process.env.PATH ?? "" };
const NEWER = WHEEL.replace("1.0", "2.0");
const REQUIREMENTS: ProjectEnvironment = { kind: "requirements", file: "requirements.txt" };

function call(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: { ...ENV, ...env }, encoding: "utf8" });
  return { status, out: stdout.trim(), said: stdout + stderr };
}

function must(program: string, args: readonly string[], cwd: string): string {
  const { status, out, said } = call(program, args, cwd);
  assert.equal(status, 0, said);
  return out;
}

let made = 0;
/** An image whose Python is in an environment, as many are, with a package in it, and a project. */
function makeImage(files: Readonly<Record<string, string>>, hasTorch = true) {
  made += 1;
  const home = join(root, String(made));
  const [image, project] = [join(home, "venv"), join(home, "a project")];
  mkdirSync(project, { recursive: true });
  makeWheel(join(home, WHEEL));
  makeWheel(join(home, NEWER), "2.0");
  must("python3", ["-m", "venv", image], home);
  const python = join(image, "bin", "python");
  must(python, ["-m", "pip", "install", "-q", join(home, WHEEL)], home);
  if (hasTorch) {
    const site = must(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home);
    writeFileSync(join(site, "torch.py"), "version = 'of the image'\n");
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const done = join(home, "done");
  const install = (environment = REQUIREMENTS) =>
    call("sh", ["-c", buildEnvironmentScript(environment, `'${done.replaceAll("'", String.raw`'\''`)}'`)], project, {
      HOME: home,
      VIRTUAL_ENV: image,
    });
  const ask = (program: string, code: string) => call(program, ["-c", code], project).out;
  const own = join(project, ".venv", "bin", "python");
  const versionIn = (program: string) =>
    ask(program, "import importlib.metadata as m; print(m.version('sandbox-probe'))");
  return { home, image, project, python, own, install, ask, versionIn };
}

describe("an environment beside the image's", { skip }, () => {
  test("keeps what the image has, and installs nothing of it again", () => {
    const { own, install, ask, image } = makeImage({ "requirements.txt": "sandbox-probe\n" });
    const { status, said } = install();
    assert.equal(status, 0, said);
    assert.match(said, /Requirement already satisfied: sandbox-probe/);
    assert.equal(ask(own, "import torch; print(torch.version)"), "of the image");
    assert.ok(ask(own, "import sandbox_probe; print(sandbox_probe.where)").startsWith(`${image}/`));
  });

  test("has another version where the project says so, and the image's stays as it is", () => {
    const { python, own, install, versionIn, home } = makeImage({ "requirements.txt": `../${NEWER}\n` });
    const { status, said } = install();
    assert.equal(status, 0, said);
    assert.equal(versionIn(own), "2.0");
    assert.equal(versionIn(python), "1.0");
    assert.deepEqual(readdirSync(home).includes("done"), true);
  });

  test("isn't made again as long as its files say the same", () => {
    const { install, project } = makeImage({ "requirements.txt": "sandbox-probe\n" });
    assert.equal(install().status, 0);
    assert.match(install().said, /^What requirements\.txt says is installed already\.$/m);
    writeFileSync(join(project, "requirements.txt"), `sandbox-probe\n../${NEWER}\n`);
    assert.doesNotMatch(install().said, /installed already/);
  });

  test("that failed, or was cut off, goes on the next time", () => {
    const { install, project, own, ask } = makeImage({ "requirements.txt": "no-such-package\n" });
    const failed = install();
    assert.notEqual(failed.status, 0);
    assert.match(failed.said, /no-such-package/);
    assert.equal(ask(own, "import torch; print(1)"), "1", "what there is can be used");
    assert.notEqual(install().status, 0, "and it isn't taken for done");
    writeFileSync(join(project, "requirements.txt"), "sandbox-probe\n");
    assert.equal(install().status, 0);
  });

  test("of another computer is made anew, and one that works is kept", () => {
    const { install, project, own } = makeImage({ "requirements.txt": "sandbox-probe\n" });
    mkdirSync(join(project, ".venv", "bin"), { recursive: true });
    symlinkSync("/no/such/python", join(project, ".venv", "bin", "python"));
    writeFileSync(join(project, ".venv", "of-a-laptop"), "");
    assert.equal(install().status, 0);
    assert.ok(!existsSync(join(project, ".venv", "of-a-laptop")));
    writeFileSync(join(project, ".venv", "mine"), "");
    writeFileSync(join(project, "requirements.txt"), "sandbox-probe\n\n");
    assert.equal(install().status, 0);
    assert.ok(existsSync(join(project, ".venv", "mine")) && existsSync(own));
  });

  test("that was begun and not finished is made anew", () => {
    const { install, project, home, own, ask } = makeImage({ "requirements.txt": "sandbox-probe\n" });
    must("python3", ["-m", "venv", "--without-pip", ".venv"], project);
    writeFileSync(join(home, "done.begun"), "");
    const { status, said } = install();
    assert.equal(status, 0, said);
    assert.equal(ask(own, "import torch; print(torch.version)"), "of the image");
    assert.ok(!existsSync(join(home, "done.begun")));
  });

  test("is looked at again where its file names another one", () => {
    const { install, project } = makeImage({ "requirements.txt": "-r base.txt\n", "base.txt": "sandbox-probe\n" });
    assert.equal(install().status, 0);
    writeFileSync(join(project, "base.txt"), `../${NEWER}\n`);
    assert.doesNotMatch(install().said, /installed already/);
  });

  test("has the project itself where that can be installed, and says why where it can't", () => {
    const { install, own, versionIn } = makeImage({ "pyproject.toml": "[tool.ruff]\n" });
    const failed = install({ kind: "project", file: "pyproject.toml" });
    assert.notEqual(failed.status, 0);
    assert.ok(failed.said.length > 0);
    assert.equal(versionIn(own), "1.0");
  });

  test("needs conda for what is written for it, and never updates the image's own", () => {
    const { install, home } = makeImage({ "environment.yml": "name: a\n" });
    const programs = join(home, ".local", "bin");
    const conda: ProjectEnvironment = { kind: "conda", file: "environment.yml" };
    const hasConda = call("sh", ["-c", "command -v conda || command -v mamba"], home).status === 0;
    if (!hasConda) assert.match(install(conda).said, /^This machine has no conda\./m);
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, "mamba"), '#!/bin/sh\necho "called: $*"; mkdir -p .conda/conda-meta\n', {
      mode: 0o755,
    });
    assert.match(install(conda).said, /^called: env create -q -p \.\/\.conda -f environment\.yml$/m);
    assert.match(install(conda).said, /installed already/);
  });
});

for (const tool of ["uv", "poetry"] as const) {
  const isThere = spawnSync(tool, ["--version"], { stdio: "ignore" }).status === 0;
  test(`a lock of ${tool} is installed as it says`, { skip: skip || (!isThere && `needs ${tool}`) }, () => {
    const project = "[project]\nname = 'a'\nversion = '1'\nrequires-python = '>=3.8'\ndependencies = []\n";
    const { install, project: folder, own, ask } = makeImage({ "pyproject.toml": project });
    must(tool, ["lock"], folder);
    const { status, said } = install({ kind: tool, file: `${tool}.lock` });
    assert.equal(status, 0, said);
    assert.equal(ask(own, "import torch; print(torch.version)"), "of the image");
  });
}
