// The one way to run commands: ours with typed arguments, the editor's own by name.
import * as vscode from "vscode";
import type { InstanceId, RunId, TemplateHash } from "../../domain/base/id.ts";
import { type CommandId, commands, type contexts, type RowCommand, type views } from "../../ids.ts";

/** A row as the tree would pass it to a command. `account` is the one it was drawn for. */
interface InstanceArgument {
  readonly of: { readonly value: { readonly id: InstanceId } };
  readonly account: object;
}

/** The arguments that our own code passes to commands. A command that isn't listed takes none. */
interface CommandArguments {
  readonly [commands.instanceShow]: readonly [InstanceId | undefined];
  readonly [commands.instanceOpenTerminal]: readonly [InstanceArgument | undefined];
  readonly [commands.instanceOpenProject]: readonly [InstanceArgument | undefined];
  readonly [commands.instanceDestroy]: readonly [InstanceArgument | undefined, selection?: readonly InstanceArgument[]];
  readonly [commands.instanceStart]: readonly [InstanceArgument | undefined];
  readonly [commands.instanceStop]: readonly [InstanceArgument | undefined, selection?: readonly InstanceArgument[]];
  readonly [commands.instanceChangeBid]: readonly [InstanceArgument | undefined];
  readonly [commands.instanceSameAgain]: readonly [InstanceArgument | undefined];
  readonly [commands.runContinue]: readonly [RunId];
  readonly [commands.runReattach]: readonly [RunId];
  readonly [commands.workergroupShow]: readonly [id: number];
  readonly [commands.switchAccount]: readonly [profile?: string];
  readonly [commands.launchReview]: readonly [token: string];
  readonly [commands.launchFromTemplate]: readonly [TemplateHash?, proposed?: object];
  readonly [commands.groupExport]: readonly [group: string];
  readonly [commands.templateDuplicate]: readonly [TemplateHash];
  readonly [commands.templateEdit]: readonly [TemplateHash?];
  readonly [commands.templateEditStartScript]: readonly [TemplateHash];
  readonly [commands.templateEditReadme]: readonly [TemplateHash];
  readonly [commands.templateSaveToFile]: readonly [TemplateHash];
  readonly [commands.templateDiffFile]: readonly [vscode.Uri];
  readonly [commands.templatePullFile]: readonly [vscode.Uri];
  readonly [commands.templateRepinFile]: readonly [vscode.Uri];
  readonly [commands.templatePushFile]: readonly [vscode.Uri];
}
type ArgumentsOf<K extends CommandId> = K extends keyof CommandArguments ? CommandArguments[K] : readonly [];

export async function runCommand<K extends CommandId>(id: K, ...args: ArgumentsOf<K>): Promise<void> {
  await vscode.commands.executeCommand(id, ...args);
}

/** As the row's own menu would run it. */
export async function runOnRow(id: RowCommand, row: object): Promise<void> {
  await vscode.commands.executeCommand(id, row);
}

/** @returns the result of the editor's command. */
export async function runEditorCommand(
  id:
    | "vscode.diff"
    | "vscode.newWindow"
    | "vscode.openFolder"
    | "revealFileInOS"
    | "revealInExplorer"
    | "_open.mergeEditor"
    | "markdown.showPreview"
    | "workbench.action.closeQuickOpen"
    | "workbench.action.openSettings"
    | "workbench.action.openWalkthrough"
    | "workbench.extensions.installExtension",
  ...args: readonly unknown[]
): Promise<unknown> {
  return await vscode.commands.executeCommand(id, ...args);
}

/** Brings a view to the front. The focus stays where it is unless the person asked for the view. */
export async function showView(id: (typeof views)[keyof typeof views], preserveFocus: boolean): Promise<void> {
  await vscode.commands.executeCommand(`${id}.focus`, ...(preserveFocus ? [{ preserveFocus }] : []));
}

export type ContextKey = (typeof contexts)[keyof typeof contexts];

/** Menus and welcome texts read it. */
export function setContext(key: ContextKey, value: string | boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
