// A log in a terminal of its own: text only, no program runs in it. It follows until Ctrl+C, until it is closed, or until
// nothing more can come; then any key closes it.
import * as vscode from "vscode";
import { asAppError } from "../../domain/base/error.ts";
import type { LogEvent } from "../../domain/connection/log-event.ts";
import { t } from "../../lib/text.ts";
import { logEventText } from "../../present/connection/log-lines.ts";
import { TerminalLines } from "../kit/terminal-lines.ts";

const CTRL_C = "\u0003";

export class LogTerminal implements vscode.Pseudoterminal, vscode.Disposable {
  readonly #header: string;
  readonly #follow: (stopped: AbortSignal) => AsyncIterable<LogEvent>;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #lines = new TerminalLines((text) => this.#written.fire(text));
  readonly onDidWrite = this.#written.event;
  readonly #closed = new vscode.EventEmitter<void>();
  readonly onDidClose = this.#closed.event;
  readonly #stopped = new AbortController();
  #isFollowing = true;
  #isRead = false;

  constructor(header: string, follow: (stopped: AbortSignal) => AsyncIterable<LogEvent>) {
    this.#header = header;
    this.#follow = follow;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Nothing that is written before this is shown. */
  open(): void {
    this.#lines.say(this.#header);
    void this.#run();
  }

  /** The person closed it. */
  close(): void {
    this.dispose();
  }

  handleInput(keys: string): void {
    if (!this.#isFollowing) this.#closed.fire();
    else if (keys.includes(CTRL_C)) this.#end(t("You stopped following the log."));
  }

  async #run(): Promise<void> {
    try {
      for await (const event of this.#follow(this.#stopped.signal)) this.#show(event);
      this.#end();
    } catch (error) {
      this.#end(asAppError(error).message);
    }
  }

  #show(event: LogEvent): void {
    if (!this.#isFollowing) return;
    if (event.kind === "text") this.#lines.write(event.text);
    else this.#lines.say(logEventText(event) ?? "");
    // Below what was logged so far, where it is in sight.
    const isFirst = !this.#isRead && (event.kind === "text" || event.kind === "empty");
    if (isFirst) this.#lines.say(t("Following the log. Press Ctrl+C to stop."));
    this.#isRead ||= isFirst;
  }

  #end(why?: string): void {
    if (!this.#isFollowing) return;
    if (why !== undefined) this.#lines.say(why);
    this.#lines.say(t("Press any key to close the terminal."));
    this.#isFollowing = false;
    this.#stopped.abort();
  }

  dispose(): void {
    this.#isFollowing = false;
    this.#stopped.abort();
  }
}
