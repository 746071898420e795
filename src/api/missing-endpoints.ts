// Which extras a service lacks. A single 404 may come from a gateway, and a missing extra may be added later.
import type { EndpointName } from "./table/endpoints.ts";

/** How many times in a row an endpoint must look missing before it counts as missing. */
const SIGHTINGS = 3;
/** Milliseconds between attempts, multiplied by their number. */
const PAUSE_MS = 200;
/** How long an endpoint counts as missing: at first, and at most. Doubles in between. */
const FIRST_MS = 60_000;
const MOST_MS = 15 * 60_000;

/** What a missing response means: the endpoint is missing, it must be tried again, or it exists and fails. */
export type Verdict = "missing" | "look-again" | "failing";

interface Belief {
  /** Monotonic milliseconds until which the endpoint isn't called. */
  readonly until: number;
  readonly forMs: number;
}

export class MissingEndpoints {
  readonly #elapsed: () => number;
  /** Endpoints that succeeded in this session exist, so later they can only fail. */
  readonly #answered = new Set<EndpointName>();
  readonly #beliefs = new Map<EndpointName, Belief>();

  /** @param elapsed monotonic milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  isBelieved(name: EndpointName): boolean {
    return (this.#beliefs.get(name)?.until ?? Number.NEGATIVE_INFINITY) > this.#elapsed();
  }

  noteAnswer(name: EndpointName): void {
    this.#answered.add(name);
    this.#beliefs.delete(name);
  }

  /** `sightings` counts missing responses within one call. A call that must not be repeated isn't remembered. */
  judge(name: EndpointName, sightings: number, mayRepeat: boolean): Verdict {
    if (this.#answered.has(name)) return "failing";
    if (!mayRepeat) return "missing";
    const before = this.#beliefs.get(name);
    if (before === undefined && sightings < SIGHTINGS) return "look-again";
    if (!this.isBelieved(name)) {
      const forMs = before === undefined ? FIRST_MS : Math.min(MOST_MS, before.forMs * 2);
      this.#beliefs.set(name, { until: this.#elapsed() + forMs, forMs });
    }
    return "missing";
  }

  /** Milliseconds until the next attempt. */
  pause(sightings: number): number {
    return PAUSE_MS * sightings;
  }

  /** Makes every endpoint callable again at once. Endpoints that succeeded before are still known to exist. */
  forget(): void {
    this.#beliefs.clear();
  }
}
