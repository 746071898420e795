// A port of this computer that nothing listens on.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Below it, a port may need rights that few have. */
const FIRST_UNPRIVILEGED = 1024;

/** `wanted` if it is free on 127.0.0.1, else any other; 0 wants none in particular. @throws the system's error if none is free. */
export async function findFreePort(wanted: number): Promise<number> {
  const isPossible = wanted >= FIRST_UNPRIVILEGED;
  return (isPossible ? await listenOnce(wanted).catch(() => undefined) : undefined) ?? (await listenOnce(0));
}

async function listenOnce(port: number): Promise<number> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const given = (server.address() as AddressInfo).port;
  const closed = once(server, "close");
  server.close();
  await closed;
  return given;
}
