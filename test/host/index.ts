// Runs inside the extension host of a real editor: collects the tests beside it and writes what came of them.
import { writeFile } from "node:fs/promises";

export async function run(): Promise<void> {
  // Mocha is not bundled: it finds its own files by path.
  const { default: Mocha } = await import("mocha");
  const mocha = new Mocha({ ui: "bdd", timeout: 30_000, color: false });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  await import("./activation.host.ts");
  await import("./commands.host.ts");
  await import("./rows.host.ts");
  const failures: { title: string; message: string }[] = [];
  let passed = 0;
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("pass", () => {
        passed += 1;
      })
      .on("fail", (test, error: Error) =>
        failures.push({ title: test.fullTitle(), message: error.stack ?? error.message }),
      );
  });
  const report = { passed, failed: failures.length, failures };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(report));
  if (failures.length > 0) throw new Error(failures.map(({ title, message }) => `${title}: ${message}`).join("\n"));
}
