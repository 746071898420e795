// What one feature returns to the extension: its commands and its views. It adds what to dispose of to the bag it is given.
import type { CommandId } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SelectingView, Selections } from "../list/selections.ts";
import type { Documents } from "./documents.ts";
import type { RecordPages } from "./record-pages.ts";
import type { SecretClipboard } from "./secret-clipboard.ts";

/** Arguments come from the editor or from other extensions: they are unknown until they are parsed. */
export type CommandHandler = (args: readonly unknown[]) => unknown;
type CommandHandlers = { readonly [K in CommandId]?: CommandHandler };

/** A view that can be told to read its list again. */
export interface View extends Disposable, SelectingView {
  readonly refresher: { refreshNow(): Promise<void> };
}

export interface Module {
  readonly commands: CommandHandlers;
  readonly views: readonly View[];
}

/** The editor-side tools that every feature may use. */
export interface Kit {
  readonly documents: Documents;
  readonly records: RecordPages;
  readonly secretClipboard: SecretClipboard;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly selections: Selections;
  readonly log: Log;
}
