// What stories about the end of one instance have in common: their time, what was asked of the service, and what was told.
import { sleep } from "../../src/lib/clock.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { newUserData, type UserData } from "../journeys/editor-window.ts";
import { RATE } from "./life.ts";

/** Milliseconds. */
const TICK = 10;

export class EndStage {
  readonly violations: string[] = [];
  readonly requests: { readonly at: number; readonly kind: "stop" | "destroy" }[] = [];
  readonly told: { readonly at: number; readonly kind: string }[] = [];
  readonly userData: UserData = newUserData();
  readonly #began = performance.now();
  /** When this process stood still, and for how long, in model seconds: nothing in it could act. */
  readonly #stalls: { readonly at: number; readonly seconds: number }[] = [];
  readonly #ticking: NodeJS.Timeout;

  constructor() {
    let last = performance.now();
    this.#ticking = setInterval(() => {
      const now = performance.now();
      const late = now - last - TICK;
      if (late > TICK) this.#stalls.push({ at: this.now, seconds: (late * RATE) / 1000 });
      last = now;
    }, TICK);
  }

  /** Model seconds of the `within` before `at` in which this process stood still. */
  stalled(at: number, within: number): number {
    const own = this.#stalls.filter((one) => one.at > at - within && one.at - one.seconds < at);
    return own.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  stop(): void {
    clearInterval(this.#ticking);
  }

  /** Model seconds from the beginning. */
  get now(): number {
    return ((performance.now() - this.#began) * RATE) / 1000;
  }

  async waitUntil(at: number): Promise<void> {
    if (at > this.now) await sleep(((at - this.now) * 1000) / RATE);
  }

  note({ method, path, body }: RequestLine): void {
    if (!/^\/api\/v0\/instances\/\d+\/$/.test(path)) return;
    if (method === "DELETE") this.requests.push({ at: this.now, kind: "destroy" });
    if (method === "PUT" && JSON.stringify(body).includes("stopped"))
      this.requests.push({ at: this.now, kind: "stop" });
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }
}
