// What is said when `ssh`, running without anyone to ask, didn't do what it was started for.
import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { readLoginFailure } from "../../../domain/connection/login-failure.ts";
import { findComplaint } from "../../../domain/connection/machine-answer.ts";
import { isKeptOutByTmux, KEEP_OUT_TMUX } from "../../../domain/connection/tmux.ts";
import { t } from "../../../lib/text.ts";
import type { SshEnd } from "./ssh-program.ts";

/**
 * Why a command ended badly, without a word on what came of its work. `printed` is what came on its standard output: a machine may say
 * there why it runs no command.
 */
export function toMachineError({ id }: { readonly id: InstanceId }, { code, err }: SshEnd, printed = ""): AppError {
  const complaint = findComplaint(err) || findComplaint(printed);
  const failure = code === 255 ? readLoginFailure(err) : undefined;
  if (failure?.kind === "configuration")
    return new AppError("rejected", t("Your SSH configuration has an error. {0}", failure.said));
  if (failure?.kind === "denied")
    return new AppError(
      "rejected",
      t(
        "Cloud GPU couldn't log in to instance {0} without a prompt. If your key has a passphrase, add the key to your agent with ssh-add, then try again.",
        id,
      ),
    );
  // More follows where it was a host on the way.
  if (code === 255 && /Host key verification failed\.?\s*$/.test(err))
    return new AppError(
      "rejected",
      t("Instance {0} shows a different host key than before, so the connection was refused.", id),
    );
  if (isKeptOutByTmux({ code, err }))
    return new AppError(
      "rejected",
      t(
        "Instance {0} starts tmux at every login, which keeps commands out. Open a terminal on it, and run “{1}”.",
        id,
        KEEP_OUT_TMUX,
      ),
    );
  // No command of ours ends well without a word: a profile came in between.
  if (code === 0 && complaint === "")
    return new AppError(
      "rejected",
      t("Instance {0} ended the session too early. Check its shell profile, such as ~/.bashrc.", id),
    );
  if (code !== 255 && code !== undefined)
    return new AppError("rejected", t("Instance {0} reported an error: “{1}”.", id, complaint || `exit ${code}`));
  const said =
    complaint === ""
      ? t("The connection to instance {0} was lost.", id)
      : t("The connection to instance {0} was lost: “{1}”.", id, complaint);
  return new AppError("offline", said);
}
