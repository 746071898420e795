// Finds or fetches a desktop VS Code, where this machine can show one.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  downloadAndUnzipVSCode,
  type ProgressReport,
  ProgressReportStage,
  resolveCliArgsFromVSCodeExecutablePath,
} from "@vscode/test-electron";
import { cacheFolder, say } from "./cache.ts";

/** The same VS Code that the browser build carries (see install.ts), so both are judged by one version. */
const VERSION = "1.139.1";
/** Milliseconds without a first byte after which a download counts as impossible. */
const PATIENCE = 10_000;

/** Linux draws windows only where a display server is named in the environment. */
export function hasDisplay(): boolean {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** The `code` command on PATH. */
export function codeOnPath(): string | undefined {
  const name = process.platform === "win32" ? "code.cmd" : "code";
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** The downloaded desktop's executable, from the cache when it lies there; undefined, within 10 s, where it can't be had. */
export async function downloadedDesktop(): Promise<string | undefined> {
  let began = false;
  const reporter = {
    report: (report: ProgressReport) => {
      if (report.stage === ProgressReportStage.Downloading && !began) {
        began = true;
        say(`downloading VS Code ${VERSION}`);
      }
    },
    error: () => undefined,
  };
  const cachePath = cacheFolder("desktop");
  const download = downloadAndUnzipVSCode({ version: VERSION, cachePath, timeout: PATIENCE, reporter });
  const silence = new Promise<undefined>((resolve) => {
    setTimeout(() => (began ? undefined : resolve(undefined)), PATIENCE).unref();
  });
  return Promise.race([download.catch(() => undefined), silence]);
}

/** The command line, program first, that drives a downloaded desktop as `code` would. */
export function desktopCommand(executable: string): string[] {
  return resolveCliArgsFromVSCodeExecutablePath(executable, { reuseMachineInstall: true });
}
