// What a browser or a notebook is sent to in place of a forwarded port whose server speaks TLS: machines sign for themselves, which
// no browser accepts. SSH has proved already whose machine it is, so the certificate adds nothing.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { waitForAnswer } from "../core/hear.ts";
import type { Tunnel, Tunnels } from "./tunnels.ts";

const HOST = "127.0.0.1";

interface Front {
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly port: number;
}

export class TlsFronts implements Disposable {
  readonly #tunnels: Tunnels;
  readonly #clock: Clock;
  readonly #bag = new Bag();
  readonly #fronts = new Map<Tunnel, Front>();

  constructor(tunnels: Tunnels, clock: Clock) {
    this.#tunnels = tunnels;
    this.#clock = clock;
    this.#bag.add(tunnels.onDidChange(() => this.#closeEnded()));
  }

  /**
   * The port of this computer where the tunnel's server is reached without TLS: the tunnel's own, or one in front of it.
   * @throws AppError `rejected` if no web server answers. @throws the signal's reason.
   */
  async portFor(tunnel: Tunnel, signal: AbortSignal): Promise<number> {
    const known = this.#fronts.get(tunnel);
    if (known) return known.port;
    const spoken = await this.#listen(tunnel.local, signal);
    signal.throwIfAborted();
    if (spoken === undefined)
      throw new AppError(
        "rejected",
        t("No web server is responding on port {0} of instance {1} yet.", tunnel.remote, tunnel.id),
      );
    if (spoken === "http") return tunnel.local;
    const front = await openFront(tunnel.local);
    // Another call may have been faster, and the tunnel may be gone.
    const other = this.#fronts.get(tunnel);
    if (other) closeFront(front);
    else this.#fronts.set(tunnel, front);
    this.#closeEnded();
    return (other ?? front).port;
  }

  async #listen(port: number, signal: AbortSignal): Promise<"https" | "http" | undefined> {
    if (await this.#answers(connectTls({ host: HOST, port, rejectUnauthorized: false }), "secureConnect", signal))
      return "https";
    const plain = connect({ host: HOST, port });
    plain.write(`HEAD / HTTP/1.1\r\nHost: ${HOST}:${port}\r\nConnection: close\r\n\r\n`);
    // Others greet whoever comes.
    const isHttp = (said: unknown) => String(said).startsWith("HTTP/");
    return (await this.#answers(plain, "data", signal, isHttp)) ? "http" : undefined;
  }

  /** Whether this happens before the connection ends, and is what is meant. */
  async #answers(
    socket: Socket,
    event: "secureConnect" | "data",
    signal: AbortSignal,
    isMeant: (given: unknown) => boolean = () => true,
  ): Promise<boolean> {
    const heard = new Promise<boolean>((resolve) => {
      socket.once(event, (given) => resolve(isMeant(given)));
      for (const end of ["error", "close"]) socket.on(end, () => resolve(false));
    });
    return await waitForAnswer(socket, heard, this.#clock, signal);
  }

  #closeEnded(): void {
    const open = this.#tunnels.all();
    for (const [tunnel, front] of this.#fronts)
      if (!open.includes(tunnel)) {
        closeFront(front);
        this.#fronts.delete(tunnel);
      }
  }

  dispose(): void {
    this.#bag.dispose();
    for (const front of this.#fronts.values()) closeFront(front);
    this.#fronts.clear();
  }
}

async function openFront(to: number): Promise<Front> {
  const sockets = new Set<Socket>();
  const server = createServer((plain) => {
    const secure = connectTls({ host: HOST, port: to, rejectUnauthorized: false });
    for (const [socket, other] of [
      [plain, secure],
      [secure, plain],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    plain.pipe(secure).pipe(plain);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  server.on("error", () => undefined);
  return { server, sockets, port: (server.address() as AddressInfo).port };
}

function closeFront({ server, sockets }: Front): void {
  server.close();
  for (const socket of sockets) socket.destroy();
}
