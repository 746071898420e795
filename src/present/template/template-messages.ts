// What there is to ask and to say while templates are edited, in words: questions, messages, the actions they offer, and
// the sentences in a form.

import { displayName } from "../../domain/template/template.ts";
import type {
  EditNotice,
  FormName,
  TemplateAction,
  TemplateMessage,
  TemplateQuestion,
} from "../../domain/template/template-messages.ts";
import { dateTime, label, plain, t } from "../../lib/text.ts";
import type { Message } from "../base/message.ts";
import type { Question } from "../base/question.ts";

const nameOf = (name: string): string => displayName(name, 60);
const shortHash = (hash: string): string => hash.slice(0, 8);
const info = (text: string): Message => ({ severity: "info", text });
const warning = (text: string): Message => ({ severity: "warning", text });

export function formName({ name, isStored }: FormName): string {
  return isStored ? displayName(name, 40) : plain(name, 40) || t("New Template");
}

/** The title of a form's tab. The editor's own dot is for files only. */
export function formTitle(form: FormName, isUnsaved: boolean): string {
  return `${isUnsaved ? "● " : ""}${formName(form)}`;
}

export function editNoticeText(notice: EditNotice): string {
  switch (notice.kind) {
    case "followed":
      return t("This template was changed elsewhere. It is shown as it is now.");
    case "restored": {
      const restored = t("Restored your unsaved changes from {0}.", dateTime(notice.at));
      const lost = plain(notice.withheld.join(", "), 200);
      return lost === "" ? restored : `${restored} ${t("Type these secret values again: {0}.", lost)}`;
    }
    case "copied-without-token":
      return t("The registry token of the original cannot be read: type it again.");
    case "existed":
      return t(
        "A template with exactly this content existed already, number {0}. Nothing was added; this is it.",
        notice.id ?? "?",
      );
    case "rebased":
      return t("Your changes stand on top of theirs now. Look through them, then save.");
    case "merged":
      return t("The merged version is in the form. Look through it, then save.");
  }
}

export function templateQuestion(question: TemplateQuestion): Question {
  switch (question.kind) {
    case "discard":
      return {
        message: t("Discard the unsaved changes to “{0}”?", formName(question.form)),
        detail: t("This can't be undone."),
        go: t("Discard Changes"),
      };
    case "save-text":
      return saveTextQuestion(question);
    case "undecided-merge":
      return {
        message: t("Not everything is decided yet. Take the result over as it is?"),
        detail: t("In some place it has neither your change nor theirs."),
        go: t("Take Over"),
      };
    case "push-changes":
      return {
        message: t("Push the file to the template “{0}”?", nameOf(question.name)),
        detail: t(
          "Changes on the service: {0}. Every launch from it uses them from then on.",
          question.fields.join(", "),
        ),
        go: t("Push"),
      };
    case "push-new":
      return pushNewQuestion(question);
    case "delete":
      return {
        message: t("Delete the template “{0}”, number {1}?", nameOf(question.name), question.id ?? "?"),
        detail: t("This can't be undone. Instances that run from it keep running and being billed."),
        go: t("Delete"),
        keep: t("Keep It"),
      };
  }
}

function saveTextQuestion({ field, name, isAutomatic }: Extract<TemplateQuestion, { kind: "save-text" }>): Question {
  const what = field === "onstart" ? t("start script") : t("readme");
  return {
    message: t("Save the {0} of “{1}” to the service?", what, plain(name, 60)),
    detail: [
      t("Every launch from this template uses it from then on. You are asked once in each window."),
      ...(isAutomatic ? [t("Your editor saves by itself: it will save here too, whenever you pause.")] : []),
    ].join("\n"),
    go: t("Save"),
    // The person may be typing right now, including Enter.
    ...(isAutomatic ? { keep: t("Not Now") } : {}),
  };
}

function pushNewQuestion(question: Extract<TemplateQuestion, { kind: "push-new" }>): Question {
  const why = {
    new: [],
    gone: [t("The template the file came from is not there any more.")],
    foreign: [t("The template the file came from is somebody else's; only its creator can change it.")],
  }[question.why];
  const visibility = question.isPrivate ? t("Only you will see it.") : t("Everybody will see it.");
  const token = question.needsToken ? [t("A file holds no registry token: add it in the form afterwards.")] : [];
  return {
    message: t("Create the template “{0}” from the file?", nameOf(question.name)),
    detail: [...why, visibility, ...token].join(" "),
    go: t("Create"),
  };
}

export function templateMessage(message: TemplateMessage): Message {
  switch (message.kind) {
    case "closed-unsaved":
      return info(t("“{0}” was closed with unsaved changes. They are kept.", formName(message.form)));
    case "not-own": {
      const name = label(displayName(message.name));
      return info(t("Only its creator can edit “{0}”. A private copy is yours to change.", name));
    }
    case "already-deleted":
      return info(t("It is not there any more."));
    default:
      return fileMessage(message);
  }
}

type FileMessage = Exclude<TemplateMessage, { kind: "closed-unsaved" | "not-own" | "already-deleted" }>;

/** About a template file and its template. */
function fileMessage(message: FileMessage): Message {
  switch (message.kind) {
    case "nothing-to-push":
      return info(t("“{0}” on the service is what the file says.", nameOf(message.name)));
    case "pushed":
      return info(t("Pushed “{0}”. Launches from it use hash {1}.", nameOf(message.name), shortHash(message.hash)));
    case "push-existed":
      return info(t("A template with exactly this content existed already; the file is in step with it now."));
    case "lock-outdated":
      return warning(
        t(
          "“{0}” was pushed, with hash {1}. The file cannot be read as it is now, so its lock stays behind: Re-pin it later.",
          nameOf(message.name),
          shortHash(message.hash),
        ),
      );
    case "drifted":
      return warning(
        t(
          "“{0}” was changed on the service since the last push or pull. Nothing was sent. Pull takes that version into the file; Re-pin lets the next push go over it.",
          nameOf(message.name),
        ),
      );
    case "pulled":
      return info(
        message.fields.length === 0
          ? t("The file says what the service has.")
          : t("Pulled into the file: {0}. Save it to keep that, undo it to get yours back.", message.fields.join(", ")),
      );
    case "launch-differs":
      return warning(
        t("A launch uses the template on the service, and that is not what the file says. Push the file first."),
      );
  }
}

/** The text of a button below a message. */
export function templateActionText(action: TemplateAction): string {
  const texts: Readonly<Record<TemplateAction, string>> = {
    reopen: t("Reopen"),
    discard: t("Discard"),
    duplicate: t("Duplicate It"),
    diff: t("Diff"),
    pull: t("Pull"),
    repin: t("Re-pin"),
    push: t("Push…"),
  };
  return texts[action];
}
