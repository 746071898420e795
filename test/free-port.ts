// A port for a program that has to be told one.
import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to connections: one of those may be another connection's by the time it is needed. */
const [FIRST, COUNT] = [10_000, 20_000];

/** @returns a port of loopback on which no one listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
