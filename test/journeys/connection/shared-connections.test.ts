// Connections that commands share, by the real `ssh`: the second command logs in no more, and none outlives what it is for.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildShellCommand } from "../../../src/domain/connection/machine-answer.ts";
import { buildShareArguments } from "../../../src/domain/connection/ssh-command.ts";
import type { IdleRule } from "../../../src/domain/instance/idle.ts";
import { type Clock, realClock, sleep } from "../../../src/lib/clock.ts";
import { askMachine } from "../../../src/services/connection/ask-machine.ts";
import { findOpen, prepareLogin } from "../../../src/services/connection/prepare-login.ts";
import { type MachineLogin, withCommand } from "../../../src/services/connection/run-there.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { uploadFiles } from "../../../src/services/transfer/upload.ts";
import { eventually, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const skip = (!HAS_SSH || process.platform === "win32") && "needs OpenSSH that can share connections";
const NEVER = new AbortController().signal;

/** A window of its own with a machine that runs: its account may be left, and its time may pass faster. */
async function rent(
  clock: Clock = realClock,
  proxyCommand: () => string | undefined = () => undefined,
  rule: IdleRule = { minutes: 0, percent: 10 },
) {
  const window = await signedIn({ ssh: true }, { clock, proxyCommand, idleRule: () => rule });
  const { world } = window.service;
  for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  const key = join(window.userData.root, "ssh", "id_ed25519");
  await mkdir(dirname(key), { recursive: true });
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "mine", "-f", key]).status, 0);
  const id = await rentElsewhere(window);
  const stored = world.listInstances().find((one) => one.id === id);
  assert.ok(stored);
  await eventually(() => world.toRecord(stored).actual_status === "running", "it runs");
  const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "mine");
  assert.ok(mine);
  await window.connections.addKey(window.me(), id, mine);
  const { program, login, admitted } = await prepareLogin(window, window.me(), id, NEVER);
  assert.equal(typeof admitted === "object" && admitted.comment, "mine");
  const machine: MachineLogin = { id, program, login: { ...login, identity: key } };
  const open = (signal = NEVER) => window.sharedConnections.open(window.me(), machine, signal);
  return { ...window, stored, machine, open };
}

/** What a command on the machine prints, and how it ends. */
async function say(machine: MachineLogin, command: string, then: () => void = () => undefined) {
  return await withCommand(machine, command, NEVER, async (running) => {
    let out = "";
    running.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      then();
    });
    running.stdin.end();
    const { code, err } = await running.ended;
    return { out, code, err };
  });
}

const socketOf = ({ login }: MachineLogin) => login.shared ?? assert.fail("the connection is not shared");

test("the second command logs in no more; where the connection is gone, it makes one of its own", {
  skip,
}, async () => {
  const { open, machine, stored, sharedConnections, me } = await rent();
  const shared = await open();
  assert.equal((await open()).login.shared, shared.login.shared, "who asks again gets the same one");
  assert.equal(sharedConnections.find(me(), machine.id), shared);
  const keys = stored.sshKeys;
  stored.sshKeys = [];
  assert.equal((await say(machine, "echo alone")).code, 255, "a new login is refused");
  assert.deepEqual(await say(shared, "echo shared; exit 3"), { out: "shared\n", code: 3, err: "" });
  const both = await Promise.all([say(shared, "echo one"), say(shared, "echo two")]);
  assert.deepEqual(
    both.map(({ out }) => out),
    ["one\n", "two\n"],
  );
  stored.sshKeys = keys;
  sharedConnections.dispose();
  await eventually(() => !existsSync(socketOf(shared)), "its socket is gone");
  assert.deepEqual(await say(shared, "echo again"), { out: "again\n", code: 0, err: "" });
});

test("two who ask at once share one, and who leaves doesn't end it for the other", { skip }, async () => {
  const { open } = await rent();
  const abort = new AbortController();
  const [left, stayed] = [open(abort.signal), open()];
  abort.abort(new Error("left"));
  await assert.rejects(left, /left/);
  assert.equal((await say(await stayed, "echo here")).out, "here\n");
  assert.equal((await open()).login.shared, (await stayed).login.shared);
});

