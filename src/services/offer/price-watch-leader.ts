// Which window looks for all of them: the one that took the last turn, for as long as it lives.
import type { Clock } from "../../lib/clock.ts";
import { isElsewhere } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { PriceWatchJournal } from "./price-watch-journal.ts";

interface Parts {
  readonly journal: PriceWatchJournal;
  readonly liveness: Liveness;
  readonly clock: Clock;
}

interface Held {
  readonly tag: string;
  readonly turn: number;
  /** Ends this window's heartbeat. */
  readonly end: () => void;
}

export class PriceWatchLeader {
  readonly #parts: Parts;
  #held: Held | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether this window looks in an account; it takes over where no one does. @throws the disk's error. */
  async lead(account: SignedIn): Promise<boolean> {
    const { journal, liveness } = this.#parts;
    const { tag } = account;
    if (this.#held && this.#held.tag !== tag) await this.resign();
    const latest = await journal.readLeader(tag);
    if (latest?.window === liveness.id) {
      if (this.#held?.turn !== latest.turn) this.#hold(tag, latest.turn);
      return true;
    }
    this.#drop();
    if (await isElsewhere(liveness, latest?.window)) return false;
    const turn = (latest?.turn ?? 0) + 1;
    this.#hold(tag, turn);
    await liveness.show();
    const isOurs = await journal.claimTurn(tag, { turn, window: liveness.id, since: this.#parts.clock.now() });
    if (!isOurs) this.#drop();
    return isOurs;
  }

  #hold(tag: string, turn: number): void {
    this.#drop();
    this.#held = { tag, turn, end: this.#parts.liveness.begin() };
  }

  #drop(): void {
    this.#held?.end();
    this.#held = undefined;
  }

  /** Leaves it to another window, although this one goes on. @throws the disk's error. */
  async resign(): Promise<void> {
    const held = this.#held;
    this.#drop();
    if (!held) return;
    const { journal, liveness, clock } = this.#parts;
    const latest = await journal.readLeader(held.tag);
    // Another window may have been faster to take that turn.
    if (latest?.turn === held.turn && latest.window === liveness.id)
      await journal.claimTurn(held.tag, { turn: held.turn + 1, window: "", since: clock.now() });
  }

  dispose(): void {
    this.#drop();
  }
}
