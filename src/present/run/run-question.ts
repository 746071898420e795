// What is asked before something runs on a machine that is up.
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { formatLimits } from "../../domain/run/run-limits.ts";
import { t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { buildUploadQuestion, formatFileCount, formatSize } from "../transfer/transfer-text.ts";
import { describeEarlierGuard, describeKept } from "./rental-end-text.ts";
import { describeData, describeResultsEvery, formatGlobs } from "./result-text.ts";
import { describeSecrets } from "./run-secret-text.ts";
import { formatCommand, formatRunName } from "./run-text.ts";

/**
 * Before something runs on a machine that is up. It costs what the machine costs anyway, and ends nothing. `most`: characters of a command
 * that someone else than the person chose; all of it is shown.
 */
export function buildRunQuestion(facts: RunFacts, most?: number): Question {
  const { id, list, command, setup, secrets, results = [], limits, price, others, stopsItself } = facts;
  const limit = formatLimits(limits, price);
  const [files, size] = [formatFileCount(list.files.length), formatSize(list.bytes)];
  const upload = buildUploadQuestion(facts);
  return {
    message: t("Run this on instance {0}?", id),
    detail: [
      // What someone else chose may be worded as we would.
      most === undefined ? formatCommand(command) : t("Command: {0}", formatCommand(command, most)),
      ...(setup === "" ? [] : [t("Setup: {0}", formatCommand(setup))]),
      ...describeSecrets(secrets),
      ...(limit === "" ? [] : [t("The command is stopped after {0}.", limit)]),
      results.length === 0
        ? t(
            "Uploaded first: {0} ({1}). New and changed files are downloaded to .cloud-gpu/runs afterward.",
            files,
            size,
          )
        : t(
            "Uploaded first: {0} ({1}). Only new or changed files that match {2} are downloaded to .cloud-gpu/runs afterward.",
            files,
            size,
            formatGlobs(results),
          ),
      ...describeResultsEvery(facts.resultsEveryMinutes),
      ...describeData(list.data),
      upload.detail,
      ...(others.length > 0
        ? [t("Another run is in progress on the instance: {0}.", others.map(formatRunName).slice(0, 3).join(", "))]
        : []),
      stopsItself ? describeEarlierGuard() : describeKept(price, facts.autoStop),
    ].join("\n\n"),
    go: t("Run"),
  };
}
