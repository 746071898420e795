// What there is to say while a launch goes on, as plain data: `present` has the words, and a test reads the data.
import type { AppError } from "../base/error.ts";
import type { InstanceId } from "../base/id.ts";
import type { Instance, SshState } from "../instance/instance.ts";
import type { OrderResult } from "../instance/order-result.ts";
import type { LaunchPlan } from "./launch-plan.ts";

/** How far a launch is while the person waits for it. `instance`: undefined until the service shows it. */
export type LaunchStage =
  | "sending"
  | { readonly id: InstanceId; readonly instance: Instance | undefined; readonly ssh: SshState | undefined };

/** The instance as the list shows it: `price` in dollars an hour, undefined if the service shows none. */
export interface ShownInstance {
  readonly price: number | undefined;
}

/** `row` is undefined until the list shows the instance. */
export type LaunchMessage =
  | { readonly kind: "cancelled" }
  /** `proven` where no byte left this machine; otherwise the launch is watched on. */
  | { readonly kind: "not-rented"; readonly error: AppError; readonly proven: boolean }
  | { readonly kind: "unknown"; readonly reason: string; readonly token: string; readonly tracked: boolean }
  /** `silent`: it runs, but its SSH server hasn't answered. */
  | {
      readonly kind: "running" | "silent";
      readonly id: InstanceId;
      readonly row: ShownInstance | undefined;
      readonly plan: LaunchPlan;
    }
  /** Someone stopped it before it was ready. */
  /** `isMeant`: it was rented without being started. */
  | { readonly kind: "stopped"; readonly id: InstanceId; readonly isMeant: boolean }
  | { readonly kind: "gone"; readonly id: InstanceId }
  /** It was rented in an account that is no longer the one in front. */
  | { readonly kind: "left-account"; readonly id: InstanceId; readonly plan: LaunchPlan }
  | { readonly kind: "not-destroyed"; readonly ends: readonly OrderResult[] }
  /** `why`: what the service says of it. `isImage`: another machine wouldn't help. */
  | {
      readonly kind: "dead";
      readonly id: InstanceId;
      readonly status: string;
      readonly why: string;
      readonly isImage: boolean;
    }
  | { readonly kind: "replacing"; readonly id: InstanceId; readonly plan: LaunchPlan }
  | { readonly kind: "not-dead"; readonly id: InstanceId; readonly instance: Instance }
  | { readonly kind: "no-replacement"; readonly id: InstanceId; readonly why: "no-offer" | "no-template" };

/** What the person can do about a message. */
export type LaunchAction =
  | "connect"
  /** Where a folder of this computer is open. */
  | "open-project"
  | "show"
  | "review"
  | "choose-again"
  | "edit-template"
  | "reconfigure"
  | "replace"
  | "destroy";

/** What is asked before money is spent or something is lost. */
export type LaunchQuestion =
  | {
      readonly kind: "rent";
      readonly plan: LaunchPlan;
      readonly sandbox: boolean;
      /** The name of the account that pays, where there are several. */
      readonly payer?: string | undefined;
      readonly withoutTracking: boolean;
      /** Epoch milliseconds. */
      readonly now: number;
      /** An agent chose what runs: all of it is shown. */
      readonly isForAgent?: boolean;
    }
  /** The person stopped waiting for an instance that is rented already. */
  | {
      readonly kind: "destroy-rented";
      readonly id: InstanceId;
      readonly row: ShownInstance | undefined;
      readonly plan: LaunchPlan;
    }
  /** The launch that rented it is to be corrected. */
  | { readonly kind: "reconfigure"; readonly dead: InstanceId }
  | {
      readonly kind: "replace";
      readonly dead: InstanceId;
      readonly before: LaunchPlan;
      readonly plan: LaunchPlan;
      readonly isNewTemplate: boolean;
      readonly isImageAtFault: boolean;
      /** The auto-stop of the dead one has passed, so the plan has none. */
      readonly isPastEnd: boolean;
      readonly sandbox: boolean;
      readonly withoutTracking: boolean;
      /** Epoch milliseconds. */
      readonly now: number;
      /** The name of the run that goes on with it. */
      readonly run?: string;
    };
