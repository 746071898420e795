// What a machine is asked about the end that it keeps, and what its answer means.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { buildSelfStopCommand, readSelfStopState } from "../../../../src/domain/connection/self-stop-command.ts";
import { readScript } from "../../support.ts";

const CALL = { instance: InstanceId.parse(5), base: "https://gpu.example.com" };
const NOW = 1_764_000_000_000;

describe("a machine's answer about its end", () => {
  test("is told by this computer's clock, whatever the machine's says", () => {
    const end = readSelfStopState("end 5000 DELETE 2 17 100 1400 33 yes no", NOW);
    assert.deepEqual(end, {
      ...{ until: NOW + 3_600_000, written: 5000, ending: "destroy", count: 2, at: 17 },
      ...{ lives: true, isAccepted: true, wasDue: false },
    });
  });
  test("says whether it would be obeyed, and whether it may have been carried out", () => {
    const read = (answer: string) => {
      const end = readSelfStopState(answer, NOW);
      assert.ok(end !== undefined && end !== "missing");
      return end;
    };
    assert.equal(read("end 5000 PUT 1 1 0 1400 none no no").lives, false, "no process");
    assert.equal(read("end 5000 PUT 1 1 6000 6400 33 no no").lives, false, "it passed before the machine was started");
    assert.equal(read("end 5000 PUT 1 1 0 5400 33 no due").wasDue, true);
    const none = read("end none none 3 9 100 1400 33 yes no");
    assert.deepEqual([none.until, none.ending, none.lives], [undefined, undefined, true]);
    assert.equal(read("end 99999999999999999 PUT 1 1 0 1 33 yes no").until, undefined);
  });
  test("is nothing if it is anything else", () => {
    assert.equal(readSelfStopState("no-end", NOW), "missing");
    for (const answer of [
      "",
      "unknown",
      "end",
      "end 1 PUT 1 1 0",
      "end 1 PUT x 1 0 1 33 yes no",
      "armed",
      "end ".repeat(99),
    ])
      assert.equal(readSelfStopState(answer, NOW), undefined, answer);
  });
});

test("a machine is told of an end by its own clock, and of none by a word", () => {
  const order = { count: 3, at: 7, wait: 61_500, ending: "stop" } as const;
  const command = readScript(buildSelfStopCommand(CALL, order));
  assert.match(command, /date \+%s\) \+ 62/);
  assert.match(command, /"3 7"/);
  assert.match(readScript(buildSelfStopCommand(CALL, { ...order, wait: undefined })), /e="none"/);
  assert.doesNotMatch(buildSelfStopCommand(CALL), /mkdir/);
});
