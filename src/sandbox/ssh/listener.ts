// Ports of this computer's loopback, which no one else in the network can reach.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface Listener {
  readonly port: number;
  /** Cuts every connection. Resolves when nothing listens any longer. */
  close(): Promise<void>;
}

export interface ListenerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Whether a client that has sent everything can still be answered. */
  readonly allowHalfOpen?: boolean;
}

/** Hands every connection to `greet`. @throws Error if the port isn't available. */
export async function listenOnLoopback(
  greet: (socket: Socket) => void,
  { port = 0, allowHalfOpen = false }: ListenerOptions = {},
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    greet(socket);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  server.on("error", () => undefined);
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}
