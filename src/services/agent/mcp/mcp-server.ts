// The tools for other agents, over HTTP on this computer alone. Each message is answered on its own, so nothing is kept of an agent between them
// but what it still waits for: what it cancels, it cancels by another message, under the name that it was given at the beginning.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { ToolsEndpoint } from "../../../domain/agent/mcp-snippet.ts";
import type { Log } from "../../../lib/log.ts";
import { rememberSecret } from "../../../lib/redact.ts";
import { judgeRequest, MCP_PATH, MOST_BODY } from "./judge-request.ts";
import { type AnswerTool, McpExchange } from "./mcp-exchange.ts";

interface Options {
  readonly answerTool: AnswerTool;
  /** Of the extension. */
  readonly version: string;
  readonly log: Log;
}

export interface McpServer extends ToolsEndpoint {
  /** Ends every call that is under way, and every connection. What was sent to the service was sent. */
  close(): void;
}

/** Bytes of a token. */
const TOKEN_BYTES = 32;
/** Bytes. */
const MOST_HEADERS = 8192;
/** Connections at a time. One that only waits is closed soon, so none of them stay taken. */
const MOST_CONNECTIONS = 256;
/** Milliseconds for the headers, and for all of a request: a program that sends a letter at a time doesn't keep a connection. */
const SLOWNESS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};

/** Its names for agents, by which what they wait for is told apart. */
const SESSION = "mcp-session-id";

/** What is under way, by the agent's name and the number that it gave to the message. */
type Waiting = Map<string, Set<McpExchange>>;

export async function startMcpServer(options: Options): Promise<McpServer> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  // So that no log and no answer shows it.
  rememberSecret(token);
  const waiting: Waiting = new Map();
  const running = new Set<McpExchange>();
  const server = createServer({ ...SLOWNESS, maxHeaderSize: MOST_HEADERS });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // Such as that this computer has no connection left to give: the next one may have.
  server.on("error", (error) => options.log.warn("A connection of another agent couldn't be taken.", error));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const refused = judgeRequest(request, { port, token });
    if (refused !== undefined) return refuse(response, refused);
    answerRequest(request, response, { ...options, waiting, running }).catch((error) => {
      if (!request.destroyed) options.log.warn("A message of another agent couldn't be answered.", error);
      response.destroy();
    });
  });
  return {
    url: `http://127.0.0.1:${port}${MCP_PATH}`,
    token,
    close: () => closeServer(server, running),
  };
}

function closeServer(server: Server, running: ReadonlySet<McpExchange>): void {
  server.close();
  for (const exchange of running) void exchange.close();
  server.closeAllConnections();
}

interface Place extends Options {
  readonly waiting: Waiting;
  readonly running: Set<McpExchange>;
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { answerTool, version, waiting, running }: Place,
): Promise<void> {
  const text = await readBody(request);
  if (text === undefined) {
    request.resume();
    return refuse(response, 413);
  }
  const body = readMessage(text);
  if (!body) return refuse(response, 400);
  const session = request.headersDistinct[SESSION]?.[0] ?? "";
  const cancel = (cancelled: RequestId) => {
    for (const one of waiting.get(toKey(session, cancelled)) ?? []) void one.close();
  };
  const exchange = new McpExchange({ answerTool, version, cancel });
  running.add(exchange);
  const id = "id" in body && (typeof body.id === "string" || typeof body.id === "number") ? body.id : undefined;
  const stopNoting = id !== undefined && session !== "" ? noteWaiting(waiting, toKey(session, id), exchange) : () => {};
  // An agent that is gone waits for nothing. What was sent for it before goes on.
  const leave = () => void exchange.close();
  response.on("close", leave);
  // The response to one that came right after another on the same connection has none yet.
  request.socket.once("close", leave);
  try {
    const answer = await exchange.answer(body, pickHeaders(request));
    const begun = "method" in body && body.method === "initialize" ? { [SESSION]: randomUUID() } : {};
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...begun, ...KEPT_BY_NO_ONE });
    // Some agents give up on what hasn't begun after a minute, and a person may take longer.
    response.flushHeaders();
    if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => undefined);
    else response.end();
  } finally {
    request.socket.off("close", leave);
    stopNoting();
    running.delete(exchange);
    await exchange.close();
  }
}

const toKey = (session: string, id: RequestId): string => JSON.stringify([session, id]);

function noteWaiting(waiting: Waiting, key: string, exchange: McpExchange): () => void {
  const same = waiting.get(key) ?? new Set();
  waiting.set(key, same.add(exchange));
  return () => {
    same.delete(exchange);
    if (same.size === 0) waiting.delete(key);
  };
}

/** Undefined for one that is too long. What is left of it is read and thrown away, for as long as a request may take. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** One message. Several in one went out of use, and would have to be answered in one. */
function readMessage(text: string): object | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** What the library looks at: not the token. */
function pickHeaders({ headers }: IncomingMessage): Headers {
  const picked = new Headers();
  for (const name of ["accept", "content-type", "mcp-protocol-version"]) {
    const value = headers[name];
    if (typeof value === "string") picked.set(name, value);
  }
  return picked;
}

const WITH_REFUSAL: ReadonlyMap<number, Readonly<Record<string, string>>> = new Map([
  [401, { "www-authenticate": "Bearer" }],
  [405, { allow: "POST" }],
]);
const KEPT_BY_NO_ONE = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...WITH_REFUSAL.get(status), ...KEPT_BY_NO_ONE }).end();
}
