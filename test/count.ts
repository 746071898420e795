// A node:test reporter that writes how many tests passed and failed, for the runner to sum.
import type { TestEvent } from "node:test/reporters";

export default async function* count(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  for await (const event of events) {
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    if (event.data.details.type === "suite" || event.data.skip) continue;
    if (event.type === "test:pass") passed += 1;
    else failed += 1;
  }
  yield JSON.stringify({ passed, failed });
}
