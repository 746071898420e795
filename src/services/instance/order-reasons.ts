// What an order may be carried out for beside the word of a person: an end that was set, or an instance that is idle. Orders know them
// by their names only.
import type { InstanceId } from "../../domain/base/id.ts";
import type { SignedIn } from "../core/session.ts";

/** `early`: its time hasn't come, as the clock was ahead before. `late`: its time has passed, or what holds can't be known here. */
export type ReasonStatus = "holds" | "early" | "late" | "replaced";

export interface OrderReasons {
  /** Whether it still holds for an instance. @throws the disk's error. */
  recheck(account: SignedIn, reason: { readonly name: string; readonly id: InstanceId }): Promise<ReasonStatus>;
  /** Whether it is for each time that it comes to it: an order that wasn't needed isn't the last one then. */
  isForEachTime(name: string): boolean;
}
