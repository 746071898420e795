// Runs the suites, all or those named, one after the other, and sums what they report in one closing line.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { runInEditor } from "./editor/host-tests.ts";

const ROOT = resolve(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
/** Programs that are not installed here but come with the machine. */
const OUTSIDE: Readonly<Record<string, string>> = { node: process.execPath, npm: "npm" };

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** Milliseconds. A program that hangs is ended and has failed; what comes after it still runs. */
const LIMIT_MS = 20 * 60_000;

function program(name: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(OUTSIDE[name] ?? join(BIN, name), args, {
      cwd: ROOT,
      // Each test file is a process of its own, and most of what it loads was loaded by the one before.
      env: { NODE_COMPILE_CACHE: join(ROOT, "dist", "test", "compiled"), ...process.env },
      stdio: ["ignore", "inherit", "inherit"],
      shell: process.platform === "win32",
      timeout: LIMIT_MS,
    });
    child.on("error", (error) => {
      console.error(error.message);
      done(1);
    });
    child.on("exit", (code) => done(code ?? 1));
  });
}

/** A program that either succeeds or does not counts as one test. */
async function one(name: string, ...args: readonly string[]): Promise<Count> {
  return (await program(name, args)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Test files under Node's own runner, so many `at` a time, beginning with those named. */
async function files(folder: string, { at, first = [] }: { at: number; first?: readonly string[] }): Promise<Count> {
  const report = join(ROOT, "dist", "test", `${folder}.json`);
  await mkdir(join(ROOT, "dist", "test"), { recursive: true });
  await rm(report, { force: true });
  const code = await program("node", ["test/in-turn.ts", folder, String(at), report, ...first]);
  const count: Count = JSON.parse(await readFile(report, "utf8").catch(() => '{"passed":0,"failed":0}'));
  if (count.passed + count.failed === 0) return { passed: 0, failed: 1 };
  // A file that dies outside a test fails the run without failing a test.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

/** The tests inside the extension host of a real editor, in a folder of their own. */
async function host(): Promise<Count> {
  await build({
    entryPoints: [join(ROOT, "test/host/index.ts")],
    outfile: join(ROOT, "dist/test/host.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode", "mocha"],
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
    for (const { title, message } of report.failures) console.error(`✖ ${title}\n  ${message}`);
    return report;
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const suites: Readonly<Record<string, () => Promise<Count>>> = {
  types: async () => {
    const [ours, pages] = [await one("tsc", "-p", "."), await one("tsc", "-p", "src/webview")];
    return { passed: ours.passed + pages.passed, failed: ours.failed + pages.failed };
  },
  lint: () => one("biome", "check", "--error-on-warnings"),
  unit: () => files("unit", { at: 2 }),
  contract: () => files("contract", { at: 2 }),
  journeys: () => files("journeys", { at: 4 }),
  model: () => files("model", { at: 2 }),
  package: async () => {
    const built = await one("npm", "run", "--silent", "package");
    return built.failed > 0 ? built : files("package", { at: 2 });
  },
  host,
  // A person waits more than the machine does.
  person: () =>
    files("person", {
      at: 4,
      first: ["template-editor", "host", "lost-answer", "account-behind-modal", "instance", "template-versions"],
    }),
  hostile: () => files("hostile", { at: 1 }),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`No suite ${unknown.join(", ")}. There are: ${Object.keys(suites).join(", ")}.`);
  process.exit(2);
}

const sum = { passed: 0, failed: 0 };
const rows: string[] = [];
for (const [name, suite] of Object.entries(suites)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n── ${name}`);
  const started = performance.now();
  const count = await suite();
  sum.passed += count.passed;
  sum.failed += count.failed;
  rows.push(
    `${name.padEnd(9)} ${String(count.passed).padStart(5)} passed ${String(count.failed).padStart(3)} failed  ${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`,
  );
}
console.log(`\n${rows.join("\n")}\n\n${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;
