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
    resultsEveryMinutes: 10,
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
    [{ command: undefined }, /“command” in the task\. Enter a command/],
    [{ command: 7 }, /“command” in the task\. Enter a command/],
    [{ command: " " }, /“command” in the task\. Enter a command/],
    [{ command: "x".repeat(10_001) }, /“command” in the task\. The command is longer/],
    [{ instance: "everything" }, /“instance” in the task\. Enter an instance ID/],
    [{ instance: -1 }, /“instance” in the task/],
    [{ folder: "../other" }, /“folder” in the task\. Enter a folder below/],
    [{ folder: "/etc" }, /“folder” in the task/],
    [{ folder: "C:\\Users" }, /“folder” in the task/],
    [{ folder: 7 }, /“folder” in the task/],
    [{ maxHours: 0 }, /“maxHours” in the task\. Enter a number above 0 and at most 720/],
    [{ maxHours: "8" }, /“maxHours” in the task/],
    [{ maxHours: 721 }, /“maxHours” in the task/],
    [{ maxCost: -1 }, /“maxCost” in the task\. Enter a number of dollars/],
    [{ maxCost: Number.POSITIVE_INFINITY }, /“maxCost” in the task/],
    [{ whenDone: "end" }, /“whenDone” in the task\. Enter “destroy”, “stop”, or “keep”\./],
    [{ template: 7 }, /“template” in the task\. Enter the hash of a template/],
    [{ image: "-e A=b" }, /“image” in the task\. Enter a Docker image/],
    [{ image: "--privileged/alpine" }, /“image” in the task/],
    [{ image: "-v/x" }, /“image” in the task/],
    [{ image: "a/b --privileged" }, /“image” in the task/],
    [{ image: "a/b", template: "h4sh" }, /has both “template” and “image”\. Remove one of them/],
    [{ maxPricePerHour: 0 }, /“maxPricePerHour” in the task\. Enter a number of dollars per hour above 0\./],
    [{ maxAttempts: 21 }, /“maxAttempts” in the task\. Enter a whole number from 1 to 20\./],
    [
      { maxAttempts: 2, instance: 7 },
      /“maxAttempts” in the task\. This only works for a task that rents its instance\./,
    ],
    [{ maxAttempts: 2, instances: 3 }, /“maxAttempts” in the task\. This only works/],
    [{ setup: null }, /“setup” in the task/],
    [{ env: "A=1" }, /“env” in the task\. Enter an object of strings, such as \{"EPOCHS": "3"\}\./],
    [{ env: { A: 1 } }, /“env” in the task\. Enter an object of strings/],
    [{ env: { "A=1; rm": "x" } }, /“A=1; rm” can't be the name of a variable/],
    [{ env: { HF_TOKEN: "hf_x" } }, /“HF_TOKEN” looks like a secret/],
    [{ env: { A: "1\n2" } }, /The value of “A” must be one line/],
    [
      { env: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, "'".repeat(300)])) },
      /too many variables/,
    ],
    [{ folder: "src/../../other" }, /“folder” in the task/],
    [{ folder: ".git" }, /“folder” in the task/],
    [{ results: "out" }, /“results” in the task\. Enter a list/],
    [{ results: ["../a"] }, /“results” in the task\. “\.\.\/a” isn't inside/],
    [{ results: ["**"] }, /“results” in the task\. “\*\*” matches every file/],
    [
      { resultsEveryMinutes: 0 },
      /“resultsEveryMinutes” in the task\. Enter a whole number of minutes from 1 to 1,?440\./,
    ],
    [{ resultsEveryMinutes: 1441 }, /“resultsEveryMinutes” in the task\. Enter a whole number of minutes/],
    [{ resultsEveryMinutes: 0.5 }, /“resultsEveryMinutes” in the task\. Enter a whole number of minutes/],
    [{ resultsEveryMinutes: "10" }, /“resultsEveryMinutes” in the task\. Enter a whole number of minutes/],
    [{ dataFolders: ["."] }, /“dataFolders” in the task\. .*isn't inside/],
    [{ dataFolders: ["a", "a/b"] }, /“dataFolders” in the task\. “a\/b” is inside “a”/],
    [{ instances: 1 }, /“instances” in the task\. Enter a whole number from 2 to 64\./],
    [{ instances: 65 }, /“instances” in the task/],
    [{ instances: 2.5 }, /“instances” in the task/],
    [{ instances: 2, engine: "mpi" }, /“engine” in the task\. Enter “each”, “torchrun”, or “ray”\./],
    [{ instances: 2, onFailure: "retry" }, /“onFailure” in the task\. Enter “stopAll” or “continue”\./],
    [{ engine: "ray" }, /“instances” in the task\. Add “instances” \(how many instances to run on\)/],
    [{ instances: 2, instance: "new" }, /“instances” in the task\. A task with “instances” runs on an existing group/],
    [{ instances: 2, image: "a/b" }, /“instances” in the task\. A task with “instances” runs on/],
    [{ folder: "a/.git/b" }, /“folder” in the task/],
  ] as const)
    test(JSON.stringify(more).slice(0, 60), () => assert.throws(() => readRunTask(task(more)), says));
});
