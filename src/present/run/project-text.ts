// What is said of a project that is opened on an instance.
import type { InstanceId } from "../../domain/base/id.ts";
import type { ProjectEnvironment } from "../../domain/run/environment.ts";
import type { ProjectSetup } from "../../domain/run/project-there.ts";
import { formatOrigin } from "../../domain/transfer/git-origin.ts";
import type { UploadFacts } from "../../domain/transfer/upload-list.ts";
import { t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { buildUploadQuestion, describeUploaded, formatDestination, formatSome } from "../transfer/transfer-text.ts";

/** Asked once for each folder and instance, and again where there is much more to upload. */
export function buildProjectQuestion(facts: UploadFacts, { environment, identity, origin }: ProjectSetup): Question {
  const { remote } = facts;
  const existing = t(
    "Destination: {0}. Files that are different there stay, unless this command uploaded them.",
    formatDestination(remote),
  );
  const question = buildUploadQuestion(facts, existing);
  const more = [
    ...(environment === undefined
      ? []
      : [t("A terminal then installs what {0} says, beside what the image has.", environment.file)]),
    ...(origin === undefined
      ? []
      : [
          t(
            "Git there gets the history of {0} up to {1}, fetched from there without your credentials, unless the folder has one. It contains every version that was committed, including of files that aren't uploaded.",
            formatOrigin(origin),
            `${origin.branch} (${origin.commit.slice(0, 9)})`,
          ),
        ]),
    ...(identity ? [t("Git there gets your name and email if it has none.")] : []),
    t("The next time, only what changed here is uploaded."),
  ];
  return { ...question, detail: [question.detail, ...more].join("\n\n"), go: t("Open") };
}

/** A choice between files that disagree. */
export function describeEnvironment({ kind, file }: ProjectEnvironment): string {
  switch (kind) {
    case "uv":
    case "poetry":
      return t("The versions in {0}, with {1}", file, kind);
    case "conda":
      return t("A conda environment beside the image's");
    case "requirements":
    case "project":
      return t("With pip, beside what the image has");
  }
}

interface SentFiles {
  readonly sent: Parameters<typeof describeUploaded>[0];
  readonly kept: readonly string[];
  readonly hasIdentity: boolean;
  /** That git is on there. */
  readonly branch: string | undefined;
}

/** What arrived, what stayed as it was there, what else was changed there, and whether git is on the same branch as `here`. */
export function describeSentProject(
  { sent, kept, hasIdentity, branch }: SentFiles,
  remote: string,
  id: InstanceId,
  here: string | undefined,
): string {
  const isNothing = sent.files + sent.changed.length + sent.missing.length === 0;
  return [
    isNothing ? t("Nothing had to be uploaded to instance {0}.", id) : describeUploaded(sent, remote, id),
    ...(kept.length > 0
      ? [t("Different on the instance, so left as is: {0}. Upload Folder… replaces such files.", formatSome(kept))]
      : []),
    ...(hasIdentity ? [t("Git commits there with your name and email.")] : []),
    ...(branch !== undefined && here !== undefined && branch !== here
      ? [t("Git on the instance is on {0}, and here on {1}.", branch, here)]
      : []),
  ].join(" ");
}
