// Tasks of the workspace: what each mistake in one is told as.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readRunTask } from "../../../../src/domain/run/run-task.ts";

const task = (more: object) => ({ type: "cloudGpu", command: "make", ...more });

test("a task is a command, and perhaps where it runs", () => {
  assert.deepEqual(readRunTask(task({})), task({}));
  const more = {
    setup: "",
    results: ["out/**"],
    dataFolders: ["data"],
    whenDone: "stop",
    maxHours: 0.5,
    maxCost: 5,
    maxPricePerHour: 0.8,
  };
  const whole = task({ instance: 31_000_001, folder: "src/a b", ...more });
  assert.deepEqual(readRunTask(whole), whole);
  for (const what of [{ image: "pytorch/pytorch:2.4" }, { template: "h4sh" }])
    assert.deepEqual(readRunTask(task(what)), task(what));
  const many = task({ instances: 4, engine: "torchrun", onFailure: "continue", whenDone: "destroy" });
  assert.deepEqual(readRunTask(many), many);
  for (const instance of ["pick", "new"]) assert.equal(readRunTask(task({ instance })).instance, instance);
});

describe("a mistake is named with its property", () => {
  for (const [more, says] of [
    [{ command: undefined }, /“command” is wrong\. Enter a command/],
    [{ command: 7 }, /“command” is wrong\. Enter a command/],
    [{ command: " " }, /“command” is wrong\. Enter a command/],
    [{ command: "x".repeat(10_001) }, /“command” is wrong\. The command is longer/],
    [{ instance: "everything" }, /“instance” is wrong\. Enter the number/],
    [{ instance: -1 }, /“instance” is wrong/],
    [{ folder: "../other" }, /“folder” is wrong\. Enter a folder below/],
    [{ folder: "/etc" }, /“folder” is wrong/],
    [{ folder: "C:\\Users" }, /“folder” is wrong/],
    [{ folder: 7 }, /“folder” is wrong/],
    [{ maxHours: 0 }, /“maxHours” is wrong\. Enter a number above 0 and at most 720/],
    [{ maxHours: "8" }, /“maxHours” is wrong/],
    [{ maxHours: 721 }, /“maxHours” is wrong/],
    [{ maxCost: -1 }, /“maxCost” is wrong\. Enter a number of dollars/],
    [{ maxCost: Number.POSITIVE_INFINITY }, /“maxCost” is wrong/],
    [{ whenDone: "end" }, /“whenDone” is wrong\. Enter “destroy”, “stop” or “keep”\./],
    [{ template: 7 }, /“template” is wrong\. Enter the hash of a template/],
    [{ image: "-e A=b" }, /“image” is wrong\. Enter a Docker image/],
    [{ image: "--privileged/alpine" }, /“image” is wrong/],
    [{ image: "-v/x" }, /“image” is wrong/],
    [{ image: "a/b --privileged" }, /“image” is wrong/],
    [{ image: "a/b", template: "h4sh" }, /has both “template” and “image”\. Remove one of them/],
    [{ maxPricePerHour: 0 }, /“maxPricePerHour” is wrong\. Enter a number of dollars per hour above 0\./],
    [{ setup: null }, /“setup” is wrong/],
    [{ env: "A=1" }, /“env” is wrong\. Enter texts by name, such as \{"EPOCHS": "3"\}\./],
    [{ env: { A: 1 } }, /“env” is wrong\. Enter texts by name/],
    [{ env: { "A=1; rm": "x" } }, /“A=1; rm” can't be the name of a variable/],
    [{ env: { HF_TOKEN: "hf_x" } }, /“HF_TOKEN” looks like a secret/],
    [{ env: { A: "1\n2" } }, /The value of “A” must be one line/],
    [
      { env: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, "'".repeat(300)])) },
      /too many variables/,
    ],
    [{ folder: "src/../../other" }, /“folder” is wrong/],
    [{ folder: ".git" }, /“folder” is wrong/],
    [{ results: "out" }, /“results” is wrong\. Enter a list/],
    [{ results: ["../a"] }, /“results” is wrong\. “\.\.\/a” isn't inside/],
    [{ results: ["**"] }, /“results” is wrong\. “\*\*” matches every file/],
    [{ dataFolders: ["."] }, /“dataFolders” is wrong\. .*isn't inside/],
    [{ dataFolders: ["a", "a/b"] }, /“dataFolders” is wrong\. “a\/b” is inside “a”/],
    [{ instances: 1 }, /“instances” is wrong\. Enter a whole number from 2 to 64\./],
    [{ instances: 65 }, /“instances” is wrong/],
    [{ instances: 2.5 }, /“instances” is wrong/],
    [{ instances: 2, engine: "mpi" }, /“engine” is wrong\. Enter “each”, “torchrun” or “ray”\./],
    [{ instances: 2, onFailure: "retry" }, /“onFailure” is wrong\. Enter “stopAll” or “continue”\./],
    [{ engine: "ray" }, /“instances” is wrong\. Add “instances” \(how many instances to run on\)/],
    [{ instances: 2, instance: "new" }, /“instances” is wrong\. A task with “instances” runs on an existing group/],
    [{ instances: 2, image: "a/b" }, /“instances” is wrong\. A task with “instances” runs on/],
    [{ folder: "a/.git/b" }, /“folder” is wrong/],
  ] as const)
    test(JSON.stringify(more).slice(0, 60), () => assert.throws(() => readRunTask(task(more)), says));
});
