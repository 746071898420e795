// Runs a test module inside a real extension host: a desktop VS Code where one can be had, else the browser build.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { say } from "./cache.ts";
import { downloadedDesktop, hasDisplay } from "./desktop.ts";
import { scratchFolder } from "./processes.ts";
import { readReport, type TestReport } from "./report.ts";
import { calmSettings } from "./workbench.ts";

export interface HostTestOptions {
  /** Absolute path of the extension's folder, built. */
  extensionPath: string;
  /** Absolute path of the module that exports `run(): Promise<void>` and writes the report. */
  testsPath: string;
  folder?: string;
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Where `run` writes its report, told to it as `CLOUD_GPU_TEST_REPORT`. */
  reportFile: string;
}

/** Runs the tests and returns what they reported; throws where they reported nothing. */
export async function runInEditor(options: HostTestOptions): Promise<TestReport> {
  const desktop = await chooseDesktop();
  say(desktop === undefined ? "tests run in the browser build (npm)" : "tests run in the desktop build");
  const profile = await scratchFolder();
  const settings = { ...calmSettings, ...options.settings };
  const userDataDir = join(profile.path, "user");
  await mkdir(join(userDataDir, "User"), { recursive: true });
  await writeFile(join(userDataDir, "User", "settings.json"), JSON.stringify(settings));
  await mkdir(dirname(options.reportFile), { recursive: true });
  await rm(options.reportFile, { force: true });
  const folder = options.folder === undefined ? [] : [options.folder];
  try {
    await runTests({
      vscodeExecutablePath: desktop ?? join(import.meta.dirname, "vscode-shim"),
      extensionDevelopmentPath: options.extensionPath,
      extensionTestsPath: options.testsPath,
      launchArgs: [...folder, `--user-data-dir=${userDataDir}`, `--extensions-dir=${join(profile.path, "ext")}`],
      extensionTestsEnv: {
        ...options.env,
        XDG_STATE_HOME: join(profile.path, "state"),
        ELECTRON_RUN_AS_NODE: undefined,
        CLOUD_GPU_TEST_REPORT: options.reportFile,
        CLOUD_GPU_TEST_SETTINGS: JSON.stringify(settings),
      },
    });
  } catch (error) {
    // A failed test fails the run as well; then the report says it better.
    if ((await readReport(options.reportFile)) === undefined) throw error;
  } finally {
    await profile.remove();
  }
  const report = await readReport(options.reportFile);
  if (report === undefined) throw new Error("the tests ended well but wrote no report");
  return report;
}

/** `CLOUD_GPU_EDITOR` may say "npm" or "desktop"; by default the desktop, where there is a display and a download. */
async function chooseDesktop(): Promise<string | undefined> {
  const wish = process.env.CLOUD_GPU_EDITOR;
  if (wish === "npm" || (wish !== "desktop" && !hasDisplay())) return undefined;
  const desktop = await downloadedDesktop();
  if (desktop === undefined && wish === "desktop") {
    throw new Error("CLOUD_GPU_EDITOR=desktop, but VS Code could not be downloaded");
  }
  return desktop;
}
