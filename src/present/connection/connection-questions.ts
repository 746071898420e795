// The questions around connections: about host keys, about the person's own SSH configuration, and about machines that are too old.
import type { InstanceId } from "../../domain/base/id.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";

/** Paths may be long, and the end of one says most. */
const MOST_SHOWN = 300;

/** The machine shows another host key than before. Its default button doesn't connect. */
export function buildHostKeyQuestion(id: InstanceId): Question {
  return {
    message: t("Instance {0} shows a different host key than before.", id),
    detail: t(
      "The machine was rebuilt, or someone is intercepting the connection. Don't connect unless you know that it was rebuilt.",
    ),
    go: t("Forget Old Key…"),
    keep: t("Don't Connect"),
  };
}

/** The second click. */
export function buildForgetKeyQuestion(id: InstanceId): Question {
  return {
    message: t("Forget the stored host key of instance {0}?", id),
    detail: t("The key that the machine shows now will be stored and trusted. This can't be undone."),
    go: t("Forget and Connect"),
    keep: t("Keep Old Key"),
  };
}

/** Before the one line is added to the person's configuration. Without a `backup`, there is no such file yet. */
export function buildIncludeQuestion(file: string, line: string, backup: string | undefined): Question {
  return {
    message: t("Add one line to your SSH configuration?"),
    detail: [
      t(
        "VS Code reads {0} to open a remote window. Cloud GPU will add this line at the top:",
        toPlainText(file, MOST_SHOWN),
      ),
      toPlainText(line, MOST_SHOWN),
      backup === undefined
        ? t("The file doesn't exist yet and will be created. Terminals don't need this line.")
        : t(
            "Nothing else in the file changes. A copy of the file is kept as {0}. Terminals don't need this line.",
            toPlainText(backup, MOST_SHOWN),
          ),
    ].join("\n\n"),
    go: t("Add Line"),
  };
}

/** `found` is `musl` or a version of glibc. */
export function buildOldSystemQuestion(id: InstanceId, found: string): Question {
  return {
    message: t("The system on instance {0} may be too old for a remote window.", id),
    detail: t(
      "The remote server needs glibc 2.28 or newer, and this machine has {0}. You can still open a terminal.",
      found === "musl" ? "musl" : toPlainText(`glibc ${found}`, 40),
    ),
    go: t("Open Anyway"),
  };
}

export function buildRemoveFromConfigQuestion(file: string): Question {
  return {
    message: t("Remove Cloud GPU from your SSH configuration?"),
    detail: t(
      "Cloud GPU removes its line from {0} and deletes its own configuration file. Open remote windows won't be able to reconnect. Terminals keep working.",
      toPlainText(file, MOST_SHOWN),
    ),
    go: t("Remove"),
  };
}
