// A list for the signed-in account. It is read on demand, concurrent reads share one request, and it is cleared with
// the session.
import { asAppError } from "../../domain/base/error.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { lastOf, Store } from "./loaded.ts";
import type { SessionService, SignedIn } from "./session.ts";

export class Collection<T> {
  readonly store = new Store<T>();
  readonly #session: SessionService;
  readonly #read: (session: SignedIn, signal: AbortSignal) => Promise<T>;
  readonly #listening: Disposable;
  #running: { session: SignedIn; done: Promise<void>; abort: AbortController } | undefined;

  constructor(session: SessionService, read: (session: SignedIn, signal: AbortSignal) => Promise<T>) {
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
  async known(): Promise<void> {
    if (!lastOf(this.store.current)) await this.refresh();
  }

  async #load(session: SignedIn, signal: AbortSignal): Promise<void> {
    const current = () => this.#session.current === session;
    this.store.loading();
    try {
      const value = await this.#read(session, signal);
      if (current()) this.store.ready(value);
    } catch (error) {
      if (current()) this.store.failed(asAppError(error));
    } finally {
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
