// Minimum gaps between calls to one endpoint with one key, as public services enforce them (off by default).
import { Refusal } from "../base/refusal.ts";
import { type RouteName, routes } from "../base/routes.ts";

/** Network timing varies: a call this much too early is still accepted. */
const GRACE_MS = 50;

export class RateLimits {
  /** Real milliseconds of the last accepted call, by key and endpoint. */
  readonly #last = new Map<string, number>();

  /** @throws Refusal 429 with the public service's message. */
  check(key: number, name: RouteName): void {
    const { gap } = routes[name];
    const lane = `${key}/${name}`;
    const now = performance.now();
    const last = this.#last.get(lane) ?? Number.NEGATIVE_INFINITY;
    if (now - last < gap * 1000 - GRACE_MS)
      throw new Refusal(429, "too_fast", `API requests too frequent: endpoint threshold=${gap.toFixed(1)}`);
    this.#last.set(lane, now);
  }
}
