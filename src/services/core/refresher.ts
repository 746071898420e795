// When to poll: fast while something is changing, slowly while the list is visible or something is billed, otherwise
// not at all.
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { getLast, type Loaded } from "./loaded.ts";
import type { ScheduledJob, Scheduler } from "./scheduler.ts";
import type { SessionService } from "./session.ts";

/** Whether a person can see a list right now. */
interface Attention {
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
  readonly #needsMinutes: () => boolean;
  readonly #rhythm: Rhythm;
  readonly #clock: Clock;
  readonly #job: ScheduledJob;
  #failures = 0;

  constructor(parts: {
    /** For the log. */
    readonly id: string;
    readonly scheduler: Scheduler;
    readonly collection: Refreshable;
    readonly session: SessionService;
    readonly attention: Attention;
    readonly unsettled: () => boolean;
    /** Whether to keep reading slowly while the list isn't visible, because what it lists costs money. */
    readonly keeps?: () => boolean;
    /** Whether something depends on a reading each minute, whatever the rhythm is and whoever looks. */
    readonly needsMinutes?: () => boolean;
    readonly rhythm: Rhythm;
  }) {
    this.#collection = parts.collection;
    this.#session = parts.session;
    this.#attention = parts.attention;
    this.#unsettled = parts.unsettled;
    this.#keeps = parts.keeps ?? (() => false);
    this.#needsMinutes = parts.needsMinutes ?? (() => false);
    this.#rhythm = parts.rhythm;
    this.#clock = parts.scheduler.clock;
    this.#job = this.#bag.add(parts.scheduler.add({ id: parts.id, wait: () => this.#wait(), run: () => this.#run() }));
    this.#bag.add(parts.attention.onDidChange(() => this.plan()));
    this.#bag.add(
      parts.session.onDidChange(() => {
        this.#failures = 0;
        this.plan();
      }),
    );
    this.#bag.add(parts.collection.store.onDidChange(() => this.plan()));
  }

  /** Reads now, because the person asked. Never rejects. */
  refreshNow(): Promise<void> {
    return this.#job.runNow();
  }

  /** Sets the time of the next read by the current state. */
  plan(): void {
    this.#job.plan();
  }

  async #run(): Promise<void> {
    await this.#collection.refresh();
    this.#failures = this.#collection.store.current.state === "failed" ? this.#failures + 1 : 0;
  }

  #wait(): number | undefined {
    if (this.#session.current.kind !== "signed-in") return undefined;
    const current = this.#collection.store.current;
    // A key that was refused once will be refused again. Only a new sign-in changes that.
    if (current.state === "failed" && current.error.kind === "key-refused") return undefined;
    const moving = this.#unsettled();
    const isSeen = this.#attention.visible();
    if (!moving && !isSeen && !this.#keeps() && !this.#needsMinutes()) return undefined;
    const pause = this.#pause(moving, isSeen);
    if (current.state === "failed")
      return Math.min(LONGEST_BACKOFF, this.#rhythm.fast() * 2 ** Math.min(this.#failures, 6));
    const last = getLast(current);
    // Bounded on both sides: the wall clock may have been changed since.
    if (last === undefined) return isSeen ? 0 : FIRST_UNSEEN;
    return Math.min(pause, Math.max(0, last.at + pause - this.#clock.now()));
  }

  #pause(moving: boolean, isSeen: boolean): number {
    if (moving) return this.#rhythm.fast();
    const slow = isSeen ? this.#rhythm.slow() : Math.max(UNSEEN, this.#rhythm.slow());
    return this.#needsMinutes() ? Math.min(UNSEEN, slow) : slow;
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
