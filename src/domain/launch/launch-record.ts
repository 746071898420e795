// What is known about one launch from its write-once files: the confirmed price, whether it was sent, and the outcome.
import * as z from "zod";
import { isMarkOf, type MarkedAccount } from "../base/account-mark.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { InstanceId, OfferId } from "../base/id.ts";
import { toPrice } from "../base/money.ts";
import { CLOCKS_APART_SECONDS, type Instance } from "../instance/instance.ts";
import type { Template } from "../template/template.ts";
import type { LaunchPlan } from "./launch-plan.ts";

/** IDs that a launch is written down with; no list that people look at is longer. */
const MOST_BEFORE = 2000;

/** What lets an agent rent without a question. */
export const Granted = z.object({
  /** The name of the budget that it is rented from. */
  grant: z.string().max(40),
  /** Dollars that it costs at most until its auto-stop. */
  most: z.number().nonnegative(),
  /** When that comes, in epoch milliseconds. */
  until: EpochTime,
});
export type Granted = z.infer<typeof Granted>;

/** Written before anything is sent. Holds no key, no environment, no login, but whose one it had. `price` $/h, `at` epoch milliseconds. */
export const Prepared = z.object({
  version: z.literal(1),
  /** The service's address, with its path. */
  origin: z.string(),
  /** Digest of address and key. */
  account: z.string(),
  /** The service's number for the account, if it says one: the same account may return with another key. */
  user: z.int().optional(),
  offer: OfferId,
  machine: z.string().max(200),
  price: z.number().optional(),
  at: z.number(),
  /** False if the service has no list of instances and the person agreed to that. */
  tracked: z.boolean(),
  /** The name of the folder it was rented from. */
  project: z.string().max(100).optional(),
  /** The window that sends the request and, as long as it is open, reports the outcome. */
  owner: z.string().max(100).optional(),
  /** The instances of the account before anything was sent; unknown without a complete list, and of more than can be kept. */
  before: z.array(InstanceId).max(MOST_BEFORE).optional(),
  /** Where its registry login came from; the service never returns that of a launch. */
  login: z.enum(["launch", "template"]).optional(),
  /** An agent asked for it. */
  byAgent: z.literal(true).optional(),
  granted: Granted.optional(),
});
export type Prepared = z.infer<typeof Prepared>;

/**
 * - `claimed`: the request was or will be sent, by the one window that created this file
 * - `not-sent`: proven that no byte left
 * - `refused`: the service said no, which is likely but not proven
 * - `absent`: searched for long enough and not found; still being watched
 * - `dismissed`: the person settled it
 * - `looked`: checked again after the rental, so that a second rental would have been seen
 * - `told`: the person was told that it was rented
 */
export type LaunchFact = "claimed" | "not-sent" | "refused" | "absent" | "dismissed" | "looked" | "told";

export interface LaunchRecord {
  /** `vsc-` and 16 characters, at the start of the label. */
  readonly token: string;
  /** Undefined if the file is damaged or from a newer version. The launch counts all the same. */
  readonly prepared: Prepared | undefined;
  readonly facts: ReadonlySet<LaunchFact>;
  /** Instances the service confirmed under this token, the lowest ID first. */
  readonly ids: readonly InstanceId[];
  /** Those of them that came after the launch had what it rented and was checked for a second one. */
  readonly late: ReadonlySet<InstanceId>;
}

type LaunchState = "prepared" | "unresolved" | "rented" | "doubled" | "not-sent" | "absent" | "dismissed";

/** A rental that was found overrides everything recorded before. */
export function getLaunchState({ facts, ids }: LaunchRecord): LaunchState {
  if (ids.length > 1) return facts.has("dismissed") ? "rented" : "doubled";
  if (ids.length === 1) return "rented";
  if (facts.has("dismissed")) return "dismissed";
  if (facts.has("not-sent")) return "not-sent";
  if (facts.has("absent")) return "absent";
  return facts.has("claimed") ? "unresolved" : "prepared";
}

/** Sent or about to be sent, with an unknown outcome. */
export function isUnresolved(record: LaunchRecord): boolean {
  return getLaunchState(record) === "unresolved";
}

/**
 * The service refused it. That is likely true but not proven: the network may have repeated a request that succeeded.
 */
export function isRefused(record: LaunchRecord): boolean {
  return isUnresolved(record) && record.facts.has("refused");
}

/** The person was told that nothing, or most likely nothing, was rented. */
export function wasDenied({ facts }: LaunchRecord): boolean {
  return facts.has("refused") || facts.has("absent") || facts.has("dismissed");
}

/** Dollars per hour that may be billed, if known. */
export function getPriceAtRisk({ prepared }: LaunchRecord): number | undefined {
  return toPrice(prepared?.price);
}

/** Whether a launch belongs to an account. One with an unreadable file is searched for in every account. */
export function belongsTo({ prepared }: LaunchRecord, account: MarkedAccount): boolean {
  return !prepared || isMarkOf({ ...prepared, base: prepared.origin }, account);
}

/** What a launch is written down with of the complete list that was read before it: nothing of one that is too long to keep. */
export function toBefore(
  rows: readonly { readonly value: Pick<Instance, "id"> }[] | undefined,
): Pick<Prepared, "before"> {
  return rows && rows.length <= MOST_BEFORE ? { before: rows.map(({ value }) => value.id) } : {};
}

/** Where the registry login of a launch comes from, without the login. */
export function toLoginNote({
  template,
  configuration,
  lostLogin,
}: Pick<LaunchPlan, "template" | "configuration" | "lostLogin">): Pick<Prepared, "login"> {
  if (configuration?.image_login !== undefined || lostLogin === true) return { login: "launch" };
  return template?.docker_login_repo ? { login: "template" } : {};
}

/** Whether a launch like this one would lack its registry login. `template`: undefined if it is gone. */
export function hasLostLogin({ prepared }: LaunchRecord, template: Template | undefined): boolean {
  return prepared?.login === "launch" || (prepared?.login === "template" && template === undefined);
}

/**
 * Whether an instance came after the launch had what it rented and was checked for a second one. The network may have repeated the request
 * that late, or the label was copied: its person is told, and nothing is destroyed.
 */
export function isLate({ id }: Pick<Instance, "id">, { facts, ids, late }: LaunchRecord): boolean {
  return late.has(id) || (ids.length > 0 && !ids.includes(id) && facts.has("looked"));
}

/**
 * Whether the label with this launch's token was copied to an instance that isn't from it: one that was there before, or that came late and
 * was rented long after.
 */
export function isLabelCopied(instance: Pick<Instance, "id" | "start_date">, launch: LaunchRecord): boolean {
  return (
    launch.prepared?.before?.includes(instance.id) === true ||
    (isLate(instance, launch) && isRentedLongAfter(instance, launch))
  );
}

/**
 * Whether an instance was rented so long after a launch that has an earlier one that its label was hardly written by it. Clocks may differ by
 * more, so this is no proof: no one is told less because of it, but nothing is destroyed.
 */
export function isRentedLongAfter(
  { id, start_date: rented = 0 }: Pick<Instance, "id" | "start_date">,
  { prepared, ids }: LaunchRecord,
): boolean {
  const [first = id] = ids;
  return first !== id && rented > (prepared?.at ?? Infinity) / 1000 + CLOCKS_APART_SECONDS;
}
