// Logging in to a rented machine: when its SSH server answers, whose keys it admits, and what is said where it can't be reached.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { buildSshArguments } from "../../../src/domain/connection/ssh-command.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { findSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { clockAt, type Parts } from "../editor-window.ts";
import { eventually, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const skip = !HAS_SSH && "OpenSSH is not installed";

/** Three minutes in six seconds: a try still has time for a connection. */
const quick = clockAt(30);
const NEVER = new AbortController().signal;

async function running(options: SandboxOptions = {}, clock: Clock = quick, parts: Parts = {}) {
  const window = await signedIn({ ssh: true, ...options }, { clock, ...parts });
  const id = await rentElsewhere(window);
  await eventually(() => stateOf(window, id) === "running", "it runs");
  return { ...window, id };
}
type Running = Awaited<ReturnType<typeof running>>;

const stateOf = ({ service }: Pick<Running, "service">, id: InstanceId) =>
  service.world
    .listInstances()
    .map((one) => (one.id === id ? service.world.toRecord(one).actual_status : undefined))[0];

const kinds = (kind: string, said: RegExp) => (error: AppError) => error.kind === kind && said.test(error.message);

/** A key pair in the folder that stands for `~/.ssh`. */
async function makeKey({ userData }: Running, name = "id_ed25519"): Promise<string> {
  const path = join(userData.root, "ssh", name);
  await mkdir(dirname(path), { recursive: true });
  const { status } = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", `${name}@test`, "-f", path]);
  assert.equal(status, 0);
  return path;
}

/** Runs a command on the machine with the very arguments that a terminal would get. */
async function runThere(window: Running, identity: string, command: string): Promise<{ code: number; text: string }> {
  const login = { ...(await window.connections.reach(window.me(), window.id, NEVER)), identity };
  const own = ["-o", "BatchMode=yes"];
  return await new Promise((resolve) => {
    execFile("ssh", [...own, ...buildSshArguments(login), command], { timeout: 20_000 }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), text: out + err }),
    );
  });
}

describe("a machine that runs", { skip }, () => {
  test("is logged in to once it admits a key of this computer", async () => {
    const window = await running();
    const key = await makeKey(window);
    const keys = await window.connections.listLocalKeys();
    const [mine] = keys.filter(({ comment }) => comment === "id_ed25519@test");
    assert.ok(mine);
    assert.equal(await window.connections.findAdmitted(window.me(), window.id, [mine]), "none");
    const refused = await runThere(window, key, "true");
    assert.equal(refused.code, 255);
    assert.match(refused.text, /Permission denied/);
    await window.connections.addKey(window.me(), window.id, mine);
    assert.equal(await window.connections.findAdmitted(window.me(), window.id, [mine]), mine);
    const { code, text } = await runThere(window, key, "nvidia-smi; exit 3");
    assert.equal(code, 3, text);
    assert.match(text, /NVIDIA/);
    assert.ok(window.service.world.account.sshKeys.includes(mine.line), "the next machines admit it from the start");
  });

  test("keeps its host key in a file of ours, and one that changes is refused", async () => {
    const window = await running();
    const key = await makeKey(window);
    const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "id_ed25519@test");
    assert.ok(mine);
    await window.connections.addKey(window.me(), window.id, mine);
    assert.equal((await runThere(window, key, "true")).code, 0);
    const known = join(window.userData.root, "ssh", "cloud-gpu", "known_hosts");
    const stored = await readFile(known, "utf8");
    assert.match(stored, new RegExp(`^cloud-gpu-\\S+-${window.id} ssh-ed25519 `));
    await writeFile(
      known,
      stored.replace(/AAAA\S+/, (blob) => `${blob.slice(0, -6)}${"A".repeat(6)}`),
    );
    const { code, text } = await runThere(window, key, "true");
    assert.equal(code, 255);
    assert.match(text, /HOST IDENTIFICATION HAS CHANGED|verification failed/);
  });
});

test("an SSH server that starts late is waited for", async () => {
  const window = await running({ faults: ["ssh-late"] }, realClock);
  const login = await window.connections.reach(window.me(), window.id, NEVER);
  assert.match(login.ciphers ?? "", /^aes128-gcm@openssh\.com,/, "a fast one is preferred");
  assert.equal(login.address.host, "127.0.0.1");
});

