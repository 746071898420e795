// The registries of the sandbox's world that require a login (interface 4.3 rule 7, 4.12).
import type { Fate } from "../market/market.ts";
import type { Configuration } from "./configuration.ts";

interface Login {
  readonly user: string;
  readonly pass: string;
}

const PRIVATE: ReadonlyMap<string, Login> = new Map([
  ["registry.sandbox.invalid", { user: "you", pass: "sandbox-registry-token" }],
]);

/** `https://registry.example/` is the server `registry.example`. */
export const toRegistryServer = (registry: string): string => registry.replace(/^https?:\/\//, "").replace(/\/+$/, "");

/** Whether a login may read an image, by its full name. */
export function canReadImage(image: string, login: Partial<Login> | undefined): boolean {
  const wanted = PRIVATE.get(image.split("/", 1)[0] ?? "");
  return wanted === undefined || (login?.user === wanted.user && login.pass === wanted.pass);
}

/** What becomes of an instance at its start: a machine that may not pull the image never runs it. */
export function toBootFate({ image, login }: Pick<Configuration, "image" | "login">, fate: Fate): Fate | "denied" {
  const isFor = login !== undefined && image.startsWith(`${toRegistryServer(login.repo)}/`);
  return canReadImage(image, isFor ? login : undefined) ? fate : "denied";
}
