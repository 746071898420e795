// A typed event: who listens gets a disposable, one failing listener never silences the others.
import type { Disposable } from "./disposable.ts";

export type Listener<T> = (value: T) => void;
export type Event<T> = (listener: Listener<T>) => Disposable;

export class Emitter<T> {
  readonly #listeners = new Set<Listener<T>>();

  readonly event: Event<T> = (listener) => {
    const own: Listener<T> = (value) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  fire(value: T): void {
    const failures: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "A listener failed");
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
