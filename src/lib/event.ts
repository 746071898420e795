// A typed event. Subscribing returns a disposable, and a failing listener affects neither the other listeners nor the
// sender.
import type { Disposable } from "./disposable.ts";

export type Listener<T> = (value: T) => void;
export type Event<T> = (listener: Listener<T>) => Disposable;
type FailureReporter = (error: unknown) => void;

let report: FailureReporter = () => {};

/** Sets where listener failures are reported. Without a reporter they are ignored. */
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

  /** Never throws: a view that fails to draw doesn't affect what happened. */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) tellListener(listener, value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** Fires whenever one of these does. */
export function mergeEvents<T>(...events: readonly Event<T>[]): Event<T> {
  return (listener) => {
    const all = events.map((event) => event(listener));
    return { dispose: () => all.forEach((one) => void one.dispose()) };
  };
}

/** Never throws: what it tells of has happened, whether that can be shown or not. */
export function tellListener<T>(listener: Listener<T>, value: T): void {
  try {
    listener(value);
  } catch (error) {
    reportFailure(error);
  }
}

function reportFailure(error: unknown): void {
  try {
    report(error);
  } catch {
    // The reporter itself failed, so there is nowhere left to report.
  }
}
