// Opens the project of this window on an instance: its folder goes there, a window or a terminal opens on it, and a terminal installs what it needs.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { asAppError } from "../../../domain/base/error.ts";
import type { SshLogin } from "../../../domain/connection/ssh-command.ts";
import type { Instance } from "../../../domain/instance/instance.ts";
import { listContenders, listEnvironments, type ProjectEnvironment } from "../../../domain/run/environment.ts";
import { buildEnterCommand, type ProjectSetup } from "../../../domain/run/project-there.ts";
import { formatOrigin } from "../../../domain/transfer/git-origin.ts";
import { hasOutgrown, type UploadFacts, type UploadList } from "../../../domain/transfer/upload-list.ts";
import { commands, stored } from "../../../ids.ts";
import { t, toLabel, toPlainText } from "../../../lib/text.ts";
import { buildProjectQuestion, describeEnvironment, describeSentProject } from "../../../present/run/project-text.ts";
import type { MachineLogin } from "../../../services/connection/run-there.ts";
import type { SignedIn } from "../../../services/core/session.ts";
import { type SentProject, sendProject, toProjectPlace } from "../../../services/run/project/send-project.ts";
import { findGitIdentity } from "../../../services/transfer/git-folder.ts";
import { findGitBranch, findGitOrigin } from "../../../services/transfer/git-origin.ts";
import { findFreePlace } from "../../../services/transfer/suggest-place.ts";
import { findAgreed, listOtherPlaces, rememberAgreed } from "../../../services/transfer/upload-memory.ts";
import { ADMITTING, formatShortName, prepareTerminalOn } from "../../connection/connection-commands.ts";
import { reachForCommands } from "../../connection/reach-machine.ts";
import { ensureRemoteExtension } from "../../connection/remote-extension.ts";
import { openPreparedWindow, prepareWindow } from "../../connection/remote-window.ts";
import { askInclude } from "../../connection/ssh-include.ts";
import { findOneTarget } from "../../instance/instance-commands.ts";
import { pickOne } from "../../kit/ask/pick.ts";
import { BACK } from "../../kit/ask/steps.ts";
import { tellInfo, tellWarning } from "../../kit/messages.ts";
import { runCommand, runEditorCommand } from "../../kit/run-command.ts";
import { findLossReason, findRemotePlace, readUsualFolder } from "../../transfer/transfer-place.ts";
import { withTransfer } from "../../transfer/transfer-progress.ts";
import { agreeToUpload, listFolder } from "../../transfer/upload-consent.ts";
import { assertTrusted } from "../run-folder.ts";
import type { RunServices } from "../run-services.ts";

/** Everything that is asked comes before the upload, which may take long. */
interface Opening {
  readonly account: SignedIn;
  readonly instance: Instance;
  readonly machine: MachineLogin;
  readonly folder: string;
  readonly list: UploadList;
  readonly setup: ProjectSetup;
  /** That git is on here. */
  readonly branch: string | undefined;
}

/** Among the commands that were agreed to for a folder: that it is opened there, and that its history is fetched. */
const nameAgreement = ({ origin }: ProjectSetup): string =>
  origin === undefined ? "open-project" : `open-project ${formatOrigin(origin)}`;

export async function openProject(services: RunServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const folder = await chooseProject();
  if (folder === undefined) return;
  assertTrusted();
  await vscode.workspace.saveAll(false);
  session.assertStill(account);
  const instance = await chooseInstance(services, account, args);
  if (!instance) return;
  session.assertStill(account);
  let isWindow = true;
  const useTerminal = async () => {
    isWindow = false;
  };
  if (!(await ensureRemoteExtension(useTerminal)) && isWindow) return;
  session.assertStill(account);
  const list = await listFolder(folder);
  session.assertStill(account);
  const title = t("Connecting to {0}", formatShortName(instance));
  const machine = await reachForCommands(services, account, instance, title);
  if (!machine) return;
  if (isWindow && !(await askInclude(services, machine.login, useTerminal)) && isWindow) return;
  session.assertStill(account);
  const environment = await chooseEnvironment(services, folder);
  if (environment === "left") return;
  session.assertStill(account);
  const [identity, origin, branch] = await Promise.all([
    findGitIdentity(),
    findGitOrigin(folder),
    findGitBranch(folder),
  ]);
  session.assertStill(account);
  const setup = { environment, identity, origin };
  await sendAndOpen(services, { account, instance, machine, folder, list, setup, branch }, () => isWindow);
}

/** The folder that is open on this computer; one of several is chosen. */
async function chooseProject(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const [first, second] = folders;
  if (!first) {
    const open = t("Open Folder…");
    const said = t("No folder of this computer is open. Open the project's folder, then try again.");
    if ((await tellInfo(said, open)) === open) await runEditorCommand("vscode.openFolder");
    return undefined;
  }
  if (!second) return first.uri.fsPath;
  const chosen = await pickOne({
    title: t("Open Project on Instance"),
    placeholder: t("Which folder?"),
    choices: folders.map(({ name, uri }) => ({
      label: toLabel(name, 100),
      description: toPlainText(uri.fsPath, 200),
      value: uri.fsPath,
    })),
  });
  return chosen === BACK ? undefined : chosen;
}

/** An only one isn't asked for: what goes there is confirmed, and names it. */
async function chooseInstance(
  services: RunServices,
  account: SignedIn,
  args: readonly unknown[],
): Promise<Instance | undefined> {
  const { instances, session } = services;
  const title = t("Open Project on Instance");
  if (args[0] !== undefined) return (await findOneTarget(services, args, title, ADMITTING))?.value;
  await instances.collection.getKnown();
  session.assertStill(account);
  const [first, second] = instances.rows.filter(ADMITTING.accepts);
  if (first && second) return (await findOneTarget(services, [], title, ADMITTING))?.value;
  if (first) return first.value;
  const launch = t("Launch Instance from Template…");
  if ((await tellInfo(ADMITTING.none(), launch)) === launch) await runCommand(commands.launchFromTemplate);
  return undefined;
}

