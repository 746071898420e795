// A port of this computer that nothing listens on.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Below it, a port may need rights that few have. */
const FIRST_UNPRIVILEGED = 1024;

/** `wanted` if it is free on loopback, else any other; 0 wants none in particular. @throws the system's error if none is free. */
export async function findFreePort(wanted: number): Promise<number> {
  const isPossible = wanted >= FIRST_UNPRIVILEGED && !(await isTakenForIpv6(wanted));
  return (isPossible ? await listenOnce(wanted).catch(() => undefined) : undefined) ?? (await listenOnce(0));
}

/** Whoever opens `localhost` may get there instead. Where there is no IPv6, no one does. */
async function isTakenForIpv6(port: number): Promise<boolean> {
  return await listenOnce(port, "::1").then(
    () => false,
    ({ code }) => code === "EADDRINUSE",
  );
}

async function listenOnce(port: number, host = "127.0.0.1"): Promise<number> {
  const server = createServer();
  server.listen(port, host);
  await once(server, "listening");
  const given = (server.address() as AddressInfo).port;
  const closed = once(server, "close");
  server.close();
  await closed;
  return given;
}
