// `npm run mutate [-- group …]`: changes the code that spends money in every small way, one change at a time, runs the
// tests that reach it, and says how many changes they noticed and which they didn't.
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { schema } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { type Group, groups } from "./groups.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const REPORTS = "dist/mutation";
/** Percent of the changes that a test must notice. */
const GOAL = 85;

/** A test that waits for what a change keeps from happening ends after half a minute. */
const NODE = ["--require", "{{hookFile}}", "--test-reporter=tap", "--test-timeout=30000", "--test-force-exit"];

async function run(name: string, { mutate, tests }: Group): Promise<schema.MutationTestResult> {
  const report = join(REPORTS, `${name}.json`);
  await new Stryker({
    testRunner: "tap",
    plugins: ["@stryker-mutator/tap-runner"],
    coverageAnalysis: "perTest",
    mutate: [...mutate],
    tap: { testFiles: [...tests], nodeArgs: [...NODE, "{{testFile}}"] },
    ignorePatterns: ["/*", "!/src", "!/test", "!/package.json"],
    // Strings are names from closed lists, which the compiler holds, or sentences, which `test/unit/guards` holds.
    mutator: { excludedMutations: ["StringLiteral"] },
    disableTypeChecks: false,
    // Journeys wait more than they compute.
    concurrency: 6,
    // Only for what never ends: a slow machine must not pass for a test that noticed something.
    timeoutMS: 60_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 15,
    tempDirName: join(REPORTS, "work"),
    reporters: ["json", "html", "progress-append-only"],
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: join(REPORTS, `${name}.html`) },
    allowConsoleColors: false,
  }).runMutationTest();
  return JSON.parse(await readFile(report, "utf8"));
}

const UNNOTICED = new Set(["Survived", "NoCoverage"]);
const COUNTED = new Set(["Killed", "Timeout", ...UNNOTICED]);

interface Score {
  readonly noticed: number;
  readonly counted: number;
}

/** Prints what no test noticed and the score of each file. */
function tell(result: schema.MutationTestResult): Score {
  const sum = { noticed: 0, counted: 0 };
  for (const [file, { mutants, source }] of Object.entries(result.files)) {
    const counted = mutants.filter(({ status }) => COUNTED.has(status));
    const unnoticed = counted.filter(({ status }) => UNNOTICED.has(status));
    const noticed = counted.length - unnoticed.length;
    console.log(`\n${file}: ${percent({ noticed, counted: counted.length })}, ${noticed} of ${counted.length}`);
    for (const { location, mutatorName, replacement = "" } of unnoticed) {
      const line = source.split("\n")[location.start.line - 1]?.trim();
      console.log(
        `  ${location.start.line} ${mutatorName}: ${line} → ${replacement.replace(/\s+/g, " ").slice(0, 120)}`,
      );
    }
    sum.noticed += noticed;
    sum.counted += counted.length;
  }
  return sum;
}

const percent = ({ noticed, counted }: Score) => `${((noticed / Math.max(1, counted)) * 100).toFixed(1)} %`;

process.chdir(ROOT);
// What a run that was stopped left behind.
await rm(join(REPORTS, "work"), { recursive: true, force: true });
await mkdir(REPORTS, { recursive: true });
// Each change starts processes that compile the same files.
process.env.NODE_COMPILE_CACHE = join(ROOT, REPORTS, "compiled");
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in groups));
if (unknown.length > 0) {
  console.error(`No group ${unknown.join(", ")}. There are: ${Object.keys(groups).join(", ")}.`);
  process.exit(2);
}
const started = performance.now();
const total = { noticed: 0, counted: 0 };
for (const [name, group] of Object.entries(groups)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n── ${name}`);
  const { noticed, counted } = tell(await run(name, group));
  total.noticed += noticed;
  total.counted += counted;
}
const minutes = ((performance.now() - started) / 60_000).toFixed(0);
console.log(`\n${percent(total)} of ${total.counted} changes were noticed; the goal is ${GOAL} %. ${minutes} min`);
process.exitCode = total.noticed * 100 < total.counted * GOAL ? 1 : 0;
