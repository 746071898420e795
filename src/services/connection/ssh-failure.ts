// What is said when `ssh`, running without anybody to ask, didn't do what it was started for.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { findComplaint } from "../../domain/connection/transfer-command.ts";
import { t } from "../../lib/text.ts";
import type { SshEnd } from "./ssh-program.ts";

/** Of a login or a connection that failed. Not for a command that failed on the machine. */
export function sshFailure(id: InstanceId, { err }: Pick<SshEnd, "err">): AppError {
  if (/Permission denied/.test(err))
    return new AppError(
      "rejected",
      t(
        "Instance {0} admitted none of your keys. If your key has a passphrase, add it to your agent by running ssh-add in a terminal, then try again.",
        id,
      ),
    );
  if (/Host key verification failed|HOST IDENTIFICATION HAS CHANGED/.test(err))
    return new AppError(
      "rejected",
      t("Instance {0} shows a different host key than before, so the connection was refused.", id),
    );
  const reason = findComplaint(err);
  return new AppError(
    "rejected",
    reason === ""
      ? t("The connection to instance {0} ended.", id)
      : t("The connection to instance {0} ended. ssh says: {1}", id, reason),
  );
}
