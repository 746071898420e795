// The tools for waiting, joining and taking turns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { joining, takingTurns } from "../../../src/lib/task.ts";

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

test("what takes turns runs one after the other, whatever becomes of the one before", async () => {
  const inTurn = takingTurns();
  const seen: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string, fails = false) =>
    inTurn(async () => {
      seen.push(`${name} begins`);
      await new Promise<void>((resolve) => ends.push(resolve));
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const all = Promise.allSettled([work("first", true), work("second")]);
  await new Promise(setImmediate);
  assert.deepEqual(seen, ["first begins"]);
  ends[0]?.();
  await new Promise(setImmediate);
  ends[1]?.();
  const [first, second] = await all;
  assert.deepEqual(seen, ["first begins", "first ends", "second begins", "second ends"]);
  assert.equal(first.status, "rejected");
  assert.deepEqual(second, { status: "fulfilled", value: "second" });
});
