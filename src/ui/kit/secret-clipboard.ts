// Secrets on the clipboard: copied on request and removed after a minute.
import * as vscode from "vscode";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { ScheduledJob, Scheduler } from "../../services/core/scheduler.ts";

const MINUTE = 60_000;

export class SecretClipboard implements Disposable {
  readonly #log: Log;
  readonly #clearing: ScheduledJob;
  #copied: string | undefined;

  constructor(scheduler: Scheduler, log: Log) {
    this.#log = log;
    this.#clearing = scheduler.add({
      id: "clear-clipboard",
      wait: () => (this.#copied === undefined ? undefined : MINUTE),
      run: () => this.#clear(),
    });
  }

  async copy(text: string): Promise<void> {
    await this.#clear();
    await vscode.env.clipboard.writeText(text);
    this.#copied = text;
    this.#clearing.plan();
  }

  /** Anything the person has copied since then stays. */
  async #clear(): Promise<void> {
    const copied = this.#copied;
    if (copied === undefined) return;
    this.#copied = undefined;
    try {
      if ((await vscode.env.clipboard.readText()) === copied) await vscode.env.clipboard.writeText("");
    } catch (error) {
      this.#log.warn("The clipboard could not be read, so a key on it was not taken off.", error);
    }
  }

  /** The window is closing, so the secret is removed early. */
  dispose(): void {
    this.#clearing.dispose();
    void this.#clear();
  }
}
