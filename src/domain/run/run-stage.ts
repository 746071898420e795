// Where a run is, for whoever watches it.
import type { InstanceId } from "../base/id.ts";
import type { LaunchStage } from "../launch/launch-messages.ts";
import type { FetchedResults, RunGuard } from "./run-record.ts";

export type RunStage =
  /** `elapsed`: milliseconds since the request. `price`: $/h. */
  | {
      readonly kind: "renting";
      readonly stage: LaunchStage;
      readonly elapsed: number;
      readonly price: number | undefined;
    }
  /** Its instance no longer works on it: another one is rented, unless `why` says why not. `attempt` of `most` that were agreed to. */
  | { readonly kind: "lost"; readonly instance: InstanceId; readonly attempt: number; readonly most: number }
  | { readonly kind: "not-continued"; readonly why: string }
  | { readonly kind: "uploading"; readonly files: number; readonly bytes: number }
  | { readonly kind: "starting" }
  /** Whether the machine will stop itself if no window is open. `isEarlier`: because of another run, even if a window is open. */
  | { readonly kind: "guarded"; readonly guard: RunGuard; readonly isEarlier?: true }
  /** The machine would have stopped itself, and no longer does. */
  | { readonly kind: "unguarded" }
  | { readonly kind: "running" }
  /** The connection was lost, and is tried again after so many milliseconds. The run goes on without it, unless it is over. */
  | { readonly kind: "disconnected"; readonly why: string; readonly pause: number; readonly isOver?: true }
  /** The service says that it has no such instance. Whether that's so is found out, which takes a minute. */
  | { readonly kind: "missing" }
  /** Results that can't be saved while the command runs; without a name, others for which there is no room until it is over. */
  | { readonly kind: "late"; readonly names: readonly string[] }
  | { readonly kind: "fetching"; readonly files: number; readonly bytes: number }
  /** What is here is compared with what is on the machine that the run rented. */
  | { readonly kind: "verifying" }
  /** `others`: what is new on the machine and isn't here. */
  | { readonly kind: "destroying"; readonly others: FetchedResults["others"] }
  | { readonly kind: "stopping" };
