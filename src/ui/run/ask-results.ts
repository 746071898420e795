// Which files of a run are downloaded, typed.
import { AppError } from "../../domain/base/error.ts";
import { Globs } from "../../domain/base/glob.ts";
import { t } from "../../lib/text.ts";
import { askText, BACK } from "../kit/ask/steps.ts";

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
