// Who follows a run, and until when.
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { RunStage } from "../../domain/run/run-stage.ts";
import type { SignedIn } from "../core/session.ts";

/** Who watches a run. */
export interface RunWatch {
  stage(stage: RunStage): void;
  /** What the command printed. */
  output(bytes: Uint8Array): void;
  /** The command is over. Its results may be still to come. */
  ended?(run: RunRecord): void;
  /** Whether to go on with larger results than was agreed to. */
  mayGoOn(bytes: number): Promise<boolean>;
  /** Whether the instance that the run rented may still be stopped or destroyed, where the run has been over for longer than anyone watched. */
  mayDestroy(run: RunRecord): Promise<boolean>;
}

/** For whom, in which account, and until when a run is followed. */
export interface Following {
  readonly account: SignedIn;
  readonly watch: RunWatch;
  /** No one watches any longer. The run goes on. */
  readonly signal: AbortSignal;
}
