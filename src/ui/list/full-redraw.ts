// Sees to it that the editor reads the rows again after a full redraw. While its first question is on the way, it takes that answer for
// the new one as well; from then on it shows rows that it can't tell apart any longer, and no change of a single one arrives.
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds within which even a busy editor asks. */
const ASKS_WITHIN = 2000;
/** An editor that still doesn't ask has a reason of its own. */
const MOST = 3;

export interface Screen {
  readonly clock: Clock;
  /** Nothing that is out of sight is asked for. */
  readonly isVisible: () => boolean;
}

interface Parts extends Screen {
  readonly redraw: () => void;
}

export class FullRedraw {
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  #asked = 0;
  /** How often it had asked when the rows were redrawn last. */
  #before = 0;
  #isWatching = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The editor asks for the rows. */
  noteAsked(): void {
    this.#asked += 1;
  }

  /** Redraws, and again until the editor has asked. */
  async begin(): Promise<void> {
    const { clock, isVisible, redraw } = this.#parts;
    this.#before = this.#asked;
    redraw();
    if (this.#asked === 0 || this.#isWatching) return;
    this.#isWatching = true;
    try {
      for (let again = 0; again < MOST; again += 1) {
        await clock.sleep(ASKS_WITHIN, this.#ended.signal);
        if (this.#asked > this.#before || !isVisible()) break;
        redraw();
      }
    } catch {
      // The view ended.
    }
    this.#isWatching = false;
  }

  dispose(): void {
    this.#ended.abort();
  }
}
