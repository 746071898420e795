// A run in a terminal of its own: where it is, and what its command prints. Closing the terminal doesn't end the run.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import { LogCleaner } from "../../domain/connection/log-text.ts";
import type { LaunchAction, LaunchMessage } from "../../domain/launch/launch-messages.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import { t } from "../../lib/text.ts";
import type { Message } from "../../present/base/message.ts";
import { describeLaunchMessage, formatLaunchAction } from "../../present/launch/launch-messages.ts";
import { buildLateEndQuestion } from "../../present/run/rental-text.ts";
import { describeLoss } from "../../present/run/run-text.ts";
import { buildLargeQuestion } from "../../present/transfer/transfer-text.ts";
import type { RentingWatch } from "../../services/run/rent-for-run.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { TextTerminal } from "../kit/text-terminal.ts";

export interface RunTerminalParts {
  readonly describe: (stage: RunStage) => string;
  /** Follows the run to its end. */
  readonly follow: (watch: RentingWatch, signal: AbortSignal) => Promise<RunRecord>;
  /** Stops the command: asked to the first time, at once the second. */
  readonly stop: (how: "TERM" | "KILL") => Promise<void>;
  /** The last lines, and what else there is to tell. */
  readonly conclude: (run: RunRecord) => readonly string[];
  /** It ended before there was anything to conclude. */
  readonly fail: (error: AppError) => void;
  /** It asks something, which may not be in sight. */
  readonly tellAsked: (message: Message) => void;
  /** Another instance is to be rented for it, which the person can call off until the signal. */
  readonly tellLost: (text: string, isOver: AbortSignal, callOff: () => void) => void;
  /** It was closed while the run goes on, or after the command ended and before the rest was done. */
  readonly detach: (isOver: boolean) => void;
  /** A task ends with its run, and has its exit code. */
  readonly isTask?: boolean;
}

/** What can be called off without a word to the machine. */
const BEFORE_START: ReadonlySet<RunStage["kind"]> = new Set(["renting", "lost", "uploading"]);

export class RunTerminal extends TextTerminal {
  readonly #parts: RunTerminalParts;
  readonly #cleaner = new LogCleaner();
  readonly #decoder = new TextDecoder();
  #stage: RunStage["kind"] | undefined;
  /** The command has ended, but not what follows it. */
  #isAfterCommand = false;
  /** No one watches it now, and it goes on. */
  #isLeftAlone = false;
  /** The machine was asked to stop the command. */
  #hasStopped = false;
  /** Its instance seems to be lost, and nothing is rented yet. */
  #loss: AbortController | undefined;

  constructor(parts: RunTerminalParts) {
    super();
    this.#parts = parts;
  }

  open(): void {
    void this.#run();
  }

  override close(): void {
    // What is stopped or destroyed now is told at its end.
    if (!this.isOver && this.#isStarted && !this.#isEnding) {
      this.#isLeftAlone = true;
      this.#parts.detach(this.#isAfterCommand);
    }
    super.close();
  }

  /** Whether the machine may have begun with it. */
  get #isStarted(): boolean {
    return this.#stage !== undefined && !BEFORE_START.has(this.#stage);
  }

  get #isEnding(): boolean {
    return this.#stage === "destroying" || this.#stage === "stopping";
  }

  protected interrupt(): void {
    void this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#isEnding) return;
    if (!this.#isStarted || this.#isAfterCommand) {
      this.abort();
      return;
    }
    const isFirst = !this.#hasStopped;
    this.lines.say(isFirst ? t("Stopping the command… Press Ctrl+C again to kill it.") : t("Killing the command…"));
    try {
      await this.#parts.stop(isFirst ? "TERM" : "KILL");
      this.#hasStopped = true;
    } catch (error) {
      this.lines.say(asAppError(error).message);
    }
  }

  async #run(): Promise<void> {
    const watch: RentingWatch = {
      stage: (stage) => this.#enter(stage),
      output: (bytes) => this.lines.write(this.#cleaner.push(this.#decoder.decode(bytes, { stream: true }))),
      ask: (message, actions) => this.#ask(message, actions),
      mayGoOn: (bytes) => confirm(buildLargeQuestion(bytes)),
      mayDestroy: (run) => confirm(buildLateEndQuestion(run)),
    };
    let exit: number | undefined;
    try {
      const run = await this.#parts.follow(watch, this.signal);
      exit = run.state.kind === "ended" ? run.state.exit : undefined;
      this.lines.write(this.#cleaner.end());
      for (const line of this.#parts.conclude(run)) this.lines.say(line);
    } catch (error) {
      const wrong = asAppError(error);
      this.lines.say(this.signal.aborted ? t("Stopped.") : wrong.message);
      if (!this.#isLeftAlone) this.#parts.fail(wrong);
    }
    this.#loss?.abort();
    if (this.#parts.isTask) this.endTask(exit ?? 1);
    else this.end();
  }

  async #ask(message: LaunchMessage, actions: readonly LaunchAction[]): Promise<LaunchAction | undefined> {
    const described = describeLaunchMessage(message);
    this.lines.say(described.text);
    this.#parts.tellAsked(described);
    const chosen = await this.choose(actions.map((action) => formatLaunchAction(action, message)));
    return chosen === undefined ? undefined : actions[chosen];
  }

  #enter(stage: RunStage): void {
    this.#stage = stage.kind;
    this.dropChoice();
    this.#loss?.abort();
    if (stage.kind === "lost") {
      this.#isAfterCommand = false;
      this.#loss = new AbortController();
      this.#parts.tellLost(describeLoss(stage), this.#loss.signal, () => this.abort());
    }
    if (stage.kind === "fetching" || stage.kind === "verifying") this.#isAfterCommand = true;
    const text = this.#parts.describe(stage);
    const isProgress = stage.kind === "renting" || stage.kind === "uploading" || stage.kind === "fetching";
    if (isProgress) this.lines.show(text);
    else this.lines.say(text);
  }

  /** Its account was left. */
  leave(): void {
    if (this.isOver) return;
    this.#isLeftAlone = true;
    this.lines.say(
      this.#isStarted
        ? t(
            "You signed out or switched accounts, so Cloud GPU no longer follows this run. The command keeps running, and the instance won't be stopped or destroyed.",
          )
        : t("You signed out or switched accounts, so nothing is run here."),
    );
    this.dispose();
  }
}
