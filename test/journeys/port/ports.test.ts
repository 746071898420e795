// The ports of a rented machine: forwarded through SSH for as long as they are wanted, and Jupyter behind one of them.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import { buildForwardArguments, type SshLogin } from "../../../src/domain/connection/ssh-command.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { findSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { findFreePort } from "../../../src/services/port/free-port.ts";
import type { BrokenTunnel } from "../../../src/services/port/tunnels.ts";
import { clockAt } from "../editor-window.ts";
import { eventually, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const HAS_JUPYTER = HAS_SSH && spawnSync("jupyter-server", ["--version"], { stdio: "ignore" }).status === 0;
const HAS_IPV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const skip = !HAS_SSH && "OpenSSH is not installed";
const NEVER = new AbortController().signal;

interface Setting extends SandboxOptions {
  readonly admits?: boolean;
  /** Seconds that pass for the window in one. */
  readonly rate?: number;
}

/** A running machine and a key of this computer, which it admits unless told otherwise. */
async function running({ admits = true, rate = 1, ...options }: Setting = {}) {
  const window = await signedIn({ ssh: true, ...options }, { clock: clockAt(rate) });
  const id = await rentElsewhere(window);
  const { world } = window.service;
  const status = () => world.instances().map((one) => world.record(one).actual_status)[0];
  await eventually(() => status() === "running", "it runs");
  const identity = join(window.userData.root, "ssh", "id_ed25519");
  await mkdir(dirname(identity), { recursive: true });
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "p@test", "-f", identity]).status, 0);
  const mine = (await window.connections.localKeys()).find(({ comment }) => comment === "p@test");
  assert.ok(mine);
  if (admits) await window.connections.addKey(window.me(), id, mine);
  const login = { ...(await window.connections.reach(window.me(), id, NEVER)), identity };
  await window.instances.collection.refresh();
  return { ...window, id, way: { program: await findSsh(), login } };
}
type Running = Awaited<ReturnType<typeof running>>;

/** The same with a proxy command, which connects to nothing unless told otherwise, and whether it still runs. */
function throughProxy(window: Running, command = "exec sleep 60") {
  const noted = join(window.userData.root, "proxy");
  const proxyCommand = `sh -c 'echo $$ > ${noted}; ${command}'`;
  const isRunning = () => {
    try {
      const id = Number(readFileSync(noted, "utf8"));
      // Until it is written there is an empty file, and 0 would be this process's own group.
      return id > 0 && process.kill(id, 0);
    } catch {
      return false;
    }
  };
  const way = { ...window.way, login: { ...window.way.login, proxyCommand } };
  return { window: { ...window, way }, isRunning };
}

/** Connects to the machine. Like `nc`, the command stays when nobody listens to it. */
async function throughStayingProxy(machine: Running) {
  const { host, port } = machine.way.login.address;
  const script = join(machine.userData.root, "proxy.cjs");
  await writeFile(
    script,
    `require("node:fs").writeFileSync(${JSON.stringify(join(machine.userData.root, "ssh-id"))}, String(process.ppid));
    const socket = require("node:net").connect(${port}, "${host}");
    process.stdin.on("data", (data) => socket.write(data));
    process.stdout.on("error", () => {});
    socket.pipe(process.stdout);
    setInterval(() => {}, 1000);`,
  );
  return throughProxy(machine, `exec "${process.execPath}" ${script}`);
}

const isSwitched = ({ kind, message }: AppError) => kind === "rejected" && /switched accounts/.test(message);

const open = ({ tunnels, me, way, id }: Running, remote: number, signal = NEVER) =>
  tunnels.open(me(), way, { id, remote }, signal);

/** A web server on this computer, which is also what a machine of the sandbox reaches. */
async function serve(context: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end("from the machine"));
  context.after(() => server.close());
  return await listen(server);
}

async function listen(
  server: { listen(port: number, host: string): unknown; address(): unknown } & NodeJS.EventEmitter,
  host = "127.0.0.1",
) {
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const read = async (port: number, path = "") => await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });

