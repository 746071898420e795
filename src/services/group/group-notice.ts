// What there is to tell about groups.
import type { AppError } from "../../domain/base/error.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import type { SignedIn } from "../core/session.ts";
import type { OrderEnd } from "../instance/order-notices.ts";

export type GroupNotice =
  /** `isOverdue`: no window was open at its time, so nothing is destroyed without a question. */
  | {
      readonly kind: "decided";
      readonly account: SignedIn;
      readonly group: GroupFacts;
      readonly isOverdue: boolean;
      readonly why: AppError | undefined;
    }
  /** What no one wanted that way was destroyed, as agreed. Call `acknowledge` of the orders once it is seen. */
  | {
      readonly kind: "ended";
      readonly account: SignedIn;
      readonly group: GroupFacts;
      readonly ends: readonly OrderEnd[];
    };
