// From method and path to a row of the endpoint table, as lenient with a trailing slash as public services are.
import type { EndpointRow } from "../api/endpoint.ts";
import { type EndpointName, endpoints } from "../api/endpoints.ts";
import { Refusal } from "./refusal.ts";

export interface Route {
  readonly name: EndpointName;
  readonly id: number | undefined;
}

interface Entry {
  readonly name: EndpointName;
  readonly method: EndpointRow["method"];
  readonly path: RegExp;
}

const ENTRIES: readonly Entry[] = Object.entries(endpoints).map(([name, { method, path }]) => ({
  name: name as EndpointName,
  method,
  path: new RegExp(`^${path.replace(/\/$/, "").replace("{id}", "([^/]+)")}/?$`),
}));

/** Routes that were, with what takes their place: public services answer 410 there. */
const RETIRED: readonly { readonly method: string; readonly path: RegExp; readonly instead: string }[] = [
  { method: "GET", path: /^\/api\/v0\/instances\/?$/, instead: "GET /api/v1/instances/" },
];

function readId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (!Number.isSafeInteger(id) || id < 1)
    throw new Refusal(400, "invalid_args", "the id in the path must be a positive integer");
  return id;
}

/** @throws Refusal 404 for a path nobody serves, 405 for another method on one, 410 for a retired route, 400 for its id. */
export function routeFor(method: string, path: string): Route {
  const retired = RETIRED.find((route) => route.method === method && route.path.test(path));
  if (retired) throw new Refusal(410, "deprecated_endpoint", `This endpoint is deprecated. Use ${retired.instead}`);
  const here = ENTRIES.filter((entry) => entry.path.test(path));
  const entry = here.find((one) => one.method === method);
  if (entry) return { name: entry.name, id: readId(entry.path.exec(path)?.[1]) };
  if (here.length === 0) throw new Refusal(404, "not_found", "No such path");
  throw new Refusal(405, "method_not_allowed", `Only ${here.map((one) => one.method).join(", ")} here`);
}
