// Secrets on the clipboard: copied on request and removed after a minute.
import * as vscode from "vscode";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";

const MINUTE = 60_000;

export class SecretClipboard implements Disposable {
  readonly #log: Log;
  #held: { readonly text: string; readonly timer: NodeJS.Timeout } | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  async copy(text: string): Promise<void> {
    await this.#clear();
    await vscode.env.clipboard.writeText(text);
    this.#held = { text, timer: setTimeout(() => void this.#clear(), MINUTE) };
  }

  /** Anything the person has copied since then stays. */
  async #clear(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    clearTimeout(held.timer);
    try {
      if ((await vscode.env.clipboard.readText()) === held.text) await vscode.env.clipboard.writeText("");
    } catch (error) {
      this.#log.warn("The clipboard could not be read, so a key on it was not taken off.", error);
    }
  }

  /** The window is closing, so the secret is removed early. */
  dispose(): void {
    void this.#clear();
  }
}
