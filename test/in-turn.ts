// Runs a suite's test files under Node's own runner, the longest first: it takes them by their names otherwise, and a long one
// that begins last is waited for alone. `node test/in-turn.ts pattern at report [file…]`; none at a time are all in one process.
import { createWriteStream, globSync } from "node:fs";
import { basename, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import count from "./count.ts";

const [pattern = "", at = "1", report = "", ...first] = process.argv.slice(2);

/** Its place among those that begin first; the others follow by name. */
function turn(file: string): number {
  const found = first.indexOf(basename(file, ".test.ts"));
  return found < 0 ? first.length : found;
}

const files = globSync(`test/${pattern}.test.ts`).sort((a, b) => turn(a) - turn(b) || a.localeCompare(b));
const events = run({
  files: files.map((file) => resolve(file)),
  ...(at === "0" ? { isolation: "none" } : { concurrency: Number(at) }),
  // Times are for what hangs, not for what is slow: a test, and a file that doesn't end after its tests. With
  // `--test-force-exit` the last of a file's results may be lost on the way here.
  execArgv: ["--test-timeout=600000"],
  timeout: 900_000,
});
events.on("test:fail", () => {
  process.exitCode = 1;
});
events.compose(new spec()).pipe(process.stdout);
events.compose(count).pipe(createWriteStream(report));
