// Runs a suite's test files under Node's own runner, the longest first: it takes them by their names otherwise, and a long one
// that begins last is waited for alone. `node test/in-turn.ts pattern at report [file…]`; none at a time are all in
// this process.
import { createWriteStream, globSync } from "node:fs";
import { basename, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { createCount } from "./count.ts";

const [pattern = "", at = "1", report = "", ...first] = process.argv.slice(2);

/** Its place among those that begin first; the others follow by name. */
function turn(file: string): number {
  const found = first.indexOf(basename(file, ".test.ts"));
  return found < 0 ? first.length : found;
}

const isShared = at === "0";
const files = globSync(`test/${pattern}.test.ts`).sort((a, b) => turn(a) - turn(b) || a.localeCompare(b));
/** Milliseconds. Times are for what hangs, not for what is slow: a test, and a process that doesn't end after its tests. */
const [MOST_OF_TEST, MOST_OF_FILE] = [600_000, 900_000];
const paths = files.map((file) => resolve(file));
const events = run({
  files: paths,
  ...(isShared
    ? { isolation: "none", timeout: MOST_OF_TEST }
    : // With `--test-force-exit` the last of a file's results may be lost on the way here.
      { concurrency: Number(at), execArgv: [`--test-timeout=${MOST_OF_TEST}`], timeout: MOST_OF_FILE }),
});
events.on("test:fail", () => {
  process.exitCode = 1;
});

// Where files share a process, the runner lets it go on after what is thrown outside a test, and what one of them leaves open would keep it.
const stray: Error[] = [];
process.on("uncaughtExceptionMonitor", (error) => void stray.push(error));
process.on("unhandledRejection", (error) => void stray.push(error as Error));
async function findStray(): Promise<readonly Error[]> {
  if (!isShared) return stray;
  // A file that threw while it was loaded throws the same again.
  for (const path of paths) await import(path).catch((error: Error) => void stray.push(error));
  return stray;
}
const hung = setTimeout(() => {
  console.error(`It doesn't end: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(1);
}, MOST_OF_FILE).unref();
if (isShared) events.on("data", () => hung.refresh());
else clearTimeout(hung);

events.compose(new spec()).pipe(process.stdout);
events.compose(createCount(findStray)).pipe(createWriteStream(report));
