// The tools for waiting, joining, sharing and taking turns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitForAbort } from "../../../src/lib/clock.ts";
import { createQueue, joinCalls, Sharing } from "../../../src/lib/task.ts";

test("those who come while one is under way share its answer, a failure included; later ones start anew", async () => {
  const asked: string[] = [];
  const answers: ((yes: boolean) => void)[] = [];
  const ask = joinCalls(
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
  const inTurn = createQueue();
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

test("what is shared is given up once all have left, and who comes then begins anew", async () => {
  const sharing = new Sharing<string>();
  const given: AbortSignal[] = [];
  const join = (signal: AbortSignal) =>
    sharing.join("one", signal, async (shared) => {
      given.push(shared);
      return await waitForAbort(shared);
    });
  const people = [new AbortController(), new AbortController()];
  const both = Promise.allSettled(people.map(({ signal }) => join(signal)));
  people[0]?.abort("first");
  assert.deepEqual([given.length, given[0]?.aborted], [1, false]);
  people[1]?.abort("second");
  assert.equal(given[0]?.aborted, true);
  const later = Promise.allSettled([join(new AbortController().signal)]);
  assert.equal(given.length, 2);
  sharing.giveUpAll();
  const reasons = [...(await both), ...(await later)].map((end) => end.status === "rejected" && end.reason);
  assert.deepEqual(reasons.slice(0, 2), ["first", "second"]);
  assert.equal(reasons[2]?.name, "AbortError");
});
