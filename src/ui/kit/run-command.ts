// The one way to the editor's commands: ours with the arguments they take, the editor's own by name.
import * as vscode from "vscode";
import type { InstanceId, TemplateHash } from "../../domain/base/id.ts";
import { type CommandId, commands, type contexts, type views } from "../../ids.ts";

/** A row as the tree would hand it to a command; `account` is the one it was drawn for. */
export interface InstanceArgument {
  readonly of: { readonly value: { readonly id: InstanceId } };
  readonly account: object;
}

/** What our own code gives to a command; a command that is not named here takes nothing. */
interface CommandArguments {
  readonly [commands.instanceShow]: readonly [InstanceId | undefined];
  readonly [commands.instanceDestroy]: readonly [InstanceArgument | undefined, selection?: readonly InstanceArgument[]];
  readonly [commands.instanceStop]: readonly [InstanceArgument | undefined, selection?: readonly InstanceArgument[]];
  readonly [commands.launchReview]: readonly [token: string];
  readonly [commands.launchFromTemplate]: readonly [TemplateHash];
  readonly [commands.templateDuplicate]: readonly [TemplateHash];
  readonly [commands.templateDiffFile]: readonly [vscode.Uri];
  readonly [commands.templatePullFile]: readonly [vscode.Uri];
  readonly [commands.templateRepinFile]: readonly [vscode.Uri];
  readonly [commands.templatePushFile]: readonly [vscode.Uri];
}
type ArgumentsOf<K extends CommandId> = K extends keyof CommandArguments ? CommandArguments[K] : readonly [];

export async function runCommand<K extends CommandId>(id: K, ...args: ArgumentsOf<K>): Promise<void> {
  await vscode.commands.executeCommand(id, ...args);
}

/** @returns what the editor's own command answers. */
export async function runEditorCommand(
  id: "vscode.diff" | "_open.mergeEditor" | "workbench.action.openSettings",
  ...args: readonly unknown[]
): Promise<unknown> {
  return await vscode.commands.executeCommand(id, ...args);
}

/** Brings a view to the front and leaves the focus where it is, unless somebody asked for the view. */
export async function showView(id: (typeof views)[keyof typeof views], preserveFocus: boolean): Promise<void> {
  await vscode.commands.executeCommand(`${id}.focus`, ...(preserveFocus ? [{ preserveFocus }] : []));
}

export type ContextKey = (typeof contexts)[keyof typeof contexts];

/** Menus and welcome texts ask for it. */
export function setContext(key: ContextKey, value: string | boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
