// A project goes to a machine by the real `ssh`, again and again: what changed here is uploaded, what changed there stays, and a terminal
// installs what it needs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { buildSshArguments } from "../../../src/domain/connection/ssh-command.ts";
import type { ProjectEnvironment } from "../../../src/domain/run/environment.ts";
import { buildEnterCommand, type ProjectSetup } from "../../../src/domain/run/project-there.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { sendProject, toProjectPlace } from "../../../src/services/run/project/send-project.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { findFreePlace } from "../../../src/services/transfer/suggest-place.ts";
import { listOtherPlaces, rememberAgreed } from "../../../src/services/transfer/upload-memory.ts";
import { hasPip } from "../../probe-wheel.ts";
import { NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually } from "../support.ts";

const REQUIREMENTS: ProjectEnvironment = { kind: "requirements", file: "requirements.txt" };
const ME = { name: "Ada $(id) O'Neil", email: "ada@example.com" };
const HAS_HTTP = /usage: git remote-/.test(spawnSync("git", ["remote-http"], { encoding: "utf8" }).stderr ?? "");
const HAS_GIT = spawnSync("git", ["--version"], { stdio: "ignore" }).status === 0;

let machine: Awaited<ReturnType<typeof openMachine>>;
before(async () => {
  if (!skip) machine = await openMachine(await signInForRuns());
});

let made = 0;
async function makeProject(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), "it's a project "));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  made += 1;
  const remote = `${machine.home}/workspace/it's ${made}`;
  const write = async (root: string, name: string, text: string, secondsAgo = 0) => {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    const at = Date.now() / 1000 - secondsAgo;
    await utimes(path, at, at);
  };
  for (const [name, text] of Object.entries(files)) await write(folder, name, text, 1000);
  const open = async (setup: ProjectSetup = {}) => {
    const list = await listUpload(folder, NEVER, () => undefined);
    return await sendProject({ machine: machine.machine, folder, list, remote }, setup, NEVER, () => undefined);
  };
  const there = (name: string) => readFile(join(remote, name), "utf8");
  return {
    ...{ folder, remote, open, there },
    change: (name: string, text: string, secondsAgo?: number) => write(folder, name, text, secondsAgo),
    changeThere: (name: string, text: string, secondsAgo?: number) => write(remote, name, text, secondsAgo),
  };
}

