// Joining, sharing, taking turns and computing once: building blocks of asynchronous paths.
import { waitForAbort } from "./clock.ts";

/** Callers that arrive while a call is in progress share its result. Later callers start a new one. */
export function joinCalls<Given extends unknown[], T>(
  make: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let running: Promise<T> | undefined;
  return (...given) => {
    running ??= make(...given).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * Callers with the same key share what is in progress for it. Each may leave by a signal of their own; once all have left, it is
 * given up.
 */
export class Sharing<T> {
  readonly #running = new Map<
    string,
    { readonly abort: AbortController; readonly result: Promise<T>; waiting: number }
  >();

  /** @throws what `make` throws; the reason of the caller's own signal. */
  async join(key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const shared = this.#running.get(key) ?? this.#begin(key, make);
    shared.waiting += 1;
    const leave = () => {
      shared.waiting -= 1;
      if (shared.waiting === 0) this.#giveUp(key, signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([shared.result, waitForAbort(signal)]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<T>) {
    const abort = new AbortController();
    const forget = () => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    const shared = { abort, result: make(abort.signal).finally(forget), waiting: 0 };
    this.#running.set(key, shared);
    return shared;
  }

  #giveUp(key: string, reason?: unknown): void {
    const shared = this.#running.get(key);
    // Who comes now begins again.
    this.#running.delete(key);
    shared?.abort.abort(reason);
  }

  giveUpAll(): void {
    for (const key of [...this.#running.keys()]) this.#giveUp(key);
  }
}

/** One after the other, in the order of the calls. A failure is its caller's alone: the next one runs all the same. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

/** Computes once, on first use. A failed attempt is forgotten, so the next use tries again. */
export function createLazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
