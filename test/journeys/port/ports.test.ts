// The ports of a rented machine: forwarded through SSH for as long as they are wanted, and Jupyter behind one of them.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { describe, type TestContext, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import { buildForwardArguments, type SshLogin } from "../../../src/domain/connection/ssh-command.ts";
import { formatBrowserHost } from "../../../src/domain/port/browser-address.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { findSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { findFreePort } from "../../../src/services/port/free-port.ts";
import type { BrokenTunnel } from "../../../src/services/port/tunnels.ts";
import { freePort } from "../../free-port.ts";
import { clockAt } from "../editor-window.ts";
import { eventually, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const HAS_JUPYTER = HAS_SSH && spawnSync("jupyter-server", ["--version"], { stdio: "ignore" }).status === 0;
const HAS_IPV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const skip = !HAS_SSH && "OpenSSH is not installed";
const NEVER = new AbortController().signal;
/** What a browser knows the machine by. */
const NAME = "cg-7-01234567.localhost";

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
  const status = () => world.listInstances().map((one) => world.toRecord(one).actual_status)[0];
  await eventually(() => status() === "running", "it runs");
  const identity = join(window.userData.root, "ssh", "id_ed25519");
  await mkdir(dirname(identity), { recursive: true });
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "p@test", "-f", identity]).status, 0);
  const mine = (await window.connections.listLocalKeys()).find(({ comment }) => comment === "p@test");
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

/** Connects to the machine. Like `nc`, the command stays when no one listens to it. */
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
    assert.deepEqual(window.tunnels.listFor(window.id), [tunnel]);
    window.tunnels.stop(tunnel);
    assert.deepEqual(window.tunnels.list(), []);
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
    await assert.rejects(window.fronts.openPort(tunnel, NAME, NEVER), /No web server is responding/);
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
    assert.deepEqual(window.tunnels.list(), []);
  });

  test("is given up when the person cancels", async () => {
    const window = await running();
    const abort = new AbortController();
    const opening = open(window, 8000, abort.signal);
    abort.abort();
    await assert.rejects(opening, { name: "AbortError" });
    assert.deepEqual(window.tunnels.list(), []);
  });

  test("stays for those who did not cancel, and each cancels alone", async () => {
    const window = await running();
    const [first, second] = [new AbortController(), new AbortController()];
    const [left, stayed] = [open(window, 8000, first.signal), open(window, 8000)];
    first.abort();
    await assert.rejects(left, { name: "AbortError" });
    const tunnel = await stayed;
    assert.deepEqual(window.tunnels.list(), [tunnel]);
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
    assert.deepEqual(window.tunnels.list(), []);
  });

  test("ends with the account, without a word", async (context) => {
    const window = await running();
    const tunnel = await open(window, await serve(context));
    const broken: BrokenTunnel[] = [];
    window.tunnels.onDidBreak((one) => void broken.push(one));
    await window.session.signOut();
    assert.deepEqual(window.tunnels.list(), []);
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
    assert.deepEqual(window.tunnels.list(), []);
  });

  test("ends with a machine that is listed as stopped", async (context) => {
    const window = await running();
    await open(window, await serve(context));
    assert.equal(await window.stop(window.id), true);
    await eventually(async () => {
      await window.instances.collection.refresh();
      return window.tunnels.list().length === 0;
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
    // While someone is connected, `ssh` stays, and looking is connecting.
    const looksSeldom = async () => {
      await sleep(300);
      return await isRefused(local);
    };
    await eventually(looksSeldom, "nothing listens any more");
  });
});

/** As a notebook server on loopback: it answers to its own names, and takes what changes something from its own pages only. */
function serveOwnHost(isSecure: boolean) {
  const pem = (name: string) => readFileSync(new URL(`../tls/${name}`, import.meta.url));
  const server = isSecure ? createTlsServer({ key: pem("service.key"), cert: pem("service.crt") }) : createServer();
  const isOwn = ({ headers: { host = "", origin } }: IncomingMessage) =>
    /^127\.0\.0\.1:\d+$/.test(host) && (origin === undefined || origin === `http://${host}`);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { host, origin, referer } = request.headers;
    if (!isOwn(request)) return void response.writeHead(403).end("another host");
    const away = {
      "/away": `http://${host}/there?x=1`,
      "/away-alike": `//${host}/there`,
      "/elsewhere": "https://example.com/127.0.0.1",
      "/relative": "/there",
    };
    const location = Object.entries(away).find(([path]) => path === request.url)?.[1];
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    if (request.url === "/echo") return void request.pipe(response);
    if (request.url === "/cut") {
      response.writeHead(200, { "content-length": 100 }).write("half");
      return void setImmediate(() => response.destroy());
    }
    response.writeHead(200, { "set-cookie": ["a=1; HttpOnly", "b=2"] }).end(JSON.stringify({ host, origin, referer }));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    if (!isOwn(request)) return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n");
    socket.on("data", (said) => socket.write(`echo: ${said}`)).on("error", () => socket.destroy());
  });
  return server;
}

