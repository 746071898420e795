// What one feature hands to the extension: its commands and its views. What ends with it goes into the bag it is given.
import type { CommandId } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { Documents } from "./documents.ts";
import type { SecretClipboard } from "./secret-clipboard.ts";

/** Arguments come from the editor or from other extensions: nothing is known of them before they are read. */
export type CommandHandler = (args: readonly unknown[]) => unknown;
export type CommandHandlers = { readonly [K in CommandId]?: CommandHandler };

/** A view that can be asked to read its list again. */
export interface View extends Disposable {
  readonly refresher: { now(): Promise<void> };
}

export interface Module {
  readonly commands: CommandHandlers;
  readonly views: readonly View[];
}

/** What every feature may use of the editor's side. */
export interface Kit {
  readonly documents: Documents;
  readonly secretClipboard: SecretClipboard;
  readonly log: Log;
}
