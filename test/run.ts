// Runs the suites, all or those named, and sums what they report in one closing line.
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";
import type { Failure } from "./count.ts";
import { runInEditor } from "./editor/host-tests.ts";

const ROOT = resolve(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
/** Programs that aren't installed here but come with the machine. */
const OUTSIDE: Readonly<Record<string, string>> = { node: process.execPath, npm: "npm" };

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** What each failed test says, as far as it is known. */
  readonly failures?: readonly Failure[];
}

/** Milliseconds. A program that hangs is ended and has failed; what comes after it still runs. It is no limit for what is slow. */
const LIMIT_MS = 45 * 60_000;

/** What a suite prints while another one has the screen; it is shown when the suite is over. */
const kept = new AsyncLocalStorage<string[]>();

function program(name: string, args: readonly string[]): Promise<number> {
  const aside = kept.getStore();
  return new Promise((done) => {
    const child = spawn(OUTSIDE[name] ?? join(BIN, name), args, {
      cwd: ROOT,
      // Each test file is a process of its own, and most of what it loads was loaded by the one before.
      env: { NODE_COMPILE_CACHE: join(ROOT, "dist", "test", "compiled"), ...process.env },
      stdio: aside ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
      shell: process.platform === "win32",
      timeout: LIMIT_MS,
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => aside?.push(String(chunk)));
    child.on("error", (error) => {
      console.error(error.message);
      done(1);
    });
    child.on("close", (code) => done(code ?? 1));
  });
}

/** A program that either succeeds or doesn't counts as one test. */
async function one(name: string, ...args: readonly string[]): Promise<Count> {
  return (await program(name, args)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** What was found before need not be found again. */
const typed = (project: string, notes: string) =>
  one("tsc", "-p", project, "--incremental", "--tsBuildInfoFile", `dist/test/${notes}.tsbuildinfo`);

/** What measures the processor's turns for long has a process whose memory is its own; the other guards share a compiler. */
const unit = async () => {
  const rooms = ["!(guards)/**/*", "guards/!(machine-output)", "guards/machine-output"];
  return addUp(await Promise.all(rooms.map((room) => files(`unit/${room}`, { at: 0 }))));
};

function addUp(all: readonly Count[]): Count {
  const total = (number: (one: Count) => number) => all.reduce((sum, one) => sum + number(one), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failed }) => failed),
    failures: all.flatMap(({ failures = [] }) => failures),
  };
}

let reports = 0;

/**
 * The test files of a pattern under Node's own runner, beginning with those named. They are played so many `at` a time, each in a process
 * of its own, or at 0 in one process, where most of what they load is loaded once.
 */
async function files(pattern: string, { at, first = [] }: { at: number; first?: readonly string[] }): Promise<Count> {
  reports += 1;
  const report = join(ROOT, "dist", "test", `report-${process.pid}-${reports}.json`);
  await mkdir(join(ROOT, "dist", "test"), { recursive: true });
  const code = await program("node", ["test/in-turn.ts", pattern, String(at), report, ...first]);
  const told = await readFile(report, "utf8").catch(() => "");
  await rm(report, { force: true });
  // A run that died has told nothing, or has left its report empty.
  const { passed, failures }: { passed: number; failures: readonly Failure[] } = JSON.parse(
    told || '{"passed":0,"failures":[{"said":"the run died before its end; see what it printed last"}]}',
  );
  // A file that dies outside a test fails the run without failing a test; one that finds no test has failed as well.
  const isBad = code !== 0 || passed === 0;
  return { passed, failed: failures.length || Number(isBad), failures };
}

