// When a page draws itself again: a moment after what changed, once for all that changed until then.

export class Redraw {
  readonly #draw: () => void;
  #isComing = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** If drawing moves the focus, an immediate redraw would start in the middle of another. */
  plan(): void {
    if (this.#isComing) return;
    this.#isComing = true;
    queueMicrotask(() => {
      this.#isComing = false;
      this.#draw();
    });
  }
}
