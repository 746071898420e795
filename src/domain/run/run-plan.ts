// What is run on a machine: which folder goes there, what sets it up, and which command is run in it.
import * as z from "zod";
import { quoteWord } from "../../lib/shell-words.ts";
import { Command, MOST_COMMAND, Variables } from "../base/command.ts";
import { DataFolders } from "../base/data-folders.ts";
import { Globs } from "../base/glob.ts";
import { ResultsEveryMinutes } from "../base/results-every.ts";
import { isRemoteFolder } from "../connection/remote-machine.ts";
import { RunLimits } from "./run-limits.ts";
import { RunSecretNames } from "./run-secrets.ts";

/** Characters of what a run is called. */
export const MOST_NAME = 200;

export const RunPlan = z.object({
  /** What it is called on screen: the name of the file. */
  name: z.string().min(1).max(MOST_NAME),
  command: Command,
  /** What is shown in place of the command, where most of it starts an engine. */
  shown: Command.optional(),
  /** Set for the setup and the command, without a word of it in the log. */
  variables: Variables.optional(),
  /** Set like the variables, by values that are written down nowhere. */
  secrets: RunSecretNames.optional(),
  /** Run before the command, with the variables that it sets first; empty for nothing. */
  setup: z.string().max(2 * MOST_COMMAND + 1),
  /** The folder of this computer that is uploaded. */
  folder: z.string().min(1).max(4096),
  /** Where it goes, and where the command runs. */
  remote: z.string().refine(isRemoteFolder),
  /** Which of the files that it creates or changes are its results; empty for all of them. */
  results: Globs.optional(),
  /** How often they are downloaded while the command runs; only at its end if left out. */
  resultsEveryMinutes: ResultsEveryMinutes.optional(),
  /** Folders in the uploaded one whose files aren't results. */
  data: DataFolders.optional(),
  /** When its command is stopped at the latest. */
  limits: RunLimits.optional(),
});
export type RunPlan = z.infer<typeof RunPlan>;

/** As long as it isn't known where on the machine its folder goes. */
export type RunDraft = Omit<RunPlan, "remote">;

/** A path that no program takes for an option. */
const wordOf = (path: string): string => quoteWord(path.startsWith("-") ? `./${path}` : path);

function notebookCommand(path: string): string {
  const [file, done] = [wordOf(path), wordOf(path.replace(/\.ipynb$/i, ".done.ipynb"))];
  const convert = `python3 -m jupyter nbconvert --to notebook --execute ${file} --output-dir . --output ${done}`;
  return `if command -v papermill >/dev/null; then papermill ${file} ${done}; else ${convert}; fi`;
}

/** The command that runs a file, by its path in the folder; undefined for files that aren't run. */
export function findFileCommand(path: string): string | undefined {
  if (/\.py$/i.test(path)) return `python3 -u ${wordOf(path)}`;
  if (/\.(?:sh|bash)$/i.test(path)) return `bash ${wordOf(path)}`;
  return /\.ipynb$/i.test(path) ? notebookCommand(path) : undefined;
}
