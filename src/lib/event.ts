// A typed event: who listens gets a disposable, and a listener that fails harms neither the others nor who fires.
import type { Disposable } from "./disposable.ts";

export type Listener<T> = (value: T) => void;
export type Event<T> = (listener: Listener<T>) => Disposable;
export type FailureReporter = (error: unknown) => void;

let report: FailureReporter = () => {};

/** Where failures of listeners are written from now on; without one they are ignored. */
export function setListenerFailureReporter(reporter: FailureReporter): void {
  report = reporter;
}

export class Emitter<T> {
  readonly #listeners = new Set<Listener<T>>();

  readonly event: Event<T> = (listener) => {
    const own: Listener<T> = (value) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  /** Never throws: a view that cannot draw changes nothing about what happened. */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        reportFailure(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

function reportFailure(error: unknown): void {
  try {
    report(error);
  } catch {
    // Nobody is left to tell.
  }
}
