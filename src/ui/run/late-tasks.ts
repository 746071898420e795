// Tasks of the type `cloudGpu`. The editor asks for them whenever someone opens its list of tasks, so until one is run they cost nothing.
import * as vscode from "vscode";

export type TaskFolder = vscode.WorkspaceFolder | vscode.TaskScope | undefined;

export function createLateTasks(
  createTerminal: (
    definition: vscode.TaskDefinition,
    folder: TaskFolder,
    name: string,
  ) => Promise<vscode.Pseudoterminal>,
): vscode.TaskProvider {
  return {
    // Nothing is proposed: what there is to run is in the person's files.
    provideTasks: () => [],
    resolveTask: ({ definition, scope, name, problemMatchers }) => {
      const run = new vscode.CustomExecution((resolved) => createTerminal(resolved, scope, name));
      return new vscode.Task(definition, scope ?? vscode.TaskScope.Workspace, name, "Cloud GPU", run, problemMatchers);
    },
  };
}
