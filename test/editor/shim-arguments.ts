// Reads the flags with which @vscode/test-electron starts an editor.

export interface ShimArguments {
  extensionDevelopmentPath: string;
  extensionTestsPath: string;
  folder: string | undefined;
}

/** The other flags are passed over: the browser build has no use for the desktop's own, and its profile is always a fresh one. */
export function readArguments(args: string[]): ShimArguments {
  const value = (name: string) => {
    const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
    const found = args[at];
    if (found === undefined) return undefined;
    return found.includes("=") ? found.slice(name.length + 1) : args[at + 1];
  };
  const extensionDevelopmentPath = value("--extensionDevelopmentPath");
  const extensionTestsPath = value("--extensionTestsPath");
  if (!extensionDevelopmentPath || !extensionTestsPath) {
    throw new Error("needs --extensionDevelopmentPath=FOLDER and --extensionTestsPath=FILE");
  }
  const valued = ["--extensionDevelopmentPath", "--extensionTestsPath", "--user-data-dir", "--extensions-dir"];
  const folder = args.find((arg, index) => !arg.startsWith("-") && !valued.includes(args[index - 1] ?? ""));
  return { extensionDevelopmentPath, extensionTestsPath, folder };
}
