// A machine that ends takes its host key and its block with it: by a complete list, by its destruction, or with its sandbox; and
// one that shows another key than before is noticed before anyone logs in.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { buildSshArguments, type SshLogin } from "../../../src/domain/connection/ssh-command.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { clockAt } from "../editor-window.ts";
import { editorWindow, eventually, middleman, sandbox, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const HAS_SSH = ["ssh", "ssh-keygen", "ssh-keyscan"].every(
  (name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined,
);
const skip = !HAS_SSH && "OpenSSH is not installed";

const quick = clockAt(30);
const NEVER = new AbortController().signal;
const BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAI".padEnd(68, "A");

type Window = Awaited<ReturnType<typeof signedIn>>;
type Other = Pick<Window, "me" | "sshMachines" | "remoteWindows" | "endedMachines" | "userData">;

const folderOf = ({ userData }: Pick<Window, "userData">) => join(userData.root, "ssh", "cloud-gpu");
const textOf = (window: Pick<Window, "userData">, name: string) =>
  readFile(join(folderOf(window), name), "utf8").catch(() => "");

function loginTo(window: Other, id: number): SshLogin {
  const account = window.me();
  const service = account.sandbox ? `sandbox-${account.tag}` : account.address.host.replaceAll(":", "-");
  return {
    address: { host: "127.0.0.1", port: 1 },
    alias: `cloud-gpu-${service}-${id}`,
    knownHosts: join(folderOf(window), "known_hosts"),
  };
}

/** A machine as it is after someone opened a window on it. */
async function loggedIn(window: Other, id: number): Promise<SshLogin> {
  const login = loginTo(window, id);
  await window.remoteWindows.writeBlock(window.me(), InstanceId.parse(id), login);
  const known = await textOf(window, "known_hosts");
  await writeFile(login.knownHosts, `${known}${login.alias} ssh-ed25519 ${BLOB}\n`);
  return login;
}

/** Which of these machines the three kinds of files know. */
async function left(window: Other, ...logins: readonly SshLogin[]): Promise<string[]> {
  await window.endedMachines.waitUntilSettled();
  const [config, known] = await Promise.all([textOf(window, "config"), textOf(window, "known_hosts")]);
  const records = await readdir(join(folderOf(window), "machines"));
  return logins.map(({ alias }) =>
    [
      config.includes(`Host ${alias}\n`) ? "block" : "",
      known.includes(`${alias} `) ? "key" : "",
      records.includes(`${alias}.json`) ? "record" : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}
const ALL = "block key record";

async function renting(count: number, options: SandboxOptions = {}) {
  const window = await signedIn(options, { clock: quick });
  const ids: InstanceId[] = [];
  for (let turn = 0; turn < count; turn += 1) ids.push(await rentElsewhere(window));
  return { ...window, ids, read: () => window.instances.collection.refresh() };
}

describe("a machine that ended", { skip }, () => {
  test("goes with the next complete list, and no other one", async () => {
    const window = await renting(2);
    const [first, second] = await Promise.all(window.ids.map((id) => loginTo(window, id)));
    assert.ok(first && second && window.ids[0]);
    for (const id of window.ids) await loggedIn(window, id);
    await window.read();
    assert.deepEqual(await left(window, first, second), [ALL, ALL]);
    const ended: string[] = [];
    window.endedMachines.onDidEnd((alias) => void ended.push(alias));
    window.service.world.destroy(window.ids[0]);
    await eventually(async () => {
      await window.read();
      return (await left(window, first))[0] === "";
    }, "the first is gone");
    assert.deepEqual(await left(window, first, second), ["", ALL]);
    assert.deepEqual(ended, [first.alias]);
    const names = await readdir(folderOf(window));
    assert.deepEqual(names.sort(), ["config", "ended", "known_hosts", "machines"], "and no copy of its key");
    const remembered = await window.sshMachines.findByName(first.alias);
    assert.deepEqual([remembered?.hasEnded, remembered?.machine.id], [true, window.ids[0]], "a window may be on it");
  });

  test("goes when it is destroyed here", async () => {
    const window = await renting(1);
    const [id] = window.ids;
    assert.ok(id);
    await window.read();
    const login = await loggedIn(window, id);
    assert.equal(await window.destroy(id), true);
    assert.deepEqual(await left(window, login), [""]);
  });

  test("goes where the service has no list, once it says that the instance is gone", async () => {
    const window = await renting(1, { onlyDocumented: true });
    const [id] = window.ids;
    assert.ok(id);
    const login = await loggedIn(window, id);
    await window.instances.track(id);
    await window.read();
    assert.deepEqual(await left(window, login), [ALL]);
    window.service.world.destroy(id);
    await window.read();
    assert.equal(window.instances.find(id)?.gone, true);
    assert.deepEqual(await left(window, login), [""]);
  });

  test("is still there if the list has gaps, fails, or was asked for before", async () => {
    const { url, apiKey, world } = await sandbox();
    let spoil = (text: string) => text;
    const way = await middleman(url, (path, status, text) => ({
      status,
      text: path.startsWith("/api/v1/instances") ? spoil(text) : text,
    }));
    const base = await signedIn({}, { clock: quick });
    await base.session.signIn(way, apiKey);
    const window = { ...base, service: { ...base.service, world } };
    const id = await rentElsewhere(window);
    const login = await loggedIn(window, id);
    const record = join(folderOf(window), "machines", `${login.alias}.json`);
    // Long ago: what keeps it is the list.
    await writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, "utf8")), at: 1 }));
    const cases: Readonly<Record<string, (text: string) => string>> = {
      "a row that can't be read": (text) => JSON.stringify({ ...JSON.parse(text), instances: [{ id: "?" }] }),
      "more said than listed": (text) =>
        JSON.stringify({ ...JSON.parse(text), instances: [], instances_found: 3, total_instances: 3 }),
      "another page": (text) => JSON.stringify({ ...JSON.parse(text), instances: [], next_token: "more" }),
      "no answer of the service": () => "<html>502</html>",
    };
    for (const [what, change] of Object.entries(cases)) {
      spoil = change;
      await window.instances.collection.refresh();
      assert.deepEqual(await left(window, login), [ALL], what);
    }
    spoil = (text) => text;
    await window.instances.collection.refresh();
    assert.deepEqual(await left(window, login), [ALL], "it is listed");
  });

  test("is still there if only the list lacks it", async () => {
    const window = await renting(1, { faults: ["lagging-list"] });
    const [id] = window.ids;
    assert.ok(id);
    const login = await loggedIn(window, id);
    const record = join(folderOf(window), "machines", `${login.alias}.json`);
    await writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, "utf8")), at: 1 }));
    await window.instances.collection.refresh();
    assert.equal(window.instances.find(id), undefined, "the list lags");
    assert.deepEqual(await left(window, login), [ALL]);
    window.service.world.destroy(id);
    await window.instances.collection.refresh();
    assert.deepEqual(await left(window, login), [""]);
  });

  test("whose host key can't be removed stays known, for the next list", async () => {
    const window = await renting(1);
    const [id] = window.ids;
    assert.ok(id);
    const login = await loggedIn(window, id);
    const record = join(folderOf(window), "machines", `${login.alias}.json`);
    await writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, "utf8")), at: 1 }));
    const known = join(folderOf(window), "known_hosts");
    const good = await readFile(known, "utf8");
    await writeFile(known, `damaged line\n${good}`);
    await assert.rejects(window.hostKeys.forget(login.alias), /can't be removed/);
    assert.equal(await window.destroy(id), true);
    await window.instances.collection.refresh();
    assert.match((await left(window, login))[0] ?? "", /record/);
    await writeFile(known, good);
    await window.instances.collection.refresh();
    assert.deepEqual(await left(window, login), [""]);
  });

  test("is not one of another account of the same service, nor of another service", async () => {
    const window = await renting(1);
    const [id] = window.ids;
    assert.ok(id);
    const own = await loggedIn(window, id);
    const machines = join(folderOf(window), "machines");
    const record = JSON.parse(await textOf(window, join("machines", `${own.alias}.json`)));
    const write = (alias: string, part: object) =>
      writeFile(join(machines, `${alias}.json`), JSON.stringify({ ...record, alias, ...part }));
    const [colleague, elsewhere] = [`${own.alias}1`, `${own.alias}2`];
    await write(colleague, { id: 999_999, account: "0123456789abcdef", user: 987_654, at: 1 });
    await write(elsewhere, { id: 999_998, base: "https://other.example", at: 1 });
    await window.read();
    await window.service.world.destroy(id);
    await eventually(async () => {
      await window.read();
      return (await left(window, own))[0] === "";
    }, "the own one is gone");
    assert.deepEqual((await readdir(machines)).sort(), [`${colleague}.json`, `${elsewhere}.json`]);
  });

  test("stays until a list that was asked for after its login", async () => {
    const window = await renting(1);
    await window.read();
    const login = await loggedIn(window, 999_999);
    const late = { ...(await window.sshMachines.find(login.alias)), at: Date.now() + 3_600_000 };
    await writeFile(join(folderOf(window), "machines", `${login.alias}.json`), JSON.stringify(late));
    await window.read();
    assert.deepEqual(await left(window, login), [ALL]);
    await writeFile(join(folderOf(window), "machines", `${login.alias}.json`), JSON.stringify({ ...late, at: 1 }));
    await window.read();
    assert.deepEqual(await left(window, login), [""], "the same list again, asked for later");
  });
});

