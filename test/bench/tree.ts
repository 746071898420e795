// A search of 10,000 templates shown, to the editor's own floor for as many rows.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { runInEditor } from "../editor/host-tests.ts";
import { bareExtension, type Row } from "./measure.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export async function tree(): Promise<Row[]> {
  const outfile = join(ROOT, "dist/test/bench-tree.cjs");
  await build({
    entryPoints: [join(ROOT, "test/bench/tree-inside.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
    logLevel: "warning",
  });
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-"));
  const reportFile = join(ROOT, "dist/test/bench-tree.json");
  const views = ["floor", "ours"].map((name) => ({ id: `bench.${name}`, name }));
  try {
    await runInEditor({
      extensionPath: await bareExtension(folder, "views", { views: { explorer: views } }),
      testsPath: outfile,
      reportFile,
    });
    const took = JSON.parse(await readFile(reportFile, "utf8")) as Record<
      "floor" | "ours" | "staleFloor" | "stale",
      number
    >;
    return [
      { what: "10,000 templates found, to bare rows", value: took.ours / took.floor, unit: "×", goal: 1.3 },
      { what: "10,000 templates greyed, to bare rows", value: took.stale / took.staleFloor, unit: "×", goal: 1.3 },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
