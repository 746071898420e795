// What a service can say of a machine's ports besides the truth: keys and values of any kind, and far too many of them.
import { PAYLOADS } from "./payloads.ts";

/** The machine whose ports these are, by how its label begins. */
export const PORTED = "runner";
/** Nothing listens there. The one port of them all that everyone reaches. */
export const HONEST = { inside: "5000/tcp", host: "127.0.0.1", port: 9 };
/** What `ssh` would take for an option. */
export const NO_HOST = "-oProxyCommand=true";
const MANY = 10_000;

/** In place of the number of a public port. */
const NUMBERS: readonly unknown[] = [
  ...["22; true", NO_HOST, " 22", "22\n", "0x16", "\u0662\u0662", "65536", "1e3", ""],
  ...[22.5, -1, 0, 65_536, null, true, {}, [22], { HostPort: "22" }],
  ...PAYLOADS.map((bad) => bad.slice(0, 300)),
];
/** In place of the list of a port's public addresses. */
const LISTS: readonly unknown[] = [null, "8080", 8080, [[{ HostPort: "80" }]], { 0: { HostPort: "80" } }, [], [null]];
/** In place of the name of a port. */
const KEYS = [
  "080/tcp",
  "99999/tcp",
  "-1/tcp",
  "0/tcp",
  "8080/udp",
  "8081/tcp/tcp",
  " 8082/tcp",
  "8083",
  "constructor",
];

/** A map whose own `__proto__` is a field like any other, as JSON has it. The machine's SSH server is in it, at no address. */
export function hostilePorts(): object {
  const map: Record<string, unknown> = { "22/tcp": [{ HostPort: NO_HOST }] };
  map[HONEST.inside] = [{ HostPort: String(HONEST.port) }];
  for (const [at, HostPort] of NUMBERS.entries()) map[`${6000 + at}/tcp`] = [{ HostPort }];
  for (const [at, list] of LISTS.entries()) map[`${7000 + at}/tcp`] = list;
  for (const key of [...KEYS, ...PAYLOADS.map((bad) => bad.slice(0, 300))]) map[key] = [{ HostPort: "80" }];
  for (let at = 0; at < MANY; at += 1) map[`${20_000 + at}/tcp`] = [{ HostPort: PAYLOADS[at % 3] }];
  return Object.defineProperty(map, "__proto__", { value: [{ HostPort: "80" }], enumerable: true });
}
