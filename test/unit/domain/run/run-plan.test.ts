// The command that runs a file.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findFileCommand } from "../../../../src/domain/run/run-plan.ts";

describe("a file runs by what it is", () => {
  for (const [path, command] of [
    ["train.py", "python3 -u train.py"],
    ["src/two words.py", "python3 -u 'src/two words.py'"],
    ["it's.py", String.raw`python3 -u 'it'\''s.py'`],
    ["-x.py", "python3 -u ./-x.py"],
    ["$(rm -rf ~).sh", "bash '$(rm -rf ~).sh'"],
    ["run.BASH", "bash run.BASH"],
    ["data.csv", undefined],
    ["py", undefined],
  ] as const)
    test(path, () => assert.equal(findFileCommand(path), command));

  test("a notebook by papermill, or else by Jupyter itself, into a file beside it", () => {
    assert.match(
      findFileCommand("a b.ipynb") ?? "",
      /papermill 'a b\.ipynb' 'a b\.done\.ipynb'; else .*nbconvert.*--output 'a b\.done\.ipynb'/,
    );
  });
});