describe("a forwarded port", { skip }, () => {
  test("leads to the machine, once for all who ask for it", async (context) => {
    const window = await running();
    const port = await serve(context);
    const [tunnel, same] = await Promise.all([open(window, port), open(window, port)]);
    assert.equal(await read(tunnel.local), "from the machine");
    assert.notEqual(tunnel.local, port, "that number is taken here");
    assert.equal(same, tunnel);
    assert.equal(await open(window, port), tunnel);
    assert.deepEqual(window.tunnels.of(window.id), [tunnel]);
    window.tunnels.stop(tunnel);
    assert.deepEqual(window.tunnels.all(), []);
    await eventually(() => isRefused(tunnel.local), "nothing listens any more");
  });

  test("has the same number here if it is free", async () => {
    const window = await running();
    const server = createServer();
    const free = await listen(server);
    server.close();
    await once(server, "close");
    assert.equal((await open(window, free)).local, free);
  });

  test("of a sandbox has another number, and never leads to itself", async () => {
    const window = await running();
    await window.session.enterSandbox(window.service.url, window.service.apiKey);
    const remote = await freePort();
    const tunnel = await window.tunnels.open(window.me(), window.way, { id: window.id, remote }, NEVER);
    assert.notEqual(tunnel.local, remote);
    await assert.rejects(window.fronts.portFor(tunnel, NEVER), /No web server is responding/);
  });

  test("has another number if that of localhost is taken", {
    skip: !HAS_IPV6 && "There is no IPv6",
  }, async (context) => {
    const server = createServer();
    context.after(() => server.close());
    const taken = await listen(server, "::1");
    assert.notEqual(await findFreePort(taken), taken);
  });

  test("needs a key that asks nothing, and says so", async () => {
    const window = await running({ admits: false });
    await assert.rejects(
      open(window, 8000),
      (error: AppError) => error.kind === "rejected" && /without a prompt.*ssh-add/.test(error.message),
    );
    assert.deepEqual(window.tunnels.all(), []);
  });

  test("is given up when the person cancels", async () => {
    const window = await running();
    const abort = new AbortController();
    const opening = open(window, 8000, abort.signal);
    abort.abort();
    await assert.rejects(opening, { name: "AbortError" });
    assert.deepEqual(window.tunnels.all(), []);
  });

  test("stays for those who did not cancel, and each cancels alone", async () => {
    const window = await running();
    const [first, second] = [new AbortController(), new AbortController()];
    const [left, stayed] = [open(window, 8000, first.signal), open(window, 8000)];
    first.abort();
    await assert.rejects(left, { name: "AbortError" });
    const tunnel = await stayed;
    assert.deepEqual(window.tunnels.all(), [tunnel]);
    const { window: hanging } = throughProxy(window);
    const other = assert.rejects(open(hanging, 9000), isSwitched);
    const cancelled = open(hanging, 9000, second.signal);
    second.abort();
    await assert.rejects(cancelled, { name: "AbortError" });
    await window.session.signOut();
    await other;
  });

  test("is given up at once with a proxy command that hangs, which ends as well", async () => {
    const { window, isRunning } = throughProxy(await running({ rate: 10 }));
    const abort = new AbortController();
    const opening = assert.rejects(open(window, 8000, abort.signal), { name: "AbortError" });
    await eventually(isRunning, "it hangs");
    abort.abort();
    await opening;
    await eventually(() => !isRunning(), "nothing is left");
    await assert.rejects(
      open(window, 8000),
      (error: AppError) => /The connection.*was lost/.test(error.message),
      "in time",
    );
    await eventually(() => !isRunning(), "nothing is left");
  });

  test("leaves no proxy command when it is stopped", async () => {
    const { window, isRunning } = await throughStayingProxy(await running());
    window.tunnels.stop(await open(window, 8000));
    await eventually(() => !isRunning(), "nothing is left");
  });

  test("whose ssh was killed is told of, even if the proxy command stays", async () => {
    const { window, isRunning } = await throughStayingProxy(await running());
    const broken: BrokenTunnel[] = [];
    window.tunnels.onDidBreak((one) => void broken.push(one));
    await open(window, 8000);
    process.kill(Number(readFileSync(join(window.userData.root, "ssh-id"), "utf8")), "SIGKILL");
    await eventually(() => broken.length > 0, "it is told");
    await eventually(() => !isRunning(), "nothing is left");
  });

  test("that is being opened ends with the account, and another one opens its own", async () => {
    const machine = await running();
    const { window, isRunning } = throughProxy(machine);
    const opening = assert.rejects(open(window, 8000), isSwitched);
    await eventually(isRunning, "it hangs");
    await machine.session.signOut();
    await opening;
    await eventually(() => !isRunning(), "nothing is left");
    await machine.session.signIn(machine.service.url, machine.service.apiKey);
    assert.equal((await open(machine, 8000)).remote, 8000);
  });

  test("that is being opened ends with the window", async () => {
    const window = await running();
    const opening = assert.rejects(open(window, 8000), { name: "AbortError" });
    window.tunnels.dispose();
    await opening;
    assert.deepEqual(window.tunnels.all(), []);
  });

  test("ends with the account, without a word", async (context) => {
    const window = await running();
    const tunnel = await open(window, await serve(context));
    const broken: BrokenTunnel[] = [];
    window.tunnels.onDidBreak((one) => void broken.push(one));
    await window.session.signOut();
    assert.deepEqual(window.tunnels.all(), []);
    await eventually(() => isRefused(tunnel.local), "nothing listens any more");
    assert.deepEqual(broken, []);
  });

  test("is refused in another account than it was asked for in", async () => {
    const window = await running();
    const asked = window.me();
    await window.session.signOut();
    await assert.rejects(
      window.tunnels.open(asked, window.way, { id: window.id, remote: 8000 }, NEVER),
      (error: AppError) => error.kind === "rejected",
    );
  });

  test("that ends with its machine is told of", async (context) => {
    const window = await running();
    const tunnel = await open(window, await serve(context));
    const broken: BrokenTunnel[] = [];
    window.tunnels.onDidBreak((one) => void broken.push(one));
    window.service.world.destroy(window.id);
    await eventually(() => broken.length > 0, "it is told");
    assert.equal(broken[0]?.tunnel, tunnel);
    assert.equal(broken[0]?.account, window.me());
    assert.deepEqual(window.tunnels.all(), []);
  });

  test("ends with a machine that is listed as stopped", async (context) => {
    const window = await running();
    await open(window, await serve(context));
    assert.equal(await window.stop(window.id), true);
    await eventually(async () => {
      await window.instances.collection.refresh();
      return window.tunnels.all().length === 0;
    }, "it ended");
  });

  test("ends with the program that started it, even if that is killed", async (context) => {
    const { way } = await running();
    const port = await serve(context);
    const local = await freePort();
    const args = buildForwardArguments(way.login as SshLogin, { local, remote: port });
    const script = `
      import { startSsh } from ${JSON.stringify(new URL("../../../src/services/connection/ssh/ssh-program.ts", import.meta.url).href)};
      startSsh(${JSON.stringify(way.program)}, ${JSON.stringify(args)});
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    context.after(() => child.kill("SIGKILL"));
    await eventually(async () => !(await isRefused(local)), "it forwards");
    child.kill("SIGKILL");
    // While somebody is connected, `ssh` stays, and looking is connecting.
    const looksSeldom = async () => {
      await sleep(300);
      return await isRefused(local);
    };
    await eventually(looksSeldom, "nothing listens any more");
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

describe("the web server behind a forwarded port", { skip }, () => {
  test("that speaks TLS with a certificate of its own is reached without it", async (context) => {
    const window = await running();
    const pem = (name: string) => readFileSync(new URL(`../tls/${name}`, import.meta.url));
    const server = createTlsServer({ key: pem("service.key"), cert: pem("service.crt") }, (_, response) =>
      response.end("through TLS"),
    );
    const remote = await listen(server);
    context.after(() => server.close());
    const tunnel = await open(window, remote);
    const port = await window.fronts.portFor(tunnel, NEVER);
    assert.notEqual(port, tunnel.local);
    assert.equal(await read(port), "through TLS");
    assert.equal(await window.fronts.portFor(tunnel, NEVER), port, "one front is enough");
    window.tunnels.stop(tunnel);
    await eventually(() => isRefused(port), "it ends with the tunnel");
  });

  test("that speaks plain HTTP needs nothing in front", async (context) => {
    const window = await running();
    const tunnel = await open(window, await serve(context));
    assert.equal(await window.fronts.portFor(tunnel, NEVER), tunnel.local);
  });

  test("is none that greets whoever comes", async (context) => {
    const window = await running();
    const server = createTcpServer((socket) => socket.on("error", () => undefined).end("220 ready\r\n"));
    context.after(() => server.close());
    const tunnel = await open(window, await listen(server));
    await assert.rejects(window.fronts.portFor(tunnel, NEVER), /No web server is responding/);
  });

  test("that isn't there yet is said", async () => {
    const window = await running();
    // Nothing listens there, and it isn't free for the forwarding either: here, the machine is this computer.
    const tunnel = await open(window, 1);
    await assert.rejects(
      window.fronts.portFor(tunnel, NEVER),
      (error: AppError) => error.kind === "rejected" && /No web server is responding on port \d+/.test(error.message),
    );
  });
});

describe("a public address", { skip }, () => {
  const find = ({ connections, me, id }: Running) => connections.readPublicAddress(me(), id, 8080);

  test("is read again before anybody is sent there", async () => {
    const window = await running();
    assert.equal(await find(window), undefined, "it has none");
    assert.equal(await window.stop(window.id), true);
    await assert.rejects(find(window), (error: AppError) => /isn't running/.test(error.message));
    window.service.world.destroy(window.id);
    await assert.rejects(find(window), (error: AppError) => error.kind === "gone");
  });
});

test("Jupyter is started once for all who ask at once", {
  skip: !HAS_JUPYTER && "Jupyter is not installed",
}, async () => {
  const window = await running();
  const { jupyterServers, me, way, id, instances } = window;
  const value = instances.find(id)?.value;
  assert.ok(value);
  const [first, second] = await Promise.all([1, 2].map(() => jupyterServers.open(me(), way, value, NEVER)));
  assert.ok(first !== undefined && first !== "missing");
  assert.deepEqual(second, first);
});

test("Jupyter is started on a machine that has only SSH, and found again", {
  skip: !HAS_JUPYTER && "Jupyter is not installed",
}, async () => {
  const window = await running();
  const { jupyterServers, me, way, id, instances, tunnels } = window;
  const value = instances.find(id)?.value;
  assert.ok(value);
  const access = await jupyterServers.open(me(), way, value, NEVER);
  assert.ok(access !== "missing");
  const status = async (token?: string) =>
    (await fetch(`${access.baseUrl}api/status`, token ? { headers: { authorization: `token ${token}` } } : {})).status;
  assert.equal(await status(access.token), 200);
  assert.equal(await status(), 403);
  const [tunnel] = tunnels.of(id);
  assert.ok(tunnel);
  tunnels.stop(tunnel);
  const again = await jupyterServers.open(me(), way, value, NEVER);
  assert.ok(again !== "missing");
  assert.equal(again.token, access.token, "the server that runs is used");
});
