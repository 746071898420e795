// When to ask again: fast while something is on its way, slowly while somebody looks or something is billed, else not at all.
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { type Loaded, lastOf } from "./loaded.ts";
import type { SessionService } from "./session.ts";

/** Whether a person can see a list right now. */
export interface Attention {
  visible(): boolean;
  readonly onDidChange: Event<void>;
}

export interface Rhythm {
  /** Milliseconds between reads while something is on its way. */
  readonly fast: () => number;
  /** Milliseconds between reads while somebody looks and nothing moves. */
  readonly slow: () => number;
}

/** What is kept current. */
export interface Refreshable {
  refresh(): Promise<void>;
  readonly store: { readonly current: Loaded<unknown>; onDidChange(listener: () => void): Disposable };
}

/** After a failure the wait doubles up to this. */
const LONGEST_BACKOFF = 60_000;
/** Least milliseconds between reads that nobody looks at. */
const UNSEEN = 60_000;
/** Milliseconds before the first of them: a window that starts has other things to do. */
const FIRST_UNSEEN = 1500;

export class Refresher implements Disposable {
  readonly #bag = new Bag();
  readonly #collection: Refreshable;
  readonly #session: SessionService;
  readonly #attention: Attention;
  readonly #unsettled: () => boolean;
  readonly #keeps: () => boolean;
  readonly #rhythm: Rhythm;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #reading = false;
  #disposed = false;

  constructor(parts: {
    readonly collection: Refreshable;
    readonly session: SessionService;
    readonly attention: Attention;
    readonly unsettled: () => boolean;
    /** Whether it is read, slowly, although nobody looks: money flows by what is in it. */
    readonly keeps?: () => boolean;
    readonly rhythm: Rhythm;
  }) {
    this.#collection = parts.collection;
    this.#session = parts.session;
    this.#attention = parts.attention;
    this.#unsettled = parts.unsettled;
    this.#keeps = parts.keeps ?? (() => false);
    this.#rhythm = parts.rhythm;
    this.#bag.add(parts.attention.onDidChange(() => this.plan()));
    this.#bag.add(
      parts.session.onDidChange(() => {
        this.#failures = 0;
        this.plan();
      }),
    );
    this.#bag.add(parts.collection.store.onDidChange(() => this.#reading || this.plan()));
  }

  /** Reads now, because somebody asked. */
  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reading = true;
    try {
      await this.#collection.refresh();
    } finally {
      this.#reading = false;
      const { state } = this.#collection.store.current;
      this.#failures = state === "failed" ? this.#failures + 1 : 0;
      this.plan();
    }
  }

  /** Sets the one timer anew from how things stand. */
  plan(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wait = this.#reading ? undefined : this.#wait();
    if (wait !== undefined) this.#timer = setTimeout(() => void this.now(), wait);
  }

  #wait(): number | undefined {
    if (this.#disposed || this.#session.current.kind !== "signed-in") return undefined;
    const current = this.#collection.store.current;
    // A key that was refused once will be refused again; only a new sign-in changes that.
    if (current.state === "failed" && current.error.kind === "key-refused") return undefined;
    const moving = this.#unsettled();
    const isSeen = this.#attention.visible();
    if (!moving && !isSeen && !this.#keeps()) return undefined;
    const pause = this.#pause(moving, isSeen);
    if (current.state === "failed")
      return Math.min(LONGEST_BACKOFF, this.#rhythm.fast() * 2 ** Math.min(this.#failures, 6));
    const last = lastOf(current);
    // Bounded on both sides: the wall clock may have been moved since.
    if (last === undefined) return isSeen ? 0 : FIRST_UNSEEN;
    return Math.min(pause, Math.max(0, last.at + pause - Date.now()));
  }

  #pause(moving: boolean, isSeen: boolean): number {
    if (moving) return this.#rhythm.fast();
    return isSeen ? this.#rhythm.slow() : Math.max(UNSEEN, this.#rhythm.slow());
  }

  dispose(): void {
    // A read under way plans the next one when it ends; there must be none.
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#bag.dispose();
  }
}
