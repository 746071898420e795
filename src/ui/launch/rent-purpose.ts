// What an instance is rented for, if it is for more than to be there.
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";

export interface RentPurpose {
  /** A heading of the summary. */
  readonly title: string;
  readonly lines: (plan: LaunchPlan) => readonly PurposeLine[];
  /** Said in the question before renting. */
  readonly detail: (plan: LaunchPlan) => string;
  /** The most that it may cost, in $/h. */
  readonly mostPerHour?: () => number | undefined;
  /** @throws AppError if it can't be rented for this purpose. */
  readonly check?: (plan: LaunchPlan) => void;
}

export interface PurposeLine {
  readonly name: string;
  readonly value: string;
  /** For a line that can be changed in the summary. */
  readonly change?: () => Promise<void>;
}