test("the machines of a sandbox go with its session, those of one that still runs elsewhere don't", {
  skip,
}, async () => {
  const real = await sandbox();
  const window = await signedIn({ ssh: true }, { clock: quick });
  await window.session.enterSandbox(window.service.url, window.service.apiKey);
  const login = await loggedIn(window, 7);
  const other = editorWindow(window.userData, { clock: quick });
  const listening = await sandbox({ ssh: true });
  const running = { ...login, alias: `${login.alias}9` };
  const record = JSON.parse(await textOf(window, join("machines", `${login.alias}.json`)));
  const id = await rentElsewhere({ ...window, service: listening });
  await eventually(() => listening.world.openPorts.has(id), "its machine listens");
  await writeFile(
    join(folderOf(window), "machines", `${running.alias}.json`),
    JSON.stringify({ ...record, alias: running.alias, account: "other", port: listening.world.openPorts.get(id)?.ssh }),
  );
  await window.session.signOut();
  assert.deepEqual(await left(window, login), [""]);
  await other.session.signIn(real.url, real.apiKey);
  assert.deepEqual(await left({ ...other, userData: window.userData }, login, running), ["", "block record"]);
  await listening.stop();
  await other.session.signOut();
  assert.deepEqual(await left({ ...other, userData: window.userData }, running), [""]);
});

