// The world's HTTP server: reads a request, runs its handler, writes the response, and applies faults.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { sleep } from "../../lib/clock.ts";
import { DEEPEST_JSON, isDeeperThan } from "../../lib/json-flaw.ts";
import { type Answer, answerFailure, answerJson, answerPlain } from "../base/answer.ts";
import { Refusal } from "../base/refusal.ts";
import type { RouteName } from "../base/routes.ts";
import { type Fault, type FaultSpec, listFaults } from "../faults/faults.ts";
import type { Call } from "../handlers/handler.ts";
import { handlers, NEEDS } from "../handlers/handlers.ts";
import type { Key } from "../world/keys.ts";
import type { World } from "../world/world.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type RequestLine, redactLine } from "./request-line.ts";
import { findRoute, type Route } from "./router.ts";

export interface Service {
  readonly world: World;
  readonly faults: ReadonlySet<FaultSpec>;
  /** Resolves when what an answer says about logins is true. */
  readonly prepare: (() => Promise<void>) | undefined;
  readonly requests: ((line: RequestLine) => void) | undefined;
  /** Aborted when the server stops. Waiting responses are dropped. */
  readonly stopped: AbortSignal;
  /** Serves only the thirteen operations of docs/interface.md. */
  readonly onlyDocumented: boolean;
  readonly limits: RateLimits | undefined;
  /** What faults remember between responses. */
  readonly memory: Map<number, number>;
}

const MOST_BYTES = 1_000_000;
const LATE_MS = 3000;
/** The maximum wait for a client that never disconnects. */
const MOST_WAIT_MS = 60_000;
const AFTER_IT_LEFT_MS = 50;

/** Reads to the end even if the body is too large, so that the sender can read the response. */
async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  if (bytes > MOST_BYTES) throw new Refusal(413, "payload_too_large", `The body is larger than ${MOST_BYTES} bytes`);
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON of a body; undefined if it isn't JSON, or is nested too deeply to be copied or logged. */
function parseBody(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return isDeeperThan(DEEPEST_JSON, parsed) ? undefined : parsed;
  } catch {
    return undefined;
  }
}

/** @throws Refusal 401 without a valid key (interface 5, rules 1 and 2). */
function authenticate(world: World, request: IncomingMessage): Key {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const known = key === undefined ? undefined : world.findKey(key);
  if (known === undefined) throw new Refusal(401, "auth_error", "Invalid user key");
  return known;
}

/** @throws Refusal 403 if the key lacks the permission (interface 5, rule 3). */
function authorize(key: Key, { name, id }: Route): void {
  const needed = NEEDS[name];
  if (needed !== undefined && !key.permissions.has(needed))
    throw new Refusal(403, "not_authorized", `This key lacks the permission ${needed}`);
  const isItself = (name === "updateInstance" || name === "destroyInstance") && id === key.instance;
  if (key.instance !== undefined && !isItself)
    throw new Refusal(403, "not_authorized", "This key can only start, stop, or destroy its instance");
}

function carryOut(world: World, asked: Asked, route: Route): Answer {
  // The router found name and ID on the same row of the table, which the types of a lookup by name can't express.
  const handler = handlers[route.name] as (call: Omit<Call<typeof route.name>, "id"> & Pick<Route, "id">) => unknown;
  const { query, given, origin } = asked;
  world.settle();
  return answerJson(200, handler({ world, id: route.id, query, body: given, origin }));
}

/** What is known about a request so far. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly origin: string;
  /** Parsed JSON as the handlers get it; undefined if there is none. */
  given: unknown;
  /** The faults that apply; determined once, when the endpoint is known. */
  struck: readonly Fault[] | undefined;
  /** How often the network delivers it. */
  times: 1 | 2;
}

