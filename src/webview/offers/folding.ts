// Whether the details are folded: in a low window they are at first, and as the person wants once they say so.

/** Below it, the details would leave the table too few rows. */
const LOW = "(max-height: 640px)";

export class Folding {
  readonly #low = window.matchMedia(LOW);
  #wanted: boolean | undefined;

  /** `redraw` is called when the window becomes low, or high again. */
  constructor(redraw: () => void) {
    this.#low.addEventListener("change", redraw);
  }

  get isFolded(): boolean {
    return this.#wanted ?? this.#low.matches;
  }

  toggle(): void {
    this.#wanted = !this.isFolded;
  }
}
