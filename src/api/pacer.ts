// Keeps calls to one endpoint apart by its minimum gap, and slows down an endpoint that responded "too fast".
import { type Clock, realClock } from "../lib/clock.ts";

interface Lane {
  /** Monotonic milliseconds at which the next call may start. */
  next: number;
  /** Grows by half with each refusal and shrinks with each success. */
  stretch: number;
}

export class Pacer {
  readonly #lanes = new Map<string, Lane>();
  readonly #scale: number;
  readonly #clock: Clock;

  /** `scale` multiplies every gap; 0 turns pacing off, for servers known to have no limits. */
  constructor(scale = 1, clock: Clock = realClock) {
    this.#scale = scale;
    this.#clock = clock;
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = { next: 0, stretch: 1 };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** Milliseconds until this endpoint's next free slot. */
  wait(name: string): number {
    return Math.max(0, this.#lane(name).next - this.#clock.elapsed());
  }

  /** Waits for this endpoint's turn. Each caller gets a slot of its own, in order. */
  async takeTurn(name: string, gapSeconds: number, signal?: AbortSignal): Promise<void> {
    const lane = this.#lane(name);
    const now = this.#clock.elapsed();
    const start = Math.max(now, lane.next);
    lane.next = start + gapSeconds * 1000 * this.#scale * lane.stretch;
    if (start > now) await this.#clock.sleep(start - now, signal);
  }

  /** After a "too fast" response: no call to this endpoint for `seconds`, and wider gaps from then on. */
  slowDown(name: string, seconds: number): void {
    const lane = this.#lane(name);
    lane.stretch = Math.min(4, lane.stretch * 1.5);
    lane.next = Math.max(lane.next, this.#clock.elapsed() + seconds * 1000);
  }

  /** After a success: gaps shrink back to the endpoint's own. */
  relax(name: string): void {
    const lane = this.#lane(name);
    lane.stretch = Math.max(1, lane.stretch * 0.9);
  }
}
