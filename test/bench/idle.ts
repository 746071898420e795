// What a window costs whose person is signed out: CPU of its extension host in the first ten seconds, beside an empty extension.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { runInEditor } from "../editor/host-tests.ts";
import { bareExtension, median, type Row } from "./measure.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ROUNDS = 5;

/** Milliseconds of CPU. */
async function sample(extensionPath: string): Promise<number> {
  const reportFile = join(ROOT, "dist/test/bench-idle.json");
  await runInEditor({ extensionPath, testsPath: join(ROOT, "dist/test/bench-idle.cjs"), reportFile });
  return (JSON.parse(await readFile(reportFile, "utf8")) as { cpu: number }).cpu;
}

export async function idle(): Promise<Row[]> {
  await build({
    entryPoints: [join(ROOT, "test/bench/idle-inside.ts")],
    outfile: join(ROOT, "dist/test/bench-idle.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "warning",
  });
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-"));
  try {
    const empty = await bareExtension(folder, "empty");
    const [ours, nothing]: [number[], number[]] = [[], []];
    // In turns, so that a slow minute of the machine falls on both.
    for (let round = 0; round < ROUNDS; round += 1) {
      nothing.push(await sample(empty));
      ours.push(await sample(ROOT));
    }
    const more = median(ours) - median(nothing);
    return [
      { what: "CPU of a signed-out window in 10 s, beside an empty extension", value: more, unit: "ms", goal: 10 },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
