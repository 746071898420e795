// When files that all windows share are read: once something may have changed, and again soon after they couldn't be read.
import type { Clock } from "../../../lib/clock.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";

export class DueReading implements Disposable {
  readonly #retryAfter: number;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #stuck = new Emitter<unknown>();
  /** Fires with the error when they couldn't be read twice in a row: once, until they can be read. */
  readonly onDidGetStuck = this.#stuck.event;
  #isDue = true;
  #failures = 0;
  /** When it failed last, in monotonic milliseconds. */
  #failedAt = 0;

  /** @param retryAfter Milliseconds. */
  constructor(retryAfter: number, clock: Pick<Clock, "elapsed">) {
    this.#retryAfter = retryAfter;
    this.#clock = clock;
  }

  /** This or another window may have written something. */
  mark(): void {
    this.#isDue = true;
  }

  /** Milliseconds until they are to be read; undefined if they needn't be. */
  get wait(): number | undefined {
    if (!this.#isDue) return undefined;
    if (this.#failures === 0) return 0;
    return Math.max(0, this.#failedAt + this.#retryAfter - this.#clock.elapsed());
  }

  /** What is marked in the meantime is due again. @throws what `read` throws. */
  async run(read: () => Promise<void>): Promise<void> {
    this.#isDue = false;
    try {
      await read();
      this.#failures = 0;
    } catch (error) {
      this.#isDue = true;
      this.#failures += 1;
      this.#failedAt = this.#clock.elapsed();
      if (this.#failures === 2) this.#stuck.fire(error);
      throw error;
    }
  }

  dispose(): void {
    this.#stuck.dispose();
  }
}
