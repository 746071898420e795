// What is asked before something runs on a machine that is up.
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { formatLimits } from "../../domain/run/run-limits.ts";
import { t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { filesText, sizeText, uploadQuestion } from "../transfer/transfer-text.ts";
import { earlierGuardText, keptText } from "./rental-end-text.ts";
import { dataParagraphs, globsText } from "./result-text.ts";
import { commandText, runName } from "./run-text.ts";

/** Before something runs on a machine that is up. It costs what the machine costs anyway, and ends nothing. */
export function runQuestion(facts: RunFacts): Question {
  const { id, list, command, setUp, results = [], limits, price, others, stopsItself } = facts;
  const limit = formatLimits(limits, price);
  const [files, size] = [filesText(list.files.length), sizeText(list.bytes)];
  const upload = uploadQuestion(facts);
  return {
    message: t("Run this on instance {0}?", id),
    detail: [
      commandText(command),
      ...(setUp === "" ? [] : [t("Setup: {0}", commandText(setUp))]),
      ...(limit === "" ? [] : [t("The command is stopped after {0}.", limit)]),
      results.length === 0
        ? t(
            "Uploaded first: {0} ({1}). Files that the run creates or changes are downloaded to .cloud-gpu/runs afterward.",
            files,
            size,
          )
        : t(
            "Uploaded first: {0} ({1}). Of the files that the run creates or changes, only {2} is downloaded to .cloud-gpu/runs afterward.",
            files,
            size,
            globsText(results),
          ),
      ...dataParagraphs(list.data),
      upload.detail,
      ...(others.length > 0
        ? [t("Another run is still in progress there: {0}.", others.map(runName).slice(0, 3).join(", "))]
        : []),
      stopsItself ? earlierGuardText() : keptText(price),
    ].join("\n\n"),
    go: t("Run"),
  };
}
