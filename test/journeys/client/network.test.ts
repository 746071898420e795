// The way to the service: certificates are always checked, the editor's proxy is used for all calls, loopback goes past it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { createClient } from "../../../src/api/client.ts";
import type { Network } from "../../../src/api/transport.ts";
import { AppError } from "../../../src/domain/base/error.ts";

const KEY = "network-test-key-0123456789";
const TLS = join(import.meta.dirname, "../tls");
const certificate = readFileSync(join(TLS, "service.crt"), "utf8");
const ending: (() => unknown)[] = [];
after(async () => {
  for (const end of ending.reverse()) await end();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A service behind a certificate no one vouches for; it keeps what came. */
async function secureService(): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const tls = { key: readFileSync(join(TLS, "service.key")), cert: certificate };
  const server = createServer(tls, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{"success":true,"webhooks":[]}');
  });
  return { port: await listen(server as unknown as Server), seen };
}

/** A proxy that opens tunnels and keeps what it is asked, heads and all. */
async function proxy(to: number, credentials?: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createPlain((_, response) => response.writeHead(501).end());
  server.on("connect", (request, socket: Socket, head: Buffer) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const tunnel = connect(to, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      tunnel.write(head);
      tunnel.pipe(socket).pipe(tunnel);
    });
    tunnel.on("error", () => socket.destroy());
    socket.on("error", () => tunnel.destroy());
  });
  return {
    url: `http://${credentials === undefined ? "" : `${credentials}@`}127.0.0.1:${await listen(server)}`,
    asked,
  };
}

function client(baseUrl: string, network: Network) {
  const made = createClient({ baseUrl, apiKey: KEY, network, pace: 0, patience: 0, within: 0.2 });
  ending.push(() => made.close());
  return made;
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => assert.fail("it should have failed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}

/** What a client says of a service in a process with an environment of its own. */
async function inEnvironment(baseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
  const source = `
    import { createClient } from ${JSON.stringify(join(import.meta.dirname, "../../../src/api/client.ts"))};
    const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(KEY)}, pace: 0, patience: 0 });
    const said = await client.listWebhooks().then(() => "read", (error) => error.message);
    console.log(said);
    client.close();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--no-warnings", "--input-type=module", "--eval", source],
    { env: { ...process.env, ...env } },
  );
  return stdout.trim();
}

test("no variable of the environment turns the check of certificates off", async () => {
  const { port, seen } = await secureService();
  for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }])
    assert.match(await inEnvironment(`https://localhost:${port}`, env), /certificate of localhost.*can't be trusted/);
  assert.deepEqual(seen, []);
});

describe("a certificate", () => {
  test("that nobody vouches for is refused by name, and nothing is sent", async () => {
    const { port, seen } = await secureService();
    const error = await failure(client(`https://127.0.0.1:${port}`, {}).listWebhooks());
    assert.equal(error.kind, "offline");
    assert.match(error.message, /certificate of 127\.0\.0\.1:\d+ can't be trusted \(\w+\)\. Nothing was sent/);
    assert.equal(error.facts.notSent, true);
    assert.deepEqual(seen, []);
  });

  test("that the machine trusts is accepted", async () => {
    const { port, seen } = await secureService();
    const { rows } = await client(`https://127.0.0.1:${port}`, { certificates: [certificate] }).listWebhooks();
    assert.deepEqual(rows, []);
    assert.equal(seen.length, 1);
  });

  test("of another host is refused", async () => {
    const { port, seen } = await secureService();
    const error = await failure(client(`https://localhost:${port}`, { certificates: [certificate] }).listWebhooks());
    assert.match(error.message, /certificate of localhost:\d+ can't be trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    assert.deepEqual(seen, []);
  });
});

describe("a proxy", () => {
  test("is used for the call, sees neither key nor path, and vouches for nothing", async () => {
    const { port, seen } = await secureService();
    const { url, asked } = await proxy(port);
    const trusting = client("https://service.test", { proxy: url, certificates: [certificate] });
    assert.deepEqual((await trusting.listWebhooks()).rows, []);
    assert.equal(seen.length, 1);
    assert.equal(asked.length, 1);
    assert.match(asked[0] ?? "", /^service\.test:443 /);
    assert.ok(!asked.join().includes(KEY) && !asked.join().includes("/api/"));
    const error = await failure(client("https://service.test", { proxy: url }).listWebhooks());
    assert.match(error.message, /certificate/);
    assert.equal(seen.length, 1);
  });

  test("that wants a password gets it from its address, and no message repeats it", async () => {
    const { port } = await secureService();
    const { url, asked } = await proxy(port, "me:canary-proxy-password");
    const good = client("https://service.test", { proxy: url, certificates: [certificate] });
    assert.deepEqual((await good.listWebhooks()).rows, []);
    assert.ok(asked.length > 0);
    const bad = url.replace("canary-proxy-password", "wrong-proxy-password");
    const error = await failure(
      client("https://service.test", { proxy: bad, certificates: [certificate] }).listWebhooks(),
    );
    assert.doesNotMatch(`${error.message} ${error.stack}`, /proxy-password/);
  });

  test("is passed by for loopback and for hosts that are named", async () => {
    const { port, seen } = await secureService();
    const { url, asked } = await proxy(port);
    const near = client(`https://127.0.0.1:${port}`, { proxy: url, certificates: [certificate] });
    assert.deepEqual((await near.listWebhooks()).rows, []);
    assert.equal(seen.length, 1);
    await failure(
      client("https://service.test", {
        proxy: url,
        noProxy: "service.test",
        certificates: [certificate],
      }).listWebhooks(),
    );
    assert.deepEqual(asked, []);
  });
});
