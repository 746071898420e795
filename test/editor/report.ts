// The outcome of the tests inside the editor: written there as a JSON file, read here.

import { readFile } from "node:fs/promises";

/** `run()` of the tests' module writes this to the file that `CLOUD_GPU_TEST_REPORT` names, just before it settles. */
export interface TestReport {
  passed: number;
  failed: number;
  failures: { title: string; message: string }[];
}

/** The report, or undefined while there is none or only half of one. */
export async function readReport(file: string): Promise<TestReport | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    const found: unknown = JSON.parse(text);
    return isReport(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isReport(found: unknown): found is TestReport {
  if (typeof found !== "object" || found === null || !("failures" in found)) return false;
  return "passed" in found && typeof found.passed === "number" && "failed" in found && Array.isArray(found.failures);
}
