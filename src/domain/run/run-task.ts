// A run as a task in `tasks.json`. It comes from a workspace, which may be anyone's: it says what to run and proposes where. Nothing is rented
// without the summary's confirmation.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { Command, SecretNames, Setup, Variables } from "../base/command.ts";
import { DataFolders } from "../base/data-folders.ts";
import { AppError } from "../base/error.ts";
import { Globs } from "../base/glob.ts";
import { InstanceId, TemplateHash } from "../base/id.ts";
import { ResultsEveryMinutes } from "../base/results-every.ts";
import { WhenDone } from "../base/when-done.ts";
import { ImageName } from "../template/image.ts";
import { MOST_HOURS, RunLimits } from "./run-limits.ts";
import { ENGINES, ON_FAILURE } from "./run-record.ts";

const RunTask = z.object({
  type: z.string(),
  command: Command,
  /** The instance to run it on, or one that is rented for it. The person chooses if it is left out. */
  instance: InstanceId.or(z.enum(["pick", "new"])).optional(),
  /** A folder below the workspace's, with slashes. */
  folder: z
    .string()
    .refine(
      (path) => !/^[/\\]|^[a-z]:|\\/i.test(path) && !path.split("/").some((part) => part === ".." || part === ".git"),
    )
    .optional(),
  /** Run before the command, in place of what its folder suggests; empty for nothing. */
  setup: Setup.optional(),
  /** Set for the setup and the command. */
  env: Variables.optional(),
  /** Names of secrets that it gets. Their values are in no file: the person is asked for them. */
  secrets: SecretNames.optional(),
  /** Which of the files that it creates or changes are downloaded; all of them if it is left out. */
  results: Globs.optional(),
  /** How often they are downloaded while the command runs, too. */
  resultsEveryMinutes: ResultsEveryMinutes.optional(),
  /** Folders in the uploaded one that are uploaded whether or not they are ignored, and whose files aren't downloaded. */
  dataFolders: DataFolders.optional(),
  /** What an instance that is rented for it is rented with: a template of the person's lists, or an image with SSH and nothing else. */
  template: TemplateHash.optional(),
  image: ImageName.optional(),
  /** What becomes of an instance that is rented for it. */
  whenDone: WhenDone.optional(),
  /** On how many instances of one group; one instance if it is left out. */
  instances: z.int().min(2).max(64).optional(),
  /** What joins them, and what happens to the others if one fails. */
  engine: z.enum(ENGINES).optional(),
  onFailure: z.enum(ON_FAILURE).optional(),
  ...RunLimits.shape,
});
export type RunTask = z.infer<typeof RunTask>;

/** Properties whose schemas say themselves what is wrong. */
const SAYING = new Set(["results", "resultsEveryMinutes", "maxAttempts", "secrets", "dataFolders"]);

/** The editor itself leaves out properties that it doesn't know. @throws AppError `rejected` that names the property, and what it can be. */
export function readRunTask(definition: Readonly<Record<string, unknown>>): RunTask {
  const read = RunTask.safeParse(definition);
  if (read.success) return checkSecrets(checkRented(read.data));
  const [field] = read.error.issues[0]?.path ?? [];
  const name = String(field ?? "command");
  if (SAYING.has(name)) throw wrong(name, read.error.issues[0]?.message ?? "");
  switch (name) {
    case "instance":
      throw wrong(name, t("Enter an instance ID, “pick”, or “new”."));
    case "folder":
      throw wrong(name, t("Enter a folder below the workspace folder, such as src."));
    case "maxHours":
      throw wrong(name, t("Enter a number above 0 and at most {0}.", MOST_HOURS));
    case "maxCost":
      throw wrong(name, t("Enter a number of dollars above 0."));
    case "instances":
      throw wrong(name, t("Enter a whole number from {0} to {1}.", 2, 64));
    case "engine":
      throw wrong(name, t("Enter “each”, “torchrun”, or “ray”."));
    case "onFailure":
      throw wrong(name, t("Enter “stopAll” or “continue”."));
    case "whenDone":
      throw wrong(name, t("Enter “destroy”, “stop”, or “keep”."));
    case "template":
      throw wrong(name, t("Enter the hash of a template."));
    case "image":
      throw wrong(name, t("Enter a Docker image, such as pytorch/pytorch:latest."));
    case "maxPricePerHour":
      throw wrong(name, t("Enter a number of dollars per hour above 0."));
    case "setup":
      throw wrong(name, t("Enter a command, or an empty string for none."));
    case "env":
      throw wrong(
        name,
        read.error.issues[0]?.code === "custom"
          ? read.error.issues[0].message
          : t('Enter an object of strings, such as {"EPOCHS": "3"}.'),
      );
    default:
      throw wrong(name, commandMistake(definition.command, read.error.issues[0]?.message));
  }
}

/** @throws AppError `rejected` for properties that exclude each other. */
function checkRented(task: RunTask): RunTask {
  const { instances, engine, onFailure, instance, template, image, maxAttempts = 1 } = task;
  if (template !== undefined && image !== undefined)
    throw new AppError("rejected", t("The task has both “template” and “image”. Remove one of them."));
  if (instances !== undefined && (instance ?? template ?? image) !== undefined)
    throw wrong(
      "instances",
      t("A task with “instances” runs on an existing group. Remove “instance”, “template”, and “image”."),
    );
  if (instances === undefined && (engine ?? onFailure) !== undefined)
    throw wrong("instances", t("Add “instances” (how many instances to run on), or remove “engine” and “onFailure”."));
  if (maxAttempts > 1 && typeof (instances ?? instance) === "number")
    throw wrong("maxAttempts", t("This only works for a task that rents its instance. Remove it."));
  return task;
}

/** @throws AppError `rejected` for one that is a variable as well, or that an engine would write down. */
function checkSecrets(task: RunTask): RunTask {
  const { secrets = [], env = {}, engine } = task;
  const twice = secrets.find((name) => Object.hasOwn(env, name));
  if (twice !== undefined) throw wrong("secrets", t("“{0}” is in “env” as well. Remove it there.", twice));
  if (secrets.length > 0 && engine === "ray") throw wrong("secrets", describeRaySecrets());
  return task;
}

/** Its dashboard shows what a job was started with, and its logs keep it. */
const describeRaySecrets = (): string =>
  t("Ray writes down what its jobs get. Use “each” or “torchrun”, or remove “secrets”.");

function commandMistake(command: unknown, message: string | undefined): string {
  return typeof command === "string" && message !== undefined ? message : t("Enter a command.");
}

const wrong = (name: string, why: string): AppError =>
  new AppError("rejected", t("Invalid “{0}” in the task. {1}", name.slice(0, 40), why));
