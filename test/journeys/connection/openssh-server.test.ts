// The same login, files and port with OpenSSH's own server, where it is installed: the sandbox's server is another program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import { readKeyPlaces } from "../../../src/domain/connection/key-places.ts";
import {
  buildForwardArguments,
  buildShareArguments,
  buildSshArguments,
  OPENED,
  readFastCiphers,
  readWay,
} from "../../../src/domain/connection/ssh-command.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { keepOutTmux } from "../../../src/services/connection/keep-out-tmux.ts";
import { waitUntilOpen, withCommand } from "../../../src/services/connection/run-there.ts";
import { findKeyFile, listLocalKeys } from "../../../src/services/connection/ssh/local-keys.ts";
import { printOwnConfiguration, startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { downloadFiles } from "../../../src/services/transfer/download.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { uploadFiles } from "../../../src/services/transfer/upload.ts";
import { freePort } from "../../free-port.ts";
import { startOpensshServer, whyNoServer } from "../../openssh-server.ts";
import { cleanUp, eventually } from "../support.ts";

const NEVER = new AbortController().signal;
const skip = whyNoServer();

/** One that is stopped after the tests. */
async function startServer(more?: Readonly<Record<string, string>>) {
  const machine = await startOpensshServer(more);
  cleanUp(() => machine.stop());
  return machine;
}

test("a login, files both ways and a port work with OpenSSH's own server", { skip }, async (context) => {
  const machine = await startServer();
  const { folder, program, login } = machine;

  await context.test("a terminal, and its exit code", async () => {
    const shell = startSsh(program, ["-tt", ...buildSshArguments(login)]);
    shell.stdout.resume();
    shell.stdin.write("exit 3\n");
    assert.equal((await shell.ended).code, 3);
    assert.match(await readFile(join(folder, "known_hosts"), "utf8"), /^cloud-gpu-sshd-7 ssh-ed25519 /);
  });

  await context.test("another key is refused, in a sentence", async () => {
    const other = { ...machine, login: { ...login, identity: join(folder, "other") } };
    await assert.rejects(
      probeTransfer(other, NEVER),
      (error: AppError) =>
        error.kind === "rejected" && /couldn't log in to instance 7 without a prompt/.test(error.message),
    );
  });

  await context.test("another host key is refused, in a sentence", async () => {
    const known = join(folder, "known_hosts");
    const before = await readFile(known, "utf8");
    await writeFile(known, before.replace(/\S{8}\n/, "AAAAAAAA\n"));
    await assert.rejects(probeTransfer(machine, NEVER), /different host key than before/);
    await writeFile(known, before);
  });

  await context.test("a folder goes there and comes back", async () => {
    const [from, there, into] = [join(folder, "from"), join(folder, "there's"), join(folder, "into")];
    await mkdir(join(from, "sub folder"), { recursive: true });
    await mkdir(into);
    const content = "x".repeat(3_000_000);
    await writeFile(join(from, "sub folder", "-ü.txt"), content);
    const list = await listUpload(from, NEVER);
    const sent = await uploadFiles({ machine, folder: from, list, remote: there }, NEVER, () => undefined);
    assert.equal(sent.files, 1);
    const arrived = await downloadFiles({ machine, remote: there, into }, NEVER, {
      report: () => undefined,
      mayGoOn: async () => false,
    });
    assert.equal(await readFile(join(arrived.path, "sub folder", "-ü.txt"), "utf8"), content);
    await arrived.remove();
  });

  await context.test("a port is forwarded", async () => {
    const server = createServer((_, response) => response.end("from there")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port: remote } = server.address() as AddressInfo;
    const local = await freePort();
    const tunnel = startSsh(program, buildForwardArguments(login, { local, remote }));
    const [said] = await once(tunnel.stdout.setEncoding("utf8"), "data");
    assert.ok(String(said).includes(OPENED));
    assert.equal(await (await fetch(`http://127.0.0.1:${local}/`)).text(), "from there");
    tunnel.stop();
    server.close();
  });
});

for (const [what, more] of [
  ["share a connection", {}],
  ["make connections of their own where the machine allows one command each", { MaxSessions: "1" }],
] as const)
  test(`commands ${what} with OpenSSH's own server`, { skip }, async () => {
    const machine = await startServer(more);
    const { folder, program, login } = machine;
    const shared = join(folder, "s");
    const open = startSsh(program, buildShareArguments(login, shared));
    assert.equal(await waitUntilOpen(open, realClock, NEVER), undefined);
    const tokens = await readFile(join(folder, "authorized_keys"));
    if (!("MaxSessions" in more)) await writeFile(join(folder, "authorized_keys"), "");
    const { out, code } = await withCommand(
      { ...machine, login: { ...login, shared } },
      "cat; exit 4",
      NEVER,
      async (one) => {
        one.stdin.end("there and back");
        return { out: await text(one.stdout), ...(await one.ended) };
      },
    );
    assert.deepEqual({ out, code }, { out: "there and back", code: 4 });
    await writeFile(join(folder, "authorized_keys"), tokens);
    open.stdin.end();
    assert.equal((await open.ended).code, 0);
  });

test("commands use no cipher but those of the person's configuration", { skip }, async () => {
  const { folder, login, ...machine } = await startServer({ Ciphers: "aes256-cbc" });
  const config = join(folder, "config");
  const run = async (ciphers: string) => {
    await writeFile(config, `Ciphers ${ciphers}\n`);
    const own = { ...login, config, ciphers: readFastCiphers(await printOwnConfiguration({ ...login, config })) };
    return await withCommand({ ...machine, login: own }, "exit 4", NEVER, async (one) => (await one.ended).code);
  };
  assert.equal(await run("aes256-cbc"), 4);
  assert.equal(await run("aes256-gcm@openssh.com,aes256-cbc"), 4, "one that the server doesn't have is preferred");
  assert.equal(await run("aes256-gcm@openssh.com"), 255, "none is added");
});

test("commands and ports take the way that the person's configuration names, with OpenSSH's own server", {
  skip,
}, async (context) => {
  const { folder, login, program, ...machine } = await startServer();
  const jump = await startServer();
  const config = join(folder, "config");
  const jumper = (lines: string) =>
    `Host jumper\n  HostName 127.0.0.1\n  Port ${jump.login.address.port}\n  User root\n  IdentityFile ${jump.login.identity}\n  ${lines}\n`;
  const lenient = "StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null";
  const named = async (lines: string, way: string) => {
    await writeFile(config, `${jumper(lines)}Host machine.example\n  HostName 127.0.0.1\n  ${way}\n`);
    const address = { ...login.address, host: "machine.example" };
    const kept = readWay(await printOwnConfiguration({ config, address }), address.host, config);
    return { ...machine, program, login: { ...login, address, config, kept } };
  };
  for (const way of ["", "ProxyJump jumper", "ProxyJump jumper,root@jumper", "ProxyCommand"])
    await context.test(way || "another name", async () => {
      const seen = join(folder, `seen-${way.length}`);
      const known = `StrictHostKeyChecking accept-new\n  UserKnownHostsFile "${seen}"`;
      const far = await named(known, way === "ProxyCommand" ? `${way} ssh -F "${config}" -W %h:%p jumper` : way);
      assert.ok(await probeTransfer(far, NEVER));
      if (way !== "") await rm(seen);
      const forward = { local: await freePort(), remote: login.address.port };
      const tunnel = startSsh(program, buildForwardArguments(far.login, forward));
      assert.equal(await waitUntilOpen(tunnel, realClock, NEVER), undefined);
      tunnel.stop();
      assert.equal(existsSync(seen), way !== "");
    });
  for (const [what, lines, way, said] of [
    ["refuses the key", lenient, "jumper", /lost: “.*Permission denied \(publickey\)/],
    [
      "is unknown",
      "StrictHostKeyChecking yes\n  UserKnownHostsFile /dev/null",
      "jumper",
      /lost: “Host key verification failed/,
    ],
    ["isn't there", lenient, "jumper.invalid", /lost: “.*jumper\.invalid/],
  ] as const)
    await context.test(`a jump host that ${what} is what the sentence is about`, async () => {
      const far = await named(lines, `ProxyJump ${way}`);
      if (what === "refuses the key")
        await writeFile(
          config,
          (await readFile(config, "utf8")).replace(jump.login.identity ?? "", join(jump.folder, "other")),
        );
      await assert.rejects(probeTransfer(far, NEVER), said);
    });
});

for (const line of [
  "Include %config",
  "IdentityFile %z",
  "IdentityFile ~no-such-person/key",
  `IdentityFile \${NO_SUCH}/key`,
])
  test(`a configuration that \`ssh\` gives up on is called wrong: ${line}`, { skip }, async () => {
    const { folder, login, ...machine } = await startServer();
    const config = join(folder, "config");
    await writeFile(config, `${line.replace("%config", config)}\n`);
    await assert.rejects(
      probeTransfer({ ...machine, login: { ...login, config } }, NEVER),
      /^AppError: Your SSH configuration has an error\. /,
    );
  });

test("a key is used even if the person's configuration uses none", { skip }, async () => {
  const { folder, login, ...machine } = await startServer();
  const config = join(folder, "config");
  await writeFile(config, "Host *\n  PubkeyAuthentication no\n");
  assert.ok(await probeTransfer({ ...machine, login: { ...login, config } }, NEVER));
});

/** What services put into the profile of their images. */
const STARTS_TMUX = `[ -z "$TMUX" ] && [ "$SSH_CONNECTION" ] && [ ! -f ~/.no_auto_tmux ] && { tmux attach || tmux new-session; exit; }\n`;
const noTmux = skip || (spawnSync("tmux", ["-V"]).status !== 0 && "tmux is not installed");

for (const [how, isTaken] of [
  ["turned off", false],
  ["left alone while a program of the person's runs in it", true],
] as const)
  test(`tmux that a profile starts is ${how}, with OpenSSH's own server`, { skip: noTmux }, async () => {
    const home = await mkdtemp(join(tmpdir(), "cloud-gpu-home-"));
    const machine = await startServer({ SetEnv: `HOME=${home} TMUX_TMPDIR=${home}` });
    const tmux = (...args: readonly string[]) =>
      spawnSync("tmux", args, { env: { ...process.env, HOME: home, TMUX_TMPDIR: home } });
    cleanUp(async () => {
      tmux("kill-server");
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    });
    for (const name of [".bashrc", ".profile"]) await writeFile(join(home, name), STARTS_TMUX);
    if (isTaken) tmux("new-session", "-d", `echo epoch 3; exec cat > ${home}/typed`);
    await assert.rejects(probeTransfer(machine, NEVER), /starts tmux at every login/);
    assert.equal(await keepOutTmux(machine, realClock, NEVER), !isTaken);
    if (isTaken) assert.equal(await readFile(join(home, "typed"), "utf8"), "");
    else assert.equal(await probeTransfer(machine, NEVER), home);
  });

for (const [what, profile, said] of [
  ["ends at once", "exit", /ended the session too early\. Check its shell profile/],
  ["becomes another shell", "exec sh", /ended the session too early\. Check its shell profile/],
  ["becomes a program that needs a terminal", "echo Sorry >&2; exit 0", /reported an error: “Sorry”\.$/],
  ["ends with a number", "exit 3", /reported an error: “exit 3”\.$/],
  ["starts tmux", "echo 'open terminal failed: x' >&2; exit 1", /and run “touch ~\/\.no_auto_tmux”\.$/],
] as const)
  test(`a profile that ${what} is what the sentence is about, with OpenSSH's own server`, { skip }, async () => {
    const home = await mkdtemp(join(tmpdir(), "cloud-gpu-home-"));
    cleanUp(() => rm(home, { recursive: true, force: true }));
    const machine = await startServer({ SetEnv: `HOME=${home}` });
    await writeFile(join(home, ".bashrc"), `${profile}\n`);
    await assert.rejects(probeTransfer(machine, NEVER), said);
  });

test("the key that a machine admits is offered first, whichever of the agent's it is, and whichever agent", {
  skip,
}, async (context) => {
  const { folder, login, ...machine } = await startServer();
  const socket = join(folder, "a b.sock");
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
  context.after(() => agent.kill());
  await eventually(() => existsSync(socket), "the agent listens");
  const add = (key: string) =>
    assert.equal(spawnSync("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } }).status, 0);
  for (let at = 0; at < 8; at += 1) {
    const key = join(folder, `key-${at}`);
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    add(key);
  }
  add(join(folder, "mine"));
  // Of all of them, the agent alone has the private half.
  const config = join(folder, "config");
  await writeFile(config, `Host *\n  IdentityAgent "${socket}"\n`);
  const own = { ...login, config, identity: undefined };
  await assert.rejects(probeTransfer({ ...machine, login: own }, NEVER), /couldn't log in/);
  const places = readKeyPlaces(await printOwnConfiguration(own), { d: folder }, {});
  const mine = (await listLocalKeys([], places)).find(({ line }) =>
    readFileSync(join(folder, "mine.pub"), "utf8").startsWith(line),
  );
  assert.ok(mine && mine.file === undefined);
  const identity = await findKeyFile(folder, mine);
  assert.ok(identity !== undefined);
  assert.ok(await probeTransfer({ ...machine, login: { ...own, identity } }, NEVER));
  assert.equal((await stat(identity)).mode & 0o777, 0o600);
});
