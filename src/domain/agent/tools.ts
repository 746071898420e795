// The tools that agents in the editor may call. None of them spends, changes or ends anything. `package.json` has the same ones, with JSON
// schemas made of these: the editor doesn't check what an agent sends, so every call is read with them again.
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { LEAST_DISK } from "../offer/disk.ts";

const Disk = z.number().min(LEAST_DISK).max(1_000_000).describe("GB of disk to rent. It is part of every price.");
const Hours = z.number().positive().max(100_000);
const Type = z
  .enum(["ondemand", "bid"])
  .describe("On demand, or interruptible at the lowest bid. On demand if left out.");
const Id = z.int().positive();

export const AGENT_TOOLS = {
  searchOffers: {
    name: "cloudGpu_searchOffers",
    words:
      "Lists GPU machines that can be rented now, the cheapest first, with their prices in dollars. Reads only: nothing is rented. If nothing is found, it says which filter to loosen.",
    input: z.strictObject({
      gpu: z.string().min(1).max(64).optional().describe("The GPU's exact name, such as RTX 4090."),
      gpus: z.int().min(1).max(64).optional().describe("How many GPUs the machine has."),
      minVramGb: z.number().positive().max(10_000).optional().describe("GB of VRAM per GPU at least."),
      maxPricePerHour: z.number().positive().max(100_000).optional().describe("Dollars per hour at most."),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .optional()
        .describe("ISO 3166-1 alpha-2 code."),
      type: Type.optional(),
      diskGb: Disk.optional(),
      hours: Hours.optional().describe("How long the job takes, for its total."),
      unverified: z.boolean().optional().describe("Whether to list unverified machines, too."),
      most: z.int().min(1).max(20).optional().describe("How many offers to return; 10 if left out."),
    }),
  },
  quoteLaunch: {
    name: "cloudGpu_quoteLaunch",
    words:
      "Reads one offer again and says what renting it for some hours costs, what isn't included or known, and which of the person's limits forbid it. Reads only: it reserves nothing, and can't be used to rent. With a template, it returns a link that the person can open to review the launch.",
    input: z.strictObject({
      offer: Id.describe("From cloudGpu_searchOffers."),
      hours: Hours.describe("Hours until the auto-stop that the person is to set."),
      type: Type.optional(),
      diskGb: Disk.optional(),
      template: z.string().min(1).max(256).optional().describe("A template's hash."),
    }),
  },
  getInstances: {
    name: "cloudGpu_getInstances",
    words:
      "Lists the person's rented instances: their state, price per hour, and auto-stop. Reads only. A missing auto-stop means that an instance costs money until someone ends it.",
    input: z.strictObject({ instance: Id.optional().describe("Only this one.") }),
  },
  getRun: {
    name: "cloudGpu_getRun",
    words:
      "Lists the person's latest runs on GPU instances, or says of one how it ended, where its results are, and what the end of its output says, with secrets masked. Reads what is on this computer only.",
    input: z.strictObject({
      run: z.string().min(1).max(100).optional().describe("A run's ID. The latest ones if left out."),
    }),
  },
} as const;

export type AgentTool = keyof typeof AGENT_TOOLS;
export type ToolInput<K extends AgentTool> = z.infer<(typeof AGENT_TOOLS)[K]["input"]>;

/** What may be called in a workspace that isn't trusted: it says nothing of the account. */
export const isForAnyWorkspace = (tool: AgentTool): boolean => tool === "searchOffers";

/** Undefined for a name that no tool has. */
export function findAgentTool(name: string): AgentTool | undefined {
  return (Object.keys(AGENT_TOOLS) as AgentTool[]).find((tool) => AGENT_TOOLS[tool].name === name);
}

/** @throws AppError `rejected` that names the first thing that is wrong. */
export function readToolInput<K extends AgentTool>(tool: K, given: unknown): ToolInput<K> {
  // The schema would pass it over.
  if (typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__")) throw refuseKey("__proto__");
  const read = AGENT_TOOLS[tool].input.safeParse(given);
  if (read.success) return read.data as ToolInput<K>;
  const [issue] = read.error.issues;
  if (issue?.code === "unrecognized_keys") throw refuseKey(issue.keys[0] ?? "");
  const [field = t("input")] = issue?.path ?? [];
  throw new AppError("rejected", `${toPlainText(String(field), 60)}: ${toPlainText(issue?.message ?? "", 200)}`);
}

const refuseKey = (key: string): AppError =>
  new AppError("rejected", t("This tool has no input “{0}”.", toPlainText(key, 60)));