/** Bytes of a file that is read for what it says. */
const MOST_READ = 200_000;

/** What installs what the folder needs. Asked only where its files disagree, and as long as they disagree in the same way only once. */
async function chooseEnvironment(
  { workspaceNotes }: RunServices,
  folder: string,
): Promise<ProjectEnvironment | undefined | "left"> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const text = names.includes("pyproject.toml")
    ? await readFile(join(folder, "pyproject.toml"), "utf8").catch(() => "")
    : "";
  const all = listContenders(listEnvironments({ names, pyproject: text.slice(0, MOST_READ) }));
  const [first, second] = all;
  if (!second) return first;
  const key = stored.projectEnvironment(folder);
  const among = all.map(({ file }) => file).join("\n");
  const note = workspaceNotes.get(key);
  const known = Array.isArray(note) && note[0] === among ? note[1] : undefined;
  if (known === "") return undefined;
  const same = all.find(({ file }) => file === known);
  if (same) return same;
  const chosen = await pickOne<ProjectEnvironment | "none">({
    title: t("Open Project on Instance"),
    placeholder: t("Which file says what the project needs? Your choice is remembered for this folder."),
    choices: [
      ...all.map((one) => ({ label: toLabel(one.file, 100), description: describeEnvironment(one), value: one })),
      { label: t("Install Nothing"), value: "none" },
    ],
  });
  if (chosen === undefined || chosen === BACK) return "left";
  workspaceNotes.set(key, [among, chosen === "none" ? "" : chosen.file]);
  return chosen === "none" ? undefined : chosen;
}

/** Uploads it, and opens it. */
async function sendAndOpen(services: RunServices, opening: Opening, isWindow: () => boolean): Promise<void> {
  const { account, instance, machine, folder, list, setup, branch } = opening;
  const { id } = machine;
  const remote = await agreeOnPlace(services, opening);
  if (remote === undefined) return;
  services.session.assertStill(account);
  const title = t("Opening {0} on {1}", toLabel(basename(folder), 40), formatShortName(instance));
  let stopped: AbortSignal | undefined;
  let done: SentProject;
  try {
    done = await withTransfer(services, account, { id, title }, (signal, report) => {
      stopped = signal;
      return sendProject({ machine, folder, list, remote }, setup, signal, report);
    });
  } catch (error) {
    if (!stopped?.aborted) throw await findLossReason(services, account, machine, asAppError(error));
    void tellInfo(t("The project wasn't opened. Some files may have arrived in {0}.", toPlainText(remote)));
    return;
  }
  services.session.assertStill(account);
  const isOpen = isWindow() && (await openWindow(services, opening, remote));
  if (!isOpen || done.environment === "missing" || done.lacksHistory)
    await openProjectTerminal(services, opening, remote);
  const isWhole = done.kept.length + done.sent.changed.length + done.sent.missing.length === 0;
  const tell = isWhole ? tellInfo : tellWarning;
  void tell(describeSentProject(done, remote, id, branch), t("OK"));
}

/** @returns where it goes. Asked once for each folder and instance, and where there is much more than before. */
async function agreeOnPlace(
  services: RunServices,
  { account, machine, folder, list, setup }: Opening,
): Promise<string | undefined> {
  const { session, connections, sshMachines, log } = services;
  const { id, login } = machine;
  const [usual, before] = [readUsualFolder(), await findAgreed(sshMachines, login.alias, folder)];
  const known = before?.usual === usual ? before : undefined;
  const size = { files: list.files.length, bytes: list.bytes };
  const isMore = known !== undefined && hasOutgrown(list, known);
  // What was agreed to for a run or an upload says nothing of an installation.
  if (known?.commands?.includes(nameAgreement(setup)) && !isMore) return known.to;
  const parent = known ? "" : await findRemotePlace(services, account, machine);
  const taken = await listOtherPlaces(sshMachines, login.alias, folder);
  const remote = known?.to ?? findFreePlace(parent, folder, taken);
  const facts: UploadFacts = { id, list, remote, before: isMore ? known : undefined };
  const question = buildProjectQuestion(facts, setup);
  if (!(await agreeToUpload(services, question, folder, facts))) return undefined;
  // A question may have been open for hours.
  await connections.recheck(account, id, login);
  session.assertStill(account);
  await rememberAgreed(sshMachines, login.alias, folder, { to: remote, usual, ...size }, nameAgreement(setup)).catch(
    (error) => log.warn("An upload could not be written down, so the next one asks again.", error),
  );
  return remote;
}

/** @returns false if no window can be opened; the person was told why. */
async function openWindow(services: RunServices, opening: Opening, remote: string): Promise<boolean> {
  const { account, instance, machine } = opening;
  const login: SshLogin = machine.login;
  const facts = await prepareWindow(services, account, instance.id, login);
  if (facts === "declined") return false;
  await openPreparedWindow(services, account, instance.id, login, remote);
  return true;
}

/** A terminal that installs what is needed, if anything, and then is one in the project's folder. */
async function openProjectTerminal(services: RunServices, opening: Opening, remote: string): Promise<void> {
  const { account, instance, machine, folder } = opening;
  const name = `${toLabel(basename(folder), 40)} · ${instance.id}`;
  const command = buildEnterCommand(toProjectPlace(remote));
  vscode.window.createTerminal(await prepareTerminalOn(services, account, machine, name, command)).show();
}
