// How services list the ports that they publish: as docker does, by the port inside.

export const SSH_PORT = 22;

/** The public port that leads to a port inside, by the first of its entries. */
export function findPublicPort(ports: unknown, inside: string): unknown {
  if (typeof ports !== "object" || ports === null || !Object.hasOwn(ports, inside)) return undefined;
  const entries: unknown = Reflect.get(ports, inside);
  const first: unknown = Array.isArray(entries) ? entries[0] : undefined;
  return typeof first === "object" && first !== null && "HostPort" in first ? first.HostPort : undefined;
}
