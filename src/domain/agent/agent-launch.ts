// What became of a launch that an agent asked for.
import type { AppError } from "../base/error.ts";
import type { InstanceId } from "../base/id.ts";

export type AgentLaunch =
  /** More than one if the network repeated the request: each of them is billed. */
  | {
      readonly kind: "rented";
      readonly ids: readonly InstanceId[];
      /** An earlier call was answered, so it may be gone by now. */
      readonly isEarlier?: true;
    }
  /** It may have been rented. */
  | { readonly kind: "unknown"; readonly token: string }
  /** `proven` if nothing was sent. */
  | { readonly kind: "not-rented"; readonly error: AppError; readonly proven: boolean }
  | { readonly kind: "declined" }
  /** It may have been launched before: no one here knows. */
  | { readonly kind: "unknown-quote" };
