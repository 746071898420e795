// The bundled undici does what the transport asks of it: bodies both ways, alone and through a proxy.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";

const { undici }: typeof import("../../src/api/undici.ts") = createRequire(import.meta.url)("../../dist/undici.cjs");
const ending: (() => unknown)[] = [];
after(async () => {
  for (const end of ending.reverse()) await end();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with what came. */
const echo = () =>
  listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      response.end(`${request.method} ${request.url} ${request.headers["content-type"]} ${Buffer.concat(chunks)}`);
    }),
  );

test("a body goes and an answer comes", async () => {
  const origin = await echo();
  const dispatcher = new undici.Agent({ allowH2: false, pipelining: 1, connections: 1, maxResponseSize: 1000 });
  ending.push(() => dispatcher.destroy());
  const headers = { "content-type": "application/json" };
  const { statusCode, body } = await undici.request(`${origin}/a/?b=%20c`, {
    dispatcher,
    method: "PUT",
    headers,
    body: '{"é":1}',
  });
  assert.equal(statusCode, 200);
  assert.equal(await body.text(), 'PUT /a/?b=%20c application/json {"é":1}');
  const empty = await undici.request(origin, { dispatcher, method: "GET", body: null });
  assert.equal(await empty.body.text(), "GET / undefined ");
  await assert.rejects(async () => {
    const much = await undici.request(origin, { dispatcher, method: "POST", body: "x".repeat(2000) });
    await much.body.text();
  }, /max size|Response content exceeded/i);
});

test("the same through the tunnel of a proxy", async () => {
  const origin = await echo();
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket: Socket) => {
    asked.push(request.url ?? "");
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const tunnel = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    tunnel.on("error", () => socket.destroy());
    socket.on("error", () => tunnel.destroy());
  });
  const dispatcher = new undici.EnvHttpProxyAgent({
    httpProxy: await listen(proxy),
    noProxy: "elsewhere",
    proxyTunnel: true,
  });
  ending.push(() => dispatcher.destroy());
  const { body } = await undici.request(`${origin}/x`, { dispatcher, method: "POST", body: "hello" });
  assert.equal(await body.text(), "POST /x undefined hello");
  assert.equal(asked.length, 1);
});
