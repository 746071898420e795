// Opens a running instance in a window of the editor, by whichever extension for SSH is there.
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import {
  findTooOld,
  parseRemoteFolder,
  type RemoteFacts,
  toRemotePlace,
} from "../../domain/connection/remote-machine.ts";
import type { SshLogin } from "../../domain/connection/ssh-command.ts";
import { t } from "../../lib/text.ts";
import { buildOldSystemQuestion } from "../../present/connection/connection-questions.ts";
import { describeNoTmux, describePreparationFailure } from "../../present/connection/preparation.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, withNotification } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { connectById, formatShortName } from "./connection-commands.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { reachMachine } from "./reach-machine.ts";
import { ensureRemoteExtension } from "./remote-extension.ts";
import { setRemotePlatform } from "./remote-platform.ts";
import { askInclude, includeOurs } from "./ssh-include.ts";

/** Each step may end it, and says why. Nothing of the person's is changed before they allowed it. */
export async function openRemoteWindow(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Open in New Window"));
  if (!row) return;
  session.assertStill(account);
  const { id } = row.value;
  const instead = () => connectById(services, account, id);
  if (!(await ensureRemoteExtension(instead))) return;
  session.assertStill(account);
  const reached = await reachMachine(services, account, row.value, t("Connecting to {0}", formatShortName(row.value)));
  if (!reached) return;
  const { login } = reached;
  if (!(await askInclude(services, login, instead))) return;
  const facts = await prepareWindow(services, account, id, login);
  if (facts === "declined") return;
  const folder = await chooseFolder(services, id, login, facts);
  if (folder !== undefined) await openPreparedWindow(services, account, id, login, folder);
}

/**
 * What a window on a machine needs, once the person allowed the line in their configuration.
 * @returns what the machine said of itself; undefined if it was prepared before or couldn't be logged in to, `declined` if there will be
 *   no window, which the person knows. @throws AppError `rejected`.
 */
export async function prepareWindow(
  services: ConnectionServices,
  account: SignedIn,
  id: InstanceId,
  login: SshLogin,
): Promise<RemoteFacts | undefined | "declined"> {
  // A question may have been open for hours.
  await services.connections.recheck(account, id, login);
  await services.remoteWindows.writeBlock(account, id, login);
  if (!(await includeOurs(services, login))) return "declined";
  return await prepareMachine(services, account, id, login);
}

/** Opens the window: on a folder of the machine, or on none. @throws AppError if the machine isn't where it was. */
export async function openPreparedWindow(
  { session, connections, remoteWindows, log }: ConnectionServices,
  account: SignedIn,
  id: InstanceId,
  login: SshLogin,
  folder: string,
): Promise<void> {
  await connections.recheck(account, id, login);
  session.assertStill(account);
  const name = await remoteWindows.findWindowName(login);
  session.assertStill(account);
  await setRemotePlatform(name, log);
  await openWindow(name, folder);
}

/**
 * Once for each machine: keeps tmux out of the way, and says so; asks where the editor's server can't run.
 * @returns what the machine said of itself; undefined if it was prepared before or couldn't be logged in to.
 */
async function prepareMachine(
  { session, remoteWindows }: ConnectionServices,
  account: SignedIn,
  id: InstanceId,
  login: SshLogin,
): Promise<RemoteFacts | undefined | "declined"> {
  if ((await remoteWindows.find(login.alias))?.isPrepared) return undefined;
  session.assertStill(account);
  const prepared = await withNotification(t("Preparing instance {0}", id), true, (_, cancelled) =>
    remoteWindows.prepare(login, cancelled),
  );
  session.assertStill(account);
  if ("failure" in prepared) {
    void tellInfo(describePreparationFailure(id, prepared.failure), t("OK"));
    return undefined;
  }
  const { facts } = prepared;
  const tooOld = findTooOld(facts);
  if (tooOld !== undefined && !(await confirm(buildOldSystemQuestion(id, tooOld)))) return "declined";
  session.assertStill(account);
  if (!facts.isPrepared) return facts;
  await remoteWindows.remember(login.alias, { isPrepared: true });
  void tellInfo(describeNoTmux(id), t("OK"));
  return facts;
}

/** Asked once for each machine. @returns an empty text for a window without a folder, undefined if the person left. */
async function chooseFolder(
  { remoteWindows }: ConnectionServices,
  id: InstanceId,
  login: SshLogin,
  facts: RemoteFacts | undefined,
): Promise<string | undefined> {
  const known = await remoteWindows.find(login.alias);
  if (known?.folder !== undefined) return known.folder;
  const chosen = await askText({
    title: t("Open Instance {0} in a New Window", id),
    prompt: t("Folder on the machine. Leave empty to open no folder."),
    value: facts?.folder ?? "/root",
    placeholder: "/workspace",
    read: parseRemoteFolder,
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  await remoteWindows.remember(login.alias, { folder: chosen });
  return chosen;
}

async function openWindow(name: string, folder: string): Promise<void> {
  const place = toRemotePlace(name, folder);
  if (folder !== "") await runEditorCommand("vscode.openFolder", vscode.Uri.from(place), { forceNewWindow: true });
  else await runEditorCommand("vscode.newWindow", { remoteAuthority: place.authority, reuseWindow: false });
}
