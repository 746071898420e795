// Runs: from a file, again, and those that were left.
import type * as vscode from "vscode";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { LeftRuns } from "../../services/run/left-runs.ts";
import type { Module } from "../kit/module.ts";
import { continueRun } from "./continue-run.ts";
import type { TaskFolder } from "./late-tasks.ts";
import { createLeftRunPerson } from "./left-run-person.ts";
import { openProject } from "./project/open-project.ts";
import { runAgain, runAsked } from "./run-commands.ts";
import { createRunRows, type RunRows } from "./run-rows.ts";
import type { RunServices } from "./run-services.ts";
import { createTaskTerminal } from "./run-task.ts";
import { runGivenFile } from "./run-template-file.ts";
import { RunTerminals } from "./run-terminals.ts";
import { showSecrets } from "./secrets/show-secrets.ts";
import { openOutput, reattachRun, showRuns } from "./show-runs.ts";

/** Asks the person, and runs it. */
export type RunAsked = (
  ...asked: Parameters<typeof runAsked> extends [unknown, unknown, ...infer A] ? A : never
) => ReturnType<typeof runAsked>;

export interface RunModule extends Module {
  readonly runAsked: RunAsked;
  /** The runs below the rows of their instances. */
  readonly rows: RunRows;
  /** The terminal of a task in `tasks.json`. */
  readonly createTaskTerminal: (
    definition: vscode.TaskDefinition,
    folder: TaskFolder,
    name: string,
  ) => vscode.Pseudoterminal;
}

export function createRunModule(services: RunServices, bag: Bag): RunModule {
  const terminals = bag.add(new RunTerminals(services));
  bag.add(new LeftRuns(services, createLeftRunPerson(services)));
  return {
    commands: {
      [commands.instanceOpenProject]: (args) => openProject(services, args),
      [commands.runFile]: (args) => runGivenFile(services, terminals, args),
      [commands.runContinue]: (args) => continueRun(services, terminals, args),
      [commands.runAgain]: () => runAgain(services, terminals),
      [commands.runSecrets]: () => showSecrets(services),
      [commands.runShow]: (args) => showRuns(services, terminals, args),
      [commands.runOutput]: (args) => openOutput(services, args),
      [commands.runReattach]: (args) => reattachRun(services, terminals, args),
    },
    views: [],
    runAsked: (...asked) => runAsked(services, terminals, ...asked),
    rows: createRunRows(services),
    createTaskTerminal: (definition, folder, name) => createTaskTerminal(services, terminals, definition, folder, name),
  };
}