describe("what cannot be reached is said", () => {
  test("a server that stays silent", async () => {
    const window = await running({ faults: ["ssh-silent"] });
    await assert.rejects(
      window.connections.reach(window.me(), window.id, NEVER),
      kinds("timeout", /is running, but no SSH server responded at 127\.0\.0\.1:\d+ within 3 min/),
    );
  });

  test("a person who cancels", async () => {
    const window = await running({ faults: ["ssh-silent"] }, realClock);
    const abort = new AbortController();
    const reached = window.connections.reach(window.me(), window.id, abort.signal);
    abort.abort();
    await assert.rejects(reached, kinds("cancelled", /Canceled/));
  });

  test("a machine that is stopped, and one that is gone", async () => {
    const window = await running();
    assert.equal(await window.stop(window.id), true);
    await eventually(() => stateOf(window, window.id) !== "running", "it stopped");
    const reach = () => window.connections.reach(window.me(), window.id, NEVER);
    await assert.rejects(reach(), kinds("rejected", /isn't running/));
    window.service.world.destroy(window.id);
    await assert.rejects(reach(), kinds("gone", /no longer in your account/));
  });

  test("a machine that ended while the person chose a key, and one with another address", async () => {
    const window = await running();
    const login = await window.connections.reach(window.me(), window.id, NEVER);
    const recheck = (port: number) =>
      window.connections.recheck(window.me(), window.id, { ...login, address: { ...login.address, port } });
    assert.equal((await recheck(login.address.port)).address.port, login.address.port);
    await assert.rejects(recheck(1), kinds("rejected", /has another address now/));
    window.service.world.destroy(window.id);
    await assert.rejects(recheck(login.address.port), kinds("gone", /no longer in your account/));
    await assert.rejects(window.connections.findAdmitted(window.me(), window.id, []), kinds("not-found", /./));
  });

  test("an account that was switched meanwhile", async () => {
    const window = await running({ faults: ["ssh-silent"] });
    const reached = window.connections.reach(window.me(), window.id, NEVER);
    await window.session.signOut();
    await assert.rejects(reached, kinds("rejected", /switched accounts|another account/));
  });

  test("a sandbox names no place outside this computer", async () => {
    const window = await running({ ssh: false });
    await window.session.enterSandbox(window.service.url, window.service.apiKey);
    await assert.rejects(
      window.connections.describe(window.me(), window.id),
      kinds("rejected", /lists no SSH address/),
    );
  });
});

describe("a proxy command of the person's own", { skip }, () => {
  const relay = `import { connect } from "node:net";
const socket = connect(Number(process.argv[3]), process.argv[2]);
process.stdin.pipe(socket).pipe(process.stdout);
process.stderr.write("by the relay\\n");`;

  test("is how a machine is reached, which nobody waits for in another way", async () => {
    let command: string | undefined;
    const window = await running({}, quick, { proxyCommand: () => command });
    const key = await makeKey(window);
    const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "id_ed25519@test");
    assert.ok(mine);
    await window.connections.addKey(window.me(), window.id, mine);
    const script = join(window.userData.root, "relay.mjs");
    await writeFile(script, relay);
    command = `"${process.execPath}" "${script}" %h %p`;
    const { code, text } = await runThere(window, key, "echo there");
    assert.equal(code, 0, text);
    assert.match(text, /there/);
    assert.match(text, /by the relay/);
    const login = await window.connections.describe(window.me(), window.id);
    assert.equal(await window.hostKeys.compare(login, await window.hostKeys.findStored(login.alias)), "unclear");
  });

  test("of two lines is refused by the name of its setting", async () => {
    const window = await running({}, quick, { proxyCommand: () => "nc %h %p\ntouch x" });
    const said = kinds("rejected", /cloudGpu\.connect\.proxyCommand must be a single line/);
    await assert.rejects(window.connections.reach(window.me(), window.id, NEVER), said);
    await assert.rejects(window.connections.describe(window.me(), window.id), said);
  });
});

test("keys of this computer are public ones, whatever lies beside them", async () => {
  const window = await running();
  const folder = join(window.userData.root, "ssh");
  await mkdir(join(folder, "folder.pub"), { recursive: true });
  const line = `ssh-ed25519 ${"A".repeat(60)} laptop`;
  await writeFile(join(folder, "a.pub"), `${line}\n`);
  await writeFile(join(folder, "again.pub"), `${line} too`);
  await writeFile(join(folder, "private.pub"), "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n");
  await writeFile(join(folder, "huge.pub"), "x".repeat(5_000_000));
  for (const name of ["a", "again", "certificate"]) await writeFile(join(folder, name), "never read");
  await writeFile(join(folder, "certificate.pub"), `ssh-ed25519-cert-v01@openssh.com ${"A".repeat(60)} laptop`);
  await writeFile(join(folder, "colleague.pub"), `ssh-ed25519 ${"B".repeat(60)} colleague`);
  if (process.platform !== "win32") assert.equal(spawnSync("mkfifo", [join(folder, "pipe.pub")]).status, 0);
  const all = await window.connections.listLocalKeys();
  const found = all.filter(({ blob }) => blob === "A".repeat(60));
  assert.deepEqual(
    found.map(({ type, file }) => [type, file && dirname(file)]),
    [["ssh-ed25519", folder]],
  );
  assert.ok(!all.some(({ blob }) => blob === "B".repeat(60)), "its private half is not on this computer");
  const admitted = () => window.connections.findAdmitted(window.me(), window.id, found);
  assert.equal(await admitted(), "none");
  window.service.faults.add("500@listInstanceSshKeys");
  assert.equal(await admitted(), "unknown", "nobody says so");
});

test("the ssh program is found", { skip }, async () => {
  assert.match(await findSsh(), /ssh(\.exe)?$/);
});
