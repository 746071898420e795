// The tools for waiting and joining.
import assert from "node:assert/strict";
import { test } from "node:test";
import { joining } from "../../../src/lib/task.ts";

test("those who come while one is under way share its answer, a failure included; later ones start anew", async () => {
  const asked: string[] = [];
  const answers: ((yes: boolean) => void)[] = [];
  const ask = joining(
    (who: string) =>
      new Promise<boolean>((resolve, reject) => {
        asked.push(who);
        answers.push((yes) => (yes ? resolve(true) : reject(new Error("no"))));
      }),
  );
  const both = Promise.allSettled([ask("first"), ask("second")]);
  answers[0]?.(false);
  assert.deepEqual(
    (await both).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  const again = ask("third");
  answers[1]?.(true);
  assert.equal(await again, true);
  assert.deepEqual(asked, ["first", "third"]);
});
