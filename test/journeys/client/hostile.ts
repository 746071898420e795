// Servers that don't keep to the interface, a client for each, and the one way they may make it fail.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { after } from "node:test";
import { type Client, type ClientOptions, createClient } from "../../../src/api/client.ts";
import { AppError, type ErrorKind } from "../../../src/domain/base/error.ts";
import type { InstanceId, OfferId } from "../../../src/domain/base/id.ts";

export const ID = 7 as InstanceId;
export const OFFER = 7 as OfferId;
export const BODY = { image: "a/b", label: "x" };

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

export interface Hostile {
  readonly client: Client;
  readonly url: string;
  /** Requests so far, or connections where the server speaks bytes. */
  count(): number;
  /** No one listens any longer. */
  stop(): void;
}

export async function serve(listener: RequestListener, options: Partial<ClientOptions> = {}): Promise<Hostile> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return hostile((server.address() as AddressInfo).port, options, () => count, stop);
}

/** A server below HTTP: it is handed the connection and answers in bytes of its own. */
export async function serveBytes(
  onSocket: (socket: Socket) => void,
  options: Partial<ClientOptions> = {},
): Promise<Hostile> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return hostile((server.address() as AddressInfo).port, options, () => sockets.length, stop);
}

function hostile(port: number, options: Partial<ClientOptions>, count: () => number, stop: () => void): Hostile {
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ baseUrl: url, apiKey: "test-key-0123456789", pace: 0, ...options });
  closing.push(() => {
    client.close();
    stop();
  });
  return { client, url, count, stop };
}

export async function failsAs(work: Promise<unknown>, kind: ErrorKind, says?: RegExp): Promise<AppError> {
  const error = await work.then(
    () => assert.fail("it should have failed"),
    (thrown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.ok(error.facts.operation, "the operation is named");
  if (says) assert.match(error.message, says);
  return error;
}
