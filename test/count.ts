// Writes how many tests passed and failed, and why, for the runner to sum.
import { basename } from "node:path";
import type { TestEvent } from "node:test/reporters";

/** Characters of an error: its message may hold what was on a screen. */
const MOST_SAID = 2000;

export interface Failure {
  /** The test's file, as far as it is known. */
  readonly file?: string;
  /** Its file, its name, and its error. */
  readonly said: string;
}

/** A step is declared by a helper, so its file is where its error passed through. */
function findTestFile(error: Error): string | undefined {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const [, path] = /(?:file:\/\/)?(\/[^\s():]*\.test\.ts)/.exec(one.stack ?? "") ?? [];
    if (path !== undefined) return path;
  }
  return undefined;
}

function describeError(error: Error, name: string, file?: string): Failure {
  const cause = error.cause;
  const said = cause instanceof Error ? cause.message : String(cause ?? error.message);
  const place = findTestFile(error) ?? file;
  return {
    ...(place?.endsWith(".test.ts") ? { file: place } : {}),
    said: `${basename(place ?? "")}: ${name}\n${said.slice(0, MOST_SAID)}`,
  };
}

/** What was thrown outside tests, as `findStray` says once they are over, has failed as well. */
export const createCount = (findStray: () => Promise<readonly Error[]>) =>
  async function* count(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
    let passed = 0;
    const failures: Failure[] = [];
    const told = new Set<string>();
    for await (const event of events) {
      if (event.type !== "test:pass" && event.type !== "test:fail") continue;
      if (event.data.details.type === "suite" || event.data.skip) continue;
      if (event.type === "test:pass") {
        passed += 1;
        continue;
      }
      const { name, file, details } = event.data;
      if (details.error.cause instanceof Error) told.add(details.error.cause.message);
      failures.push(describeError(details.error, name, file));
    }
    const stray = (await findStray()).filter((error) => !told.has(error.message));
    failures.push(...stray.map((error) => describeError(error, "outside its tests")));
    yield JSON.stringify({ passed, failures });
  };