function readHead(request: IncomingMessage): Asked {
  const [path = "/", search = ""] = (request.url ?? "/").split(/\?(.*)/s);
  const query = Object.fromEntries(new URLSearchParams(search));
  const origin = `http://${request.headers.host ?? `127.0.0.1:${request.socket.localPort}`}`;
  return { method: request.method ?? "GET", path, query, origin, given: undefined, struck: undefined, times: 1 };
}

/** Resolves when the client has closed its connection, at most after a minute. */
async function clientGone(response: ServerResponse, stopped: AbortSignal): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.closed || response.destroyed) return;
  await sleep(MOST_WAIT_MS, AbortSignal.any([gone.signal, stopped])).catch(() => undefined);
  // A postponed request is carried out even if the server stops in the meantime: the world outlives it.
  await sleep(AFTER_IT_LEFT_MS);
}

async function runAs(service: Service, asked: Asked, route: Route, response: ServerResponse): Promise<Answer> {
  const ways = new Set(asked.struck?.map((fault) => fault.runs));
  // Nothing is carried out. The fault decides how that looks from outside.
  if (ways.has("not")) return answerJson(200, {});
  if (ways.has("late")) await clientGone(response, service.stopped);
  const answer = carryOut(service.world, asked, route);
  if (!ways.has("twice")) return answer;
  asked.times = 2;
  try {
    service.world.repeat(() => carryOut(service.world, asked, route));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return answer;
}

/** The address of a log is itself the key, so that no API key is sent there. */
function readLog({ world, onlyDocumented }: Service, { method, path }: Asked): Answer | undefined {
  if (onlyDocumented || method !== "GET" || !path.startsWith("/logs/")) return undefined;
  const text = world.logs.get(path.slice("/logs/".length));
  return text === undefined ? answerPlain(404, "No such log") : answerPlain(200, text);
}

function routed(service: Service, key: Key, { method, path }: Asked): { route: Route; endpoint: RouteName } {
  const route = findRoute(method, path, service.onlyDocumented);
  service.limits?.check(key.id, route.name);
  return { route, endpoint: route.name };
}

async function attend(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  asked: Asked,
): Promise<Answer> {
  const text = await readText(request);
  asked.given = parseBody(text);
  const log = readLog(service, asked);
  if (log) return log;
  const key = authenticate(service.world, request);
  const { route, endpoint } = routed(service, key, asked);
  asked.struck = listFaults(service.faults, endpoint);
  authorize(key, route);
  // A GET has no body; one that is sent is ignored.
  if (asked.method !== "GET" && asked.given === undefined && text.trim() !== "")
    throw new Refusal(400, "invalid_request", "Invalid json body");
  await service.prepare?.();
  return runAs(service, asked, route, response);
}

async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = readHead(request);
  const answer = await attend(service, request, response, asked).catch(answerFailure);
  const struck = asked.struck ?? listFaults(service.faults, undefined);
  const shown = struck.reduce((so, fault) => fault.change?.(so, service.memory) ?? so, answer);
  const wire = struck.find((fault) => fault.wire)?.wire;
  const { method, path, query, given, times } = asked;
  const status = wire === undefined ? shown.status : null;
  const line = { time: new Date().toISOString(), method, path, query, body: given ?? null, status };
  for (let time = 0; time < times; time += 1) service.requests?.(redactLine(line));
  if (struck.some((fault) => fault.delayed)) await sleep(LATE_MS, service.stopped);
  if (wire === undefined) write(response, shown, method);
  else await wire(response, shown);
}

function write(response: ServerResponse, answer: Answer, method: string): void {
  const length = Buffer.byteLength(answer.body);
  response.writeHead(answer.status, { "content-type": answer.type, "content-length": length, ...answer.headers });
  response.end(method === "HEAD" ? "" : answer.body);
}

/** A server that isn't listening yet. */
export function createService(service: Service): Server {
  // Longer than clients keep idle connections, so that none is closed just as a request is sent.
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // The connection broke or the server stopped, so there is no one left to answer.
    serve(service, request, response).catch(() => response.destroy());
  });
}
