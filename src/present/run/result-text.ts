// What is said of the files of a run: those that go up as data, and those that come back.
import type { Globs } from "../../domain/base/glob.ts";
import type { FetchedResults, RunRecord } from "../../domain/run/run-record.ts";
import type { DataUpload } from "../../domain/run/run-upload.ts";
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import { formatFileCount, formatSize, formatSome } from "../transfer/transfer-text.ts";

/** Of patterns, in a question. */
const MOST_READ = 20;
const MOST_NAMED = 5;

/** `data: 12 files (3.4 GB)`. */
export const formatData = ({ path, files, bytes }: DataUpload): string =>
  `${toPlainText(path, 80)}: ${formatFileCount(files)} (${formatSize(bytes)})`;

/** A paragraph for each data folder, and one for what becomes of them. */
export function describeData(data: readonly DataUpload[]): readonly string[] {
  if (data.length === 0) return [];
  return [
    t(
      "Data folders: {0}. They're kept on the instance until it's destroyed. Files that the run creates or changes in them aren't downloaded.",
      data.map(formatData).join(", "),
    ),
  ];
}

export const formatGlobs = (globs: Globs): string => formatSome(globs, MOST_READ);

/** In the summary. */
export function describeResults(globs: Globs, every?: number): string {
  const files = globs.length === 0 ? t("all files that the run creates or changes") : t("only {0}", formatGlobs(globs));
  return every === undefined ? files : t("{0}, also every {1} min while it runs", files, every);
}

/** A paragraph, if they are to come before the end. `every`: minutes. */
export const describeResultsEvery = (every: number | undefined): readonly string[] =>
  every === undefined ? [] : [t("Results are also downloaded every {0} min while the command runs.", every)];

/** When what is here of a run that goes on was downloaded, in epoch milliseconds; undefined if nothing is. */
export const findEarlyTime = ({ state, early }: Pick<RunRecord, "state" | "early">): number | undefined =>
  state.kind === "started" ? early?.at : undefined;

/** Files that are new on the machine and aren't downloaded. */
export function formatOthers({ files, names }: NonNullable<FetchedResults["others"]>): string {
  const shown = names.slice(0, MOST_NAMED);
  const more = files - shown.length;
  const some = formatSome(shown);
  return more > 0 ? t("{0} and {1} more", some, formatNumber(more)) : some;
}

/** Of results that can't be here before the end. `names` begin with `./`; without one, there are too many. */
export function describeLate(names: readonly string[]): string {
  if (names.length === 0)
    return t("Not all results can be downloaded while the command runs. The rest are downloaded when it ends.");
  const some = formatOthers({ files: names.length, names: names.map((name) => name.slice(2, 200)) });
  return t("These results can't be saved on this computer now and are tried again later: {0}", some);
}

/** What is missing among the results, and what was left on the machine. */
export function listResultNotes({
  unmatched = [],
  others,
}: Pick<FetchedResults, "unmatched" | "others">): readonly string[] {
  return [
    ...(unmatched.length > 0 ? [t("No new or changed file matches {0}.", formatSome(unmatched))] : []),
    ...(others ? [t("Not downloaded: {0}.", formatOthers(others))] : []),
  ];
}
