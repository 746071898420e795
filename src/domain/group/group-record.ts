// What is known about one group from its write-once files: what was agreed, and what was decided since. Which of its machines were rented
// is in the launch journal.
import * as z from "zod";
import { isMarkOf, type MarkedAccount } from "../base/account-mark.ts";
import { LEAST_MACHINES, MOST_MACHINES } from "./machine-group.ts";

export const GROUP_ID = /^grp-[a-z2-7]{16}$/;
const LaunchToken = z.string().regex(/^vsc-[a-z2-7]{16}$/);
export const GroupName = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/);

/** What becomes of what no one wanted that way: all that were rented if too few run in time, else those that don't run. */
const RESTS = ["ask", "destroy"] as const;
type Rest = (typeof RESTS)[number];

export interface GroupPolicy {
  /** How many must run: all of them, some, or 1 for as many as come. */
  readonly least: number;
  readonly rest: Rest;
  /** Minutes until it is decided. */
  readonly minutes: number;
}

/** Written before the first request. Holds no key, no environment and no login. `at`, `deadline` epoch milliseconds. */
const PreparedFields = z.object({
  version: z.literal(1),
  /** The service's address, with its path. */
  origin: z.string(),
  /** Digest of address and key. */
  account: z.string(),
  user: z.int().optional(),
  name: GroupName,
  /** The launch of each rank. */
  tokens: z.array(LaunchToken).min(LEAST_MACHINES).max(MOST_MACHINES),
  least: z.int().min(1).max(MOST_MACHINES),
  rest: z.enum(RESTS),
  at: z.number(),
  deadline: z.number(),
  /** Whether they are virtual machines. */
  isVm: z.boolean().optional(),
  /** The window that rents it. */
  owner: z.string().max(100),
});

/** One in which more must run than there are, or one launch has two ranks, was damaged: it would be decided by what can't be. */
export const PreparedGroup = PreparedFields.refine(
  ({ tokens, least }) => least <= tokens.length && new Set(tokens).size === tokens.length,
);
export type PreparedGroup = z.infer<typeof PreparedGroup>;

/**
 * - `sent`: nothing more of it will be rented by the window that began it
 * - `told`: the person saw what was decided
 * - `kept`: the person keeps what came, though it is too few
 * - `ended`: the person destroyed it before it was decided, so no more of it is rented, in whichever window
 */
export type GroupFact = "sent" | "told" | "kept" | "ended";

/**
 * - `complete`: all of them ran
 * - `enough`: as many as were agreed on ran when the time was over, and others didn't
 * - `short`: too few ran, or can still run
 */
const DECISIONS = ["complete", "enough", "short"] as const;
export type Decision = (typeof DECISIONS)[number];

/** What the window that decided wrote down. */
export const Decided = z.object({
  decision: z.enum(DECISIONS),
  by: z.string().max(100),
  /** The launches that no one wants that way. Later ones of the same ranks are none of them. */
  unwanted: z.array(LaunchToken).max(1000),
});
export type Decided = z.infer<typeof Decided>;

export interface GroupRecord {
  readonly id: string;
  readonly prepared: PreparedGroup;
  /** Its latest. */
  readonly name: string;
  /** By rank, the launches of that rank, the latest last; empty for one that can't be read. All of them count as the group's. */
  readonly launches: readonly (readonly string[])[];
  readonly facts: ReadonlySet<GroupFact>;
  /** Undefined if nothing is decided. */
  readonly decided: Decided | undefined;
  /** Files of a decision that can't be read: their window may be writing one right now, or died over it. */
  readonly unreadable: number;
}

export function findDecision({ decided }: Pick<GroupRecord, "decided">): Decision | undefined {
  return decided?.decision;
}

/** Whether more may be rented for a group: no window has decided it, and no one destroyed it. */
export const mayGrow = (record: GroupRecord): boolean =>
  findDecision(record) === undefined && !record.facts.has("ended");

/** Whether what isn't wanted is to be destroyed without another question: that was agreed when it was rented. */
export function isEnding(record: GroupRecord): boolean {
  const decision = findDecision(record);
  return (
    (decision === "short" || decision === "enough") && record.prepared.rest === "destroy" && !record.facts.has("kept")
  );
}

/** Whether a group belongs to an account: the same one may return with another key. */
export function isGroupOf({ prepared }: Pick<GroupRecord, "prepared">, account: MarkedAccount): boolean {
  return isMarkOf({ ...prepared, base: prepared.origin }, account);
}

/** The group and rank that a launch belongs to. */
export function findRank(
  records: readonly GroupRecord[],
  token: string | undefined,
): { readonly record: GroupRecord; readonly rank: number } | undefined {
  if (token === undefined || token === "") return undefined;
  for (const record of records) {
    const rank = record.launches.findIndex((tokens) => tokens.includes(token));
    if (rank >= 0) return { record, rank };
  }
  return undefined;
}
