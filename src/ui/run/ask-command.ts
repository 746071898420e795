// The command of a run, its limits, and its results, typed.
import { Command } from "../../domain/base/command.ts";
import { AppError } from "../../domain/base/error.ts";
import { Globs } from "../../domain/base/glob.ts";
import { parseRunLimits, type RunLimits, toTypedLimits } from "../../domain/run/run-limits.ts";
import { t } from "../../lib/text.ts";
import { askText, BACK } from "../kit/ask/steps.ts";

/** @returns undefined if the person doesn't want to run anything. */
export async function askCommand(title: string, value: string): Promise<string | undefined> {
  const command = await askText({
    title,
    prompt: t("Command. It runs in the uploaded folder on the instance."),
    value,
    placeholder: "python3 -u train.py --epochs 3",
    read: readCommand,
  });
  return command === BACK ? undefined : command;
}

function readCommand(text: string): string {
  const read = Command.safeParse(text);
  if (read.success) return read.data;
  throw new AppError("rejected", read.error.issues[0]?.message ?? t("Enter a command."));
}

/** @returns undefined if the person leaves them as they are. */
export async function askLimits(title: string, limits: RunLimits): Promise<RunLimits | undefined> {
  const typed = await askText({
    title,
    prompt: t(
      "Enter a time limit, a cost limit, or both, counted from renting, such as “8 h, $5”. To limit the price per hour, add “$0.80/h”.",
    ),
    value: toTypedLimits(limits),
    placeholder: "8 h, $5, $0.80/h",
    read: parseRunLimits,
  });
  return typed === BACK ? undefined : typed;
}

/** @returns undefined if nothing is to be changed; an empty list for all files. */
export async function askResults(title: string, globs: Globs): Promise<Globs | undefined> {
  const answer = await askText({
    title,
    prompt: t(
      "Files to download, as patterns in the uploaded folder. Separate them with commas. Leave empty for all results.",
    ),
    value: globs.join(", "),
    placeholder: "out/**, *.csv",
    read: readGlobs,
  });
  return answer === BACK ? undefined : answer;
}

function readGlobs(text: string): Globs {
  const given = text.split(",").map((glob) => glob.trim());
  const read = Globs.safeParse(given.filter((glob) => glob !== ""));
  if (read.success) return read.data;
  throw new AppError("rejected", read.error.issues[0]?.message ?? "");
}
