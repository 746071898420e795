// Runs inside the extension host of a real editor: collects the tests beside it and writes what came of them.
import { writeFile } from "node:fs/promises";
import "./activation.host.ts";
import { mocha } from "./bdd.ts";
import "./commands.host.ts";
import "./exported-api.host.ts";
import "./rows.host.ts";
import "./tools.host.ts";

export async function run(): Promise<void> {
  const failures: { title: string; message: string }[] = [];
  let passed = 0;
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("pass", () => {
        passed += 1;
      })
      .on("fail", (test, error) => failures.push({ title: test.fullTitle(), message: error.stack ?? error.message }));
  });
  const report = { passed, failed: failures.length, failures };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(report));
  if (failures.length > 0) throw new Error(failures.map(({ title, message }) => `${title}: ${message}`).join("\n"));
}
