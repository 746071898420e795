// The tests that no story breaks a promise, also on a busy machine.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Breakage } from "./life.ts";
import { type Options, playMany } from "./many.ts";

/** One story of a hundred, and two of any: a defect that only shows beside others shows more often than that. */
const mostDoubtful = (count: number) => Math.max(2, count / 100);

export async function assertKept<B extends Breakage>(
  context: TestContext,
  options: Pick<Options<B>, "count" | "seeds" | "story" | "atATime">,
) {
  const { launches, violations, doubtful } = await playMany({ ...options, again: 3 });
  for (const violation of doubtful) context.diagnostic(`not when it was played alone: ${violation}`);
  assert.deepEqual(violations, []);
  assert.ok(doubtful.length <= mostDoubtful(options.count), doubtful.join("\n"));
  assert.equal(launches, options.count + (options.seeds?.length ?? 0));
}