test("nothing is written for an account that was switched meanwhile", async () => {
  const window = await signedIn();
  const [account, login] = [window.me(), loginTo(window, 7)];
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  await assert.rejects(window.remoteWindows.writeBlock(account, InstanceId.parse(7), login), /switched accounts/);
  assert.equal(await window.remoteWindows.find(login.alias), undefined);
});

describe("a machine with SSH", { skip }, () => {
  async function running() {
    const window = await renting(1, { ssh: true });
    const [id] = window.ids;
    assert.ok(id);
    await eventually(() => window.service.world.openPorts.has(id), "it listens");
    const key = join(window.userData.root, "ssh", "id_ed25519");
    await mkdir(dirname(key), { recursive: true });
    assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "mine@test", "-f", key]).status, 0);
    const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "mine@test");
    assert.ok(mine);
    await window.connections.addKey(window.me(), id, mine);
    const reached = await window.connections.reach(window.me(), id, NEVER);
    return { ...window, id, login: { ...reached, identity: key } };
  }
  const ssh = (args: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile("ssh", ["-o", "BatchMode=yes", ...args], { timeout: 20_000 }, (_, out, err) => resolve(out + err));
    });

  test("is logged in to by its name alone, prepared, and its folder remembered", async () => {
    const window = await running();
    const { login, remoteWindows, id } = window;
    await writeFile(remoteWindows.person.path, "Host *\n  ForwardAgent yes\n  Port 9\n");
    await remoteWindows.writeBlock(window.me(), id, login);
    await remoteWindows.include(login);
    assert.equal(await remoteWindows.findDifference(login), undefined);
    const args = ["-F", remoteWindows.person.path, login.alias, "echo in $(cat ~/.no_auto_tmux 2>&1 | wc -c)"];
    assert.match(await ssh(args), /^in [1-9]/m, "there is no such file yet");
    const prepared = await remoteWindows.prepare(login, NEVER);
    assert.ok("facts" in prepared, JSON.stringify(prepared));
    assert.equal(prepared.facts.isPrepared, true);
    assert.match(prepared.facts.folder, /^\//);
    assert.match(await ssh(args), /^in 0$/m, "now there is, and it is empty");
    await remoteWindows.remember(login.alias, { folder: "/data" });
    await window.sshMachines.note(window.me(), id, { ...login, identity: undefined });
    const known = await remoteWindows.find(login.alias);
    assert.deepEqual(
      [known?.folder, known?.identity],
      ["/data", undefined],
      "the key of this login counts, and nothing else is forgotten",
    );
  });

  test("that can't be logged in to is not prepared, for the reason that ssh gives", async () => {
    const window = await running();
    const { login, remoteWindows, id } = window;
    await remoteWindows.writeBlock(window.me(), id, { ...login, identity: join(window.userData.root, "none") });
    await writeFile(remoteWindows.person.path, "IdentityAgent none\n");
    await remoteWindows.include(login);
    assert.deepEqual(await remoteWindows.prepare(login, NEVER), { failure: { kind: "denied" } });
    // The key of the first login is stored.
    window.service.faults.add("ssh-other-key");
    const changed = { failure: { kind: "other", said: "Host key verification failed." } };
    assert.deepEqual(await remoteWindows.prepare(login, NEVER), changed);
  });

  test("that shows another key is noticed; only forgetting the old one lets it in", async () => {
    const window = await running();
    const { login, hostKeys } = window;
    const compare = async () => hostKeys.compare(login, await hostKeys.findStored(login.alias));
    const logIn = () => ssh([...buildSshArguments(login), "echo in"]);
    assert.equal(await compare(), "new");
    assert.match(await logIn(), /^in$/m);
    assert.equal(await compare(), "same");
    const before = await textOf(window, "known_hosts");
    window.service.faults.add("ssh-other-key");
    assert.equal(await compare(), "changed");
    assert.match(await logIn(), /HOST IDENTIFICATION HAS CHANGED|verification failed/);
    assert.equal(await textOf(window, "known_hosts"), before, "nothing is forgotten by itself");
    await hostKeys.forget(login.alias);
    assert.equal(await compare(), "new");
    assert.match(await logIn(), /^in$/m);
    assert.equal(await compare(), "same");
    window.service.faults.clear();
    window.service.faults.add("ssh-silent");
    assert.equal(await compare(), "unclear", "it says nothing");
    const stored = await hostKeys.findStored(login.alias);
    await assert.rejects(hostKeys.compare(login, stored, AbortSignal.abort()), { name: "AbortError" });
  });

  test("has the key of its name found where names are stored as digests", async () => {
    const window = await running();
    const { login, hostKeys } = window;
    await ssh(["-o", "HashKnownHosts=yes", ...buildSshArguments(login), "true"]);
    assert.match(await textOf(window, "known_hosts"), /^\|1\|/);
    assert.equal(await hostKeys.compare(login, await hostKeys.findStored(login.alias)), "same");
    await hostKeys.forget(login.alias);
    assert.equal(await textOf(window, "known_hosts"), "");
  });

  test("that gets another port is found by its name there", async () => {
    const window = await running();
    const { login, remoteWindows, id } = window;
    await remoteWindows.writeBlock(window.me(), id, { ...login, address: { host: "127.0.0.1", port: 1 } });
    await window.read();
    await window.endedMachines.waitUntilSettled();
    assert.match(await textOf(window, "config"), new RegExp(`\\n  Port ${login.address.port}\\n`));
  });
});
