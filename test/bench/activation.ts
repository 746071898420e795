// Runs inside the extension host: how long the editor waits for one extension to activate, and for ours to be complete.
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";

interface Loading {
  exploreOffers?(filter: unknown): Promise<unknown>;
}

export async function run(): Promise<void> {
  const subject = vscode.extensions.getExtension<Loading>(process.env.CLOUD_GPU_BENCH_SUBJECT ?? "");
  if (!subject) throw new Error("The extension to measure is not there.");
  const started = performance.now();
  const api = await subject.activate();
  const activated = performance.now();
  // It is read, and refused, once everything is loaded.
  await api?.exploreOffers?.(null).catch(() => undefined);
  const complete = performance.now();
  const result = { passed: 1, failed: 0, failures: [], activate: activated - started, complete: complete - started };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(result));
}
