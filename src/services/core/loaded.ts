// A value from the service, in every state of loading. The last good value is never discarded.
import type { AppError } from "../../domain/base/error.ts";
import { type Clock, realClock } from "../../lib/clock.ts";
import { Emitter, type Event } from "../../lib/event.ts";

export interface Fresh<T> {
  readonly value: T;
  /** Wall clock milliseconds when it was read. */
  readonly at: number;
}

export type Loaded<T> =
  | { readonly state: "idle" }
  /** `error` is the previous read's error. It stays until this read succeeds. */
  | { readonly state: "loading"; readonly last?: Fresh<T>; readonly error?: AppError }
  | { readonly state: "ready"; readonly last: Fresh<T> }
  | { readonly state: "failed"; readonly error: AppError; readonly last?: Fresh<T> };

/** The last good value, whatever has happened since. */
export function lastOf<T>(loaded: Loaded<T>): Fresh<T> | undefined {
  return loaded.state === "idle" ? undefined : loaded.last;
}

/** Why the last good value, if any, may be out of date. */
export function errorOf(loaded: Loaded<unknown>): AppError | undefined {
  return loaded.state === "failed" || loaded.state === "loading" ? loaded.error : undefined;
}

/** A store as everybody but its owner sees it. */
export interface ReadableStore<T> {
  readonly current: Loaded<T>;
  readonly onDidChange: Event<Loaded<T>>;
}

export class Store<T> implements ReadableStore<T> {
  readonly #clock: Clock;
  #current: Loaded<T> = { state: "idle" };
  readonly #changes = new Emitter<Loaded<T>>();
  readonly onDidChange = this.#changes.event;

  constructor(clock: Clock = realClock) {
    this.#clock = clock;
  }

  get current(): Loaded<T> {
    return this.#current;
  }

  loading(): void {
    const [last, error] = [lastOf(this.#current), errorOf(this.#current)];
    this.#set({ state: "loading", ...(last ? { last } : {}), ...(error ? { error } : {}) });
  }

  ready(value: T): void {
    this.#set({ state: "ready", last: { value, at: this.#clock.now() } });
  }

  /** Changes the last good value without marking it as freshly read. */
  amend(change: (value: T) => T): void {
    const last = lastOf(this.#current);
    if (last) this.#set({ ...this.#current, last: { ...last, value: change(last.value) } } as Loaded<T>);
  }

  failed(error: AppError): void {
    const last = lastOf(this.#current);
    this.#set(last ? { state: "failed", error, last } : { state: "failed", error });
  }

  /** Forgets everything: the next account must not see what belonged to the previous one. */
  clear(): void {
    if (this.#current.state !== "idle") this.#set({ state: "idle" });
  }

  #set(next: Loaded<T>): void {
    this.#current = next;
    this.#changes.fire(next);
  }
}
