// Where a run can go beside one instance: what comes later in the order of nouns says so here.

import type * as vscode from "vscode";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { RunTask } from "../../domain/run/run-task.ts";
import type { SignedIn } from "../../services/core/session.ts";

/** A file of the workspace that is to be run. */
export interface FileToRun extends Pick<RunDraft, "name" | "setup" | "folder" | "secrets"> {
  /** In the folder, with slashes. */
  readonly path: string;
}

/** One of the places that a run can go to. */
export interface RunTarget {
  readonly label: string;
  readonly description: string;
  start(file: FileToRun): Promise<void>;
}

/** What a task of several instances is. */
export interface TaskToRun {
  readonly task: RunTask;
  /** The workspace folder that its folder is in. */
  readonly project: string;
  readonly draft: RunDraft;
}

export interface RunTargets {
  list(account: SignedIn): Promise<readonly RunTarget[]>;
  /** Follows all runs that began together with this one. */
  reattach(account: SignedIn, run: RunRecord): Promise<void>;
  createTask(account: SignedIn, prepare: () => Promise<TaskToRun>): vscode.Pseudoterminal;
}