/** A terminal as the person sees it. */
function openTerminal(remote: string) {
  const { program, login } = machine.alone;
  const ssh = startSsh(program, ["-tt", ...buildSshArguments(login), buildEnterCommand(toProjectPlace(remote))]);
  let seen = "";
  ssh.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text;
  });
  const shows = (text: RegExp) => eventually(() => text.test(seen), `the terminal shows ${text}`);
  /** What is typed before a prompt waits for it may be dropped. */
  const type = async (text: string) => {
    await shows(/[#$] $/);
    ssh.stdin.write(`${text}\r`);
  };
  return { ...ssh, shows, type, read: () => seen };
}

describe("a project on a machine", { skip }, () => {
  test("is found there the next time, and only what changed is uploaded", async () => {
    const { open, there, change } = await makeProject({ "a.py": "1", "sub/two words.py": "2", "run.sh": "3" });
    assert.equal((await open()).sent.files, 3);
    assert.equal((await open()).sent.files, 0);
    await change("a.py", "one");
    const { sent, kept } = await open();
    assert.deepEqual([sent.files, kept, await there("a.py")], [1, [], "one"]);
    await change("a.py", "uno", 500);
    assert.equal((await open()).sent.files, 1, "an older time is a change as well");
    assert.equal(await there("sub/two words.py"), "2");
  });

  test("keeps what was changed there, however often it is opened, and says so", async () => {
    const { open, there, change, changeThere } = await makeProject({ "a.py": "1", "b.py": "2" });
    await open();
    await changeThere("a.py", "edited there", 300);
    assert.deepEqual((await open()).kept, ["a.py"]);
    await change("a.py", "edited here", 100);
    await change("b.py", "edited here", 100);
    for (let turn = 0; turn < 2; turn += 1) {
      const { kept } = await open();
      assert.deepEqual(kept, ["a.py"]);
    }
    assert.equal(await there("a.py"), "edited there");
    assert.equal(await there("b.py"), "edited here");
  });

  test("keeps files that came another way and are different", async () => {
    const { open, there, change, changeThere } = await makeProject({});
    for (const name of ["older.py", "later.py"]) await changeThere(name, "there", 500);
    await change("older.py", "here", 900);
    await change("later.py", "here", 100);
    assert.deepEqual((await open()).kept.toSorted(), ["later.py", "older.py"]);
    assert.deepEqual([await there("older.py"), await there("later.py")], ["there", "there"]);
  });

  test("that was deleted there comes back, and one that was opened in part is completed", async () => {
    const { open, remote, there } = await makeProject({ "a.py": "1", "b.py": "2" });
    await open();
    await rm(remote, { recursive: true });
    assert.equal((await open()).sent.files, 2);
    await rm(join(remote, "b.py"));
    assert.equal((await open()).sent.files, 1);
    assert.equal(await there("b.py"), "2");
  });

  test("without a file is a folder there", async () => {
    const { open, remote } = await makeProject({});
    assert.deepEqual(await open(), {
      ...{ sent: { files: 0, bytes: 0, changed: [], missing: [] }, kept: [] },
      ...{ environment: "none", hasIdentity: false, lacksHistory: false, branch: undefined },
    });
    assert.ok((await stat(remote)).isDirectory());
  });

  test("leaves keys and .env here", async () => {
    const { open, remote } = await makeProject({ ".env": "A=1", id_rsa: "k", "a.py": "1" });
    assert.equal((await open()).sent.files, 1);
    await assert.rejects(stat(join(remote, ".env")));
  });

  test("has git's name and address there only if it had none", { skip: !HAS_GIT && "needs git" }, async () => {
    const { open } = await makeProject({ "a.py": "1" });
    const config = join(machine.home, ".gitconfig");
    assert.equal((await open({ identity: ME })).hasIdentity, true);
    const get = (name: string) =>
      spawnSync("git", ["config", "--file", config, name], { encoding: "utf8" }).stdout.trim();
    assert.deepEqual([get("user.name"), get("user.email")], [ME.name, ME.email]);
    assert.equal((await open({ identity: { ...ME, name: "other" } })).hasIdentity, false);
    assert.equal(get("user.name"), ME.name);
  });

  test("doesn't go where another folder of the same name went", async () => {
    const { sshMachines, alone } = machine;
    const { alias } = alone.login;
    const size = { usual: "/w", files: 1, bytes: 1 };
    await rememberAgreed(sshMachines, alias, "/a/project", { to: "/w/project", ...size });
    const place = async (folder: string) =>
      findFreePlace("/w", folder, await listOtherPlaces(sshMachines, alias, folder));
    assert.equal(await place("/a/project"), "/w/project");
    assert.equal(await place("/b/project"), "/w/project-2");
  });
});

/** A repository that is served as files, with one commit. Nothing is answered before `until`. */
async function serveRepository(until: Promise<void> = Promise.resolve(), status = 404) {
  const root = await mkdtemp(join(tmpdir(), "cloud-gpu-served-"));
  cleanUp(() => rm(root, { recursive: true, force: true }));
  const work = join(root, "work");
  const git = (...args: readonly string[]) => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    const done = spawnSync("git", [...who, "-C", work, ...args], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
  };
  await mkdir(work);
  git("init", "-q", "-b", "main");
  await writeFile(join(work, "a.py"), "1");
  await writeFile(join(work, ".env"), "A=1");
  await symlink("a.py", join(work, "link.py"));
  git("add", "-f", "a.py", ".env", "link.py");
  git("commit", "-q", "-m", "first");
  git("clone", "-q", "--bare", ".", join(root, "x.git"));
  spawnSync("git", ["-C", join(root, "x.git"), "update-server-info"]);
  const server = createServer(async (request, response) => {
    await until;
    await readFile(join(root, new URL(request.url ?? "", "http://a").pathname)).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(status, { "www-authenticate": 'Basic realm="x"' }).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/x.git`, branch: "main", commit: git("rev-parse", "HEAD") };
}

const ask = (remote: string, ...args: readonly string[]) =>
  spawnSync("git", ["-C", remote, ...args], { encoding: "utf8" }).stdout.trim();
const listParts = async (remote: string) => (await readdir(remote)).filter((name) => name.startsWith(".git"));

describe("its history", { skip: skip || (!HAS_HTTP && "needs git with HTTP") }, () => {
  test("is fetched in its terminal, and what was uploaded is compared with it", async () => {
    const origin = await serveRepository();
    const { open, remote, change, changeThere } = await makeProject({ "a.py": "1", "new.py": "2", ".env": "A=1" });
    assert.equal((await open({ origin })).lacksHistory, true);
    const terminal = openTerminal(remote);
    await terminal.shows(/Fetching the history of 127\.0\.0\.1/);
    await terminal.type("true");
    assert.equal(ask(remote, "rev-parse", "HEAD"), origin.commit);
    assert.equal(ask(remote, "status", "--porcelain"), "?? new.py", "what wasn't uploaded wasn't deleted");
    assert.equal(ask(remote, "rev-parse", "--abbrev-ref", "main@{upstream}"), "origin/main");
    assert.equal(ask(remote, "rev-parse", "--show-toplevel"), await realpath(remote));
    assert.deepEqual([ask(remote, "log", "--format=%s"), ask(remote, "fsck", "--strict")], ["first", ""]);
    assert.deepEqual([ask(remote, "config", "core.bare"), ask(remote, "config", "core.worktree")], ["false", ""]);
    assert.deepEqual(await listParts(remote), [".git"]);
    terminal.stop();
    await change("a.py", "changed");
    const { lacksHistory, branch } = await open({ origin });
    assert.deepEqual([lacksHistory, branch], [false, "main"], "once");
    assert.match(ask(remote, "status", "--porcelain"), /^M a\.py/m);
    await changeThere(".env", "A=2");
    assert.match(ask(remote, "status", "--porcelain"), /M \.env$/m);
    ask(remote, "checkout", "-q", "-b", "feat/other");
    assert.equal((await open()).branch, "feat/other");
  });

  test("is left out where it can't be fetched, once for each address, and the files stay", async () => {
    const origin = await serveRepository();
    const none = { ...origin, url: origin.url.replace("x.git", "none.git") };
    for (const wrong of [none, { ...origin, commit: "0123456789".repeat(4) }]) {
      const { open, remote, there } = await makeProject({ "a.py": "1" });
      assert.equal((await open({ origin: wrong })).lacksHistory, true);
      const terminal = openTerminal(remote);
      await terminal.shows(/wasn't fetched, so git doesn't know this folder/);
      await terminal.type("echo still-$((40 + 2))");
      await terminal.shows(/still-42/);
      assert.equal(await there("a.py"), "1");
      assert.deepEqual(await listParts(remote), []);
      terminal.stop();
      assert.equal((await open({ origin: wrong })).lacksHistory, false);
      const again = openTerminal(remote);
      await again.type("echo shell-$((40 + 2))");
      await again.shows(/shell-42/);
      assert.doesNotMatch(again.read(), /history/);
      again.stop();
      assert.equal((await open({ origin: { ...wrong, url: `${wrong.url}/other` } })).lacksHistory, true);
    }
  });

  test("is left out with Ctrl+C, and nothing of it stays if its terminal closes", async () => {
    const waiting = Promise.withResolvers<void>();
    const origin = await serveRepository(waiting.promise);
    const { open, remote } = await makeProject({ "a.py": "1" });
    await open({ origin });
    for (const isClosed of [true, false]) {
      const terminal = openTerminal(remote);
      await terminal.shows(/Fetching the history/);
      await eventually(async () => (await listParts(remote)).length === 1, "it is being fetched");
      // One that comes just as the shell starts a program may be lost, so a person presses it again.
      const leave = () => (isClosed ? terminal.stop() : terminal.stdin.write("\u0003"));
      leave();
      const again = setInterval(leave, 2000);
      await eventually(async () => (await listParts(remote)).length === 0, "nothing of it is left");
      clearInterval(again);
      if (isClosed) continue;
      await terminal.shows(/wasn't fetched, so git doesn't know this folder/);
      await terminal.type("echo still-$((40 + 2))");
      await terminal.shows(/still-42/);
      terminal.stop();
    }
    assert.equal((await open({ origin })).lacksHistory, false);
    waiting.resolve();
  });

  test("gives way to a repository that came into being in the meantime", async () => {
    const waiting = Promise.withResolvers<void>();
    const origin = await serveRepository(waiting.promise);
    const { open, remote } = await makeProject({ "a.py": "1" });
    await open({ origin });
    const terminal = openTerminal(remote);
    await eventually(async () => (await listParts(remote)).length === 1, "it is being fetched");
    ask(remote, "init", "-q", "-b", "mine");
    ask(remote, "add", "a.py");
    waiting.resolve();
    await terminal.type("true");
    assert.deepEqual(await listParts(remote), [".git"]);
    assert.equal(ask(remote, "status", "--porcelain"), "A  a.py");
    await assert.rejects(stat(join(remote, ".git/.git")));
    assert.doesNotMatch(terminal.read(), /wasn't fetched/);
    terminal.stop();
    assert.equal((await open({ origin })).branch, "mine");
  });

  test("isn't asked for with credentials, whatever git is told there", async () => {
    const origin = await serveRepository(undefined, 401);
    const url = origin.url.replace("x.git", "private.git");
    const [asked, config] = [join(machine.home, "asked"), join(machine.home, ".gitconfig")];
    const given = {
      "core.askPass": `touch "${asked}"; echo`,
      "credential.helper": `!touch "${asked}"; echo password=x; echo username=x`,
      [`url.ext::touch ${asked} .insteadOf`]: url.slice(0, -1),
    };
    for (const [name, value] of Object.entries(given)) spawnSync("git", ["config", "--file", config, name, value]);
    const { open, remote } = await makeProject({ "a.py": "1" });
    await open({ origin: { ...origin, url } });
    const terminal = openTerminal(remote);
    await terminal.shows(/wasn't fetched, so git doesn't know this folder/);
    terminal.stop();
    for (const name of Object.keys(given)) spawnSync("git", ["config", "--file", config, "--unset", name]);
    await assert.rejects(stat(asked));
    assert.match(terminal.read(), /terminal prompts disabled/);
  });
});

describe("its terminal", { skip: skip || (!hasPip() && "needs python3 with pip") }, () => {
  const setup = { environment: REQUIREMENTS };

  test("installs what it needs, and it is known the next time", async () => {
    const { open, remote } = await makeProject({ "requirements.txt": "# none\n", "a.py": "print('hello')" });
    assert.equal((await open(setup)).environment, "missing");
    const terminal = openTerminal(remote);
    await terminal.shows(/What the project needs is installed\. Its Python is \.venv\/bin\/python\./);
    terminal.stop();
    assert.equal((await open(setup)).environment, "made");
  });

  test("installs before it fetches the history", { skip: !HAS_HTTP && "needs git with HTTP" }, async () => {
    const waiting = Promise.withResolvers<void>();
    const origin = await serveRepository(waiting.promise);
    const { open, remote } = await makeProject({ "requirements.txt": "# none\n" });
    await open({ ...setup, origin });
    const terminal = openTerminal(remote);
    await terminal.shows(/What the project needs is installed[\s\S]*Fetching the history/);
    waiting.resolve();
    await eventually(() => ask(remote, "rev-parse", "HEAD") === origin.commit, "it is there");
    terminal.stop();
  });

  test("warns if that fails, with what to run again, and is a shell all the same", async () => {
    const { open, remote, change } = await makeProject({ "requirements.txt": "./no-such-wheel.whl\n" });
    await open(setup);
    const terminal = openTerminal(remote);
    await terminal.shows(
      /couldn't be installed\. Its files are here\. To try again, run: sh ~\/\.cloud-gpu\/projects\/\w+\/enter\.sh/,
    );
    await terminal.type("echo still-$((40 + 2))");
    await terminal.shows(/still-42/);
    await change("requirements.txt", "# none\n");
    await open(setup);
    await terminal.type(buildEnterCommand(toProjectPlace(remote)));
    await terminal.shows(/What the project needs is installed/);
    terminal.stop();
  });

  /** One whose installation waits for someone who writes into a pipe. */
  async function makeSlow() {
    const project = await makeProject({ "requirements.txt": "-r more.txt\n" });
    await project.open(setup);
    const more = join(project.remote, "more.txt");
    assert.equal(spawnSync("mkfifo", [more]).status, 0);
    return { ...project, more };
  }

  test("that is closed leaves the installation going on, and the next one shows it", async () => {
    const { remote, more } = await makeSlow();
    const first = openTerminal(remote);
    await first.shows(/pip install .*-r requirements\.txt/);
    first.stop();
    await first.ended;
    const second = openTerminal(remote);
    await second.shows(/pip install .*-r requirements\.txt/);
    await writeFile(more, "./no-such-wheel.whl\n");
    await second.shows(/couldn't be installed/);
    second.stop();
  });

  test("stops the installation with Ctrl+C, and says how to go on", async () => {
    const { remote } = await makeSlow();
    const terminal = openTerminal(remote);
    await terminal.shows(/pip install .*-r requirements\.txt/);
    terminal.stdin.write("\u0003");
    await terminal.shows(/The installation was stopped\. To go on with it, run: sh ~/);
    terminal.stop();
  });
});
