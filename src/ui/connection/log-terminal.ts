// A log in a terminal of its own: text only, no program runs in it. It follows until Ctrl+C, until it is closed, or until
// nothing more can come; then any key closes it.
import { asAppError } from "../../domain/base/error.ts";
import type { LogEvent } from "../../domain/connection/log-event.ts";
import { t } from "../../lib/text.ts";
import { describeLogEvent } from "../../present/connection/log-lines.ts";
import { TextTerminal } from "../kit/text-terminal.ts";

export class LogTerminal extends TextTerminal {
  readonly #header: string;
  readonly #follow: (stopped: AbortSignal) => AsyncIterable<LogEvent>;
  #isRead = false;

  constructor(header: string, follow: (stopped: AbortSignal) => AsyncIterable<LogEvent>) {
    super();
    this.#header = header;
    this.#follow = follow;
  }

  open(): void {
    this.lines.say(this.#header);
    void this.#run();
  }

  protected interrupt(): void {
    this.#endWith(t("You stopped following the log."));
  }

  async #run(): Promise<void> {
    try {
      for await (const event of this.#follow(this.signal)) this.#show(event);
      this.#endWith();
    } catch (error) {
      this.#endWith(asAppError(error).message);
    }
  }

  #show(event: LogEvent): void {
    if (this.isOver) return;
    if (event.kind === "text") this.lines.write(event.text);
    else this.lines.say(describeLogEvent(event) ?? "");
    // Below what was logged so far, where it is in sight.
    const isFirst = !this.#isRead && (event.kind === "text" || event.kind === "empty");
    if (isFirst) this.lines.say(t("Following the log. Press Ctrl+C to stop."));
    this.#isRead ||= isFirst;
  }

  #endWith(why?: string): void {
    if (this.isOver) return;
    if (why !== undefined) this.lines.say(why);
    this.end();
    this.abort();
  }
}
