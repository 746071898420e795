// Long work in small parts: the editor does what else there is to do in between.
import { setImmediate as takeTurn } from "node:timers/promises";
import { realClock } from "../../lib/clock.ts";

/** Milliseconds that a part may take. What a part costs is nobody's to count: it is whatever a workspace or a machine makes of it. */
const LONGEST_MS = 15;

export class Turns {
  readonly #signal: AbortSignal;
  #since = realClock.elapsed();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Between two parts. Gives way if they have taken long enough. @throws the signal's reason. */
  async take(): Promise<void> {
    if (realClock.elapsed() - this.#since < LONGEST_MS) return;
    this.#signal.throwIfAborted();
    await takeTurn();
    this.#signal.throwIfAborted();
    this.#since = realClock.elapsed();
  }
}
