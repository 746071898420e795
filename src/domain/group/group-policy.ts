// What becomes of a group: how each of its members stands, and what follows from that.
import { getPhase, type Instance, isDead, isStopped } from "../instance/instance.ts";
import { getLaunchState, type LaunchRecord } from "../launch/launch-record.ts";
import type { GroupRecord } from "./group-record.ts";

/**
 * - `coming`: it is still to be rented, or was rented and doesn't run yet
 * - `unknown`: it may have been rented
 * - `ready`: it runs
 * - `stopped`: it doesn't run, and its disk is billed
 * - `dead`: it was rented, won't run, and may be billed
 * - `gone`: it was rented, and the service has it no more
 * - `missing`: nothing was rented
 */
export type MemberState = "coming" | "unknown" | "ready" | "stopped" | "dead" | "gone" | "missing";

/** What the state of a member is told by. */
interface MemberEvidence {
  /** Whether the window that rents may still do so. */
  readonly isSending: boolean;
  /** Of its latest launch; undefined if none was written down. */
  readonly launch: LaunchRecord | undefined;
  /** As it is listed; undefined if it isn't. */
  readonly instance: Instance | undefined;
  /** Whether its login is still being waited for. */
  readonly isStartingSsh: boolean;
  /** Whether a complete list that must have it doesn't. */
  readonly isUnlisted: boolean;
}

export function judgeMember({ isSending, launch, instance, isStartingSsh, isUnlisted }: MemberEvidence): MemberState {
  if (instance) return judgeInstance(instance, isStartingSsh);
  if (!launch) return isSending ? "coming" : "missing";
  switch (getLaunchState(launch)) {
    case "rented":
    case "doubled":
      return isUnlisted ? "gone" : "coming";
    case "unresolved":
      return launch.facts.has("refused") ? "missing" : "unknown";
    case "prepared":
      return isSending ? "coming" : "missing";
    default:
      return isSending ? "coming" : "missing";
  }
}

function judgeInstance(instance: Instance, isStartingSsh: boolean): MemberState {
  if (isStopped(instance)) return "stopped";
  if (isDead(instance)) return "dead";
  return getPhase(instance) === "running" && !isStartingSsh ? "ready" : "coming";
}

type GroupVerdict = "wait" | "complete" | "enough" | "short";

/** It waits as long as waiting can change anything, and the time isn't over. Who stopped a member may start it again. */
export function decideGroup(
  { prepared: { least } }: Pick<GroupRecord, "prepared">,
  members: readonly MemberState[],
  isOver: boolean,
): GroupVerdict {
  const count = (...states: readonly MemberState[]) => members.filter((state) => states.includes(state)).length;
  const ready = count("ready");
  if (ready === members.length) return "complete";
  const open = count("coming", "unknown", "stopped");
  if (ready + open < least) return "short";
  if (open > 0 && !isOver) return "wait";
  return ready >= least ? "enough" : "short";
}

/** Whether no one wants a member that way when this is decided. What nothing is known of is none, in case it was rented after all. */
export function isUnwanted(decision: GroupVerdict, state: MemberState): boolean {
  if (decision === "short") return true;
  return decision === "enough" && state !== "ready" && state !== "stopped";
}
