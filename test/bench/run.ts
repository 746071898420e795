// The benchmarks: ratios within one run, never absolute times, as a table and in dist/bench.json. Arguments: which to run.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { EXTENSION } from "../../src/ids.ts";
import { runInEditor } from "../editor/host-tests.ts";
import { calls } from "./calls.ts";
import { explorer } from "./explorer.ts";
import { groups } from "./groups.ts";
import { idle } from "./idle.ts";
import { login } from "./login.ts";
import { bareExtension, median, type Row } from "./measure.ts";
import { runs } from "./runs.ts";
import { search } from "./search.ts";
import { largeTransfers, transfers } from "./transfers.ts";
import { tree } from "./tree.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ROUNDS = 5;

interface Sample {
  readonly activate: number;
  readonly complete: number;
}

async function sample(subject: string, extensionPath: string): Promise<Sample> {
  const reportFile = join(ROOT, "dist/test/bench.json");
  await runInEditor({
    extensionPath,
    testsPath: join(ROOT, "dist/test/bench.cjs"),
    env: { CLOUD_GPU_BENCH_SUBJECT: subject },
    reportFile,
  });
  return JSON.parse(await readFile(reportFile, "utf8")) as Sample;
}

async function activation(): Promise<Row[]> {
  await build({
    entryPoints: [join(ROOT, "test/bench/activation.ts")],
    outfile: join(ROOT, "dist/test/bench.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
  });
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-"));
  try {
    const empty = await bareExtension(folder, "empty");
    const [ours, nothing]: [Sample[], Sample[]] = [[], []];
    // In turns, so that a slow minute of the machine falls on both.
    for (let round = 0; round < ROUNDS; round += 1) {
      nothing.push(await sample("bench.empty", empty));
      ours.push(await sample(EXTENSION, ROOT));
    }
    const floor = median(nothing.map(({ activate }) => activate));
    return [
      {
        what: "activation, to an empty extension's",
        value: median(ours.map(({ activate }) => activate)) / floor,
        unit: "×",
        goal: 2,
      },
      {
        what: "until complete (a person who is signed out looks), to the same",
        value: median(ours.map(({ complete }) => complete)) / floor,
        unit: "×",
        goal: Number.NaN,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function size(): Promise<Row[]> {
  const { size: bytes } = await stat(join(ROOT, "dist/cloud-gpu.vsix"));
  return [{ what: "VSIX", value: bytes / 1024, unit: "KB", goal: 732 }];
}

const benchmarks = {
  search,
  explorer,
  activation,
  idle,
  tree,
  login,
  transfers,
  large: largeTransfers,
  runs,
  groups,
  calls,
  size,
};
const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length === 0 || wanted.includes(name)) rows.push(...(await benchmark()));
}
await mkdir(join(ROOT, "dist"), { recursive: true });
await writeFile(join(ROOT, "dist/bench.json"), JSON.stringify(rows, null, 2));
for (const { what, value, unit, goal } of rows) {
  const aim = Number.isNaN(goal) ? "" : `goal ≤ ${goal} ${unit}`;
  console.log(`${what.padEnd(56)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(3)} ${aim}`);
}
