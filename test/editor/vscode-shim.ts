// Stands in for a desktop VS Code under @vscode/test-electron: the same flags, but code-server and a headless Chromium behind them.

import { writeFileSync } from "node:fs";
import { launchBrowser } from "./chromium.ts";
import { HostOutput } from "./host-output.ts";
import { Workbench } from "./page.ts";
import { readReport, type TestReport } from "./report.ts";
import { readArguments, type ShimArguments } from "./shim-arguments.ts";
import { startWorkbench } from "./workbench.ts";

/** Seconds for everything, from start to report: more than the tests are given together, which say better what lasts too long. */
const LIMIT = Number(process.env.CLOUD_GPU_TEST_TIMEOUT ?? 900);

function fail(words: string): never {
  throw new Error(words);
}

const host = new HostOutput();

async function main(reportFile: string): Promise<number> {
  const given = readArguments(process.argv.slice(2));
  const settings = JSON.parse(process.env.CLOUD_GPU_TEST_SETTINGS ?? "{}") as Record<string, unknown>;
  const workbench = await startWorkbench({
    ...(given.folder === undefined ? {} : { folder: given.folder }),
    // As the desktop's flag `--disable-workspace-trust`, which the test runner always gives.
    settings: { "security.workspace.trust.enabled": false, ...settings },
    onOutput: (text) => host.hear(text),
  });
  try {
    return await runIn(workbench, given, reportFile);
  } finally {
    await workbench.stop();
  }
}

async function runIn(
  workbench: { url: string; ended: Promise<void> },
  given: ShimArguments,
  reportFile: string,
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

const reportFile = process.env.CLOUD_GPU_TEST_REPORT ?? fail("needs CLOUD_GPU_TEST_REPORT, the file for the report");

const timer = setTimeout(() => {
  const message = `They did not finish within ${LIMIT} s. The last that was said:\n${host.last.join("\n")}`;
  const report: TestReport = { passed: 0, failed: 1, failures: [{ title: "the tests in the editor", message }] };
  writeFileSync(reportFile, JSON.stringify(report));
  process.exit(1);
}, LIMIT * 1000);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

process.exitCode = await main(reportFile).catch((error: unknown) => {
  console.error(`editor: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
clearTimeout(timer);
