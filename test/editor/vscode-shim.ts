// Stands in for a desktop VS Code under @vscode/test-electron: the same flags, but code-server and a headless Chromium behind them.

import { launchBrowser } from "./chromium.ts";
import { HostOutput } from "./host-output.ts";
import { Workbench } from "./page.ts";
import { readReport, type TestReport } from "./report.ts";
import { readArguments, type ShimArguments } from "./shim-arguments.ts";
import { startWorkbench } from "./workbench.ts";

/** Seconds for everything, from start to report. */
const LIMIT = Number(process.env.CLOUD_GPU_TEST_TIMEOUT ?? 300);

function fail(words: string): never {
  throw new Error(words);
}

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2));
  const reportFile = process.env.CLOUD_GPU_TEST_REPORT ?? fail("needs CLOUD_GPU_TEST_REPORT, the file for the report");
  const settings = JSON.parse(process.env.CLOUD_GPU_TEST_SETTINGS ?? "{}") as Record<string, unknown>;
  const host = new HostOutput();
  const workbench = await startWorkbench({
    ...(given.folder === undefined ? {} : { folder: given.folder }),
    // As the desktop's flag `--disable-workspace-trust`, which the test runner always gives.
    settings: { "security.workspace.trust.enabled": false, ...settings },
    onOutput: (text) => host.hear(text),
  });
  try {
    return await runIn(workbench, given, { host, reportFile });
  } finally {
    await workbench.stop();
  }
}

async function runIn(
  workbench: { url: string; ended: Promise<void> },
  given: ShimArguments,
  { host, reportFile }: { host: HostOutput; reportFile: string },
): Promise<number> {
  const browser = await launchBrowser();
  try {
    const window = await Workbench.inBrowser(browser);
    host.watch(window.page);
    const { extensionDevelopmentPath, extensionTestsPath } = given;
    await window.open({ url: workbench.url, extensionDevelopmentPath, extensionTestsPath });
    const reason = await Promise.race([host.ended, workbench.ended.then(() => "the editor ended")]);
    const report = await readReport(reportFile);
    if (report === undefined)
      fail(`the tests wrote no report (${reason}): did run() throw, or something end the process?`);
    print(report);
    return report.failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}

function print(report: TestReport): void {
  for (const { title, message } of report.failures) console.error(`failed: ${title}\n  ${message}`);
  console.log(`${report.passed} passed, ${report.failed} failed`);
}

const timer = setTimeout(() => {
  console.error(`the tests in the editor did not finish within ${LIMIT} s`);
  process.exit(1);
}, LIMIT * 1000);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

process.exitCode = await main().catch((error: unknown) => {
  console.error(`editor: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
clearTimeout(timer);
