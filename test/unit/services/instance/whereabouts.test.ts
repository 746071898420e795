// How much proof there is that an instance is gone, after every order of answers and lists.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import type { InstanceId } from "../../../../src/domain/base/id.ts";
import type { SignedIn } from "../../../../src/services/core/session.ts";
import { Whereabouts } from "../../../../src/services/instance/whereabouts.ts";

const ID = 7 as InstanceId;
const ROW = { value: { id: ID }, raw: {} };

/** `answer` is what the service says of the instance, and `list` whether its list has it. */
function stage() {
  let now = 0;
  const says = { answer: true as boolean | "fails", list: true as boolean | "gaps" | "fails" | "none" };
  const toAccount = () => {
    const getInstance = async () => {
      if (says.answer === "fails") throw new AppError("offline", "offline");
      return says.answer ? ROW : undefined;
    };
    return { kind: "signed-in", client: { getInstance } } as unknown as SignedIn;
  };
  const account = toAccount();
  const asked: number[] = [];
  const list = async (session: SignedIn, { since } = { since: 0 }) => {
    asked.push(since);
    if (says.list === "none") throw new AppError("unsupported", "no list");
    if (says.list === "fails") throw new AppError("offline", "offline");
    const rows = says.list === true ? [ROW] : [];
    return { session, rows, complete: says.list !== "gaps" };
  };
  const whereabouts = new Whereabouts(list, {
    elapsed: () => now,
    sleep: async (ms) => {
      now += ms;
      for (const happen of meanwhile) happen();
    },
  });
  /** Happens while the second answer is waited for. */
  const meanwhile: (() => void)[] = [];
  const proofs = async (of = account) => ({
    twice: whereabouts.wasMissedTwice(of, ID),
    forLong: whereabouts.wasMissedForLong(of, ID),
    gone: await whereabouts.isGone(of, ID).catch(() => "fails"),
  });
  const ask = async (answer: typeof says.answer, seconds = 0) => {
    now += seconds * 1000;
    says.answer = answer;
    return await whereabouts.find(account, ID);
  };
  return { whereabouts, account, toAccount, says, proofs, ask, list, asked, meanwhile };
}

describe("after answers of the service", () => {
  type Answer = readonly [answer: boolean | "fails", seconds?: number];
  const NOTHING = { twice: false, forLong: false, gone: false };
  const TWICE = { twice: true, forLong: false, gone: false };
  const GONE = { twice: true, forLong: true, gone: true };
  const STORIES: readonly [title: string, answers: readonly Answer[], proof: typeof NOTHING][] = [
    ["nothing was asked", [], NOTHING],
    ["it is there", [[true]], NOTHING],
    ["one lacks it", [[false]], NOTHING],
    ["two of one moment lack it", [[false], [false]], TWICE],
    ["two lack it, and are 49 s apart", [[false], [false, 49]], TWICE],
    ["two lack it, and are 50 s apart", [[false], [false, 50]], GONE],
    ["many lack it, over a minute in all", [[false], [false, 20], [false, 20], [false, 20]], GONE],
    ["one lacks it, and nobody could ask later", [[false], ["fails", 90]], NOTHING],
    ["a failure lies between two that lack it", [[false], ["fails", 30], [false, 30]], GONE],
    ["it came back in between", [[false], [true, 40], [false, 40]], NOTHING],
    ["it came back in the end", [[false], [false, 90], [true, 1]], NOTHING],
  ];
  for (const [title, answers, proof] of STORIES)
    test(title, async () => {
      const { ask, says, proofs } = stage();
      says.list = false;
      for (const answer of answers) await ask(...answer);
      assert.deepEqual(await proofs(), proof);
    });
});

test("what is found says what the service said, and how often", async () => {
  const { ask } = stage();
  assert.deepEqual(await ask(true), { kind: "there", row: ROW });
  assert.deepEqual(await ask(false), { kind: "missing", times: 1, span: 0 });
  assert.deepEqual(await ask("fails", 10), { kind: "unknown" });
  assert.deepEqual(await ask(false, 10), { kind: "missing", times: 2, span: 20_000 });
});

describe("two answers that are far enough apart, and", () => {
  for (const [list, gone] of [
    [true, false],
    ["gaps", false],
    ["fails", "fails"],
    [false, true],
    ["none", true],
  ] as const)
    test(`a list that ${list === true ? "has it" : String(list)}: ${gone}`, async () => {
      const { ask, says, proofs } = stage();
      says.list = list;
      for (const seconds of [0, 60]) await ask(false, seconds);
      assert.equal((await proofs()).gone, gone);
    });
});

describe("for what must come to an end", () => {
  type Told = readonly [answers: readonly number[], list: boolean | "gaps" | "fails" | "none", isMissing: boolean];
  const STORIES: readonly Told[] = [
    [[], false, false],
    [[0], false, true],
    [[0], true, false],
    [[0], "gaps", false],
    [[0], "fails", false],
    [[0], "none", false],
    [[0, 60], "gaps", true],
    [[0, 60], "fails", true],
    [[0, 60], "none", true],
    [[0, 20], "fails", false],
  ];
  for (const [answers, list, isMissing] of STORIES)
    test(`${answers.length} answers lack it at ${answers.join(" and ")} s, and the list: ${list}`, async () => {
      const { ask, says, whereabouts, account } = stage();
      says.list = list;
      for (const seconds of answers) await ask(false, seconds);
      assert.equal(await whereabouts.isMissing(account, ID), isMissing);
    });
});

test("the list must have begun after the last answer", async () => {
  const { ask, proofs, asked } = stage();
  for (const seconds of [10, 60]) await ask(false, seconds);
  await proofs();
  assert.deepEqual(asked, [70_000]);
});

test("a list that has it takes back what answers said", async () => {
  const { ask, says, proofs, whereabouts, list, account } = stage();
  for (const seconds of [0, 60]) await ask(false, seconds);
  whereabouts.take(await list(account));
  says.list = false;
  assert.deepEqual(await proofs(), { twice: false, forLong: false, gone: false });
});

test("another account's instance of that number is another one", async () => {
  const { ask, says, proofs, toAccount } = stage();
  says.list = false;
  for (const seconds of [0, 60]) await ask(false, seconds);
  assert.deepEqual(await proofs(toAccount()), { twice: false, forLong: false, gone: false });
});

test("one that the service has destroyed is gone at once, but for a list that has it", async () => {
  const { whereabouts, account, proofs, says, list } = stage();
  says.list = false;
  whereabouts.noteGone(account, ID);
  assert.deepEqual(await proofs(), { twice: true, forLong: true, gone: true });
  says.list = true;
  whereabouts.take(await list(account));
  assert.deepEqual(await proofs(), { twice: false, forLong: false, gone: false });
});

test("that it is gone is confirmed by a second answer a minute later, and by a list after both", async () => {
  for (const [first, second, listed, isGone] of [
    [false, false, false, true],
    [true, true, true, false],
    [false, true, true, false],
    [false, false, true, false],
  ] as const) {
    const { whereabouts, account, says, meanwhile } = stage();
    says.answer = first;
    says.list = listed;
    meanwhile.push(() => {
      says.answer = second;
    });
    const never = new AbortController().signal;
    assert.equal(await whereabouts.confirmGone(account, ID, never), isGone, JSON.stringify([first, second, listed]));
  }
});
