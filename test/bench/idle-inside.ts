// Runs inside the extension host: CPU it has used when it is ten seconds old, whichever extension is in it.
import { writeFile } from "node:fs/promises";

const TEN_SECONDS = 10_000;

export async function run(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, TEN_SECONDS - performance.now())));
  const { user, system } = process.cpuUsage();
  const result = { passed: 1, failed: 0, failures: [], cpu: (user + system) / 1000 };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(result));
}
