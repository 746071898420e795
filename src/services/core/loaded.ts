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
  | { readonly state: "loading"; readonly last?: Fresh<T>; readonly part?: Fresh<T>; readonly error?: AppError }
  | { readonly state: "ready"; readonly last: Fresh<T> }
  | { readonly state: "failed"; readonly error: AppError; readonly last?: Fresh<T>; readonly part?: Fresh<T> };

/** The last good value, whatever has happened since. */
export function getLast<T>(loaded: Loaded<T>): Fresh<T> | undefined {
  return loaded.state === "idle" ? undefined : loaded.last;
}

/**
 * What the first read has brought so far, until a read is complete. It is for showing only: what is missing from it may
 * still come.
 */
export function getPart<T>(loaded: Loaded<T>): Fresh<T> | undefined {
  return loaded.state === "loading" || loaded.state === "failed" ? loaded.part : undefined;
}

/** Why the last good value, if any, may be out of date. */
export function getError(loaded: Loaded<unknown>): AppError | undefined {
  return loaded.state === "failed" || loaded.state === "loading" ? loaded.error : undefined;
}

/** A store as everyone but its owner sees it. */
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

  setLoading(): void {
    const error = getError(this.#current);
    this.#set({ state: "loading", ...this.#known(), ...(error ? { error } : {}) });
  }

  /** Shows what a read has brought so far. A complete value stays until the next one is complete, too. */
  setPart(value: T): void {
    const now = this.#current;
    if (now.state !== "loading" || now.last) return;
    this.#set({ ...now, part: { value, at: this.#clock.now() } });
  }

  #known(): { last?: Fresh<T>; part?: Fresh<T> } {
    const [last, part] = [getLast(this.#current), getPart(this.#current)];
    return { ...(last ? { last } : {}), ...(part ? { part } : {}) };
  }

  setReady(value: T): void {
    this.#set({ state: "ready", last: { value, at: this.#clock.now() } });
  }

  /** Changes the last good value, or what is there of the first, without marking it as freshly read. */
  amend(change: (value: T) => T): void {
    const { last, part } = this.#known();
    if (last) this.#set({ ...this.#current, last: { ...last, value: change(last.value) } } as Loaded<T>);
    else if (part) this.#set({ ...this.#current, part: { ...part, value: change(part.value) } } as Loaded<T>);
  }

  setFailed(error: AppError): void {
    this.#set({ state: "failed", error, ...this.#known() });
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
