// Downloads a folder or a file of a running instance, from its row and from the Command Palette.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { asAppError } from "../../domain/base/error.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { parseRemotePath } from "../../domain/transfer/transfer-command.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { buildLargeQuestion, buildReplaceQuestion, describeDownloaded } from "../../present/transfer/transfer-text.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Arrived, downloadFiles } from "../../services/transfer/download.ts";
import {
  assertNoRepository,
  findReplaced,
  settleBeside,
  settleDownload,
} from "../../services/transfer/settle-download.ts";
import { ADMITTING, formatShortName } from "../connection/connection-commands.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { confirm, confirmOr } from "../kit/ask/confirm.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { findLossReason, findRemotePlace } from "./transfer-place.ts";
import { withTransfer } from "./transfer-progress.ts";

export async function downloadToFolder(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session, connections } = services;
  const account = session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Download"), ADMITTING);
  if (!row) return;
  session.assertStill(account);
  const { value } = row;
  const { id } = value;
  const machine = await reachForCommands(services, account, value, t("Connecting to {0}", formatShortName(value)));
  if (!machine) return;
  const remote = await askText({
    title: t("Download from Instance {0}", id),
    prompt: t("Folder or file on the machine"),
    value: await findRemotePlace(services, account, machine),
    placeholder: "/workspace",
    read: parseRemotePath,
  });
  if (remote === undefined || remote === BACK) return;
  const into = await chooseTarget();
  if (into === undefined) return;
  await assertNoRepository(into);
  // Both may have taken hours.
  await connections.recheck(account, id, machine.login);
  session.assertStill(account);
  const arrived = await fetchInto(services, { account, instance: value, machine, remote, into });
  if (arrived) await settle(arrived, into);
}

async function chooseTarget(): Promise<string | undefined> {
  const [open] = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const chosen = await vscode.window.showOpenDialog({
    title: t("Download to Folder"),
    openLabel: t("Download Here"),
    canSelectFiles: false,
    canSelectFolders: true,
    defaultUri: open?.uri ?? vscode.Uri.file(homedir()),
  });
  const [uri] = chosen ?? [];
  return uri?.fsPath;
}

interface Fetch {
  readonly account: SignedIn;
  readonly instance: Instance;
  readonly machine: MachineLogin;
  readonly remote: string;
  readonly into: string;
}

/** @returns undefined if it was stopped, which leaves nothing. */
async function fetchInto(services: ConnectionServices, fetch: Fetch): Promise<Arrived | undefined> {
  const { account, instance, machine, remote, into } = fetch;
  let stopped: AbortSignal | undefined;
  try {
    const title = t("Downloading from {0}", formatShortName(instance));
    return await withTransfer(services, account, { id: instance.id, title }, (signal, report) => {
      stopped = signal;
      const mayGoOn = (bytes: number) => confirm(buildLargeQuestion(bytes));
      return downloadFiles({ machine, remote, into }, signal, { report, mayGoOn });
    });
  } catch (error) {
    if (!stopped?.aborted) throw await findLossReason(services, account, machine, asAppError(error));
    void tellInfo(t("The download was stopped. Nothing was saved."));
    return undefined;
  }
}

/** Puts it in its place, and asks before anything there is replaced. */
async function settle(arrived: Arrived, into: string): Promise<void> {
  const { replaced, isBlocked } = await findReplaced(arrived, into);
  const answer = replaced.length > 0 && !isBlocked ? await askToReplace(arrived, replaced) : "go";
  if (answer === undefined) {
    await arrived.remove();
    return;
  }
  const isBeside = isBlocked || answer === "other";
  const place = await (isBeside ? settleBeside(arrived, into) : settleDownload(arrived, into, replaced));
  const { report, complaint } = arrived;
  const text = describeDownloaded(report, place, complaint);
  const reveal = t("Reveal");
  const tell = complaint === "" ? tellInfo : tellWarning;
  if ((await tell(text, reveal)) === reveal) await runEditorCommand("revealFileInOS", vscode.Uri.file(place));
}

function askToReplace({ name }: Arrived, replaced: readonly string[]): Promise<"go" | "other" | undefined> {
  return confirmOr(buildReplaceQuestion(toPlainText(name, 100), replaced), { label: t("Keep Both"), isDefault: true });
}
