// What there is to ask and to say while templates are edited, in words: questions, messages, the actions they offer, and
// the sentences in a form.

import { toDisplayName } from "../../domain/template/template.ts";
import type {
  EditNotice,
  FormName,
  TemplateAction,
  TemplateMessage,
  TemplateQuestion,
} from "../../domain/template/template-messages.ts";
import { formatDateTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import type { Message } from "../base/message.ts";
import type { Question } from "../base/question.ts";
import { describeChange } from "./field-changes.ts";

const nameOf = (name: string): string => toDisplayName(name, 60);
const shortHash = (hash: string): string => hash.slice(0, 8);
const listNames = (names: readonly string[]): string => toPlainText(names.join(", "), 200);
const info = (text: string): Message => ({ severity: "info", text });
const warning = (text: string): Message => ({ severity: "warning", text });

export function formatFormName({ name, isStored }: FormName): string {
  return isStored ? toDisplayName(name, 40) : toPlainText(name, 40) || t("New Template");
}

/** The title of a form's tab. The editor's own dot is for files only. */
export function formatFormTitle(form: FormName, isUnsaved: boolean): string {
  return `${isUnsaved ? "● " : ""}${formatFormName(form)}`;
}

export function describeEditNotice(notice: EditNotice): string {
  switch (notice.kind) {
    case "followed":
      return t("This template was changed elsewhere. You're seeing the current version.");
    case "restored": {
      const restored = t("Restored your unsaved changes from {0}.", formatDateTime(notice.at));
      const lost = listNames(notice.withheld);
      return lost === "" ? restored : `${restored} ${t("Enter these secret values again: {0}.", lost)}`;
    }
    case "copied-without-token":
      return t("The registry token of the original can't be read. Enter the token again.");
    case "existed":
      return t(
        "An identical template already exists (number {0}), so no new template was created. This is the existing one.",
        notice.id ?? "?",
      );
    case "rebased":
      return t("Your changes were applied on top of theirs. Review the result, then save.");
    case "merged":
      return t("The merged version is in the form. Review it, then save.");
  }
}

export function buildTemplateQuestion(question: TemplateQuestion): Question {
  switch (question.kind) {
    case "discard":
      return {
        message: t("Discard the unsaved changes to “{0}”?", formatFormName(question.form)),
        detail: t("This can't be undone."),
        go: t("Discard Changes"),
      };
    case "save-text":
      return saveTextQuestion(question);
    case "undecided-merge":
      return {
        message: t("Some conflicts are unresolved. Use this result anyway?"),
        detail: t("In at least one place, the result contains neither version."),
        go: t("Use Result"),
      };
    case "push-changes":
      return {
        message: t("Push this file to the template “{0}”?", nameOf(question.from.name)),
        detail: [
          t("Changes on the service:"),
          ...question.fields.map((field) => describeChange(field, question.from, question.to)),
          t("All future launches from this template use the new values."),
        ].join("\n"),
        go: t("Push"),
      };
    case "push-new":
      return pushNewQuestion(question);
    case "delete":
      return {
        message: t("Delete the template “{0}” (number {1})?", nameOf(question.name), question.id ?? "?"),
        detail: t("This can't be undone. Instances that run from it keep running and being billed."),
        go: t("Delete"),
        keep: t("Keep"),
      };
  }
}

function saveTextQuestion({ field, name, isAutomatic }: Extract<TemplateQuestion, { kind: "save-text" }>): Question {
  const what = field === "onstart" ? t("start script") : t("readme");
  return {
    message: t("Save the {0} of “{1}” to the service?", what, toPlainText(name, 60)),
    detail: [
      t("All future launches from this template use the saved version. Cloud GPU asks once in each window."),
      ...(isAutomatic ? [t("Auto Save is on, so changes are saved to the service automatically.")] : []),
    ].join("\n"),
    go: t("Save"),
    // The person may be typing right now, including Enter.
    ...(isAutomatic ? { keep: t("Not Now") } : {}),
  };
}

function pushNewQuestion(question: Extract<TemplateQuestion, { kind: "push-new" }>): Question {
  const why = {
    new: [],
    gone: [t("The template this file came from no longer exists.")],
    "other-account": [t("The template this file came from belongs to another account and stays unchanged.")],
    foreign: [t("The template this file came from belongs to someone else. Only the creator can change it.")],
  }[question.why];
  const visibility = question.isPrivate ? t("Only you will see this template.") : t("Everyone will see this template.");
  const token = question.needsToken
    ? [t("Files don't contain registry tokens. Add the token in the form afterward.")]
    : [];
  const secrets =
    question.withoutValue.length > 0
      ? [
          t(
            "These secrets have no value: {0}. Enter their values in the form afterward.",
            listNames(question.withoutValue),
          ),
        ]
      : [];
  return {
    message: t("Create the template “{0}” from this file?", nameOf(question.name)),
    detail: [...why, visibility, ...token, ...secrets].join(" "),
    go: t("Create"),
  };
}

export function describeTemplateMessage(message: TemplateMessage): Message {
  switch (message.kind) {
    case "closed-unsaved":
      return info(t("“{0}” was closed with unsaved changes. The changes are kept.", formatFormName(message.form)));
    case "not-own": {
      const name = toLabel(toDisplayName(message.name));
      return info(t("Only the creator can edit “{0}”. You can edit a private copy instead.", name));
    }
    case "already-deleted":
      return info(t("This template no longer exists."));
    default:
      return fileMessage(message);
  }
}

type FileMessage = Exclude<TemplateMessage, { kind: "closed-unsaved" | "not-own" | "already-deleted" }>;

/** About a template file and its template. */
function fileMessage(message: FileMessage): Message {
  switch (message.kind) {
    case "saved-without":
      return info(
        t(
          "The file leaves out these secret values: {0}. Pushing keeps the ones on the service.",
          listNames(message.variables),
        ),
      );
    case "may-hold-secrets":
      return warning(
        t(
          "Some variables of “{0}” can't be read, so the file contains them as they are. Check it for secrets before you share it.",
          nameOf(message.name),
        ),
      );
    case "nothing-to-push":
      return info(t("“{0}” on the service already matches the file.", nameOf(message.name)));
    case "pushed":
      return info(t("Pushed “{0}”. Launches from it use hash {1}.", nameOf(message.name), shortHash(message.hash)));
    case "push-existed":
      return info(t("An identical template already exists. This file is now in sync with that template."));
    case "lock-outdated":
      return warning(
        t(
          "Pushed “{0}” with hash {1}. The file couldn't be read, so its stored hash is outdated. Re-pin the file.",
          nameOf(message.name),
          shortHash(message.hash),
        ),
      );
    case "drifted":
      return warning(
        t(
          "“{0}” has changed on the service since the last push or pull. Nothing was sent. Pull to get that version, or Re-pin to overwrite it with the next push.",
          nameOf(message.name),
        ),
      );
    case "pulled":
      return info(
        message.fields.length === 0
          ? t("The file matches the service.")
          : t(
              "Pulled into the file: {0}. Save to keep the changes, or undo to restore your version.",
              message.fields.join(", "),
            ),
      );
    case "of-other-account":
      return warning(
        t(
          "The template this file came from belongs to another account, so it wasn't read. Switch to that account, or push the file to create “{0}” in this one.",
          nameOf(message.name),
        ),
      );
    case "launch-differs":
      return warning(describeLaunch(message.why));
  }
}

function describeLaunch(why: Extract<FileMessage, { kind: "launch-differs" }>["why"]): string {
  if (why === "new")
    return t("This file was never pushed. A launch uses the template on the service, so push the file first.");
  return why === "changed"
    ? t("A launch uses the template on the service, which differs from this file. Push the file first.")
    : t(
        "The template this file came from belongs to another account. A launch uses a template of this one, so push the file first.",
      );
}

/** The text of a button below a message. */
export function formatTemplateAction(action: TemplateAction): string {
  const texts: Readonly<Record<TemplateAction, string>> = {
    reopen: t("Reopen"),
    discard: t("Discard"),
    duplicate: t("Duplicate"),
    diff: t("Diff"),
    pull: t("Pull"),
    repin: t("Re-pin"),
    "switch-account": t("Switch Account…"),
    launch: t("Launch…"),
    "push-and-launch": t("Push and Launch…"),
  };
  return texts[action];
}