/** What is answered, as a browser would ask for it. */
async function ask(port: number, path: string, headers: Readonly<Record<string, string>>, body?: string) {
  const asked = request({ host: "127.0.0.1", port, path, headers, method: body === undefined ? "GET" : "POST" });
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  try {
    for await (const part of answer.setEncoding("utf8")) text += part;
  } catch {
    text = "it broke off";
  }
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** What a web socket's server says, in short. */
async function talk(port: number, host: string): Promise<string> {
  const headers = { host, origin: `http://${host}`, connection: "Upgrade", upgrade: "echo" };
  const asked = request({ host: "127.0.0.1", port, headers });
  asked.end();
  const said = new Promise<string>((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", ({ statusCode }) => resolve(`${statusCode}`));
    asked.on("upgrade", ({ statusCode }, socket) => {
      socket.once("data", (data) => {
        socket.destroy();
        resolve(`${statusCode} ${data}`);
      });
      socket.write("hello");
    });
  });
  return await said;
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
    const port = await window.fronts.openPort(tunnel, NAME, NEVER);
    assert.notEqual(port, tunnel.local);
    assert.equal(await read(port), "through TLS");
    assert.equal(await window.fronts.openPort(tunnel, NAME, NEVER), port, "one front is enough");
    window.tunnels.stop(tunnel);
    await eventually(() => isRefused(port), "it ends with the tunnel");
  });

  for (const isSecure of [false, true])
    test(`that answers to no name but its own is reached by that of a browser${isSecure ? ", through TLS" : ""}`, async (context) => {
      const window = await running();
      const server = serveOwnHost(isSecure);
      const tunnel = await open(window, await listen(server));
      context.after(() => server.close());
      const port = await window.fronts.openPort(tunnel, NAME, NEVER);
      assert.notEqual(port, tunnel.local);
      for (const way of [port, tunnel.local]) assert.equal(window.fronts.find(way), tunnel);
      const host = `${NAME}:${port}`;
      const own = `127.0.0.1:${port}`;
      const asked = await ask(port, "/", { host, origin: `http://${host}`, referer: `http://${host}/lab?a=1` });
      assert.equal(asked.status, 200, asked.text);
      assert.deepEqual(JSON.parse(asked.text), {
        host: own,
        origin: `http://${own}`,
        referer: `http://${own}/lab?a=1`,
      });
      assert.deepEqual(asked.headers["set-cookie"], ["a=1; HttpOnly", "b=2"]);
      assert.equal((await ask(port, "/", { host: own })).status, 200, "and by that of a notebook");
      // The names of other web sites may lead here as well, and are none of a machine's.
      for (const other of [`evil.example:${port}`, `x${NAME}:${port}`, `${NAME}.evil.example:${port}`])
        assert.equal((await ask(port, "/", { host: other })).status, 421, other);
      assert.equal((await ask(port, "/", { host, origin: "http://evil.example" })).status, 403);
      const { location } = (await ask(port, "/away", { host })).headers;
      assert.equal(location, `http://${host}/there?x=1`, "it stays with its name");
      assert.equal(
        (await ask(port, "/away-alike", { host })).headers.location,
        `http://${host}/there`,
        "in short, too",
      );
      assert.equal((await ask(port, "/elsewhere", { host })).headers.location, "https://example.com/127.0.0.1");
      assert.equal((await ask(port, "/relative", { host })).headers.location, "/there");
      const sent = "x".repeat(3_000_000);
      assert.equal((await ask(port, "/echo", { host }, sent)).text, sent);
      assert.equal(await talk(port, host), "101 echo: hello");
      assert.match(await talk(port, `evil.example:${port}`), /^421/);
      assert.equal((await ask(port, "/cut", { host })).text, "it broke off");
      assert.equal((await ask(port, "/", { host })).status, 200, "and goes on");
      window.tunnels.stop(tunnel);
      await eventually(() => isRefused(port), "it ends with the tunnel");
      assert.equal(window.fronts.find(port), undefined);
    });

  test("that speaks plain HTTP and answers to any name needs nothing in front", async (context) => {
    const window = await running();
    const tunnel = await open(window, await serve(context));
    assert.equal(await window.fronts.openPort(tunnel, NAME, NEVER), tunnel.local);
  });

  test("is none that greets whoever comes", async (context) => {
    const window = await running();
    const server = createTcpServer((socket) => socket.on("error", () => undefined).end("220 ready\r\n"));
    context.after(() => server.close());
    const tunnel = await open(window, await listen(server));
    await assert.rejects(window.fronts.openPort(tunnel, NAME, NEVER), /No web server is responding/);
  });

  test("that isn't there yet is said", async () => {
    const window = await running();
    // Nothing listens there, and it isn't free for the forwarding either: here, the machine is this computer.
    const tunnel = await open(window, 1);
    await assert.rejects(
      window.fronts.openPort(tunnel, NAME, NEVER),
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
    (
      await fetch(
        `http://127.0.0.1:${access.port}/api/status`,
        token ? { headers: { authorization: `token ${token}` } } : {},
      )
    ).status;
  assert.equal(await status(access.token), 200);
  assert.equal(await status(), 403);
  const [tunnel] = tunnels.listFor(id);
  assert.ok(tunnel);
  // On loopback, Jupyter answers to its own names only, and takes requests from its own pages only.
  const name = formatBrowserHost(me().tag, id);
  const asBrowser = async (port: number) => {
    const [host, authorization] = [`${name}:${port}`, `token ${access.token}`];
    return (await ask(port, "/api/status", { host, authorization, origin: `http://${host}` })).status;
  };
  assert.equal(await asBrowser(tunnel.local), 403);
  assert.equal(await asBrowser(access.port), 200);
  tunnels.stop(tunnel);
  const again = await jupyterServers.open(me(), way, value, NEVER);
  assert.ok(again !== "missing");
  assert.equal(again.token, access.token, "the server that runs is used");
});
