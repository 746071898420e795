// The HTTP face of the world: reads a request, asks router and handlers, writes the answer, and lets faults strike.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { EndpointName } from "../api/endpoints.ts";
import { sleep } from "../lib/task.ts";
import type { Key } from "./account.ts";
import { effectsOf, type FaultName } from "./faults.ts";
import { type Call, handlers, NEEDS } from "./handlers.ts";
import { errorBody, Refusal } from "./refusal.ts";
import { type RequestLine, redactLine } from "./request-line.ts";
import { type Route, routeFor } from "./router.ts";
import type { World } from "./world.ts";

export interface Service {
  readonly world: World;
  readonly faults: ReadonlySet<FaultName>;
  readonly requests: ((line: RequestLine) => void) | undefined;
  /** Aborted when the server stops: answers that wait are dropped. */
  readonly stopped: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const MOST_BYTES = 1_000_000;
const LATE_MS = 3000;
const BAD_GATEWAY: Answer = {
  status: 502,
  type: "text/html",
  text: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
};

const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  text: JSON.stringify(value),
});

/** Reads to the end even when it is too much, so that the sender gets to read the answer. */
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

/** The JSON of a body, or undefined for anything else. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws Refusal 401 without a valid key (interface 5, rules 1 and 2). */
function authenticate(world: World, request: IncomingMessage): Key {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const known = key === undefined ? undefined : world.keys.get(key);
  if (known === undefined) throw new Refusal(401, "auth_error", "Invalid user key");
  return known;
}

/** @throws Refusal 403 where the key lacks the permission (interface 5, rule 3). */
function authorize(key: Key, { name }: Route): void {
  const needed = NEEDS[name];
  if (needed !== undefined && !key.permissions.has(needed))
    throw new Refusal(403, "not_authorized", `This key lacks the permission ${needed}`);
}

function carryOut(world: World, route: Route, query: Readonly<Record<string, string>>, body: unknown): Answer {
  // The router found name and id on the same row of the table, which the types of a lookup by name cannot express.
  const handler = handlers[route.name] as (call: Omit<Call<typeof route.name>, "id"> & Pick<Route, "id">) => unknown;
  return json(200, handler({ world, id: route.id, query, body }));
}

function failed(error: unknown): Answer {
  if (error instanceof Refusal) return json(error.status, errorBody(error.code, error.message));
  return json(500, errorBody("internal_error", error instanceof Error ? error.message : String(error)));
}

/** What is known of a request so far. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  body: unknown;
  endpoint: EndpointName | undefined;
}

function readHead(request: IncomingMessage): Asked {
  const [path = "/", search = ""] = (request.url ?? "/").split(/\?(.*)/s);
  const query = Object.fromEntries(new URLSearchParams(search));
  return { method: request.method ?? "GET", path, query, body: null, endpoint: undefined };
}

async function attend(service: Service, request: IncomingMessage, asked: Asked): Promise<Answer> {
  const text = await readText(request);
  const body = parseBody(text);
  if (body !== undefined) asked.body = body;
  const key = authenticate(service.world, request);
  const route = routeFor(asked.method, asked.path);
  asked.endpoint = route.name;
  authorize(key, route);
  // A GET has no body of its own; what a client sends along is passed over, whatever it is.
  if (asked.method !== "GET" && body === undefined && text.trim() !== "")
    throw new Refusal(400, "invalid_request", "Invalid json body");
  // Nothing is carried out; how that looks from outside is for the fault's effect to say.
  if (effectsOf(service.faults, "before", route.name).size > 0) return BAD_GATEWAY;
  return carryOut(service.world, route, asked.query, body);
}

async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = readHead(request);
  const answer = await attend(service, request, asked).catch(failed);
  const effects = new Set([
    ...effectsOf(service.faults, "before", asked.endpoint),
    ...effectsOf(service.faults, "after", asked.endpoint),
  ]);
  const shown = effects.has("reset") ? undefined : effects.has("bad-gateway") ? BAD_GATEWAY : answer;
  const { method, path, query, body } = asked;
  const line = { time: new Date().toISOString(), method, path, query, body, status: shown?.status ?? null };
  service.requests?.(redactLine(line));
  if (effects.has("late")) await sleep(LATE_MS, service.stopped);
  if (shown === undefined) response.destroy();
  else write(response, shown, method);
}

function write(response: ServerResponse, answer: Answer, method: string): void {
  response.writeHead(answer.status, { "content-type": answer.type, "content-length": Buffer.byteLength(answer.text) });
  response.end(method === "HEAD" ? "" : answer.text);
}

/** A server that is not listening yet. */
export function createService(service: Service): Server {
  // Longer than clients keep idle connections, so that none is closed under a request that is on its way.
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // What ends here is a connection that broke or a server that stopped: nobody is left to tell.
    serve(service, request, response).catch(() => response.destroy());
  });
}
