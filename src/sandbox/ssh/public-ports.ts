// A public port of a machine leads to what listens inside, as docker's do.
import { connect, type Socket } from "node:net";

/** An address on this computer. */
export interface Inside {
  readonly host: "127.0.0.1" | "::1";
  readonly port: number;
}

/** The number of a public TCP port such as `8080/tcp`. Ports from 65536 on are the same on both sides, which are one here. */
export function readTcpPort(name: string): number | undefined {
  const port = Number(/^(\d+)\/tcp$/.exec(name)?.[1]);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Hands a client on. Where nothing listens inside, it is cut off. */
export function forwardInside(client: Socket, inside: Inside | undefined): void {
  if (inside === undefined) {
    client.destroy();
    return;
  }
  const socket = connect({ ...inside, allowHalfOpen: true });
  socket.on("error", () => client.destroy());
  client.once("close", () => socket.destroy());
  client.pipe(socket).pipe(client);
}
