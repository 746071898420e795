// The same login, files and port with OpenSSH's own server, where it is installed: the sandbox's server is another program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { AppError } from "../../src/domain/base/error.ts";
import { InstanceId } from "../../src/domain/base/id.ts";
import {
  forwardArguments,
  OPENED,
  type SshLogin,
  shareArguments,
  sshArguments,
} from "../../src/domain/connection/ssh-command.ts";
import { realClock } from "../../src/lib/clock.ts";
import { type MachineLogin, waitUntilOpen, withCommand } from "../../src/services/connection/run-there.ts";
import { findSsh, startSsh } from "../../src/services/connection/ssh-program.ts";
import { download } from "../../src/services/transfer/download.ts";
import { listUpload } from "../../src/services/transfer/list-upload.ts";
import { probeTransfer } from "../../src/services/transfer/probe-transfer.ts";
import { upload } from "../../src/services/transfer/upload.ts";
import { cleanUp, eventually } from "./support.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));
const NEVER = new AbortController().signal;

/** Machines are logged in to as root, which only root's own server allows. */
function whyNot(): string | false {
  if (SSHD === undefined) return "OpenSSH's server is not installed";
  if (userInfo().username !== "root") return "only root's server lets root in";
  return existsSync("/run/sshd") ? false : "the server's own folder /run/sshd is not there";
}
const skip = whyNot();

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A server on loopback that admits one key, in a folder of its own. */
async function startServer(
  more: Readonly<Record<string, string>> = {},
): Promise<MachineLogin & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-sshd-"));
  const makeKey = (name: string) => {
    const { status } = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
    assert.equal(status, 0);
    return join(folder, name);
  };
  const [host, identity, port] = [makeKey("host"), makeKey("mine"), await freePort()];
  makeKey("other");
  await writeFile(join(folder, "authorized_keys"), await readFile(`${identity}.pub`));
  const lines = {
    ...{ Port: port, ListenAddress: "127.0.0.1", HostKey: host, PidFile: "none" },
    ...{ AuthorizedKeysFile: join(folder, "authorized_keys"), StrictModes: "no", UsePAM: "no" },
    ...{ PasswordAuthentication: "no", KbdInteractiveAuthentication: "no", PermitRootLogin: "prohibit-password" },
    ...more,
  };
  const config = join(folder, "sshd_config");
  await writeFile(
    config,
    Object.entries(lines)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(""),
  );
  const server = spawn(SSHD ?? "", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  cleanUp(async () => {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(() => /Server listening/.test(said) || server.exitCode !== null, "it listens");
  assert.equal(server.exitCode, null, said);
  const login: SshLogin = {
    ...{ address: { host: "127.0.0.1", port }, alias: "cloud-gpu-sshd-7", identity, config: "none" },
    knownHosts: join(folder, "known_hosts"),
  };
  return { id: InstanceId.parse(7), program: await findSsh(), login, folder };
}

test("a login, files both ways and a port work with OpenSSH's own server", { skip }, async (context) => {
  const machine = await startServer();
  const { folder, program, login } = machine;

  await context.test("a terminal, and its exit code", async () => {
    const shell = startSsh(program, ["-tt", ...sshArguments(login)]);
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
        error.kind === "rejected" && /couldn't log in to instance 7 without a question/.test(error.message),
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
    const sent = await upload({ machine, folder: from, list, remote: there }, NEVER, () => undefined);
    assert.equal(sent.files, 1);
    const arrived = await download({ machine, remote: there, into }, NEVER, {
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
    const tunnel = startSsh(program, forwardArguments(login, { local, remote }));
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
    const open = startSsh(program, shareArguments(login, shared));
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
