// Why a machine wasn't prepared for a window, and what to do about it.
import type { InstanceId } from "../../domain/base/id.ts";
import type { LoginFailure } from "../../domain/connection/login-failure.ts";
import { KEEP_OUT_TMUX, NO_TMUX } from "../../domain/connection/tmux.ts";
import { t, toPlainText } from "../../lib/text.ts";

function reasonText(id: InstanceId, failure: LoginFailure): string {
  switch (failure.kind) {
    case "denied":
      return t(
        "Cloud GPU couldn't log in to instance {0} without a passphrase, so it couldn't turn off tmux there.",
        id,
      );
    case "configuration":
      return t("Your SSH configuration has an error. {0}", toPlainText(failure.said));
    case "late":
      return t(
        "Logging in to instance {0} took longer than {1} s, so Cloud GPU couldn't turn off tmux there.",
        id,
        failure.seconds,
      );
    case "other":
      return failure.said === ""
        ? t("Cloud GPU couldn't log in to instance {0}, so it couldn't turn off tmux there.", id)
        : t(
            "Cloud GPU couldn't log in to instance {0}, so it couldn't turn off tmux there: {1}",
            id,
            toPlainText(failure.said),
          );
  }
}

export function describePreparationFailure(id: InstanceId, failure: LoginFailure): string {
  const advice = t("If the window doesn't open, run this command in a terminal on the machine: {0}", KEEP_OUT_TMUX);
  return `${reasonText(id, failure)} ${advice}`;
}

/** Said once it was turned off. */
export const describeNoTmux = (id: InstanceId): string =>
  t(
    "Logins to instance {0} no longer start tmux, because commands and remote windows don't work with it. To undo this, delete {1} on the instance.",
    id,
    NO_TMUX,
  );
