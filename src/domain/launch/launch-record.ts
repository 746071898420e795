// What is known of one launch from its write-once files: confirmed for what price, sent or not, and what became of it.
import * as z from "zod";
import { type InstanceId, OfferId } from "../base/id.ts";
import { knownPrice } from "../base/money.ts";

/** Written before anything is sent. It holds no key, no environment, no login. `price` $/h, `at` epoch milliseconds. */
export const Prepared = z.object({
  version: z.literal(1),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  /** The service's number for the account, where it says one: the same account may come back with another key. */
  user: z.int().optional(),
  offer: OfferId,
  machine: z.string().max(200),
  price: z.number().optional(),
  at: z.number(),
  /** False where the service has no list of instances and the person agreed to that. */
  tracked: z.boolean(),
  /** Window that sends it, and tells what became of it for as long as it lives. */
  owner: z.string().max(100).optional(),
});
export type Prepared = z.infer<typeof Prepared>;

/**
 * - `claimed`: the request was or will be sent, by the one window that made this file
 * - `not-sent`: proven that no byte left
 * - `refused`: the service said no, which is likely but no proof
 * - `absent`: looked for long enough and not found; it is still watched
 * - `dismissed`: the person settled it
 * - `looked`: looked again after it was rented, so that a second one would have been seen
 * - `told`: the person heard that it was rented
 */
export type LaunchFact = "claimed" | "not-sent" | "refused" | "absent" | "dismissed" | "looked" | "told";

export interface LaunchRecord {
  /** `vsc-` and 16 characters, at the head of the label. */
  readonly token: string;
  /** Undefined where the file is damaged or from a newer version: the launch counts all the same. */
  readonly prepared: Prepared | undefined;
  readonly facts: ReadonlySet<LaunchFact>;
  /** Instances the service confirmed under this token. */
  readonly ids: readonly InstanceId[];
}

export type LaunchState = "prepared" | "unresolved" | "rented" | "doubled" | "not-sent" | "absent" | "dismissed";

/** A rental that was found outweighs whatever was said before. */
export function launchState({ facts, ids }: LaunchRecord): LaunchState {
  if (ids.length > 1) return facts.has("dismissed") ? "rented" : "doubled";
  if (ids.length === 1) return "rented";
  if (facts.has("dismissed")) return "dismissed";
  if (facts.has("not-sent")) return "not-sent";
  if (facts.has("absent")) return "absent";
  return facts.has("claimed") ? "unresolved" : "prepared";
}

/** Sent or about to be, and nobody knows what became of it. */
export function isUnresolved(record: LaunchRecord): boolean {
  return launchState(record) === "unresolved";
}

/** The service said no to it. Likely true, but no proof: the network may have repeated a request that was carried out. */
export function isRefused(record: LaunchRecord): boolean {
  return isUnresolved(record) && record.facts.has("refused");
}

/** The person was told that nothing was rented, or most likely nothing. */
export function wasDenied({ facts }: LaunchRecord): boolean {
  return facts.has("refused") || facts.has("absent") || facts.has("dismissed");
}

/** Dollars that may be billed an hour, as far as they are known. */
export function priceAtRisk({ prepared }: LaunchRecord): number | undefined {
  return knownPrice(prepared?.price);
}

export interface LaunchAccount {
  readonly origin: string;
  readonly tag: string;
  readonly user: number | undefined;
}

/** Whether a launch belongs to an account. One whose file cannot be read is looked for in every account. */
export function belongsTo({ prepared }: LaunchRecord, { origin, tag, user }: LaunchAccount): boolean {
  if (!prepared) return true;
  if (prepared.origin !== origin) return false;
  return prepared.account === tag || (user !== undefined && prepared.user === user);
}
