// Puts the browser build of VS Code (code-server) into the cache, from the npm registry alone and without a compiler.

import { createHash } from "node:crypto";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, prepareOnce, stage } from "./cache.ts";
import { runNpm } from "./npm.ts";

export interface Editor {
  /** The script to run with `process.execPath`; it needs Node 24. */
  entry: string;
  version: string;
}

/** Carries VS Code 1.139.1. */
const VERSION = "4.139.1";

// Scripts would compile spdlog, kerberos and sqlite (log files, proxies with Kerberos, the agent host): nothing we need.
// The lockfile is asked for in case the user's configuration turns it off: it holds VS Code's own pinned dependencies.
const INSTALL = ["install", "--ignore-scripts", "--package-lock=true"];

/** VS Code itself inside the installed package: its built-in extensions, its own packages. */
export function serverFolder(root: string = cacheFolder("code-server", VERSION)): string {
  return join(root, "node_modules", "code-server", "lib", "vscode");
}

/** Installs the editor where it isn't yet (20 to 30 s, 620 MB), and says where it is. */
export async function ensureEditor(): Promise<Editor> {
  const folder = await prepareOnce(cacheFolder("code-server", VERSION), async (staging) => {
    const server = serverFolder(staging);
    await writeFile(join(staging, "package.json"), JSON.stringify({ name: "editor", private: true }));
    await stage(`code-server ${VERSION} installed from npm`, () =>
      runNpm([...INSTALL, `code-server@${VERSION}`], staging),
    );
    await stage("its VS Code server's packages installed", () => runNpm([...INSTALL, "--omit=dev"], server));
    await stage("its built-in extensions' packages installed", () =>
      runNpm([...INSTALL, "--omit=dev"], join(server, "extensions")),
    );
  });
  return { entry: join(folder, "node_modules", "code-server", "out", "node", "entry.js"), version: VERSION };
}

/** Of the hundred extensions that come with the editor, those that our files and pages need. */
const NEEDED = [
  "configuration-editing",
  "json",
  "json-language-features",
  "markdown-basics",
  "shellscript",
  "theme-defaults",
  "theme-seti",
];

/** A folder with the needed extensions alone: with it, a window opens for two thirds of the work. */
export async function neededExtensions(): Promise<string> {
  await ensureEditor();
  const digest = createHash("sha256").update(NEEDED.join()).digest("hex").slice(0, 8);
  return prepareOnce(cacheFolder("code-server", `${VERSION}-built-in-${digest}`), async (staging) => {
    for (const name of NEEDED)
      await cp(join(serverFolder(), "extensions", name), join(staging, name), { recursive: true });
  });
}
