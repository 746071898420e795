// An instance that stops or destroys itself once it is idle: what it is told, and what it shows. It looks once a minute, and needs no
// window and no other computer.
import * as z from "zod";
import { EpochTime } from "../base/epoch-time.ts";

/** Which order of an instance comes after which, also where several computers give them. */
interface OrderVersion {
  /** When it was given, in epoch milliseconds. Later than all that its computer gave before. */
  readonly at: number;
  /** Of its files. Of two that were given at the same moment, the one holds whose name comes later. */
  readonly name: string;
}

/** After how long an instance is idle, and what happens then. */
interface KeptWish {
  readonly minutes: number;
  readonly ending: "stop" | "destroy";
  /** Whether a stop that fails for long becomes a destroy. */
  readonly orDestroy?: boolean | undefined;
}

/** What an instance is told. Without a wish, nothing on it is to stop it for being idle. */
export interface IdleKeeperOrder extends OrderVersion {
  readonly wish: KeptWish | null;
  /** GPUs below this load do nothing. */
  readonly percent: number;
}

const LAST_SEEN = [
  ...["starting", "quiet", "gap", "gpu", "network", "terminal", "run", "window"],
  ...["no-gpu", "no-network", "no-terminals", "no-clock"],
] as const;
/**
 * What an instance saw last. `gap`: it was paused, or its clock was set. `no-…`: what it couldn't read, which counts as work: as long as
 * that is so, it never stops itself.
 */
type SeenOnInstance = (typeof LAST_SEEN)[number];

export const parseSeen = (word: string | undefined): SeenOnInstance | undefined =>
  LAST_SEEN.find((one) => one === word);

const isBlind = (seen: SeenOnInstance): boolean => seen.startsWith("no-");

/** What an instance says of what keeps its idle timeout. Times are spans, in seconds: no clock of another computer counts. */
export interface IdleKeeperState extends OrderVersion {
  /** Whether what looks is running. */
  readonly lives: boolean;
  /** Since its last look. */
  readonly age: number;
  /** How long it had been idle by then. */
  readonly idle: number;
  readonly seen: SeenOnInstance;
  /** Whether the service accepted a harmless request with the instance's own key; undefined if it wasn't asked yet. */
  readonly isAccepted: boolean | undefined;
  /** Whether it had asked to be stopped or destroyed. */
  readonly hasActed: boolean;
}

const DOUBTS = ["missing", "ended", "refused", "starting", "blind", "other", "unread"] as const;
/** Why it isn't sure that an instance stops itself once it is idle. */
export type IdleKeeperDoubt = (typeof DOUBTS)[number];

/** What an instance showed: any program of this computer can write the file that it is read from. */
export const IdleKeeperProof = z.object({
  version: z.literal(1),
  /** When it was read, in epoch milliseconds. */
  at: EpochTime,
  /**
   * - `missing`: nothing on it does it
   * - `ended`: what did it has ended, or no longer looks
   * - `refused`: the service doesn't accept the instance's own key from it
   * - `starting`: it hasn't looked yet
   * - `blind`: it can't see whether it works
   * - `other`: it keeps an order that was given later
   * - `unread`: it was told, and its answer was lost
   */
  doubt: z.enum(DOUBTS).optional(),
  /** When it looked last, in epoch milliseconds on this computer's clock. */
  lookedAt: EpochTime.optional(),
  seen: z.enum(LAST_SEEN).optional(),
});
export type IdleKeeperProof = z.infer<typeof IdleKeeperProof>;

/** Seconds without a look from which on nothing looks any longer: it does once a minute, and asking the service may take half of one. */
const LATE = 200;
/** Milliseconds for which a proof holds: it is read more often than that as long as a window can reach the instance. */
const FRESH = 15 * 60_000;

/** `now` is in epoch milliseconds. A word of the machine's never makes it later than now. */
export function judgeIdleKeeper(state: IdleKeeperState | "missing", order: OrderVersion, now: number): IdleKeeperProof {
  const version = 1;
  if (state === "missing") return { version, at: now, doubt: "missing" };
  const lookedAt = now - state.age * 1000;
  const known = { version, at: now, lookedAt, seen: state.seen } as const;
  if (state.at !== order.at || state.name !== order.name) return { ...known, doubt: "other" };
  if (!state.lives || state.age > LATE) return { ...known, doubt: "ended" };
  if (state.isAccepted === false) return { ...known, doubt: "refused" };
  if (state.isAccepted === undefined || state.seen === "starting") return { ...known, doubt: "starting" };
  return isBlind(state.seen) ? { ...known, doubt: "blind" } : known;
}

/** What keeps an idle timeout beside a window. */
export type IdleKeeperGuard =
  /** It showed that it does, when it last looked (epoch milliseconds). */
  | { readonly kind: "armed"; readonly lookedAt: number }
  | { readonly kind: "unverified"; readonly doubt?: IdleKeeperDoubt | undefined };

/** An old proof is none. `now` is in epoch milliseconds. */
export function toIdleKeeperGuard(proof: IdleKeeperProof | undefined, now: number): IdleKeeperGuard {
  if (!proof) return { kind: "unverified" };
  if (proof.doubt !== undefined) return { kind: "unverified", doubt: proof.doubt };
  const { at, lookedAt } = proof;
  if (lookedAt === undefined || lookedAt > at || at > now || now - lookedAt > FRESH) return { kind: "unverified" };
  return { kind: "armed", lookedAt };
}

/** It was told of an order, and hasn't answered: it may keep it, or the one before. `at` in epoch milliseconds. */
export const createUnreadProof = (at: number): IdleKeeperProof => ({ version: 1, at, doubt: "unread" });

/** Whether an instance may keep an order that it was told of. */
export const mayKeepOrder = (proof: IdleKeeperProof | undefined): boolean =>
  proof !== undefined && proof.doubt !== "missing";