/** The tests inside the extension host of a real editor, in a folder of their own. */
async function host(): Promise<Count> {
  await build({
    entryPoints: [join(ROOT, "test/host/index.ts")],
    outfile: join(ROOT, "dist/test/host.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    // Mocha finds its own files by path; the others are native parts of the sandbox's SSH library, which does without them.
    external: ["vscode", "mocha", "cpu-features", "*.node"],
    logLevel: "warning",
  });
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-folder-"));
  try {
    await writeFile(join(folder, "train.py"), "print('hello')\n");
    const report = await runInEditor({
      extensionPath: ROOT,
      testsPath: join(ROOT, "dist/test/host.cjs"),
      folder,
      reportFile: join(ROOT, "dist/test/host.json"),
    });
    const failures = report.failures.map(({ title, message }) => ({ said: `${title}\n${message}` }));
    for (const { said } of failures) console.error(`✖ ${said}`);
    return { ...report, failures };
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1, failures: [{ said: String(error) }] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files of journeys that wait most: begun first, they leave the processor to the others. Their clocks run fast, so none shares a process. */
const WAITING_JOURNEYS = [
  ...["price-watch", "rented-runs", "self-stop-script", "group-jobs", "idle-orders", "idle", "self-stop-asked"],
  ...["run-limits", "launch", "ports", "order-windows", "transfers", "accounts", "documented-only"],
];

/** Walks that wait for minutes that the editor counts: they leave the processor to others. */
const WAITING_WALKS = "price-watch|idle|auto-stops|two-editors";
/** The longest of the others. */
const LONG_WALKS = [
  ...["offers", "template-editor", "host", "runs", "account-switch"],
  ...["account-behind-modal", "sign-in", "instance", "explorer", "configure"],
];

const suites: Readonly<Record<string, () => Promise<Count>>> = {
  types: async () => {
    return addUp([await typed(".", "types"), await typed("src/webview", "page-types")]);
  },
  lint: () => one("biome", "check", "--error-on-warnings"),
  unit,
  package: async () => {
    const built = await one("npm", "run", "--silent", "package");
    return built.failed > 0 ? built : files("package/**/*", { at: 2 });
  },
  // Those that wait most begin first.
  contract: () => files("contract/**/*", { at: 2, first: ["sandbox-ssh", "fuzz"] }),
  journeys: () => files("journeys/**/*", { at: 4, first: WAITING_JOURNEYS }),
  model: () => files("model/**/*", { at: 2 }),
  host,
  waiting: () => files(`person/**/@(${WAITING_WALKS})`, { at: 3 }),
  person: () => files(`person/**/!(${WAITING_WALKS})`, { at: 5, first: LONG_WALKS }),
  hostile: () => files("hostile/**/*", { at: 1 }),
};

/**
 * What runs at the same time: lanes of suites that follow each other. The hostile walk mostly waits, as its service is asked
 * no faster than a public one, and so do the waiting walks. Models come after journeys, never beside them: the time of both runs fast, and
 * a busy machine outruns it.
 */
const BESIDE: readonly (readonly (readonly string[])[])[] = [
  [["unit"], ["types", "lint"], ["package"]],
  [
    ["contract", "journeys", "model"],
    ["hostile", "waiting", "host"],
  ],
];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`No suite ${unknown.join(", ")}. There are: ${Object.keys(suites).join(", ")}.`);
  process.exit(2);
}

const rows: string[] = [];
const counts: (Count & { readonly name: string })[] = [];

async function runSuite(name: string, suite: () => Promise<Count>): Promise<void> {
  const started = performance.now();
  const { passed, failed, failures = [] } = await suite();
  counts.push({ name, passed, failed, failures });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  rows.push(
    `${name.padEnd(9)} ${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed  ${seconds.padStart(6)} s`,
  );
}

/** The first lane has the screen; what the others print follows it. */
async function runTogether([first = [], ...others]: readonly (readonly string[])[]): Promise<void> {
  const texts = others.flat().map((name) => ({ name, text: [] as string[] }));
  const runAside = async (lane: readonly string[]) => {
    for (const name of lane) await kept.run(texts.find((one) => one.name === name)?.text ?? [], () => runNamed(name));
  };
  const aside = others.map(runAside);
  for (const name of first) {
    console.log(`\n── ${name}`);
    await runNamed(name);
  }
  await Promise.all(aside);
  for (const { name, text } of texts) console.log(`\n── ${name}\n${text.join("")}`);
}

const runNamed = (name: string) => runSuite(name, suites[name] ?? (async () => ({ passed: 0, failed: 1 })));

const wanted = new Set(named.length > 0 ? named : Object.keys(suites));
for (const name of wanted) {
  const lanes = BESIDE.find((all) => all.flat().includes(name)) ?? [[name]];
  const together = lanes.map((lane) => lane.filter((one) => wanted.has(one)));
  for (const one of together.flat()) wanted.delete(one);
  await runTogether(together);
}

/**
 * A walk shares the processor with all else that runs. Where `CLOUD_GPU_AGAIN` is set, as in continuous integration, a file of walks that
 * failed is played once more, alone, and its failures count if it fails again.
 */
async function playAgain(count: (typeof counts)[number]): Promise<Count> {
  const played = (count.failures ?? []).flatMap(({ file }) => file ?? []);
  if (count.failed !== played.length || process.env.CLOUD_GPU_AGAIN === undefined) return count;
  let left: readonly Failure[] = count.failures ?? [];
  for (const path of new Set(played)) {
    const file = relative(join(ROOT, "test"), path).replaceAll("\\", "/");
    console.log(`\nagain: ${file}`);
    const { failed } = await files(file.replace(/\.test\.ts$/, ""), { at: 1 });
    if (failed === 0) left = left.filter((failure) => failure.file !== path);
  }
  return { passed: count.passed + count.failed - left.length, failed: left.length, failures: left };
}

const WALKS = ["person", "waiting"];
const last: Count[] = [];
for (const count of counts) {
  const { failures = [], ...now } = WALKS.includes(count.name) ? await playAgain(count) : count;
  last.push({ ...now, failures: failures.map(({ said }) => ({ said: `✖ ${count.name}: ${said}` })) });
}
const { passed, failed, failures = [] } = addUp(last);
// Once more at the end, where whoever sees only that looks.
if (failures.length > 0) console.log(`\n${failures.map(({ said }) => said).join("\n")}`);
console.log(`\n${rows.join("\n")}\n\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
