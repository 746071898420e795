// A web server of this computer that passes everything on to a forwarded port: without the TLS that is spoken there, and by the only
// name of a server that all of them answer to.
import { once } from "node:events";
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

const HOST = "127.0.0.1";
/** Bytes. Cookies of notebooks are long. */
const HEADER_BYTES = 256 * 1024;

/** Where everything is passed on to. */
interface Target {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly isSecure: boolean;
  /** A name that browsers may come by. */
  readonly name: string;
}

export interface WebFront {
  readonly server: Server;
  readonly agent: Agent;
  readonly sockets: Set<Duplex>;
  readonly port: number;
}

/** Header fields as they came: names and values in turn. */
type RawFields = readonly string[];

/** What holds for one connection only; the other one has its own. Of trailers, none is passed on. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "proxy-connection", "expect", "trailer"]);

function mapFields(fields: RawFields, change: (name: string, value: string) => string | undefined): string[] {
  return fields.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const value = change(name.toLowerCase(), fields[at + 1] ?? "");
    return value === undefined ? [] : [name, value];
  });
}

/** A server compares the origin of what changes something, and of sockets, with the host that it was asked by: both become 127.0.0.1. */
function toServer(fields: RawFields, { name }: Target, isUpgrade: boolean): string[] {
  return mapFields(fields, (field, value) => {
    if (field === "host" && value.toLowerCase().startsWith(`${name}:`)) return `${HOST}${value.slice(name.length)}`;
    if (field === "origin" || field === "referer") return value.replace(`http://${name}:`, `http://${HOST}:`);
    return OF_CONNECTION.has(field) && !(isUpgrade && field === "connection") ? undefined : value;
  });
}

/** A server that sends the browser to itself knows itself by the address that it was asked by. */
function toBrowser(fields: RawFields, asked: string, isUpgrade: boolean): string[] {
  const own = asked.replace(/^.*:/, `${HOST}:`);
  return mapFields(fields, (field, value) => {
    const to = field === "location" ? /^(?:https?:)?\/\/([^/?#]+)/i.exec(value) : null;
    if (to?.[1] === own) return `http://${asked}${value.slice(to[0].length)}`;
    return OF_CONNECTION.has(field) && !(isUpgrade && field === "connection") ? undefined : value;
  });
}

const readHost = ({ headers }: IncomingMessage): string => headers.host ?? HOST;

/** Other names may lead here as well, by which the pages of others would reach the server as their own. Their numbers may differ. */
function isAskedByName(request: IncomingMessage, { name }: Target): boolean {
  const asked = readHost(request).toLowerCase().replace(/:\d*$/, "");
  return [name, HOST, "localhost", "[::1]"].includes(asked);
}

function passOn(request: IncomingMessage, target: Target, agent: Agent, isUpgrade: boolean): ClientRequest {
  const options: RequestOptions = {
    host: HOST,
    port: target.port,
    path: request.url ?? "/",
    method: request.method ?? "GET",
    headers: toServer(request.rawHeaders, target, isUpgrade),
    maxHeaderSize: HEADER_BYTES,
    agent: isUpgrade ? false : agent,
  };
  return target.isSecure ? requestSecure({ ...options, rejectUnauthorized: false }) : requestPlain(options);
}

const refuse = (response: ServerResponse, status: number) =>
  response.writeHead(status, { "content-length": 0, connection: "close" }).end();

function answerAs(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  try {
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage ?? "",
      toBrowser(answer.rawHeaders, readHost(request), false),
    );
  } catch {
    // Machines may say what no one may pass on.
    answer.on("error", () => undefined).destroy();
    response.statusMessage = "";
    return void refuse(response, 502);
  }
  answer.on("error", () => response.destroy()).pipe(response);
  answer.once("aborted", () => response.destroy());
}

function joinSockets(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.once("close", () => to.destroy());
    from.pipe(to);
  }
}

/** For a request whose connection was to be for something else. */
function answerOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  return response;
}

/** Of a request that becomes a connection for something else, such as a web socket. */
function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, sent: ClientRequest): void {
  socket.on("error", () => sent.destroy());
  socket.once("close", () => sent.destroy());
  sent.on("error", () => socket.destroy());
  sent.once("upgrade", (answer: IncomingMessage, far: Duplex, first: Buffer) => {
    const fields = toBrowser(answer.rawHeaders, readHost(request), true);
    const lines = fields.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${fields[at + 1] ?? ""}\r\n`] : []));
    socket.write(`HTTP/1.1 101 ${STATUS_CODES[101]}\r\n${lines.join("")}\r\n`, "latin1");
    socket.write(first);
    far.write(head);
    joinSockets(socket, far);
  });
  sent.once("response", (answer) => {
    answerAs(answer, request, answerOn(request, socket));
  });
  sent.end();
}

/** Listens on a port of its own. */
export async function openFront(target: Target): Promise<WebFront> {
  const sockets = new Set<Duplex>();
  const agent = target.isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
    if (!isAskedByName(request, target)) return void refuse(response, 421);
    const sent = passOn(request, target, agent, false);
    // A browser that loses a connection tries again on its own where it may.
    sent.on("error", () => response.destroy());
    // What wasn't asked for, such as another protocol, is no answer.
    sent.once("close", () => {
      if (!response.headersSent) response.destroy();
    });
    response.once("close", () => {
      if (!response.writableFinished) sent.destroy();
    });
    sent.once("response", (answer) => answerAs(answer, request, response));
    request.on("error", () => sent.destroy()).pipe(sent);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isAskedByName(request, target)) return upgrade(request, socket, head, passOn(request, target, agent, true));
    socket.on("error", () => undefined);
    refuse(answerOn(request, socket), 421);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, HOST);
  await once(server, "listening");
  server.on("error", () => undefined);
  return { server, agent, sockets, port: (server.address() as AddressInfo).port };
}

export function stopFront({ server, agent, sockets }: WebFront): void {
  server.close();
  agent.destroy();
  for (const socket of sockets) socket.destroy();
}
