// A group as it is now: its members, how each stands, and what they cost.
import type { InstanceId } from "../base/id.ts";
import type { Instance } from "../instance/instance.ts";
import type { MemberState } from "./group-policy.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupMember, MachineGroup } from "./machine-group.ts";

export interface MemberFacts extends GroupMember {
  readonly state: MemberState;
  /** As it is listed; undefined if it isn't. */
  readonly instance: Instance | undefined;
  /** Dollars per hour now; undefined if unknown, or if it isn't listed. */
  readonly price: number | undefined;
}

export interface GroupFacts extends MachineGroup {
  readonly record: GroupRecord;
  readonly members: readonly MemberFacts[];
  /** Instances of the group that are listed, also those of launches that another one took the place of. */
  readonly listed: readonly InstanceId[];
  /** Whether the window that rents may still do so. */
  readonly isSending: boolean;
}

export function countStates({ members }: Pick<GroupFacts, "members">, ...states: readonly MemberState[]): number {
  return members.filter(({ state }) => states.includes(state)).length;
}
