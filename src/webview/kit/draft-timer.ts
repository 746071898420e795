// When typed text goes to the host: soon after it was typed, and at once before a tab can close.

/** Milliseconds that typed text may wait. */
const SEND_WITHIN = 300;

export class DraftTimer {
  readonly #send: () => void;
  #timer: number | undefined;

  constructor(send: () => void) {
    this.#send = send;
    // A tab is closed by a key that the editor sees after this page does, by a command that took the focus, or by a
    // click, for which the mouse leaves the page first. Once the tab is closing, messages from the page no longer
    // arrive.
    window.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
    window.addEventListener("blur", () => this.flush());
    document.documentElement.addEventListener("pointerleave", () => this.flush());
    document.addEventListener("visibilitychange", () => this.flush());
    window.addEventListener("pagehide", () => this.flush());
  }

  /** Something was typed. */
  start(): void {
    this.#timer ??= window.setTimeout(() => this.flush(), SEND_WITHIN);
  }

  /** Sends what is waiting, if anything is. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key)) this.flush();
  }
}
