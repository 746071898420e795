// What a browser or a notebook is sent to in place of a forwarded port whose server speaks TLS, or refuses the name that a browser
// knows the instance by. Machines sign for themselves, which no browser accepts; SSH has proved already whose machine it is, so the
// certificate adds nothing.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { waitForAnswer } from "../core/wait-for-answer.ts";
import type { Tunnel, Tunnels } from "./tunnels.ts";
import { openFront, stopFront, type WebFront } from "./web-front.ts";

const HOST = "127.0.0.1";

export class WebFronts implements Disposable {
  readonly #tunnels: Tunnels;
  readonly #clock: Clock;
  readonly #bag = new Bag();
  readonly #fronts = new Map<Tunnel, WebFront>();

  constructor(tunnels: Tunnels, clock: Clock) {
    this.#tunnels = tunnels;
    this.#clock = clock;
    this.#bag.add(tunnels.onDidChange(() => this.#closeEnded()));
  }

  /** The forwarding that this port of this computer leads through. Another one may have the same port later. */
  find(port: number): Tunnel | undefined {
    const behind = [...this.#fronts].find(([, front]) => front.port === port)?.[0];
    return this.#tunnels.list().find(({ local }) => local === port) ?? behind;
  }

  /**
   * The port of this computer where the tunnel's server is reached without TLS, by 127.0.0.1 and by this name: the tunnel's own, or one in
   * front of it. @throws AppError `rejected` if no web server answers. @throws the signal's reason.
   */
  async openPort(tunnel: Tunnel, name: string, signal: AbortSignal): Promise<number> {
    const known = this.#fronts.get(tunnel);
    if (known) return known.port;
    const spoken = await this.#listen(tunnel.local, name, signal);
    signal.throwIfAborted();
    if (spoken === undefined)
      throw new AppError(
        "rejected",
        t("No web server is responding on port {0} of instance {1} yet.", tunnel.remote, tunnel.id),
      );
    if (spoken === "http") return tunnel.local;
    const front = await openFront({ port: tunnel.local, isSecure: spoken === "https", name });
    // Another call may have been faster, and the tunnel may be gone.
    const other = this.#fronts.get(tunnel);
    if (other) stopFront(front);
    else this.#fronts.set(tunnel, front);
    this.#closeEnded();
    return (other ?? front).port;
  }

  /** `refusal`: it speaks HTTP and may not answer to the name. */
  async #listen(port: number, name: string, signal: AbortSignal): Promise<"https" | "http" | "refusal" | undefined> {
    if (await this.#answers(connectTls({ host: HOST, port, rejectUnauthorized: false }), "secureConnect", signal))
      return "https";
    const plain = connect({ host: HOST, port });
    plain.write(`GET / HTTP/1.1\r\nHost: ${name}:${port}\r\nConnection: close\r\n\r\n`);
    let status: string | undefined;
    // Others greet whoever comes.
    const isHttp = (said: unknown) => {
      status = /^HTTP\/\d\.\d (\d{3})/.exec(String(said))?.[1];
      return status !== undefined;
    };
    if (!(await this.#answers(plain, "data", signal, isHttp))) return undefined;
    return Number(status) < 400 ? "http" : "refusal";
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
    const open = this.#tunnels.list();
    for (const [tunnel, front] of this.#fronts)
      if (!open.includes(tunnel)) {
        stopFront(front);
        this.#fronts.delete(tunnel);
      }
  }

  dispose(): void {
    this.#bag.dispose();
    for (const front of this.#fronts.values()) stopFront(front);
    this.#fronts.clear();
  }
}
