// What is said when `ssh`, running without anybody to ask, didn't do what it was started for.
import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { readLoginFailure } from "../../../domain/connection/login-failure.ts";
import { findComplaint } from "../../../domain/connection/machine-answer.ts";
import { t } from "../../../lib/text.ts";
import type { SshEnd } from "./ssh-program.ts";

/** Why a command ended badly, without a word on what came of its work. */
export function toMachineError({ id }: { readonly id: InstanceId }, { code, err }: SshEnd): AppError {
  const complaint = findComplaint(err);
  if (code === 255 && readLoginFailure(err).kind === "denied")
    return new AppError(
      "rejected",
      t(
        "Cloud GPU couldn't log in to instance {0} without a prompt. If your key has a passphrase, add the key to your agent with ssh-add, then try again.",
        id,
      ),
    );
  if (code === 255 && /Host key verification failed/.test(err))
    return new AppError(
      "rejected",
      t("Instance {0} shows a different host key than before, so the connection was refused.", id),
    );
  if (code !== 255 && code !== undefined)
    return new AppError("rejected", t("Instance {0} reported an error: “{1}”.", id, complaint || `exit ${code}`));
  const said =
    complaint === ""
      ? t("The connection to instance {0} was lost.", id)
      : t("The connection to instance {0} was lost: “{1}”.", id, complaint);
  return new AppError("offline", said);
}
