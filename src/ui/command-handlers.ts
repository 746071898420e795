// Which handler each command has, and which commands are for rows.
import type * as vscode from "vscode";
import { type CommandId, commands } from "../ids.ts";
import type { CommandHandler, Module } from "./kit/module.ts";

/** Commands of rows. A button beside a view's name is given `undefined` as long as no row has the focus. */
export function listRowCommands({ extension }: vscode.ExtensionContext): ReadonlySet<string> {
  type Menu = readonly { readonly command?: string }[];
  const { menus }: { menus: Readonly<Record<"view/item/context" | "view/title", Menu>> } =
    extension.packageJSON.contributes;
  const beside = new Set(menus["view/title"].map(({ command }) => command));
  return new Set(menus["view/item/context"].flatMap(({ command = "" }) => (beside.has(command) ? [] : [command])));
}

/** @throws RangeError if a command has no handler, or two. Every start checks this, so it can't be shipped. */
export function joinHandlers(modules: readonly Module[]): (id: CommandId) => CommandHandler {
  const all = modules.flatMap((module) => Object.entries<CommandHandler>(module.commands));
  const handlers = new Map<string, CommandHandler>(all);
  const handlerOf = (id: CommandId) => {
    const handler = handlers.get(id);
    if (!handler) throw new RangeError(`The command ${id} has no handler.`);
    return handler;
  };
  for (const id of Object.values(commands)) handlerOf(id);
  if (handlers.size !== all.length) throw new RangeError("A command has two handlers.");
  return handlerOf;
}
