// Placeholder for a file system, available from activation on: an editor that restores a tab reads it before the
// extension is loaded.
import * as vscode from "vscode";

type Files = Pick<vscode.FileSystemProvider, "onDidChangeFile" | "stat" | "readFile" | "writeFile">;

/** Every request waits for the real file system. Files can't be created or deleted through it. */
export function registerLateFiles(scheme: string, real: () => Promise<Files>): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const listening: vscode.Disposable[] = [];
  const files = async () => {
    const one = await real();
    if (listening.length === 0) listening.push(one.onDidChangeFile((events) => changed.fire(events)));
    return one;
  };
  const no = (uri: vscode.Uri) => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  const registration = vscode.workspace.registerFileSystemProvider(
    scheme,
    {
      onDidChangeFile: changed.event,
      watch: () => ({ dispose: () => {} }),
      stat: async (uri) => await (await files()).stat(uri),
      readFile: async (uri) => await (await files()).readFile(uri),
      writeFile: async (uri, bytes, how) => await (await files()).writeFile(uri, bytes, how),
      readDirectory: () => [],
      createDirectory: no,
      delete: no,
      rename: no,
    },
    { isCaseSensitive: true },
  );
  return vscode.Disposable.from(registration, changed, { dispose: () => listening[0]?.dispose() });
}
