// A search of 10,000 templates shown, to the editor's own floor for as many rows.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { runInEditor } from "../editor/host-tests.ts";
import type { Row } from "./measure.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** An extension that brings two empty views and does nothing. */
async function twoViews(folder: string): Promise<string> {
  const path = join(folder, "views");
  await mkdir(path);
  const views = ["floor", "ours"].map((name) => ({ id: `bench.${name}`, name }));
  const manifest = {
    name: "views",
    publisher: "bench",
    version: "0.0.1",
    engines: { vscode: "^1.106.0" },
    main: "./main.cjs",
    extensionKind: ["ui", "workspace"],
    contributes: { views: { explorer: views } },
  };
  await writeFile(join(path, "package.json"), JSON.stringify(manifest));
  await writeFile(join(path, "main.cjs"), "exports.activate = () => {};\n");
  return path;
}

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
  try {
    await runInEditor({ extensionPath: await twoViews(folder), testsPath: outfile, reportFile });
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
