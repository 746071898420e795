// The line between a page and its host: whatever a page sends, every question gets a value or a failure, and nothing else happens.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { AppError } from "../../../../src/domain/base/error.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { Told } from "../../../../src/protocol/messages.ts";
import { answerPage } from "../../../../src/ui/kit/page-line.ts";

const contract = {
  double: { question: z.number(), answer: z.number() },
  fail: { question: z.null(), answer: z.null() },
} as const;

/** The host's end with nothing but a pipe on its other side. Values travel as they do in the editor: as JSON. */
function line() {
  const told: Told[] = [];
  const calls: unknown[] = [];
  let hear: (message: unknown) => unknown = () => undefined;
  answerPage({
    webview: {
      postMessage: async (message: unknown) => {
        told.push(Told.parse(JSON.parse(JSON.stringify(message))));
        return true;
      },
      onDidReceiveMessage: (listener: (message: unknown) => unknown) => {
        hear = listener;
        return { dispose: () => {} };
      },
    },
    contract,
    answers: {
      double: async (question) => {
        calls.push(question);
        return question * 2;
      },
      fail: async () => {
        throw new AppError("rejected", "No.", { fields: { tag: "No." } });
      },
    },
    fieldOf: ({ facts }) => Object.keys(facts.fields ?? {})[0],
    log: silentLog,
  });
  return { told, calls, send: async (message: unknown) => await hear(message) };
}

test("a question is answered with its value, a failure with its sentence and field", async () => {
  const { told, send } = line();
  await send({ id: 1, ask: "double", question: 21 });
  await send({ id: 2, ask: "fail", question: null });
  assert.deepEqual(told, [
    { answer: 1, value: 42 },
    { answer: 2, failed: "No.", field: "tag" },
  ]);
});

test("a question of the wrong shape or of no contract is refused and reaches nobody", async () => {
  const { told, calls, send } = line();
  for (const [at, ask] of ["double", "toString", "__proto__", "constructor", "other"].entries())
    await send({ id: at + 1, ask, question: "x" });
  assert.deepEqual(
    told.map((one) => "failed" in one),
    [true, true, true, true, true],
  );
  assert.deepEqual(calls, []);
});

test("what is no question is passed over, whatever it is", async () => {
  const { told, calls, send } = line();
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (message) => {
      await send(message);
    }),
    { numRuns: 500 },
  );
  await send({ id: 1, ask: "double", question: 1, more: "executeCommand" });
  assert.deepEqual([told, calls], [[], []]);
});
