// What is known of a run on this computer, so that a window that is opened later finds it again. It holds no secret but what the
// person wrote into the command.
import * as z from "zod";
import { isMarkOf, type MarkedAccount } from "../base/account-mark.ts";
import { InstanceId, RunId, TemplateHash } from "../base/id.ts";
import { WhenDone } from "../base/when-done.ts";
import { ImageName } from "../template/image.ts";
import { Attempt, MOST_ATTEMPTS } from "./attempt.ts";
import { RunLimits } from "./run-limits.ts";
import { type RunDraft, RunPlan } from "./run-plan.ts";

const Results = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({
    kind: z.literal("fetched"),
    place: z.string(),
    /** The name of its output in there; none if that couldn't be downloaded. */
    log: z.string().optional(),
    /** SHA-256 of its output as the machine has it, where secrets were masked in the one in there. */
    logDigest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    files: z.int(),
    bytes: z.number(),
    isWhole: z.boolean(),
    /** Patterns for results that no file matched. */
    unmatched: z.array(z.string()).optional(),
    /** The folder with the versions of files that were changed here, and so weren't replaced. */
    beside: z.string().optional(),
    /** Nothing but what was downloaded while the command ran, the last of it at this time: the machine is gone. */
    until: z.number().optional(),
    /** What else is new on the machine: how many files, and the names of some. */
    others: z.object({ files: z.int(), names: z.array(z.string()) }).optional(),
  }),
  /** `isLost`: the machine is gone. */
  z.object({ kind: z.literal("failed"), why: z.string(), isLost: z.boolean().optional() }),
]);
export type Results = z.infer<typeof Results>;
export type FetchedResults = Extract<Results, { kind: "fetched" }>;

/** What was downloaded while the command ran, and when the last of it was. */
const EarlyResults = z.object({ place: z.string(), at: z.number(), files: z.int(), bytes: z.number() });
export type EarlyResults = z.infer<typeof EarlyResults>;

/** The instance, if the run rented it. A run never stops or destroys any other. */
export const RentedForRun = z.object({
  /** At the start of the instance's label. */
  token: z.string().min(1).max(100),
  /** $/h. */
  price: z.number().optional(),
  /** Epoch milliseconds at which it was requested. */
  at: z.number(),
  /** What it was rented with. */
  template: TemplateHash.optional(),
  image: ImageName.optional(),
  /** What the person decided at the summary. */
  whenDone: WhenDone,
  /** The instance is to stop itself some time after the command ended, in case no window is open then. */
  stopsItself: z.boolean().optional(),
});
export type RentedForRun = z.infer<typeof RentedForRun>;

/** Whether the machine will stop itself, as it was asked to. `armed`: it has shown that it can. */
const RunGuard = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("armed") }),
  z.object({ kind: z.literal("failed"), why: z.string() }),
]);
export type RunGuard = z.infer<typeof RunGuard>;

/** What became of the instance that a run rented. `gone`: it had ended before. `unconfirmed`: it was asked to end or to stop. */
const RentalEnd = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("destroyed"), at: z.number() }),
  /** `price`: $/h of its disk. `onlyThere`: why what the run left may be nowhere but on that disk. */
  z.object({
    kind: z.literal("stopped"),
    at: z.number(),
    price: z.number().optional(),
    onlyThere: z.string().optional(),
  }),
  z.object({ kind: z.literal("gone") }),
  z.object({ kind: z.literal("kept"), why: z.string() }),
  z.object({ kind: z.literal("unconfirmed"), why: z.string() }),
]);
export type RentalEnd = z.infer<typeof RentalEnd>;

/** What ranks are started by: `each` is nothing but the command on each. */
export const ENGINES = ["each", "torchrun", "ray"] as const;
export type Engine = (typeof ENGINES)[number];

/** What happens to the others if one fails. */
export const ON_FAILURE = ["stopAll", "continue"] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

/** The part that a run has in one of several instances. */
export const RunMember = z.object({
  /** The same for all of them. */
  job: z.string().regex(/^job-[a-z0-9]{1,40}$/),
  /** The group whose instances they run on. */
  group: z.string().regex(/^grp-[a-z2-7]{16}$/),
  /** From 0, as engines count. */
  rank: z.int().min(0).max(63),
  count: z.int().min(1).max(64),
  engine: z.enum(ENGINES),
  onFailure: z.enum(ON_FAILURE),
});
export type RunMember = z.infer<typeof RunMember>;

