// A terminal in which no program runs: it shows text until it is over, and then any key closes it.
import * as vscode from "vscode";
import { t } from "../../lib/text.ts";
import { TerminalLines } from "./terminal-lines.ts";

const CTRL_C = "\u0003";

export abstract class TextTerminal implements vscode.Pseudoterminal, vscode.Disposable {
  readonly #written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#written.event;
  readonly #closed = new vscode.EventEmitter<number>();
  readonly onDidClose = this.#closed.event;
  readonly #aborted = new AbortController();
  #isOver = false;
  /** Takes the number of what is chosen; undefined for none. */
  #choose: ((at: number | undefined) => void) | undefined;
  protected readonly lines = new TerminalLines((text) => this.#written.fire(text));

  /** Nothing more is shown. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborted once no one waits for what is shown. */
  protected get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  /** Nothing that is written before this is shown. */
  abstract open(): void;

  /** Ctrl+C, until it is over. */
  protected abstract interrupt(): void;

  /** The person closed it. */
  close(): void {
    this.dispose();
  }

  handleInput(keys: string): void {
    if (this.#isOver) this.#closed.fire(0);
    else if (this.#choose) this.#choose(keys.includes(CTRL_C) ? undefined : Number(keys) - 1);
    else if (keys.includes(CTRL_C)) this.interrupt();
  }

  /** Asks which of these, by the keys 1 to 9. @returns undefined after Ctrl+C, once no one waits, or if it was answered elsewhere. */
  protected async choose(labels: readonly string[]): Promise<number | undefined> {
    this.dropChoice();
    for (const [at, label] of labels.entries()) this.lines.say(`${at + 1}  ${label}`);
    this.lines.say(t("Press the number of your choice, or Ctrl+C for none of them."));
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.#choose = (at) => {
      if (at !== undefined && labels[at] === undefined) return;
      this.#choose = undefined;
      resolve(at);
    };
    this.signal.addEventListener("abort", () => this.dropChoice(), { once: true });
    return await promise;
  }

  /** What was asked was answered elsewhere. */
  protected dropChoice(): void {
    this.#choose?.(undefined);
  }

  protected abort(): void {
    this.#aborted.abort();
  }

  /** The last line of a terminal that stays. */
  protected end(): void {
    this.#isOver = true;
    this.lines.say(t("Press any key to close the terminal."));
  }

  /** A task ends with what it ran, and has its exit code. */
  protected endTask(exit: number): void {
    this.#isOver = true;
    this.#closed.fire(exit);
  }

  dispose(): void {
    this.#isOver = true;
    this.#aborted.abort();
  }
}