test("a machine that admits no key of ours says so, and the next try is a new one", { skip }, async () => {
  const { open, stored } = await rent();
  const keys = stored.sshKeys;
  stored.sshKeys = [];
  await assert.rejects(open(), { kind: "rejected", message: /couldn't log in to instance \d+ without a prompt/ });
  stored.sshKeys = keys;
  assert.equal((await say(await open(), "echo in")).out, "in\n");
});

test("it ends with the account, and another account never gets it", { skip }, async () => {
  const { open, session, service, sharedConnections, machine } = await rent();
  const shared = await open();
  await session.signOut();
  await eventually(() => !existsSync(socketOf(shared)), "its socket is gone");
  await session.signIn(service.url, service.apiKey);
  assert.equal(sharedConnections.find(session.requireSignedIn(), machine.id), undefined);
});

test("an account that is left while it is opened has none afterwards", { skip }, async () => {
  const { open, session } = await rent();
  const opening = open();
  await session.signOut();
  await assert.rejects(opening);
});

test("it ends with its machine", { skip }, async () => {
  const { open, instances, sharedConnections, machine, me, stop } = await rent();
  const shared = await open();
  await instances.collection.refresh();
  assert.ok(sharedConnections.find(me(), machine.id), "a list that says that it runs ends nothing");
  await stop(machine.id);
  await instances.collection.refresh();
  assert.equal(sharedConnections.find(me(), machine.id), undefined);
  await eventually(() => !existsSync(socketOf(shared)), "its socket is gone");
});

/** A clock on which a minute is soon over, and nothing else is faster. */
const impatient: Clock = { ...realClock, sleep: (ms, signal) => sleep(ms === 60_000 ? 1000 : ms, signal) };

test("one that nobody used for a minute ends, and what runs by it goes on to its end", { skip }, async () => {
  const { open, sharedConnections, machine, me } = await rent(impatient);
  const shared = await open();
  let isOver = false;
  const long = say(shared, "echo begun; while [ ! -e go ]; do sleep 0.1; done; echo ended").finally(() => {
    isOver = true;
  });
  const isLeft = () => sharedConnections.find(me(), machine.id) === undefined;
  await eventually(async () => {
    await sleep(1500);
    return isLeft();
  }, "nobody used it");
  assert.equal(isOver, false);
  assert.equal((await say(shared, "touch go")).code, 0);
  assert.deepEqual(await long, { out: "begun\nended\n", code: 0, err: "" });
  await eventually(() => !existsSync(socketOf(shared)), "its socket is gone");
});

test("a connection that breaks is found to be gone, and the next one is new", { skip }, async () => {
  const { open, sharedConnections, machine, me } = await rent();
  const shared = await open();
  spawnSync("ssh", ["-o", `ControlPath=${socketOf(shared)}`, "-O", "exit", "--", "nobody"]);
  await eventually(() => sharedConnections.find(me(), machine.id) === undefined, "it is seen to be gone");
  const next = await open();
  assert.notEqual(next.login.shared, shared.login.shared);
  assert.equal((await say(next, "echo new")).out, "new\n");
});

test("it ends with the program that opened it, even if that is killed", { skip }, async (context) => {
  const { machine, userData } = await rent();
  const socket = join(userData.root, "s");
  const script = `
    import { startSsh } from ${JSON.stringify(new URL("../../../src/services/connection/ssh/ssh-program.ts", import.meta.url).href)};
    startSsh(${JSON.stringify(machine.program)}, ${JSON.stringify(buildShareArguments(machine.login, socket))});
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  context.after(() => child.kill("SIGKILL"));
  await eventually(() => existsSync(socket), "it is open");
  child.kill("SIGKILL");
  await eventually(() => !existsSync(socket), "it took its socket away");
});

test("nobody else may enter the folder of its socket, and it goes with the window", { skip }, async () => {
  const { open, sharedConnections } = await rent();
  const folder = dirname(socketOf(await open()));
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  sharedConnections.dispose();
  await eventually(() => !existsSync(folder), "it is gone");
});

/** Where temporary files go until the test is over: a folder of this name in one that goes with the test. */
async function temporaryFolder(context: TestContext, name: string): Promise<string> {
  const usual = process.env.TMPDIR;
  const around = await mkdtemp(join(tmpdir(), "cg-t-"));
  context.after(async () => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    await rm(around, { recursive: true, force: true });
  });
  const folder = join(around, name);
  await mkdir(folder);
  process.env.TMPDIR = folder;
  return folder;
}

test("where no connection can be shared, a command logs in for itself", { skip }, async (context) => {
  const { open } = await rent();
  // One where `ssh` makes no socket, and one that is too long for any.
  for (const name of ["$" + "{CLOUD_GPU_NO_SUCH}", "x".repeat(100)])
    await context.test(name, async (inner) => {
      const folder = await temporaryFolder(inner, name);
      const machine = await open();
      assert.equal(machine.login.shared, undefined);
      assert.equal((await say(machine, "echo alone")).out, "alone\n");
      await eventually(async () => (await readdir(folder)).length === 0, "it leaves nothing there");
      await rm(folder, { recursive: true });
      assert.equal((await open()).login.shared, undefined, "nor where there is no such folder");
    });
});

/** A clock by which every login takes too long. */
const strict: Clock = { ...realClock, sleep: (ms, signal) => sleep(ms === 30_000 ? 0 : ms, signal) };

test("a login that takes long is waited for by the command itself", { skip }, async () => {
  const { open } = await rent(strict);
  const machine = await open();
  assert.equal(machine.login.shared, undefined);
  assert.equal((await say(machine, "echo late")).out, "late\n");
});

test("a socket may be in a folder of any name", { skip }, async (context) => {
  for (const name of ["a b", `it's "so"`, "100%d", "ü"])
    await context.test(name, async (inner) => {
      const { open } = await rent();
      await temporaryFolder(inner, name);
      const shared = await open();
      assert.ok(existsSync(socketOf(shared)));
      assert.equal((await say(shared, "echo here")).out, "here\n");
    });
});

test("a folder that the system cleaned up costs no later command its connection", { skip }, async () => {
  const { open, sharedConnections, machine, me } = await rent();
  const shared = await open();
  spawnSync("ssh", ["-o", `ControlPath=${socketOf(shared)}`, "-O", "exit", "--", "nobody"]);
  await eventually(() => sharedConnections.find(me(), machine.id) === undefined, "it is seen to be gone");
  await rm(dirname(socketOf(shared)), { recursive: true, force: true });
  const next = await open();
  assert.equal((await say(next, "echo new")).out, "new\n");
  assert.ok(existsSync(socketOf(next)));
});

test("one that nobody finds any more ends with the account all the same, and so does what runs by it", {
  skip,
}, async () => {
  const { open, session, sharedConnections, machine, me } = await rent(impatient);
  const shared = await open();
  const long = say(shared, "echo begun; exec sleep 1000");
  await eventually(async () => {
    await sleep(1500);
    return sharedConnections.find(me(), machine.id) === undefined;
  }, "nobody used it");
  assert.ok(existsSync(socketOf(shared)), "what runs by it goes on");
  await session.signOut();
  assert.equal((await long).code, 255);
  await eventually(() => !existsSync(socketOf(shared)), "its socket is gone");
});

test("a machine that has another address gets another connection", { skip }, async () => {
  const { open, machine, sharedConnections, me } = await rent();
  const before = await open();
  const { port } = machine.login.address;
  const moved = { ...machine, login: { ...machine.login, address: { host: "localhost", port } } };
  const after = await sharedConnections.open(me(), moved, NEVER);
  assert.notEqual(socketOf(after), socketOf(before));
  assert.equal((await say(after, "echo there")).out, "there\n");
  assert.equal(sharedConnections.find(me(), machine.id), after);
});

test("a window that ends while a connection is opened leaves nothing", { skip }, async (context) => {
  const { open, sharedConnections } = await rent();
  const folder = await temporaryFolder(context, "t");
  const opening = open();
  sharedConnections.dispose();
  await assert.rejects(opening, { name: "AbortError" });
  await eventually(async () => (await readdir(folder)).length === 0, "its folder is gone");
});

test("a connection to where the machine isn't any more is not used, and never in the way", { skip }, async () => {
  const window = await rent();
  const { machine, sharedConnections, me } = window;
  const { port } = machine.login.address;
  const before = { ...machine, login: { ...machine.login, address: { host: "localhost", port } } };
  await sharedConnections.open(me(), before, NEVER);
  assert.ok(sharedConnections.find(me(), machine.id));
  assert.equal(await findOpen(window, me(), machine.id), undefined);
  const { login } = await prepareLogin(window, me(), machine.id, NEVER);
  const { identity } = machine.login;
  const now = await sharedConnections.open(me(), { ...machine, login: { ...login, identity } }, NEVER);
  assert.equal((await findOpen(window, me(), machine.id))?.login.shared, socketOf(now));
});

test("what logs in beside a connection that is open goes the way that the person set by now", { skip }, async () => {
  let command: string | undefined;
  const window = await rent(realClock, () => command);
  const shared = await window.open();
  command = "exec nc %h %p";
  const found = await findOpen(window, window.me(), window.machine.id);
  assert.equal(found?.login.proxyCommand, command);
  assert.equal(found?.login.shared, socketOf(shared));
});

test("an upload whose connection is killed says that it was lost, and claims nothing", { skip }, async () => {
  const { open, sharedConnections, userData } = await rent();
  const machine = await open();
  const folder = join(userData.root, "much");
  await mkdir(folder);
  for (let n = 0; n < 20; n += 1) await writeFile(join(folder, `${n}.bin`), Buffer.alloc(5_000_000));
  const list = await listUpload(folder, NEVER);
  const sent = uploadFiles({ machine, folder, list, remote: "there" }, NEVER, ({ bytes }) => {
    if (bytes > 0) sharedConnections.dispose();
  });
  await assert.rejects(sent, {
    kind: "offline",
    message: /^The connection to instance \d+ was lost\. Some files may have arrived in there\.$/,
  });
});

test("a compressed connection that is killed while a command runs ends nothing else", { skip }, async () => {
  const { machine } = await rent();
  const config = join(machine.login.knownHosts, "..", "compressed");
  await writeFile(config, "Host *\n  Compression yes\n");
  const compressed = { ...machine, login: { ...machine.login, config } };
  await withCommand(compressed, "echo begun; exec sleep 1000", NEVER, async ({ stdout }) => {
    await once(stdout, "data");
  });
  // Its program has so long to end on its own.
  await sleep(1000);
  assert.equal((await say(compressed, "echo here")).out, "here\n");
});

test("how busy its GPUs are is read by it once a minute, and never by a login of its own", { skip }, async () => {
  const { machine, me, sharedConnections, instances, idleWatch, service } = await rent(realClock, undefined, {
    minutes: 0.001,
    percent: 10,
  });
  service.world.setGpuLoad(machine.id, 4);
  const started: (readonly string[])[] = [];
  const start: typeof startSsh = (program, args) => {
    started.push(args);
    return startSsh(program, args);
  };
  await sleep(1500);
  await instances.collection.refresh();
  assert.equal(started.length, 0, "no connection is opened for this");
  const shared = await sharedConnections.open(me(), { ...machine, start }, NEVER);
  await eventually(async () => {
    // The sandbox's time runs fast, and its instance isn't young for long.
    await instances.collection.refresh();
    return idleWatch.getState(machine.id)?.source === "machine";
  }, "it is read");
  assert.equal(idleWatch.getState(machine.id)?.gpus?.load, 4);
  await instances.collection.refresh();
  await sleep(1500);
  const asked = started.filter((args) => args.at(-1)?.startsWith("nvidia-smi "));
  assert.equal(asked.length, 1);
  assert.ok(asked[0]?.includes("ProxyCommand=false"));
  service.world.setGpuLoad(machine.id, 60);
  await sleep(1000);
  assert.equal(await idleWatch.recheck(me(), machine.id), undefined, "read again, it works");
  spawnSync("ssh", ["-o", `ControlPath=${socketOf(shared)}`, "-O", "exit", "--", "nobody"]);
  const gone = { ...shared, start: startSsh, login: { ...shared.login, proxyCommand: "false" } };
  assert.equal((await say(gone, "echo in")).code, 255, "where the connection is gone, there is no other way");
});

/** What a profile begins with that starts tmux at every login; `tmux` is one of the machine's own programs. */
const STARTS_TMUX =
  '[ -z "$TMUX" ] && [ "$SSH_CONNECTION" ] && [ ! -f ~/.no_auto_tmux ] && { tmux attach || tmux new-session; exit; }';
/** Without a terminal it fails as the real one does; with one, it shows a shell, or what it had on. */
const TMUX = (inside: string) => `#!/bin/sh
[ -t 0 ] || { echo "open terminal failed: not a terminal" >&2; exit 1; }
[ "$1" = attach ] && [ ! -e ~/attached ] && exit 1
TMUX=1 ${inside}
`;

/** A machine whose shells begin with these lines, and what its `tmux` runs in a terminal. */
async function rentWithProfile(profile: string, inside = "exec bash -i", clock: Clock = realClock) {
  const rented = await rent(clock);
  const { out: home } = await say(rented.machine, "echo $HOME");
  const folder = home.trim();
  const before = await readFile(join(folder, ".bashrc"), "utf8");
  await writeFile(join(folder, ".local", "bin", "tmux"), TMUX(inside), { mode: 0o755 });
  await writeFile(join(folder, ".bashrc"), `${before}${profile}\n`);
  const told: number[] = [];
  rented.sharedConnections.onDidKeepOutTmux((id) => told.push(id));
  return { ...rented, folder, told };
}

test("a profile that starts tmux keeps no command out: it is turned off once, and that is said", { skip }, async () => {
  const { open, folder, told, machine } = await rentWithProfile(STARTS_TMUX);
  assert.match((await say(machine, "echo never")).err, /open terminal failed/);
  const shared = await open();
  assert.deepEqual(await say(shared, "echo here"), { out: "here\n", code: 0, err: "" });
  assert.ok(existsSync(join(folder, ".no_auto_tmux")));
  assert.deepEqual(told, [machine.id]);
});

/** Half a minute is over a moment after something has happened. */
function hurryAfter(happens: () => boolean): Clock {
  const sleepLess = async (ms: number, signal?: AbortSignal) => {
    if (ms < 15_000 || ms > 30_000) return await realClock.sleep(ms, signal);
    while (!happens()) await realClock.sleep(50, signal);
    await realClock.sleep(500, signal);
  };
  return { ...realClock, sleep: sleepLess };
}

test("nothing is typed into a program of the person's that tmux takes up again", { skip }, async () => {
  const drawn = `printf 'epoch 3\\r\\n\\033[42m[0] 0:python*  "gpu" 02:47\\033[m\\033[1;1H'; exec cat > ~/typed`;
  let home = "";
  const hurry = hurryAfter(() => existsSync(join(home, "typed")));
  const { open, folder, told } = await rentWithProfile(STARTS_TMUX, drawn, hurry);
  home = folder;
  await writeFile(join(folder, "attached"), "");
  await assert.rejects(open(), /starts tmux at every login.*run “touch ~\/\.no_auto_tmux/);
  assert.equal(await readFile(join(folder, "typed"), "utf8"), "");
  assert.deepEqual([existsSync(join(folder, ".no_auto_tmux")), told], [false, []]);
});

test("what a profile says instead of running a command is passed on", { skip }, async () => {
  const { open } = await rentWithProfile('echo "Please log in as the user ubuntu."; exit 142');
  await assert.rejects(open(), /reported an error: “Please log in as the user ubuntu\.”/);
});

test("a shell that a profile puts in the place of its own gets nothing to read", { skip }, async () => {
  let home = "";
  const hurry = hurryAfter(() => existsSync(join(home, "read")));
  const { open, machine, folder } = await rentWithProfile("[ -t 0 ] || exec cat > ~/read", undefined, hurry);
  home = folder;
  await assert.rejects(open(), new RegExp(`logged in to instance ${machine.id}, but its shell ran no command`));
  assert.equal(await readFile(join(folder, "read"), "utf8"), "");
});

test("whoever wants ssh quiet still hears why it failed, and where their configuration can't be read", {
  skip,
}, async () => {
  const { machine, stored, userData } = await rent();
  const config = join(userData.root, "config");
  const own = { ...machine, login: { ...machine.login, config } };
  stored.sshKeys = [];
  await writeFile(config, "Host *\n  LogLevel QUIET\n");
  await assert.rejects(askMachine(own, buildShellCommand(""), NEVER), /couldn't log in .* without a prompt/);
  await writeFile(config, "Host *\n  LogLevel QUIET\n  NoSuchOption yes\n");
  await assert.rejects(
    askMachine(own, buildShellCommand(""), NEVER),
    new RegExp(`Your SSH configuration has an error\\. ${config}: line 3: Bad configuration option: nosuchoption`),
  );
});
