// Names that a service gives: whatever they lead to is judged, and what was judged is what is connected to.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type Network, Transport } from "../../../src/api/transport.ts";
import { parseAddress } from "../../../src/domain/base/address.ts";
import type { AppError } from "../../../src/domain/base/error.ts";
import { buildCommandArguments, buildSshArguments, type SshLogin } from "../../../src/domain/connection/ssh-command.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { ConnectionsService } from "../../../src/services/connection/connections.ts";
import {
  findServiceReach,
  findSshServer,
  type LookUp,
  listOwnAddresses,
} from "../../../src/services/connection/reachable.ts";
import { hasSshServer } from "../../../src/services/connection/ssh/ssh-banner.ts";
import { clockAt } from "../editor-window.ts";
import { cleanUp, eventually, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const NEVER = new AbortController().signal;
const FAR = { sandbox: false, address: parseAddress("https://1.1.1.1") };

/** Whoever connects is told that an SSH server is here, and counted. */
async function listen(context: TestContext) {
  const seen = { count: 0, port: 0 };
  const server = createServer((socket) => {
    seen.count += 1;
    socket.on("error", () => undefined).end("SSH-2.0-here\r\n");
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  context.after(() => server.close());
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

describe("a name of this computer is no machine of a service elsewhere:", () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const names: readonly (readonly [name: string, lookUp?: LookUp])[] = [
    [hostname()],
    ["ip6-localhost"],
    ["localhost.localdomain"],
    ["localhost6"],
    ...own.map((ip) => [ip] as const),
    ["127.0.0.1.nip.io", async () => ["127.0.0.1"]],
    ["router.example", async () => ["192.168.0.1"]],
    ["metadata.example", async () => ["169.254.169.254", "fd00:ec2::254"]],
    ["mapped.example", async () => ["::ffff:127.0.0.1"]],
    ["own.example", async () => own],
  ];
  for (const [name, lookUp] of names)
    test(name, async (context) => {
      const seen = await listen(context);
      const found = await findSshServer(FAR, { host: name, port: seen.port }, { clock: realClock, lookUp });
      // Not every computer knows each of the names.
      assert.ok(found === "forbidden" || found === undefined, found);
      if (lookUp || name === hostname()) assert.equal(found, "forbidden");
      assert.equal(seen.count, 0, "nobody was connected to");
    });

  test("but of one on this computer it may be", async (context) => {
    const seen = await listen(context);
    const service = { sandbox: false, address: parseAddress("http://127.0.0.1:1") };
    const lookUp = async () => ["127.0.0.1"];
    assert.equal(
      await findSshServer(service, { host: "a.example", port: seen.port }, { clock: realClock, lookUp }),
      "127.0.0.1",
    );
  });

  test("of several addresses, those that may be asked are", async (context) => {
    const seen = await listen(context);
    const lookUp = async () => ["10.0.0.1", "127.0.0.1"];
    const service = { sandbox: true, address: parseAddress("http://127.0.0.1:1") };
    assert.equal(
      await findSshServer(service, { host: "a.example", port: seen.port }, { clock: realClock, lookUp }),
      "127.0.0.1",
    );
    assert.equal(seen.count, 1);
  });
});

test("a service is as far as the farthest of its addresses", async () => {
  const reachOf = async (url: string, ips: readonly string[]) =>
    (await findServiceReach({ sandbox: false, address: parseAddress(url) }, async () => ips)).reach;
  assert.equal(await reachOf("https://gpu.corp.example", ["10.1.2.3"]), "private");
  assert.equal(await reachOf("https://gpu.example.com", ["10.1.2.3", "8.8.8.8"]), "public");
  assert.equal(await reachOf("https://gpu.example.com", []), "public");
  assert.equal(await reachOf("http://localhost:8", ["8.8.8.8"]), "here");
});

describe("a service is here only if it is addressed so:", () => {
  const own = listOwnAddresses();
  for (const ips of [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["0.0.0.0"], ["127.8.8.8", "10.1.2.3"], own])
    test(`not by a name that leads to ${ips.join(", ")}`, async (context) => {
      const seen = await listen(context);
      const service = { sandbox: false, address: parseAddress("https://gpu.example.com") };
      const lookUp: LookUp = async (host) =>
        host === "gpu.example.com" ? ips : [host.endsWith("near") ? "10.0.0.5" : "127.0.0.1"];
      assert.equal((await findServiceReach(service, lookUp)).reach, "public");
      for (const host of ["machine.near", "machine.here", "10.0.0.5", "127.0.0.1"]) {
        const found = await findSshServer(service, { host, port: seen.port }, { clock: realClock, lookUp });
        assert.equal(found, "forbidden", host);
      }
      assert.equal(seen.count, 0, "nobody was connected to");
    });
  for (const url of [
    "http://127.0.0.1:8",
    "http://[::1]:8",
    "http://localhost:8",
    "https://gpu.localhost:8",
    "https://127.1",
  ])
    test(url, async () => {
      const service = { sandbox: false, address: parseAddress(url) };
      assert.equal((await findServiceReach(service, async () => ["8.8.8.8"])).reach, "here");
    });
});

test("a service comes no nearer by where its name leads later", async () => {
  const answers = [["10.1.2.3"], ["8.8.8.8"], ["127.0.0.1"], ["10.1.2.3"], []];
  const service = { sandbox: false, address: parseAddress("https://gpu.example.com") };
  const reaches: string[] = [];
  for (const ips of answers) reaches.push((await findServiceReach(service, async () => ips)).reach);
  assert.deepEqual(reaches, ["private", "public", "public", "public", "public"]);
  const again = { ...service, address: parseAddress("https://gpu.example.com") };
  const unknown = await findServiceReach(again, async () => []);
  const inside = await findServiceReach(again, async () => ["10.1.2.3"]);
  assert.deepEqual([unknown.reach, inside.reach], ["public", "private"], "what wasn't found was nowhere");
});

/** A window with a running machine that the service gives a name to, and the addresses that the name has each time. */
const named = (...answers: readonly (readonly string[])[]) => namedAt(realClock, answers);

async function namedAt(clock: Clock, answers: readonly (readonly string[])[]) {
  const window = await signedIn({ ssh: true });
  const id = await rentElsewhere(window);
  const { world } = window.service;
  await eventually(
    () => world.listInstances().some((one) => world.toRecord(one).actual_status === "running"),
    "it runs",
  );
  const record = world.toRecord.bind(world);
  world.toRecord = (instance) => ({ ...record(instance), ssh_host: "machine.example", public_ipaddr: null });
  let asked = 0;
  const lookUp = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
  const config = join(window.userData.root, "person");
  const folder = join(window.userData.root, "ssh", "cloud-gpu");
  await writeFile(config, "");
  const files = {
    folder,
    knownHosts: join(folder, "known_hosts"),
    ownConfig: join(folder, "config"),
    config,
    usual: [],
  };
  const person = () => ({ path: config, isUsual: false });
  const { session } = window;
  const connections = new ConnectionsService({ session, clock, files: { ...files, person }, lookUp });
  return { ...window, id, connections, config };
}

describe("a machine by its name", () => {
  test("is logged in to where its server answered, even if the name leads to another place by then", async () => {
    const { connections, me, id } = await named(["127.0.0.1"], ["192.168.0.1"]);
    const login = await connections.reach(me(), id, NEVER);
    assert.equal(login.address.host, "machine.example");
    for (const args of [buildSshArguments(login), buildCommandArguments(login, "true")]) {
      assert.ok(args.includes("HostName=127.0.0.1"), args.join(" "));
      assert.ok(args.includes(`HostKeyAlias=${login.alias}`) && args.includes("root@machine.example"));
    }
    assert.equal((await connections.recheck(me(), id, login)).connectTo, "127.0.0.1");
  });

  for (const line of ["ProxyJump bastion.example", "ProxyCommand nc %h %p", "HostName 10.0.0.9"])
    test(`is left to ssh where only that knows the way: ${line}`, async () => {
      const { connections, me, id, config } = await named([]);
      await writeFile(config, `Host *.example\n  ${line}\n`);
      const login = await connections.reach(me(), id, NEVER);
      assert.equal(login.connectTo, undefined);
      assert.ok(!buildSshArguments(login).some((arg) => arg.startsWith("HostName=")));
    });
});

const OPENSSH = spawnSync("sh", ["-c", "command -v ssh"], { encoding: "utf8" }).stdout?.trim() ?? "";
const skip = OPENSSH === "" && "OpenSSH is not installed";

/** What `ssh` would do, without where it connects and what it was called. */
function printSettings(args: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("ssh", ["-G", ...args], { encoding: "utf8" });
  assert.match(stdout, /^user root$/m);
  return stdout.split("\n").filter((line) => !/^(?:hostname|host) /.test(line));
}

describe("what a person configured for a host by its name", { skip }, () => {
  const LINES = [
    ...[
      "IdentityFile ~/.ssh/gpu",
      'IdentityFile "/keys/a b/gpu key"',
      "IdentityAgent none",
      "CertificateFile ~/%n.pub",
    ],
    ...["IdentityAgent /run/%h.sock", "Ciphers aes256-ctr", "KexAlgorithms +diffie-hellman-group14-sha1"],
    ...["HostKeyAlgorithms +ssh-rsa", "PubkeyAcceptedAlgorithms +ssh-rsa", "MACs hmac-sha2-512", "Compression yes"],
    ...["ConnectTimeout 33", "RekeyLimit 1G 1h", "IPQoS af21 cs1", "TCPKeepAlive no", "RequestTTY force"],
    ...["AddKeysToAgent confirm", "IdentitiesOnly yes", "LogLevel ERROR", "EscapeChar none", "ForwardAgent yes"],
    ...["StrictHostKeyChecking no", "PasswordAuthentication yes"],
  ];
  const HEADS = ["Match host *.example", "Match host machine.*,other user root", "Match all\nMatch !host 127.*"];
  const drawn = Array.from({ length: 9 }, (_, draw) => {
    // Steps without a common divisor go through all of them.
    const order = LINES.map((_, at) => LINES[(at * 5 + draw * 7) % LINES.length]);
    const block = `${HEADS[draw % HEADS.length]}\n  ${order.slice(0, 3 + draw * 2).join("\n  ")}\n`;
    return `${block}Host *\n  IdentityFile ~/.ssh/usual\n  ServerAliveInterval 5\n`;
  });
  for (const [draw, text] of drawn.entries())
    test(`holds as if nothing had been judged, draw ${draw}`, async () => {
      const { connections, me, id, config } = await named(["127.0.0.1"]);
      await writeFile(config, text);
      const login = await connections.reach(me(), id, NEVER);
      assert.equal(login.connectTo, "127.0.0.1");
      const usual = { ...login, connectTo: undefined, kept: undefined };
      assert.ok((login.kept?.length ?? 0) > 0, text);
      for (const build of [buildSshArguments, (one: SshLogin) => buildCommandArguments(one, "true")])
        assert.deepEqual(printSettings(build(login)), printSettings(build(usual)), text);
    });

  test("names no option where `ssh` goes by the name anyway", async () => {
    const { connections, me, id, config } = await named(["127.0.0.1"]);
    await writeFile(config, "Host *.example\n  IdentityFile ~/.ssh/gpu\n  Compression yes\n");
    assert.deepEqual((await connections.reach(me(), id, NEVER)).kept, []);
  });

  test("names a file by the host's name, not by its address", async () => {
    const { connections, me, id, config } = await named(["127.0.0.1"]);
    await writeFile(config, "IdentityFile ~/.ssh/%h_key\nCertificateFile ~/%%h_%h\n");
    const args = buildSshArguments(await connections.reach(me(), id, NEVER));
    for (const option of ["identityfile=~/.ssh/machine.example_key", "certificatefile=~/%%h_machine.example"])
      assert.ok(args.includes(option), args.join(" "));
  });

  test("is asked for once, however long a machine is waited for", async () => {
    const silent = Array.from({ length: 7 }, () => []);
    const { connections, me, id, config, userData } = await namedAt(clockAt(30), [...silent, ["127.0.0.1"]]);
    const [bin, asked] = [join(userData.root, "bin"), join(userData.root, "asked")];
    await mkdir(bin);
    // The real program, and a note of each start.
    await writeFile(join(bin, "ssh"), `#!/bin/sh\necho "$*" >> '${asked}'\nexec '${OPENSSH}' "$@"\n`, { mode: 0o755 });
    const { PATH } = process.env;
    cleanUp(() => {
      process.env.PATH = PATH;
    });
    process.env.PATH = `${bin}:${PATH}`;
    const login = await connections.reach(me(), id, NEVER);
    assert.equal(login.connectTo, "127.0.0.1");
    const asks = (await readFile(asked, "utf8")).trim().split("\n");
    assert.deepEqual(asks, [
      `-F ${config} -G -- root@machine.example`,
      `-F ${config} -G -o HostName=127.0.0.1 -- root@machine.example`,
    ]);
  });
});

describe("a file of a service elsewhere", () => {
  const ask = async (host: string, port: number, mayConnect: (ip: string) => boolean, network?: Network) => {
    const transport = new Transport(network);
    const url = new URL(`${network ? "https" : "http"}://${host}:${port}/`);
    const limits = { withinMs: 5000, maxBytes: 1000, alone: true, signal: undefined, recall: undefined };
    return await transport.exchange({ method: "GET", url, headers: {}, body: undefined, mayConnect, ...limits });
  };

  test("is read only from an address that was judged", async (context) => {
    let count = 0;
    const server = createHttpServer((_, response) => {
      count += 1;
      response.end("log");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    context.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const judged: string[] = [];
    await assert.rejects(
      ask("localhost", port, (ip) => judged.push(ip) < 0),
      (error: AppError) => error.kind === "unexpected-reply" && /doesn't open: localhost/.test(error.message),
    );
    assert.ok(judged.includes("127.0.0.1"));
    assert.equal(count, 0);
    assert.equal((await ask("localhost", port, (ip) => ip === "127.0.0.1")).text, "log");
  });

  test("is judged where no proxy is used for its host", async (context) => {
    const seen = await listen(context);
    // No one is at the proxy, and "localhost" never goes by it.
    for (const network of [{ proxy: "http://127.0.0.1:9" }, { proxy: "http://127.0.0.1:9", noProxy: "*" }])
      await assert.rejects(
        ask("localhost", seen.port, () => false, network),
        (error: AppError) => error.kind === "unexpected-reply" && /doesn't open: localhost/.test(error.message),
      );
    assert.equal(seen.count, 0);
  });
});

test("a server that greets late is waited for as long as ssh waits, one that can't be reached isn't", async (context) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    setTimeout(() => socket.end("SSH-2.0-late\r\n"), 300);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const asked: number[] = [];
  // 5 s are over at once, whatever is longer never.
  const clock: Clock = {
    ...realClock,
    sleep: async (ms, signal) => {
      asked.push(ms);
      await realClock.sleep(ms > 5000 ? 600_000 : 0, signal);
    },
  };
  const { port } = server.address() as AddressInfo;
  const connected: Clock = { ...clock, sleep: (ms, signal) => clock.sleep(ms === 5000 ? 600_000 : ms, signal) };
  assert.equal(await hasSshServer({ host: "127.0.0.1", port }, connected), true);
  assert.deepEqual(asked, [600_000, 15_000]);
  assert.equal(await hasSshServer({ host: "127.0.0.1", port: 1 }, clock), false);
});
