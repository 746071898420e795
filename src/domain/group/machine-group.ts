// A group: instances that were rented by one confirmation, and what is asked of them together.
import { t } from "../../lib/text.ts";
import type { InstanceId } from "../base/id.ts";
import { createRejection } from "../base/typed-number.ts";

export const LEAST_MACHINES = 2;
export const MOST_MACHINES = 64;

/** Names of groups are parts of file names, of Ansible's groups and of labels, so they are plain. */
const NAME = /^[a-z][a-z0-9-]{0,40}$/;

export interface GroupMember {
  /** From 0, as engines count. A replacement has the rank of the machine it replaces. */
  readonly rank: number;
  /** The launch that rented it, or was to: `vsc-` and 16 characters. */
  readonly token: string;
  /** Undefined as long as nothing was rented, or nothing is known to have been. */
  readonly id: InstanceId | undefined;
}

export interface MachineGroup {
  /** `grp-` and 16 characters. */
  readonly id: string;
  readonly name: string;
  /** One for each rank, in their order. */
  readonly members: readonly GroupMember[];
}

/** @throws AppError `rejected` that says what a name may be. */
export function parseGroupName(typed: string): string {
  const name = typed.trim();
  if (NAME.test(name)) return name;
  throw createRejection(
    "name",
    t("Name: use up to 41 lowercase letters, digits, and hyphens, beginning with a letter, such as “sweep-7”."),
  );
}

/** @throws AppError `rejected` that says how many there may be. */
export function parseMachineCount(typed: string): number {
  const text = typed.trim();
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= LEAST_MACHINES && count <= MOST_MACHINES) return count;
  throw createRejection("count", t("Instances: enter a whole number from {0} to {1}.", LEAST_MACHINES, MOST_MACHINES));
}

/** Characters of a suggested name, so that a number fits after it. */
const MOST_SUGGESTED = 24;

/** A name made of what it will run, which no other group has. */
export function suggestGroupName(from: string, taken: readonly string[]): string {
  const words = from
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, MOST_SUGGESTED)
    .replace(/-+$/, "");
  const name = words === "" ? "group" : words;
  for (let count = 1; ; count += 1) {
    const numbered = `${name}-${count}`;
    if (!taken.includes(numbered)) return numbered;
  }
}
