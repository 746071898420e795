// What a machine may answer, however odd, through the web server of this computer that is in front of its own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { openFront, stopFront } from "../../../src/services/port/web-front.ts";

const NAME = "cg-7-01234567.localhost";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

/** A machine that answers every request with this, and what is in front of it. It keeps what it was asked. */
async function front(context: TestContext, answer: string) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (said) => {
      asked.push(said.toString("latin1"));
      socket.write(answer, "latin1");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const made = await openFront({ port: (server.address() as AddressInfo).port, isSecure: false, name: NAME });
  context.after(() => {
    stopFront(made);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: made.port, asked };
}

/** All that is answered to a request with these lines, until the connection ends. */
async function ask(port: number, host: string, lines = "Connection: close\r\n"): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`, "latin1");
  let said = "";
  for await (const part of socket.setEncoding("latin1")) said += part;
  return said;
}

const ANSWERS: readonly (readonly [what: string, answer: string, seen: RegExp])[] = [
  ["a reason with a control character", "HTTP/1.1 200 a\x01b\r\nContent-Length: 2\r\n\r\nok", /^HTTP\/1\.1 502 /],
  ["a status below all", "HTTP/1.1 099 no\r\nContent-Length: 2\r\n\r\nok", /^HTTP\/1\.1 502 /],
  ["no status", "HTTP/1.1 000 no\r\nContent-Length: 2\r\n\r\nok", /^HTTP\/1\.1 502 /],
  [
    "a trailer without parts",
    "HTTP/1.1 200 ok\r\nContent-Length: 2\r\nTrailer: X\r\n\r\nok",
    /^HTTP\/1\.1 200 [\s\S]*ok$/,
  ],
  ["another protocol that nobody asked for", `HTTP/1.1 101 x\r\n${UPGRADE}\r\n`, /^$/],
];

describe("a machine's answer with", () => {
  for (const [what, answer, seen] of ANSWERS)
    test(what, async (context) => {
      const { port } = await front(context, answer);
      assert.match(await ask(port, `${NAME}:${port}`), seen);
    });

  test("an odd refusal of a socket", async (context) => {
    const { port } = await front(context, "HTTP/1.1 099 a\r\nContent-Length: 0\r\n\r\n");
    assert.match(await ask(port, `${NAME}:${port}`, UPGRADE), /^HTTP\/1\.1 502 /);
  });
});

test("what is asked for by the name of another site gets to no machine", async (context) => {
  const { port, asked } = await front(context, "HTTP/1.1 200 ok\r\nContent-Length: 2\r\n\r\nok");
  for (const lines of [undefined, UPGRADE])
    for (const host of ["evil.example", `x${NAME}`, `${NAME}.evil.example`, "127.0.0.1.evil.example"])
      assert.match(await ask(port, `${host}:${port}`, lines), /^HTTP\/1\.1 421 /);
  assert.deepEqual(asked, []);
  for (const host of [`${NAME}:${port}`, `127.0.0.1:${port}`, `localhost:${port}`, `${NAME}:1`, NAME.toUpperCase()])
    assert.match(await ask(port, host), /^HTTP\/1\.1 200 /, host);
});
