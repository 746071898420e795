// Which extras a service lacks, as far as that can be known: one 404 may be a gateway's, and no lack is for ever.
import type { EndpointName } from "./table/endpoints.ts";

/** So many times in a row a service must say that it lacks something before that is believed. */
const SIGHTINGS = 3;
/** Milliseconds between them. */
const PAUSE_MS = 200;
/** For how long a lack is believed: at first, and at most, doubling in between. */
const FIRST_MS = 60_000;
const MOST_MS = 15 * 60_000;

/** What it means that an endpoint seems to be missing: it is, it must be looked at again, or it only fails for now. */
export type Verdict = "missing" | "look-again" | "failing";

interface Belief {
  /** Monotonic milliseconds until which the endpoint is not asked. */
  readonly until: number;
  readonly forMs: number;
}

export class Lacks {
  readonly #elapsed: () => number;
  /** What ever answered well in this session is there, and at worst fails. */
  readonly #answered = new Set<EndpointName>();
  readonly #beliefs = new Map<EndpointName, Belief>();

  /** @param elapsed monotonic milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  isBelieved(name: EndpointName): boolean {
    return (this.#beliefs.get(name)?.until ?? Number.NEGATIVE_INFINITY) > this.#elapsed();
  }

  answered(name: EndpointName): void {
    this.#answered.add(name);
    this.#beliefs.delete(name);
  }

  /** `sightings` counts those within one call; a call that may not be repeated teaches nothing lasting. */
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

  /** Milliseconds until the next look. */
  pause(sightings: number): number {
    return PAUSE_MS * sightings;
  }

  /** Asks everything anew, at once; what answered before is still known to be there. */
  forget(): void {
    this.#beliefs.clear();
  }
}
