// A node:test reporter that writes how many tests passed and failed, and why, for the runner to sum.
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

function describeFailure({ file, name, details }: Extract<TestEvent, { type: "test:fail" }>["data"]): Failure {
  const cause = details.error.cause;
  const said = cause instanceof Error ? cause.message : String(cause ?? details.error.message);
  const place = findTestFile(details.error) ?? file;
  return {
    ...(place?.endsWith(".test.ts") ? { file: place } : {}),
    said: `${basename(place ?? "")}: ${name}\n${said.slice(0, MOST_SAID)}`,
  };
}

export default async function* count(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  const failures: Failure[] = [];
  for await (const event of events) {
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    if (event.data.details.type === "suite" || event.data.skip) continue;
    if (event.type === "test:pass") passed += 1;
    else failures.push(describeFailure(event.data));
  }
  yield JSON.stringify({ passed, failures });
}
