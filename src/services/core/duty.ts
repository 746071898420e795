// What a window has taken upon itself. Others leave that alone as long as the window lives.
import type { Liveness } from "./heartbeat.ts";

/** Whether another window has it, and lives. */
export async function isElsewhere(liveness: Liveness, window: string | undefined): Promise<boolean> {
  return window !== undefined && window !== liveness.id && (await liveness.isAlive(window));
}

/** What this window has yet to do, or to tell its person. Until all of that is over, others see it as alive. */
export class Duties<K> {
  readonly #life: Liveness;
  readonly #ends = new Map<K, () => void>();

  constructor(liveness: Liveness) {
    this.#life = liveness;
  }

  has(duty: K): boolean {
    return this.#ends.has(duty);
  }

  /** Whoever writes down that this window has it waits for this first: others may look at once. */
  async take(duty: K): Promise<void> {
    if (!this.has(duty)) this.#ends.set(duty, this.#life.begin());
    await this.#life.show();
  }

  /** It is done or told, or is left to others. */
  end(duty: K): void {
    this.#ends.get(duty)?.();
    this.#ends.delete(duty);
  }

  endAll(isMeant: (duty: K) => boolean = () => true): void {
    for (const duty of [...this.#ends.keys()]) if (isMeant(duty)) this.end(duty);
  }
}