export const RunRecord = z.object({
  version: z.literal(1),
  id: RunId,
  /** Undefined for a run on one instance. */
  member: RunMember.optional(),
  /** The service's address. */
  base: z.string(),
  /** Digest of the service's address and the key. */
  account: z.string(),
  user: z.int().optional(),
  instance: InstanceId,
  rented: RentedForRun.optional(),
  plan: RunPlan,
  /** Epoch milliseconds at which the upload began. */
  at: z.number(),
  /** The window that follows it. */
  window: z.string(),
  /** Epoch milliseconds at which its time limit stops the command. */
  until: z.number().optional(),
  /** `off`: the person took it back. */
  guard: RunGuard.or(z.object({ kind: z.literal("off") })).optional(),
  early: EarlyResults.optional(),
  /** The attempts before this one, the first of them first. */
  earlier: z.array(Attempt).max(MOST_ATTEMPTS).optional(),
  /** Its limits as they were agreed to, where earlier attempts used some of them. */
  agreed: RunLimits.optional(),
  /** The person asked to stop it, so no other instance is rented for it without a question. */
  isStopAsked: z.literal(true).optional(),
  /** The launch that rents, or rented, for the next attempt. */
  next: z.string().max(100).optional(),
  state: z.discriminatedUnion("kind", [
    /** The machine was rented, and isn't ready yet. */
    z.object({ kind: z.literal("waiting") }),
    /** Nothing runs yet: files are on their way. */
    z.object({ kind: z.literal("uploading") }),
    /** The machine was told to start it. */
    z.object({ kind: z.literal("started") }),
    /** Without a code if it ended and no one knows how. `at` is when that was noticed. */
    z.object({
      kind: z.literal("ended"),
      at: z.number(),
      exit: z.int().optional(),
      /** How long the command took there. */
      seconds: z.number().optional(),
      /** Something that the command started was still running when it ended. */
      hasLeft: z.boolean().optional(),
      /** Its time limit stopped it. */
      isLimited: z.boolean().optional(),
      /** Its setup failed, so its command didn't start. Records of earlier versions don't say. */
      isSetupFailure: z.boolean().optional(),
      /** Why it ended without a code, or never began. */
      why: z.string().optional(),
      results: Results.optional(),
      rental: RentalEnd.optional(),
    }),
  ]),
});
export type RunRecord = z.infer<typeof RunRecord>;
export type RunState = RunRecord["state"];
export type EndedRun = Extract<RunState, { kind: "ended" }>;

/** Characters. */
const LONGEST = 500_000;

/** The record in a file's text; undefined for anything else. */
export function readRunRecord(text: string): RunRecord | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return RunRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Whether something is to be decided about the instance that the run rented: it is to be stopped or destroyed, or the run never began
 * there and no one was told.
 */
export function awaitsRentalEnd({ rented, state }: Pick<RunRecord, "rented" | "state">): boolean {
  if (!rented) return false;
  if (state.kind !== "ended") return true;
  return state.rental === undefined && (rented.whenDone !== "keep" || state.exit === undefined);
}

/** Whether it never began on the instance that was rented for it, and no one was told. */
export const isStranded = (run: Pick<RunRecord, "rented" | "state">): boolean =>
  awaitsRentalEnd(run) &&
  run.state.kind === "ended" &&
  run.state.exit === undefined &&
  run.state.results?.kind === "none";

/** Whether it isn't over, its results weren't asked for yet, or what it rented isn't stopped or destroyed yet. */
export const isOpen = (run: RunRecord): boolean =>
  run.state.kind !== "ended" || run.state.results === undefined || awaitsRentalEnd(run);

/** Whether its results may still be on the machine alone. */
export const hasResultsThere = ({ state }: RunRecord): boolean =>
  state.kind !== "ended" ||
  state.results === undefined ||
  (state.results.kind === "failed" && state.results.isLost !== true);

/** What runs if it is run once more. */
export function toRunDraft({ plan: { remote: _, ...draft }, agreed }: Pick<RunRecord, "plan" | "agreed">): RunDraft {
  return agreed ? { ...draft, limits: agreed } : draft;
}

/** Which attempt it is, from 1. */
export const countAttempts = ({ earlier = [] }: Pick<RunRecord, "earlier">): number => earlier.length + 1;

/** Whether its command may go on elsewhere, if its instance no longer works on it: it began, and isn't known to have done all. */
export const canContinue = ({ member, state }: Pick<RunRecord, "member" | "state">): boolean =>
  member === undefined && (state.kind === "started" || (state.kind === "ended" && state.exit !== 0));

/** Whether its instance was gone before anyone knew how its command ended. */
export const isLost = ({ state }: Pick<RunRecord, "state">): boolean =>
  state.kind === "ended" && state.exit === undefined && state.rental?.kind === "gone";

/** Whether it was agreed at its summary that another instance is rented for it without a question, once its own no longer works on it. */
export function canContinueAutomatically(run: RunRecord): boolean {
  const { rented, isStopAsked, plan, member, state } = run;
  if (!rented || isStopAsked || member || (plan.limits?.maxAttempts ?? 1) < 2) return false;
  return state.kind === "started" || isLost(run);
}

/** Epoch milliseconds until which its instance cost money for it, as far as that is known. */
export const findCostEnd = ({ at, rental }: EndedRun): number =>
  rental?.kind === "destroyed" || rental?.kind === "stopped" ? rental.at : at;

/** What is left of the results of a run whose machine is gone. */
export const findEarlyResults = ({ early }: Pick<RunRecord, "early">): Results =>
  early
    ? {
        ...{ kind: "fetched", place: early.place, files: early.files },
        bytes: early.bytes,
        isWhole: false,
        until: early.at,
      }
    : { kind: "none" };

/** Whether a run belongs to an account: by its key, or by the service's ID for the account. */
export const isRunOf = (run: RunRecord, account: MarkedAccount): boolean => isMarkOf(run, account);

const two = (number: number): string => String(number).padStart(2, "0");

/** The local time as digits, for names that sort by it. */
function digitsOf(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 30) || "run";

/** A name that no other run has. `random` is a text of at least four lower-case letters and digits; `rank` is that of one of several. */
export const createRunId = (name: string, at: number, random: string, rank?: number): RunId =>
  RunId.parse(`${digitsOf(at)}-${slugOf(name)}${rank === undefined ? "" : `-r${rank}`}-${random.slice(0, 4)}`);

/** The folder for its results, below `.cloud-gpu/runs`. */
export const formatResultFolderName = ({ id }: Pick<RunRecord, "id">): string => id.slice(0, id.lastIndexOf("-"));
