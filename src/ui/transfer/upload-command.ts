// Uploading a folder or files to an instance: where to, what goes, and how far it is.
import * as vscode from "vscode";
import { asAppError } from "../../domain/base/error.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { parseRemotePath } from "../../domain/transfer/transfer-command.ts";
import { hasOutgrown, type UploadFacts, type UploadList } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { buildUploadQuestion, describeUploaded } from "../../present/transfer/transfer-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { suggestPlace } from "../../services/transfer/suggest-place.ts";
import { uploadFiles } from "../../services/transfer/upload.ts";
import { findAgreed, rememberAgreed } from "../../services/transfer/upload-memory.ts";
import { ADMITTING, connectById, formatShortName } from "../connection/connection-commands.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { findLossReason, findRemotePlace, readUsualFolder } from "./transfer-place.ts";
import { withTransfer } from "./transfer-progress.ts";
import { agreeToUpload, listFolder } from "./upload-consent.ts";

interface Upload {
  readonly account: SignedIn;
  readonly instance: Instance;
  readonly folder: string;
  readonly list: UploadList;
}

export async function uploadFolder(services: ConnectionServices, [first]: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const given = first instanceof vscode.Uri ? first : undefined;
  const row = await findOneTarget(services, given ? [] : [first], t("Upload Folder"), ADMITTING);
  if (!row) return;
  const folder = given ? given.fsPath : await chooseFolder();
  if (folder === undefined) return;
  const list = await listFolder(folder);
  if (list.files.length === 0) {
    void tellInfo(
      t("There's nothing to upload. The folder has no files, or all of them are ignored or look like secrets."),
    );
    return;
  }
  session.assertStill(account);
  await sendList(services, { account, instance: row.value, folder, list });
}

async function chooseFolder(): Promise<string | undefined> {
  const [open] = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const chosen = await vscode.window.showOpenDialog({
    title: t("Upload Folder"),
    openLabel: t("Upload"),
    canSelectFiles: false,
    canSelectFolders: true,
    ...(open ? { defaultUri: open.uri } : {}),
  });
  const [uri] = chosen ?? [];
  return uri?.fsPath;
}

async function sendList(services: ConnectionServices, { account, instance, folder, list }: Upload): Promise<void> {
  const { session, connections, sshMachines, log } = services;
  const { id } = instance;
  const machine = await reachForCommands(
    services,
    account,
    instance,
    t("Connecting to {0}", formatShortName(instance)),
  );
  if (!machine) return;
  const { login } = machine;
  const [usual, before] = [readUsualFolder(), await findAgreed(sshMachines, login.alias, folder)];
  const known = before?.usual === usual ? before : undefined;
  const remote = known?.to ?? (await askPlace(services, account, { machine, folder }));
  if (remote === undefined) return;
  const facts: UploadFacts = { id, list, remote, before: known };
  if (!known || hasOutgrown(list, known)) {
    if (!(await agreeToUpload(services, buildUploadQuestion(facts), folder, facts))) return;
    // A question may have been open for hours.
    await connections.recheck(account, id, login);
  }
  session.assertStill(account);
  const size = { files: list.files.length, bytes: list.bytes };
  const title = t("Uploading to {0}", formatShortName(instance));
  let hasSent = false;
  let stopped: AbortSignal | undefined;
  try {
    const done = await withTransfer(services, account, { id, title, of: size }, (signal, report) => {
      stopped = signal;
      return uploadFiles({ machine, folder, list, remote }, signal, (now) => {
        hasSent = now.files + now.bytes > 0;
        report(now);
      });
    });
    await rememberAgreed(sshMachines, login.alias, folder, { to: remote, usual, ...size }).catch((error) =>
      log.warn("An upload could not be written down, so the next one asks again.", error),
    );
    await tellDone(services, account, instance, { text: describeUploaded(done, remote, id), isWhole: isWhole(done) });
  } catch (error) {
    if (!stopped?.aborted) throw await findLossReason(services, account, machine, asAppError(error));
    if (hasSent) void tellInfo(t("The upload was stopped. Some files may have arrived in {0}.", toPlainText(remote)));
  }
}

const isWhole = ({ changed, missing }: { changed: readonly string[]; missing: readonly string[] }) =>
  changed.length + missing.length === 0;

async function askPlace(
  services: ConnectionServices,
  account: SignedIn,
  { machine, folder }: { readonly machine: Parameters<typeof findRemotePlace>[2]; readonly folder: string },
): Promise<string | undefined> {
  const parent = await findRemotePlace(services, account, machine);
  const chosen = await askText({
    title: t("Upload Folder to Instance {0}", machine.id),
    prompt: t("Destination folder on the machine. Created if it doesn't exist."),
    value: suggestPlace(parent, folder),
    placeholder: "/workspace",
    read: parseRemotePath,
  });
  services.session.assertStill(account);
  return chosen === BACK ? undefined : chosen;
}

async function tellDone(
  services: ConnectionServices,
  account: SignedIn,
  { id }: Instance,
  { text, isWhole }: { readonly text: string; readonly isWhole: boolean },
): Promise<void> {
  const open = t("Open Terminal");
  const tell = isWhole ? tellInfo : tellWarning;
  if ((await tell(text, open)) === open) await connectById(services, account, id);
}
