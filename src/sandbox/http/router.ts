// Maps method and path to a row of the table of routes. A missing trailing slash is accepted, as at public services.
import type { EndpointRow } from "../../api/table/endpoint.ts";
import { Refusal } from "../base/refusal.ts";
import { type RouteName, routes } from "../base/routes.ts";

export interface Route {
  readonly name: RouteName;
  readonly id: number | undefined;
}

interface Entry {
  readonly name: RouteName;
  readonly method: EndpointRow["method"];
  readonly path: RegExp;
  readonly shown: boolean;
}

const ENTRIES: readonly Entry[] = Object.entries(routes).map(([name, { method, path, shown }]) => ({
  name: name as RouteName,
  method,
  shown,
  path: new RegExp(`^${path.replace(/\/$/, "").replace("{id}", "([^/]+)")}/?$`),
}));

function readId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (!Number.isSafeInteger(id) || id < 1)
    throw new Refusal(400, "invalid_args", "the id in the path must be a positive integer");
  return id;
}

/** @throws Refusal 404 for an unknown path, 405 for a wrong method, 400 for an invalid ID. */
export function findRoute(method: string, path: string, onlyDocumented = false): Route {
  const here = ENTRIES.filter((entry) => entry.path.test(path) && (entry.shown || !onlyDocumented));
  const entry = here.find((one) => one.method === method);
  if (entry) return { name: entry.name, id: readId(entry.path.exec(path)?.[1]) };
  // A server without the extras doesn't know other methods on their paths either.
  if (here.length === 0 || onlyDocumented) throw new Refusal(404, "not_found", "No such path");
  throw new Refusal(405, "method_not_allowed", `Only ${here.map((one) => one.method).join(", ")} here`);
}
