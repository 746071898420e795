// The tools that agents in the editor may call. What spends, runs or ends something asks the person first. `package.json` has the same ones,
// with JSON schemas made of these: the editor doesn't check what an agent sends, so every call is read with them again.
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { MOST_AUTO_STOP_HOURS } from "../instance/auto-stop.ts";
import { LEAST_DISK } from "../offer/disk.ts";
import { MOST_HOURS } from "../run/run-limits.ts";

const Disk = z.number().min(LEAST_DISK).max(1_000_000).describe("GB of disk to rent. It is part of every price.");
const Hours = z.number().positive().max(100_000);
const Type = z
  .enum(["ondemand", "bid"])
  .describe("On demand, or interruptible at the lowest bid. On demand if left out.");
const Id = z.int().positive();
const Ending = z.number().min(0.1).max(MOST_AUTO_STOP_HOURS);

/** Characters of a command: the person sees all of it before it runs, and a dialog with more would hide its buttons. */
export const MOST_AGENT_COMMAND = 500;
/** A path that leads elsewhere, on any system. Windows would sign in to another computer only to look whether its file is there. */
const OUTSIDE = /^[\\/]|^[a-z]:|(?:^|[\\/])\.\.(?:[\\/]|$)/i;
/**
 * What would look like something else in a question, or like nothing: also other spaces, what no font has or an icon font may draw, empty cells
 * of Braille, music and hieroglyphs, the sign that stands for a line break there, and piles of marks.
 */
const UNSEEN =
  /(?![\n\t ])[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u23ce\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}]|\p{M}{4}/u;

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
      "Reads one offer again and says what renting it for some hours costs, what isn't included or known, and which of the person's limits forbid it. Reads only: it reserves nothing. With a template or an image, it returns a quote for cloudGpu_launch that is valid for five minutes, unless a limit forbids it; with a template also a link that the person can open to review the launch.",
    input: z
      .strictObject({
        offer: Id.describe("From cloudGpu_searchOffers."),
        hours: Ending.describe(
          "Hours until the instance is destroyed by its auto-stop, whether the job is done or not.",
        ),
        type: Type.optional(),
        diskGb: Disk.optional(),
        template: z.string().min(1).max(256).optional().describe("A template's hash. Not together with image."),
        image: z.string().min(1).max(256).optional().describe("A Docker image with its tag. It starts with SSH."),
      })
      .refine(({ template, image }) => template === undefined || image === undefined, {
        path: ["image"],
        error: () => t("Give a template or an image, not both."),
      }),
  },
  launch: {
    name: "cloudGpu_launch",
    words:
      "Rents what a quote says. Asks the person, who sees the machine, its price, and its auto-stop, unless the budget that they gave to agents pays for it. One quote rents at most once: calling again with the same quote only tells what became of it. Returns the instance at once; it takes minutes to start. If the outcome isn't known, never ask for another quote: call again with this one later.",
    input: z.strictObject({ quote: z.string().min(1).max(60).describe("From cloudGpu_quoteLaunch.") }),
  },
  getInstances: {
    name: "cloudGpu_getInstances",
    words:
      "Lists the person's rented instances: their state, price per hour, auto-stop, and what they have cost so far, as this computer saw it. Reads only. A missing auto-stop means that an instance costs money until someone ends it.",
    input: z.strictObject({ instance: Id.optional().describe("Only this one.") }),
  },
  run: {
    name: "cloudGpu_run",
    words:
      "Runs a command, or a file of the open folder, on a running instance of the person. Asks the person, who sees the whole command. The folder is uploaded first, and new and changed files are downloaded afterward. Returns the run at once; cloudGpu_getRun tells how it ended. Calling again runs it again.",
    input: z
      .strictObject({
        instance: Id.describe("One that is running."),
        command: z
          .string()
          .min(1)
          .max(MOST_AGENT_COMMAND)
          .optional()
          .describe("Runs in the uploaded folder. Put anything longer in a file."),
        file: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe("A Python file, shell script or notebook, by its path in the open folder. In place of a command."),
        maxHours: z.number().positive().max(MOST_HOURS).describe("The command is stopped after so many hours."),
      })
      .refine(({ command, file }) => (command === undefined) !== (file === undefined), {
        path: ["command"],
        error: () => t("Give a command or a file, and not both."),
      })
      .refine(({ file = "" }) => !OUTSIDE.test(file), {
        path: ["file"],
        error: () => t("Give the path of a file in the open folder, without “..”."),
      })
      .refine(({ command = "", file = "" }) => !UNSEEN.test(command + file), {
        path: ["command"],
        error: () => t("It contains invisible characters."),
      }),
  },
  getRun: {
    name: "cloudGpu_getRun",
    words:
      "Lists the person's latest runs on GPU instances, or says of one how it ended, where its results are, and what the end of its output says, with secrets masked. Reads what is on this computer only.",
    input: z.strictObject({
      run: z.string().min(1).max(100).optional().describe("A run's ID. The latest ones if left out."),
    }),
  },
  endInstance: {
    name: "cloudGpu_endInstance",
    words:
      "Stops or destroys an instance of the person, now or by an auto-stop that comes sooner than the one it has. Asks the person, who sees what is lost, unless it destroys now what their budget for agents paid for. Destroying deletes its disk; a stopped instance still bills its disk.",
    input: z.strictObject({
      instance: Id,
      action: z.enum(["stop", "destroy"]),
      hours: Ending.optional().describe("Hours until then, which must be sooner than its auto-stop. Now if left out."),
    }),
  },
} as const;

export type AgentTool = keyof typeof AGENT_TOOLS;
export type ToolInput<K extends AgentTool> = z.infer<(typeof AGENT_TOOLS)[K]["input"]>;

/** Whether it spends, runs, or ends something, and so asks the person. */
export const isActing = (tool: AgentTool): boolean => ["launch", "run", "endInstance"].includes(tool);

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
  const { issues } = read.error;
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue?.code === "unrecognized_keys") throw refuseKey(issue.keys[0] ?? "");
  const [field = t("input")] = issue?.path ?? [];
  throw new AppError("rejected", `${toPlainText(String(field), 60)}: ${toPlainText(issue?.message ?? "", 200)}`);
}

const refuseKey = (key: string): AppError =>
  new AppError("rejected", t("This tool has no input “{0}”.", toPlainText(key, 60)));
