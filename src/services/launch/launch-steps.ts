// What a launch is about, whom it asks, and what may follow each of its steps.
import type { InstanceId, TemplateHash } from "../../domain/base/id.ts";
import type { LaunchAction, LaunchMessage, LaunchQuestion, LaunchStage } from "../../domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { SignedIn } from "../core/session.ts";
import type { Intent } from "./intent.ts";
import type { RentOptions } from "./outcome/launch-outcome.ts";
import type { Chain, RentalTerms } from "./replacement.ts";

/** The person who launches. The extension asks with modals and notifications; a test answers from a list. */
export interface LaunchPerson {
  confirm(question: LaunchQuestion): Promise<boolean>;
  /** @returns the option the person chose; undefined if they chose none. */
  tell(message: LaunchMessage, actions: readonly LaunchAction[]): Promise<LaunchAction | undefined>;
  /** Shows that instances are being changed while `work` runs. */
  wait<T>(work: () => Promise<T>): Promise<T>;
  /** Shows the progress of the launch while `work` runs. The signal fires when the person stops waiting. */
  accompany<T>(
    plan: LaunchPlan,
    work: (onStage: (stage: LaunchStage) => void, cancelled: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

export interface Rental extends RentalTerms {
  /** The account that showed the confirmed summary. None of this ever happens in another account. */
  readonly account: SignedIn;
  /** The replacements rented so far. */
  readonly chain: Chain;
  /** The person agreed that a lost rental couldn't be found here. */
  readonly withoutTracking: boolean;
  readonly intent: Intent;
  /** The dead machine that was destroyed for this one. */
  readonly insteadOf?: InstanceId;
  /** What an agent asked for. What takes its place is the person's. */
  readonly byAgent?: Pick<RentOptions, "note" | "isWanted" | "mayLeave"> | undefined;
}

/** The same on another offer. `reconfigure`: its configuration is to be corrected first. */
export type LaunchAgain = "choose-again" | "reconfigure";

/** What the person wants next, once the launch is over. */
export type NextStep =
  | { readonly kind: "connect" | "open-project" | "show"; readonly id: InstanceId }
  | { readonly kind: "review"; readonly token: string }
  | { readonly kind: LaunchAgain }
  | { readonly kind: "edit-template"; readonly hash: TemplateHash }
  | { readonly kind: "destroy"; readonly id: InstanceId };

/** Either what the person wants next, or the rental that replaces a dead machine. */
export type Turn = { readonly next: NextStep | undefined } | { readonly rental: Rental };

export const NOTHING_MORE: Turn = { next: undefined };
