// A list for the signed-in account. It is read on demand, concurrent reads share one request, and it is cleared with
// the session.
import { asAppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { getLast, type ReadableStore, Store } from "./loaded.ts";
import type { SessionService, SignedIn } from "./session.ts";

/** A list as everyone but its owner sees it. */
export interface ReadableCollection<T> {
  readonly store: ReadableStore<T>;
  refresh(): Promise<void>;
  getKnown(): Promise<void>;
}

interface Parts<T> {
  readonly session: SessionService;
  readonly clock: Clock;
  /** A read of several lists passes on what it has so far, each time that one arrives. */
  readonly read: (session: SignedIn, signal: AbortSignal, partly: (value: T) => void) => Promise<T>;
}

/** The service that makes it owns it and may amend it. It hands out a `ReadableCollection`. */
export class Collection<T> implements ReadableCollection<T> {
  readonly store: Store<T>;
  readonly #session: SessionService;
  readonly #read: Parts<T>["read"];
  readonly #listening: Disposable;
  #running: { session: SignedIn; done: Promise<void>; abort: AbortController } | undefined;

  constructor({ session, clock, read }: Parts<T>) {
    this.store = new Store(clock);
    this.#session = session;
    this.#read = read;
    this.#listening = session.onDidChange(() => this.#forget());
  }

  /**
   * Reads again, or joins a read already running for the same session. Never rejects: a failure is a state of the
   * store.
   */
  refresh(): Promise<void> {
    const session = this.#session.current;
    if (session.kind !== "signed-in") return Promise.resolve();
    if (this.#running?.session === session) return this.#running.done;
    const abort = new AbortController();
    const running = { session, abort, done: this.#load(session, abort.signal) };
    this.#running = running;
    return running.done;
  }

  /** Reads unless a value is already known. */
  async getKnown(): Promise<void> {
    if (!getLast(this.store.current)) await this.refresh();
  }

  async #load(session: SignedIn, signal: AbortSignal): Promise<void> {
    const current = () => this.#session.current === session;
    let isOver = false;
    this.store.setLoading();
    try {
      const value = await this.#read(session, signal, (part) => current() && !isOver && this.store.setPart(part));
      if (current()) this.store.setReady(value);
    } catch (error) {
      if (current()) this.store.setFailed(asAppError(error));
    } finally {
      isOver = true;
      if (this.#running?.session === session) this.#running = undefined;
    }
  }

  #forget(): void {
    this.#running?.abort.abort();
    this.#running = undefined;
    this.store.clear();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#forget();
  }
}
