// What became of a launch that an agent asked for.
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import type { InstanceId } from "../base/id.ts";
import type { LaunchMessage } from "../launch/launch-messages.ts";
import { getLaunchState, isRefused, type LaunchRecord } from "../launch/launch-record.ts";

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

/** What a message about the launch says of it; undefined if it says nothing new. */
export function toAgentLaunch(message: LaunchMessage): AgentLaunch | undefined {
  if (message.kind === "unknown") return { kind: "unknown", token: message.token };
  if (message.kind === "not-rented") return { kind: "not-rented", error: message.error, proven: message.proven };
  if (message.kind !== "cancelled") return undefined;
  return { kind: "not-rented", error: new AppError("cancelled", t("Canceled.")), proven: true };
}

/** What the journal alone says. One that was prepared may be about to be sent. */
export function toRecordedLaunch(record: LaunchRecord): AgentLaunch {
  const { token, ids } = record;
  if (ids.length > 0) return { kind: "rented", ids, isEarlier: true };
  const state = getLaunchState(record);
  if (state === "not-sent")
    return { kind: "not-rented", proven: true, error: new AppError("rejected", t("Nothing was rented.")) };
  return state === "absent" || state === "dismissed" || isRefused(record) ? createAbsent() : { kind: "unknown", token };
}

/** Nothing proves that it wasn't sent. */
export const createAbsent = (): AgentLaunch => ({
  kind: "not-rented",
  proven: false,
  error: new AppError("outcome-unknown", t("No rental was found.")),
});
