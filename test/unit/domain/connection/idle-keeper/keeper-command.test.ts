// What an instance shows of its idle timeout: what isn't exactly as its script writes it, or can't be, is nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InstanceId } from "../../../../../src/domain/base/id.ts";
import {
  buildPlaceKeeperCommand,
  buildReadKeeperCommand,
  readKeeperState,
} from "../../../../../src/domain/connection/idle-keeper/keeper-command.ts";
import {
  type IdleKeeperDoubt,
  judgeIdleKeeper,
  toIdleKeeperGuard,
} from "../../../../../src/domain/instance/idle-keeper.ts";

const NOW = 1_800_000_000_000;
const ORDER = { at: 1_799_999_000_000, name: `idl-${"0a".repeat(10)}` };
const SOUND = "idle-keeper 1 1799999000000-0a0a0a0a0a0a0a0a0a0a 4711 5000 4000 quiet yes 0 . yes 5120 no";
const change = (...changes: readonly (readonly [index: number, word: string])[]) => {
  const words = SOUND.split(" ");
  for (const [index, word] of changes) words[index] = word;
  return words.join(" ");
};

test("a sound answer tells when it looked, and for how long it was idle by then", () => {
  assert.deepEqual(readKeeperState(SOUND), {
    ...{ ...ORDER, lives: true, age: 120, idle: 1000, seen: "quiet", isAccepted: true, hasActed: false },
  });
  assert.equal(readKeeperState("no-keeper"), "missing");
});

test("anything else is nothing", () => {
  const hostile = [
    "",
    "idle-keeper",
    `${SOUND} more`,
    SOUND.slice(0, -3),
    SOUND.repeat(100_000),
    change([0, "\u001b[2J"]),
    change([1, "2"]),
    change([2, "-3"]),
    change([2, "03"]),
    change([2, "1e9"]),
    change([2, "1799999000000-"]),
    change([2, "1799999000000-0A0A0A0A0A0A0A0A0A0A"]),
    change([2, "1799999000000-0a0a0a0a0a0a0a0a0a0a0a"]),
    change([3, "$(reboot)"]),
    change([4, "9".repeat(400)]),
    change([4, "9999999999999999"]),
    // It looked in the future, and was idle before it looked.
    change([4, "6000"]),
    change([5, "5001"]),
    change([6, "asleep"]),
    change([6, "__proto__"]),
    change([7, "maybe"]),
    change([8, "x"]),
    change([9, "!"]),
    change([10, "YES"]),
    change([11, "Infinity"]),
    change([12, "constructor"]),
  ];
  for (const answer of hostile) assert.equal(readKeeperState(answer), undefined, answer.slice(0, 90));
});

test("it is promised only where everything is shown", () => {
  const doubts: Readonly<Record<string, IdleKeeperDoubt | undefined>> = {
    [SOUND]: undefined,
    [change([6, "gpu"])]: undefined,
    [change([2, "4"])]: "other",
    [change([2, "1799999000000"])]: "other",
    [change([2, "1799999000000-0b0a0a0a0a0a0a0a0a0a"])]: "other",
    [change([10, "no"])]: "ended",
    [change([11, "5201"])]: "ended",
    [change([7, "no"])]: "refused",
    [change([7, "unasked"])]: "starting",
    [change([6, "starting"])]: "starting",
    [change([6, "no-gpu"])]: "blind",
    [change([6, "no-terminals"])]: "blind",
  };
  for (const [answer, doubt] of Object.entries(doubts)) {
    const state = readKeeperState(answer);
    assert.ok(state);
    assert.equal(judgeIdleKeeper(state, ORDER, NOW).doubt, doubt, answer);
  }
  assert.equal(judgeIdleKeeper("missing", ORDER, NOW).doubt, "missing");
});

test("and only for a while after it was shown", () => {
  const state = readKeeperState(SOUND);
  assert.ok(state);
  const proof = judgeIdleKeeper(state, ORDER, NOW);
  assert.deepEqual(toIdleKeeperGuard(proof, NOW + 60_000), { kind: "armed", lookedAt: NOW - 120_000 });
  assert.equal(toIdleKeeperGuard(proof, NOW + 14 * 60_000).kind, "unverified");
  assert.equal(toIdleKeeperGuard(proof, NOW - 1).kind, "unverified", "the clock was set back");
  assert.equal(toIdleKeeperGuard({ ...proof, lookedAt: NOW + 1 }, NOW + 2).kind, "unverified", "a file of anyone's");
  assert.deepEqual(toIdleKeeperGuard({ ...proof, doubt: "blind" }, NOW), { kind: "unverified", doubt: "blind" });
  assert.deepEqual(toIdleKeeperGuard(undefined, NOW), { kind: "unverified" });
});

test("a command is short enough for every login, and says nothing of the key", () => {
  const call = { instance: InstanceId.parse(31245), base: "https://service.example" };
  const order = { ...ORDER, wish: { minutes: 30, ending: "stop" }, percent: 10 } as const;
  const { command, input } = buildPlaceKeeperCommand(call, order, NOW);
  assert.ok(command.length < 8000 && buildReadKeeperCommand(true).length < 8000);
  assert.ok(!command.includes("CONTAINER_API_KEY") && input.includes("CONTAINER_API_KEY"));
  assert.equal(buildPlaceKeeperCommand(call, { ...order, wish: null }, NOW).input, "");
});
