// Export Group Files…: logs in to its machines, asks for a folder and files, and writes them.
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { HandedFile } from "../../domain/group/hand-over/group-host.ts";
import { writeHandOver } from "../../domain/group/hand-over/hand-over.ts";
import { t, toLabel } from "../../lib/text.ts";
import { buildReplaceFilesQuestion, describeFile, describeHandOver } from "../../present/group/hand-over-text.ts";
import { readHandOver } from "../../services/group/read-hand-over.ts";
import { findForeignFiles, writeFiles } from "../../services/group/write-hand-over.ts";
import { confirmOr } from "../kit/ask/confirm.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { pickTicked, type TickChoice } from "../kit/ask/tick-list.ts";
import { tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { findGroupTarget } from "./group-commands.ts";
import type { GroupServices } from "./group-services.ts";

type Written = Extract<HandedFile, { text: string }>;

/** `root`: the workspace that the folder is to stay in. */
interface Place {
  readonly folder: string;
  readonly root: string | undefined;
}

export async function handOverGroup(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const { session, clock } = services;
  const account = session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Export Group Files"));
  if (!group) return;
  const place = await askPlace(group.name);
  if (!place) return;
  const title = t("Logging in to group “{0}”", group.name);
  const { given, left } = await withNotification(title, true, (report, cancelled) =>
    readHandOver(services, account, group, (count) => report(t("{0} of {1}", count, group.members.length)), cancelled),
  );
  const [first] = left;
  if (given.hosts.length === 0)
    throw new AppError(
      "rejected",
      t("Cloud GPU couldn't log in to any instance of group “{0}”. {1}", group.name, first?.why ?? ""),
    );
  const chosen = await askFiles(services, writeHandOver(given));
  if (!chosen) return;
  const files = await withoutKept(place, given, chosen);
  if (!files) return;
  session.assertStill(account);
  await writeFiles({ ...place, clock }, given, files);
  const text = describeHandOver(place.folder, given.hosts.length, left);
  const show = t("Show Files");
  if ((await (first ? tellWarning : tellInfo)(text, show)) !== show) return;
  const shown = vscode.Uri.file(join(place.folder, files[0]?.name ?? ""));
  await runEditorCommand(place.root === undefined ? "revealFileInOS" : "revealInExplorer", shown);
}

/** A folder of the workspace first: programs are run there. */
async function askPlace(name: string): Promise<Place | undefined> {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const choices: Choice<Place | "other">[] = roots.map(({ uri, name: root }) => ({
    label: `$(folder) ${toLabel(join(root, "cloud-gpu", name), 200)}`,
    description: t("in this workspace"),
    value: { folder: join(uri.fsPath, "cloud-gpu", name), root: uri.fsPath },
  }));
  const chosen = await pickOne<Place | "other">({
    title: t("Export Files of Group {0}", name),
    placeholder: t("Where should the files go? Choose the same folder again to update them."),
    choices: [...choices, { label: `$(folder-opened) ${t("Another Folder…")}`, value: "other" }],
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  if (chosen !== "other") return chosen;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      defaultUri: roots[0]?.uri ?? vscode.Uri.file(homedir()),
      openLabel: t("Write Files Here"),
    })) ?? [];
  return folder && { folder: folder.fsPath, root: undefined };
}

/** Those that can't work are shown with the reason. */
async function askFiles(
  { session }: GroupServices,
  files: readonly HandedFile[],
): Promise<readonly Written[] | undefined> {
  const choices = files.map(
    (file): TickChoice<Written, never> =>
      "why" in file
        ? { label: `$(circle-slash) ${file.name}`, description: file.why }
        : { label: file.name, description: describeFile(file), picked: true, value: file },
  );
  const title = t("Export Group Files");
  const placeholder = t("Which files?");
  const answer = await pickTicked<Written, never, "write">({
    title,
    placeholder,
    noneTicked: t("Select at least one file."),
    read: async () => ({ title, placeholder, choices }),
    readsAgain: () => false,
    buttons: [{ icon: "save", tooltip: t("Write Selected Files"), action: "write" }],
    closesOn: session.onDidChange,
  });
  return answer && "ticked" in answer ? answer.ticked : undefined;
}

/** What a person wrote or changed is theirs. @returns undefined if nothing is to be written. */
async function withoutKept(
  { folder }: Place,
  given: { readonly id: string },
  files: readonly Written[],
): Promise<readonly Written[] | undefined> {
  const foreign = await findForeignFiles(folder, given, files);
  if (foreign.length === 0) return files;
  const keep = { label: foreign.length === 1 ? t("Keep That File") : t("Keep Those Files"), isDefault: true };
  const answer = await confirmOr(buildReplaceFilesQuestion(folder, foreign), keep);
  if (answer === undefined) return undefined;
  return answer === "go" ? files : files.filter(({ name }) => !foreign.includes(name));
}
