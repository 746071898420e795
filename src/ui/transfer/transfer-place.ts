// Where uploads and downloads suggest to go on a machine, and why a connection to one was lost.
import { AppError } from "../../domain/base/error.ts";
import { parseRemotePath } from "../../domain/transfer/transfer-command.ts";
import { settings } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { probeTransfer } from "../../services/transfer/probe-transfer.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import { withLateNotification } from "../kit/late-notification.ts";
import { readText } from "../kit/settings.ts";

const USUAL = "/workspace";

/** What the person set, if it is a path. */
export function readUsualFolder(): string {
  try {
    return parseRemotePath(readText(settings.syncRemoteFolder) ?? USUAL);
  } catch {
    return USUAL;
  }
}

/**
 * The folder to suggest, once the machine has shown that files can be sent without a question.
 * @throws AppError `rejected` if they can't.
 */
export async function findRemotePlace(
  { session }: ConnectionServices,
  account: SignedIn,
  machine: MachineLogin,
): Promise<string> {
  const home = await withLateNotification(t("Preparing instance {0}", machine.id), (_, cancelled) =>
    probeTransfer(machine, cancelled),
  );
  session.assertStill(account);
  // The sandbox's machines are folders of this computer, and the root of its disk isn't theirs.
  return account.sandbox ? `${home}${readUsualFolder()}` : readUsualFolder();
}

/** The reason of a failure: a machine that is gone, or has another address now, rather than a connection that was lost. */
export async function findLossReason(
  { connections, session }: ConnectionServices,
  account: SignedIn,
  { id, login }: MachineLogin,
  error: AppError,
): Promise<AppError> {
  if (error.kind !== "offline" || session.current !== account) return error;
  try {
    await connections.recheck(account, id, login);
    return error;
  } catch (reason) {
    return reason instanceof AppError && reason.kind === "gone" ? reason : error;
  }
}
