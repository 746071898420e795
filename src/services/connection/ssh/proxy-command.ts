// The command by which the person's network lets SSH through, if they set one.
import { AppError } from "../../../domain/base/error.ts";
import { readProxyCommand } from "../../../domain/connection/ssh-command.ts";
import { t } from "../../../lib/text.ts";
import type { SshFiles } from "./ssh-files.ts";

/** @throws AppError `rejected` if what they set can't be a command. */
export function findProxyCommand({ proxyCommand }: Pick<SshFiles, "proxyCommand">): string | undefined {
  try {
    return readProxyCommand(proxyCommand?.());
  } catch (cause) {
    throw new AppError("rejected", t("The setting {0} must be a single line.", "cloudGpu.connect.proxyCommand"), {
      cause,
    });
  }
}
