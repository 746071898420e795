// Paths of data folders, and what is said of those that aren't any.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DataFolders, isWithin } from "../../../../src/domain/base/data-folders.ts";

test("folders are paths in the uploaded one", () => {
  assert.deepEqual(DataFolders.parse(["./data/", "more/a b", "data-2"]), ["data", "more/a b", "data-2"]);
  assert.deepEqual(DataFolders.parse([]), []);
});

test("a path is within a folder if it is its own or below it", () => {
  assert.ok(isWithin("data", "data"));
  assert.ok(isWithin("data", "data/a"));
  assert.ok(!isWithin("data", "data-2/a"));
  assert.ok(!isWithin("data/a", "data"));
});

describe("a list of folders isn't", () => {
  const inside = /isn't inside the uploaded folder/;
  for (const [given, says] of [
    [["."], inside],
    [["./"], inside],
    [[""], inside],
    [["../other"], inside],
    [["data/../.."], inside],
    [["/data"], inside],
    [["~/data"], inside],
    [["D:\\data"], inside],
    [["a\\b"], inside],
    [["a\0"], /invalid character/],
    [[".git"], /can't be uploaded/],
    [["x/.GIT/hooks"], /can't be uploaded/],
    [[".cloud-gpu/runs"], /can't be uploaded/],
    [["data", "data/train"], /“data\/train” is inside “data”/],
    [["data/train", "data"], /“data\/train” is inside “data”/],
    [["data", "./data"], /data is listed twice/],
    [["x".repeat(501)], /longer than 500 characters/],
    [["a", "b", "c", "d", "e", "f"], /up to 5 folders/],
    ["data", /up to 5 folders/],
    [[7], /up to 5 folders/],
  ] as const)
    test(JSON.stringify(given).slice(0, 40), () =>
      assert.match(DataFolders.safeParse(given).error?.issues[0]?.message ?? "", says),
    );
});
