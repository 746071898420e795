// When to poll: fast while something is changing, slowly while the list is visible or something is billed, otherwise
// not at all.
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
  /** Milliseconds between reads while something is changing. */
  readonly fast: () => number;
  /** Milliseconds between reads while the list is visible and nothing is changing. */
  readonly slow: () => number;
}

/** What is kept up to date. */
export interface Refreshable {
  refresh(): Promise<void>;
  readonly store: { readonly current: Loaded<unknown>; onDidChange(listener: () => void): Disposable };
}

/** After a failure, the wait doubles up to this maximum. */
const LONGEST_BACKOFF = 60_000;
/** Minimum milliseconds between reads while the list isn't visible. */
const UNSEEN = 60_000;
/** Milliseconds before the first such read: a starting window has other things to do. */
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
    /** Whether to keep reading slowly while the list isn't visible, because what it lists costs money. */
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

  /** Reads now, because the person asked. */
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

  /** Resets the one timer according to the current state. */
  plan(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wait = this.#reading ? undefined : this.#wait();
    if (wait !== undefined) this.#timer = setTimeout(() => void this.now(), wait);
  }

  #wait(): number | undefined {
    if (this.#disposed || this.#session.current.kind !== "signed-in") return undefined;
    const current = this.#collection.store.current;
    // A key that was refused once will be refused again. Only a new sign-in changes that.
    if (current.state === "failed" && current.error.kind === "key-refused") return undefined;
    const moving = this.#unsettled();
    const isSeen = this.#attention.visible();
    if (!moving && !isSeen && !this.#keeps()) return undefined;
    const pause = this.#pause(moving, isSeen);
    if (current.state === "failed")
      return Math.min(LONGEST_BACKOFF, this.#rhythm.fast() * 2 ** Math.min(this.#failures, 6));
    const last = lastOf(current);
    // Bounded on both sides: the wall clock may have been changed since.
    if (last === undefined) return isSeen ? 0 : FIRST_UNSEEN;
    return Math.min(pause, Math.max(0, last.at + pause - Date.now()));
  }

  #pause(moving: boolean, isSeen: boolean): number {
    if (moving) return this.#rhythm.fast();
    return isSeen ? this.#rhythm.slow() : Math.max(UNSEEN, this.#rhythm.slow());
  }

  dispose(): void {
    // A running read would plan the next one when it ends. There must not be one.
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#bag.dispose();
  }
}
